import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import type { PackedPolicySet } from '../detection/engines.ts';
import type { PolicyFile } from '../domain/policies.ts';
import type { LaneOrder, LaneSetAnswer } from './lane-messages.ts';

/** A policy set that lanes were made ready for. */
export interface LaneSet {
  /** What lanes call it. */
  number: number;
  packed: PackedPolicySet;
}

/** A lane, as far as policy sets are concerned. */
export interface SetLane {
  readonly port: MessagePort;
  readonly state: 'starting' | 'ready' | 'suspect' | 'ended';
  readonly batches: readonly unknown[];
  /** Sets that it was told of, by number. */
  readonly knows: Set<number>;
  /** Whether it gets no events, since it is being made ready for a set. */
  reserved: boolean;
  /** Waits for the answer to an order. */
  onAnswer: ((answer: LaneSetAnswer) => void) | undefined;
}

/**
 * Why a set cannot be used, for the person who wrote it. One that is `untried` may be as good as any: no lane was there to try it,
 * and there may be one in a moment.
 */
export interface Unusable {
  why: string;
  untried?: boolean;
}

/** What came of making lanes ready. */
export type Readied = { ok: true; packed: PackedPolicySet } | ({ ok: false } & Unusable);

export interface LaneSetsOptions<L extends SetLane> {
  lanes: ReadonlySet<L>;
  /** Lanes that must be left to serve while another one is made ready. */
  serving: number;
  /** Ends a lane that does not come to an end with a set. */
  end(lane: L): void;
  /** A lane has time for events again. */
  onFree(): void;
}

const TICK_MS = 4;
/** If no lane can be spared for so long (others are stuck), one is taken nevertheless. */
const SPARE_WAIT_MS = 2000;
/** A set that takes a lane longer is refused, and the lane ended. */
const READY_MS_MAX = 30_000;

/**
 * The policy sets of the pool's lanes. A set is checked and compiled ahead of its first use, in one lane after the other,
 * each of which gets no events meanwhile: with the warm spare, as many serve as ever. A lane that is not ready yet (it
 * replaces another, or had to forget) compiles a set when it first needs it.
 */
export class LaneSets<L extends SetLane> {
  readonly #options: LaneSetsOptions<L>;
  readonly #sets = new Map<string, LaneSet>();
  #numbers = 0;

  constructor(options: LaneSetsOptions<L>) {
    this.#options = options;
  }

  find(hash: string): LaneSet | undefined {
    return this.#sets.get(hash);
  }

  /** Makes every lane ready for the set of `files`, which `hash` must be the hash of. Never rejects. One call at a time. */
  async add(hash: string, files: readonly PolicyFile[]): Promise<Readied> {
    const known = this.#sets.get(hash);
    if (known !== undefined) return { ok: true, packed: known.packed };
    const read = await this.#readFirst(files);
    if ('why' in read) return { ok: false, ...read };
    const { number, packed } = read;
    if (packed.hash !== hash) return { ok: false, why: `its files are those of the set ${packed.hash}` };
    const set = { number, packed };
    this.#sets.set(hash, set);
    for (const lane of this.#options.lanes) {
      const why = await this.#prepare(lane, set);
      if (why === undefined) continue;
      this.#sets.delete(hash);
      return { ok: false, why };
    }
    return { ok: true, packed };
  }

  /** Forgets all sets but those of `hashes`. Events that wait for an inspection under another one get it nevertheless. */
  keep(hashes: ReadonlySet<string>): void {
    for (const hash of this.#sets.keys()) if (!hashes.has(hash)) this.#sets.delete(hash);
    const kept = new Set([...this.#sets.values()].map(({ number }) => number));
    for (const { knows, port } of this.#options.lanes) {
      const sets = [...knows].filter((number) => !kept.has(number));
      if (sets.length === 0) continue;
      for (const number of sets) knows.delete(number);
      port.postMessage({ order: 'forget', sets } satisfies LaneOrder);
    }
  }

  /** Makes a lane ready that was started later than the sets were added. */
  async catchUp(lane: L): Promise<void> {
    for (const set of this.#sets.values()) if (!lane.knows.has(set.number)) await this.#prepare(lane, set);
  }

  /** Tells `lane` of a set before events come that need it. */
  teach({ knows, port }: L, { number, packed }: LaneSet): void {
    if (knows.has(number)) return;
    knows.add(number);
    port.postMessage({ order: 'learn', set: number, packed } satisfies LaneOrder);
  }

  async #readFirst(files: readonly PolicyFile[]): Promise<LaneSet | Unusable> {
    const lane = await this.#anyReserved();
    if (lane === undefined) return { why: 'no inspection thread is there to read it', untried: true };
    const number = ++this.#numbers;
    lane.knows.add(number);
    const answer = await this.#ask(lane, { order: 'read', set: number, files });
    if ('refused' in answer) return { why: answer.refused };
    return answer.packed === undefined ? { why: 'no answer came' } : { number, packed: answer.packed };
  }

  /** Returns why the lane cannot use the set; undefined where it can, or ended for another reason. */
  async #prepare(lane: L, set: LaneSet): Promise<string | undefined> {
    if (lane.state === 'starting' || !(await this.#reserve(lane))) return undefined;
    this.teach(lane, set);
    const answer = await this.#ask(lane, { order: 'prepare', set: set.number });
    return 'refused' in answer ? answer.refused : undefined;
  }

  /** Undefined where there is no lane: at a stop, and as long as none can be started. */
  async #anyReserved(): Promise<L | undefined> {
    for (;;) {
      const lane = [...this.#options.lanes].filter(({ state }) => state === 'ready').at(-1);
      if (lane !== undefined && (await this.#reserve(lane))) return lane;
      if (this.#options.lanes.size === 0) return undefined;
      await sleep(TICK_MS);
    }
  }

  /** Takes `lane` from its work, once the others can do without it. False where it ended meanwhile. */
  async #reserve(lane: L): Promise<boolean> {
    const urgentAtMs = performance.now() + SPARE_WAIT_MS;
    while (lane.state !== 'ended' && !this.#canSpare(lane, performance.now() >= urgentAtMs)) await sleep(TICK_MS);
    if (lane.state === 'ended') return false;
    lane.reserved = true;
    while (!isEnded(lane) && lane.batches.length > 0) await sleep(TICK_MS);
    return !isEnded(lane);
  }

  #canSpare(lane: L, urgent: boolean): boolean {
    if (!isServing(lane)) return false;
    const others = [...this.#options.lanes].filter((other) => other !== lane && isServing(other));
    return urgent || others.length >= this.#options.serving;
  }

  #ask(lane: L, order: Extract<LaneOrder, { order: 'read' | 'prepare' }>): Promise<LaneSetAnswer> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#options.end(lane), READY_MS_MAX);
      lane.onAnswer = (answer) => {
        clearTimeout(timer);
        lane.onAnswer = undefined;
        lane.reserved = false;
        this.#options.onFree();
        resolve(answer);
      };
      lane.port.postMessage(order);
    });
  }
}

/** Whether a lane may be given events. */
export function isServing({ state, reserved }: Pick<SetLane, 'state' | 'reserved'>): boolean {
  return state === 'ready' && !reserved;
}

/** Asked anew: other code changes it meanwhile. */
function isEnded({ state }: Pick<SetLane, 'state'>): boolean {
  return state === 'ended';
}

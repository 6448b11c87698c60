import { MessageChannel } from 'node:worker_threads';
import Piscina from 'piscina';
import type { PolicySetDocument } from '../detection/policy/document.ts';
import type { PolicyFile } from '../domain/policies.ts';
import { MendableError } from '../lib/mendable-error.ts';
import { Entry, type FailureCause, type Priority } from './entry.ts';
import type { InspectionRequest, Inspector, PendingInspection } from './inspector.ts';
import { Lane } from './lane.ts';
import { type LaneMessage, type LaneStart, NO_SET, SMALL_EVENT_CHARS_MAX } from './lane-messages.ts';
import { isServing, LaneSets, type Readied } from './lane-sets.ts';
import { WaitingLines } from './waiting-lines.ts';

export interface WorkerPoolOptions {
  /** The bundled lane: one CommonJS file (ending a thread inside `require()` of an ES module can abort Node 20). */
  laneFile: string;
  /** Lanes that serve at once; one more is kept warm. */
  workers: number;
  /** Blocking events that may wait; observational ones get as many again. */
  queueEventsMax: number;
  /** What lanes inspect with where an event names no set of its own: see `openEngine`. */
  policies: readonly PolicySetDocument[];
  secret: Uint8Array;
  testTriggers: boolean;
  onLaneEnded?: (why: LaneEnd) => void;
  /** An inspection threw, or a lane ended by itself; `error` holds a name and a place, no content. */
  onLaneError?: (error: string) => void;
}

export type LaneEnd = 'stuck' | 'crashed';

/** Batches a lane has at once: the next one is there when it finishes one. */
const LANE_BATCHES_MAX = 2;
/** How often lanes and deadlines are looked at while there is work. */
const TICK_MS = 4;
/** A lane that works on one item for longer is suspect: the rest of its work goes elsewhere. */
const SUSPECT_AFTER_MS = 8;
/** The same for a lane that has not begun what it was sent: a thread that got no processor is no stuck one. */
const UNBEGUN_SUSPECT_AFTER_MS = 50;
/**
 * A lane that has worked for longer at an item whose time is over, on a processor and without a look at the time, is stuck: one that looks ends by
 * itself, with what it has found. A thread that only got no processor is none: another one would get none either, and has yet to start.
 */
const STUCK_AFTER_WORK_MS = 250;
/** The same at an item that is small, with little known of its session: the longest known without a look takes some ten milliseconds there, on a new thread fifty. */
const STUCK_AT_SMALL_AFTER_WORK_MS = 100;
/** How many times as long it is left where the item has time left. */
const STUCK_IN_TIME_FACTOR = 2;
const SMALL_FACTS_CHARS_MAX = 16_384;
/** And at policies that it compiles. */
const STUCK_COMPILING_AFTER_WORK_MS = 5_000;
/** Or one that stands for so long, whatever it waits for. */
const STUCK_AFTER_MS = 10_000;
/** How long a decision that is reached waits for what a tried set would have answered, where its lane stands still. */
const SHADOW_WAIT_MS = 50;
const NOT_STARTED = 'the inspection threads did not start in time; does this machine have processors to spare?';
/** Half a minute is what a start takes where many others want the processors. */
const START_TIMEOUT_MS = 60_000;
/** How long after a lane that ended before it could serve another one is tried. */
const REOPEN_MS = 1_000;

/**
 * Inspects in Piscina threads through *lanes*: a lane is one long-lived task that serves batches from a message port
 * until its thread is ended. Piscina starts, ends and replaces the threads; admission, order, batching and deadlines
 * are here (`docs/ARCHITECTURE.md`, "Lanes").
 *
 * A lane that stands still on one event is suspect: what waits behind that event is sent to another lane (an inspection
 * is pure, so doing it twice is harmless), and only the stuck event meets its deadline, at which the lane is ended if it has
 * stood for long enough.
 */
export class WorkerPool implements Inspector {
  readonly #options: WorkerPoolOptions;
  readonly #piscina: Piscina;
  readonly #lanes = new Set<Lane>();
  readonly #sets: LaneSets<Lane>;
  readonly #lines: WaitingLines;
  #flushScheduled = false;
  #ticking: NodeJS.Timeout | undefined;
  /** Told once all lanes can serve, or that one cannot. */
  #starting: { started: () => void; failed: (error: Error) => void } | undefined;
  #reopening: NodeJS.Timeout | undefined;
  #stopping = false;
  #unsettled = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    const threads = options.workers + 1;
    this.#piscina = new Piscina({
      filename: options.laneFile,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      atomics: 'disabled',
      // Nothing of the process's own options and environment: a thread that replaces another must start fast.
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 },
    });
    this.#piscina.on('error', this.#onThreadLost);
    this.#sets = new LaneSets({
      lanes: this.#lanes,
      serving: options.workers,
      end: (lane) => this.#endLane(lane, 'stuck'),
      onFree: () => this.#scheduleFlush(),
    });
    this.#lines = new WaitingLines(options.queueEventsMax);
  }

  /** Events waiting for a lane, by priority: for metrics. */
  get waiting(): Record<Priority, number> {
    return this.#lines.lengths;
  }

  async start(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const started = new Promise<void>((resolve, reject) => {
      this.#starting = { started: resolve, failed: reject };
      timer = setTimeout(() => reject(new MendableError(NOT_STARTED)), START_TIMEOUT_MS).unref();
    });
    for (let lanes = 0; lanes <= this.#options.workers; lanes++) this.#openLane();
    await started.finally(() => {
      this.#starting = undefined;
      clearTimeout(timer);
    });
  }

  /**
   * Makes the lanes ready for the set of `files`, so that requests may name it by `hash`, its hash. Events go on meanwhile.
   * Never rejects. One call at a time.
   */
  addPolicySet(hash: string, files: readonly PolicyFile[]): Promise<Readied> {
    return this.#sets.add(hash, files);
  }

  /** Forgets all policy sets but those of `hashes` and the installation's. */
  keepPolicySets(hashes: ReadonlySet<string>): void {
    this.#sets.keep(hashes);
  }

  inspect(request: InspectionRequest): PendingInspection {
    if (this.#stopping) return failed('stopping');
    const { policySet, shadowSet, priority } = request;
    const set = policySet === undefined ? undefined : this.#sets.find(policySet);
    // Not under other policies than those that were asked for.
    if (set === undefined && policySet !== undefined) return failed('lane_error');
    const shadow = shadowSet === undefined || priority !== 'blocking' ? undefined : this.#sets.find(shadowSet);
    const entry = new Entry(request, { set, shadow }, this.#onSettled);
    this.#unsettled++;
    this.#enqueue(entry);
    return { outcome: entry.outcome, promote: () => this.#promote(entry) };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    // Observational events are in the journal: the next start inspects them.
    this.#lines.failObservational();
    for (const lane of this.#lanes)
      for (const entry of lane.entries()) if (entry.priority === 'observational') entry.fail('stopping');
    while (this.#unsettled > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    clearTimeout(this.#ticking);
    clearTimeout(this.#reopening);
    // In this order: for a lane that is closed before, the pool begins a new thread, only to end it.
    const destroyed = this.#piscina.destroy();
    for (const lane of this.#lanes) this.#closeLane(lane);
    await destroyed;
  }

  readonly #onSettled = (): void => {
    this.#unsettled--;
  };

  #enqueue(entry: Entry): void {
    this.#lines.push(entry);
    this.#scheduleFlush();
    this.#ticking ??= setTimeout(this.#tick, TICK_MS);
  }

  #promote(entry: Entry): void {
    entry.priority = 'blocking';
    if (entry.waitsIn === 'observational') this.#enqueue(entry);
  }

  /** Once per turn of the event loop, so that what arrived together is sent together. */
  #scheduleFlush(): void {
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#flushScheduled = false;
    for (;;) {
      const lane = this.#freeLane();
      if (lane === undefined) return;
      const entries = this.#lines.takeBatch();
      if (entries.length === 0) return;
      this.#send(lane, entries);
    }
  };

  /** The moving lane with the least to do, if it has room. Of the ready lanes only `workers` serve: the rest are spare. */
  #freeLane(): Lane | undefined {
    let free: Lane | undefined;
    let serving = 0;
    for (const lane of this.#lanes) {
      if (!isServing(lane)) continue;
      if (++serving > this.#options.workers) break;
      if (lane.batches.length < (free?.batches.length ?? LANE_BATCHES_MAX)) free = lane;
    }
    return free;
  }

  #send(lane: Lane, entries: readonly Entry[]): void {
    for (const { set, shadow } of entries) {
      if (set !== undefined) this.#sets.teach(lane, set);
      if (shadow !== undefined) this.#sets.teach(lane, shadow);
    }
    lane.send(entries);
  }

  #receive(lane: Lane, message: LaneMessage): void {
    if (message === 'ready') return this.#laneReady(lane);
    if (!Array.isArray(message)) return lane.onAnswer?.(message);
    lane.receive(message);
    this.#scheduleFlush();
  }

  readonly #tick = (): void => {
    this.#ticking = undefined;
    const now = performance.now();
    this.#lines.failLate(now);
    for (const lane of this.#lanes) this.#watch(lane, now);
    this.#relieveScarcity(now);
    const goesOn = this.#unsettled > 0 || [...this.#lanes].some(({ batches }) => batches.length > 0);
    if (goesOn && this.#ticking === undefined) this.#ticking = setTimeout(this.#tick, TICK_MS);
  };

  /** Looks whether a lane moves; passes on its work if it does not, and ends it when its event's time is over. */
  #watch(lane: Lane, now: number): void {
    if (lane.batches.length === 0 || (lane.state !== 'ready' && lane.state !== 'suspect')) return;
    const stillMs = lane.look(now);
    const stuck = lane.current;
    if (stillMs < (stuck === undefined ? UNBEGUN_SUSPECT_AFTER_MS : SUSPECT_AFTER_MS)) return;
    if (lane.state === 'ready') this.#suspect(lane, stuck);
    if (stillMs >= SHADOW_WAIT_MS) lane.settleAllReached();
    if (stuck !== undefined) {
      const isLate = stuck.deadlineAtMs <= now;
      if (isStuck(lane, { stuck, isLate, stillMs, now })) return this.#endLane(lane, 'stuck');
    }
    for (const entry of lane.entries()) if (entry.deadlineAtMs <= now) entry.fail('deadline');
  }

  #suspect(lane: Lane, stuck: Entry | undefined): void {
    lane.state = 'suspect';
    this.#resendAllBut(lane, stuck);
    this.#scheduleFlush();
  }

  #resendAllBut(lane: Lane, stuck: Entry | undefined): void {
    for (const entry of [...lane.entries()].reverse())
      if (entry !== stuck && !entry.isReached && entry.waitsIn === undefined) this.#lines.putBack(entry);
  }

  /** With every lane stuck, waiting for the deadline would cost the innocent theirs: the one that is stuck for longest goes now. */
  #relieveScarcity(now: number): void {
    if (this.#lines.lengths.blocking === 0) return;
    let longest: { lane: Lane; stillMs: number } | undefined;
    for (const lane of this.#lanes) {
      if (isServing(lane) || lane.state === 'starting') return;
      const stillMs = lane.look(now);
      const stuck = lane.current;
      if (stuck === undefined || stillMs <= (longest?.stillMs ?? 0)) continue;
      if (isStuck(lane, { stuck, isLate: true, stillMs, now })) longest = { lane, stillMs };
    }
    if (longest === undefined) return;
    // It had time left, so that nothing is proven: it is inspected again, once, when nobody waits for it.
    const { current } = longest.lane;
    if (current?.kind === 'blocking' && current.deadlineAtMs > now) current.fail('queue_full');
    this.#endLane(longest.lane, 'stuck');
  }

  #endLane(lane: Lane, why: LaneEnd): void {
    if (lane.state === 'ended') return;
    const neverServed = lane.state === 'starting';
    const stuck = lane.current;
    stuck?.fail('lane_ended');
    lane.settleAllReached();
    this.#resendAllBut(lane, stuck);
    this.#closeLane(lane);
    this.#options.onLaneEnded?.(why);
    if (neverServed) this.#openLanesLater();
    else this.#openMissingLanes();
    this.#scheduleFlush();
  }

  /** Whatever ended a lane that never served (a file that is being replaced, too many processes) would end the next one, too. */
  #openLanesLater(): void {
    this.#reopening ??= setTimeout(() => {
      this.#reopening = undefined;
      this.#openMissingLanes();
    }, REOPEN_MS);
  }

  #openMissingLanes(): void {
    if (this.#reopening !== undefined) return;
    while (this.#lanes.size <= this.#options.workers && (!this.#stopping || this.#unsettled > 0)) this.#openLane();
  }

  #closeLane(lane: Lane): void {
    lane.close();
    this.#lanes.delete(lane);
    lane.onAnswer?.({ set: NO_SET, refused: 'the thread that tried it ended over it' });
  }

  #openLane(): void {
    const { port1, port2 } = new MessageChannel();
    const { policies, secret, testTriggers, onLaneError } = this.#options;
    const lane = new Lane(port1, (error) => onLaneError?.(error));
    this.#lanes.add(lane);
    port1.on('message', (message: LaneMessage) => this.#receive(lane, message));
    const task: LaneStart = { port: port2, progress: lane.progress, policies, secret, testTriggers };
    void this.#run(lane, task).catch((error: unknown) => {
      // Ended by us (then it is closed already), or its thread died.
      if (lane.state === 'ended') return;
      if (lane.state === 'starting') return this.#onNotStarted([lane], error);
      onLaneError?.(describeError(error));
      this.#endLane(lane, 'crashed');
    });
  }

  /** Rejects as well where no thread could be made, which the pool throws. */
  async #run(lane: Lane, task: LaneStart): Promise<void> {
    await this.#piscina.run(task, { transferList: [task.port], signal: lane.abort.signal });
  }

  /** A thread ended before it was given its lane. Which one it was for is not known: none of those that wait for theirs may wait for ever. */
  readonly #onThreadLost = (error: unknown): void => {
    this.#onNotStarted(
      [...this.#lanes].filter(({ state }) => state === 'starting'),
      error,
    );
  };

  /** `error` may be told as it is: what has not served has seen no event. */
  #onNotStarted(lanes: readonly Lane[], error: unknown): void {
    this.#options.onLaneError?.(String(error));
    this.#starting?.failed(new MendableError(`an inspection thread could not start: ${String(error)}`));
    for (const lane of lanes) this.#endLane(lane, 'crashed');
  }

  #laneReady(lane: Lane): void {
    lane.becomeReady();
    if ([...this.#lanes].every(({ state }) => state !== 'starting')) this.#starting?.started();
    void this.#sets.catchUp(lane);
    this.#scheduleFlush();
  }
}

/** By name and code: the message of what a thread ended over may hold what it was working at. */
function describeError(error: unknown): string {
  const { name = 'Error', code } = error as { name?: string; code?: string };
  return code === undefined ? name : `${name} ${code}`;
}

function isStuck(
  lane: Lane,
  { stuck, isLate, stillMs, now }: { stuck: Entry; isLate: boolean; stillMs: number; now: number },
): boolean {
  if (isLate && stillMs >= STUCK_AFTER_MS) return true;
  if (lane.isCompiling) return lane.hasWorked(STUCK_COMPILING_AFTER_WORK_MS, now);
  const isSmall = stuck.event.length <= SMALL_EVENT_CHARS_MAX && stuck.facts.length <= SMALL_FACTS_CHARS_MAX;
  const lateMs = isSmall ? STUCK_AT_SMALL_AFTER_WORK_MS : STUCK_AFTER_WORK_MS;
  return lane.hasWorkedBlindly(isLate ? lateMs : lateMs * STUCK_IN_TIME_FACTOR, now);
}

function failed(cause: FailureCause): PendingInspection {
  return { outcome: Promise.resolve({ kind: 'failed', cause }), promote: () => {} };
}

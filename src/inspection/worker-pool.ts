import { MessageChannel, type MessagePort } from 'node:worker_threads';
import Piscina from 'piscina';
import { INSTALLATION_SET } from '../detection/engines.ts';
import type { PolicySetDocument } from '../detection/policy/document.ts';
import type { PolicyText } from '../detection/read-policies.ts';
import type { ShadowOutcome } from '../domain/decision.ts';
import type { TenantSlug } from '../domain/ids.ts';
import { assert } from '../lib/assert.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import type {
  InspectionOutcome,
  InspectionReport,
  InspectionRequest,
  Inspector,
  PendingInspection,
} from './inspector.ts';
import {
  IDLE,
  type LaneBatch,
  type LaneMessage,
  type LaneResult,
  type LaneResults,
  type LaneShadows,
  type LaneStart,
  NO_SET,
  NOT_FOUND_OUT,
  PROGRESS_BATCH,
  PROGRESS_COMPILING,
  PROGRESS_INDEX,
  PROGRESS_LENGTH,
  RESULT_STRIDE,
  SHADOW_STRIDE,
  sharedClockMs,
  unpackEffects,
} from './lane-messages.ts';
import { isServing, type LaneSet, LaneSets, type Readied, type SetLane } from './lane-sets.ts';

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
  /** An inspection threw; `error` holds a name and a place, no content. */
  onLaneError?: (error: string) => void;
}

export type LaneEnd = 'stuck' | 'crashed';

const BATCH_EVENTS_MAX = 32;
const BATCH_CHARS_MAX = 65_536;
/** Batches a lane has at once: the next one is there when it finishes one. */
const LANE_BATCHES_MAX = 2;
/** How often lanes and deadlines are looked at while there is work. */
const TICK_MS = 4;
/** A lane that works on one item for longer is suspect: the rest of its work goes elsewhere. */
const SUSPECT_AFTER_MS = 8;
/** The same for a lane that has not begun what it was sent: a thread that got no processor is no stuck one. */
const UNBEGUN_SUSPECT_AFTER_MS = 50;
/**
 * Where no lane is left that moves and events wait, the one that has stood longest is ended after this, before its
 * event's deadline. Long enough not to take a thread that got no processor for a stuck one.
 */
const SCARCE_END_AFTER_MS = 150;
/** Every tenth place goes to observational work while both kinds wait. */
const OBSERVATIONAL_TURN = 10;
/** Under overload (the oldest waited this share of its time) the newest is served first: the oldest will be late anyway. */
const OVERLOAD_SHARE = 0.25;
/** How long a decision that is reached waits for what a tried set would have answered, where its lane stands still. */
const SHADOW_WAIT_MS = 50;
/** A lane that compiles policies for an event is let do so, even beyond that event's deadline, for so long. */
const COMPILE_MS_MAX = 5000;
const START_TIMEOUT_MS = 10_000;

type Inspected = Extract<InspectionOutcome, { kind: 'inspected' }>;

/** A request on its way through the pool. A class, and not a copy of the request, since there is one for each event. */
class Entry {
  readonly tenant: TenantSlug;
  readonly event: string;
  readonly facts: string;
  readonly deadlineAtMs: number;
  readonly queuedAtMs = performance.now();
  readonly outcome: Promise<InspectionOutcome>;
  /** What it came as, whatever became of its priority. */
  readonly kind: InspectionRequest['priority'];
  priority: InspectionRequest['priority'];
  /** In which queue it waits; undefined once it was sent or settled. */
  waitsIn: InspectionRequest['priority'] | undefined = undefined;
  /** The sets that it is inspected under; undefined for the installation's, and where none is tried. */
  readonly set: LaneSet | undefined;
  readonly shadow: LaneSet | undefined;
  /** What was decided, while it is still being found out what the tried set would have answered. */
  reached: Inspected | undefined = undefined;
  settled = false;
  settle!: (outcome: InspectionOutcome) => void;

  constructor(request: InspectionRequest, set: LaneSet | undefined, shadow: LaneSet | undefined) {
    this.set = set;
    this.shadow = shadow;
    this.tenant = request.tenant;
    this.event = request.event;
    this.facts = request.facts;
    this.deadlineAtMs = request.deadlineAtMs;
    this.kind = request.priority;
    this.priority = request.priority;
    this.outcome = new Promise((resolve) => {
      this.settle = resolve;
    });
  }
}

interface Batch {
  number: number;
  entries: Entry[];
  /** Results to come, and then what tried sets would have answered. */
  resultsToCome: number;
  shadowsToCome: number;
}

interface Lane extends SetLane {
  port: MessagePort;
  progress: Int32Array;
  abort: AbortController;
  state: 'starting' | 'ready' | 'suspect' | 'ended';
  batches: Batch[];
  /** Progress as last seen, and when it was first seen so. */
  seenBatch: number;
  seenIndex: number;
  seenCompiling: number;
  seenAtMs: number;
  becameReady: () => void;
}

/**
 * Inspects in Piscina threads through *lanes*: a lane is one long-lived task that serves batches from a message port
 * until its thread is ended. Piscina starts, ends and replaces the threads; admission, order, batching and deadlines
 * are here (`docs/ARCHITECTURE.md`, "Lanes").
 *
 * A lane that stands still on one event is suspect: what waits behind that event is sent to another lane (an inspection
 * is pure, so doing it twice is harmless), and only the stuck event meets its deadline, at which the lane is ended.
 */
export class WorkerPool implements Inspector {
  readonly #options: WorkerPoolOptions;
  readonly #piscina: Piscina;
  readonly #lanes = new Set<Lane>();
  readonly #sets: LaneSets<Lane>;
  readonly #queues: Record<InspectionRequest['priority'], FairQueue<Entry>>;
  #taken = 0;
  #batchNumber = 0;
  #flushScheduled = false;
  #ticking: NodeJS.Timeout | undefined;
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
    this.#sets = new LaneSets({
      lanes: this.#lanes,
      serving: options.workers,
      end: (lane) => this.#endLane(lane, 'stuck'),
      onFree: () => this.#scheduleFlush(),
    });
    const owner = (entry: Entry) => entry.tenant;
    this.#queues = {
      blocking: new FairQueue(options.queueEventsMax, owner),
      observational: new FairQueue(options.queueEventsMax, owner),
    };
  }

  /** Events waiting for a lane, by priority: for metrics. */
  get waiting(): Record<InspectionRequest['priority'], number> {
    return { blocking: this.#queues.blocking.length, observational: this.#queues.observational.length };
  }

  async start(): Promise<void> {
    const ready = Array.from({ length: this.#options.workers + 1 }, () => this.#openLane());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('inspection threads did not start')), START_TIMEOUT_MS);
    });
    await Promise.race([Promise.all(ready), late]).finally(() => clearTimeout(timer));
  }

  /**
   * Makes the lanes ready for the set of `files`, so that requests may name it by `hash`, its hash. Events go on meanwhile.
   * Never rejects. One call at a time.
   */
  addPolicySet(hash: string, files: readonly PolicyText[]): Promise<Readied> {
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
    const entry = new Entry(request, set, shadow);
    this.#unsettled++;
    this.#enqueue(entry, request.priority);
    return { outcome: entry.outcome, promote: () => this.#promote(entry) };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    // Observational events are in the journal: the next start inspects them.
    for (const waiting of this.#queues.observational.drop(() => true)) this.#fail(waiting, 'stopping');
    for (const lane of this.#lanes) {
      for (const entry of lane.batches.flatMap((batch) => batch.entries)) {
        if (entry.priority === 'observational') this.#fail(entry, 'stopping');
      }
    }
    while (this.#unsettled > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    clearTimeout(this.#ticking);
    for (const lane of this.#lanes) this.#closeLane(lane);
    await this.#piscina.destroy();
  }

  #enqueue(entry: Entry, priority: InspectionRequest['priority']): void {
    entry.waitsIn = priority;
    const displaced = this.#queues[priority].push(entry);
    if (displaced !== undefined && displaced.waitsIn === priority) this.#fail(displaced, 'queue_full');
    this.#scheduleFlush();
    this.#ticking ??= setTimeout(this.#tick, TICK_MS);
  }

  #promote(entry: Entry): void {
    entry.priority = 'blocking';
    if (entry.waitsIn === 'observational') this.#enqueue(entry, 'blocking');
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
      const batch = this.#takeBatch();
      if (batch === undefined) return;
      this.#send(lane, batch);
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

  #takeBatch(): Batch | undefined {
    const entries: Entry[] = [];
    let chars = 0;
    while (entries.length < BATCH_EVENTS_MAX && chars < BATCH_CHARS_MAX) {
      const entry = this.#takeEntry();
      if (entry === undefined) break;
      entries.push(entry);
      chars += entry.event.length + entry.facts.length;
    }
    const { length } = entries;
    if (length === 0) return undefined;
    return { number: ++this.#batchNumber, entries, resultsToCome: length, shadowsToCome: 0 };
  }

  #takeEntry(): Entry | undefined {
    const now = performance.now();
    for (;;) {
      const priority = this.#nextPriority();
      const entry = this.#queues[priority].take((oldest) => isOverdue(oldest, now));
      if (entry === undefined) return undefined;
      // Settled meanwhile, or promoted and so standing in the other queue too.
      if (entry.settled || entry.waitsIn !== priority) continue;
      entry.waitsIn = undefined;
      if (entry.deadlineAtMs > now) return entry;
      this.#fail(entry, 'deadline');
    }
  }

  #nextPriority(): InspectionRequest['priority'] {
    if (this.#queues.blocking.length === 0) return 'observational';
    if (this.#queues.observational.length === 0) return 'blocking';
    return ++this.#taken % OBSERVATIONAL_TURN === 0 ? 'observational' : 'blocking';
  }

  #send(lane: Lane, batch: Batch): void {
    const message: LaneBatch = [batch.number];
    const clockOffsetMs = sharedClockMs() - performance.now();
    for (const { event, facts, deadlineAtMs, kind, set, shadow } of batch.entries) {
      if (set !== undefined) this.#sets.teach(lane, set);
      if (shadow !== undefined) this.#sets.teach(lane, shadow);
      const sets = [set?.number ?? INSTALLATION_SET, shadow?.number ?? NO_SET] as const;
      message.push(event, facts, deadlineAtMs + clockOffsetMs, kind, ...sets);
    }
    if (lane.batches.length === 0) lane.seenAtMs = performance.now();
    lane.batches.push(batch);
    lane.port.postMessage(message);
  }

  #receive(lane: Lane, message: LaneMessage): void {
    if (message === 'ready') return this.#laneReady(lane);
    if (!Array.isArray(message)) return lane.onAnswer?.(message);
    if (message[0] === 'shadows') this.#receiveShadows(lane, message);
    else this.#receiveResults(lane, message);
    lane.seenAtMs = performance.now();
    if (lane.state === 'suspect') lane.state = 'ready';
    lane.batches = lane.batches.filter(({ resultsToCome, shadowsToCome }) => resultsToCome + shadowsToCome > 0);
    this.#scheduleFlush();
  }

  #receiveResults(lane: Lane, results: LaneResults): void {
    const [number, first] = results;
    const batch = lane.batches.find((candidate) => candidate.number === number);
    if (batch === undefined) return;
    const count = (results.length - 2) / RESULT_STRIDE;
    batch.resultsToCome -= count;
    for (let index = 0; index < count; index++) {
      const entry = batch.entries[first + index];
      assert(entry !== undefined, 'a lane answers what it was sent');
      const outcome = this.#outcomeAt(results, 2 + index * RESULT_STRIDE);
      if (entry.shadow === undefined || outcome.kind === 'failed') this.#settle(entry, outcome);
      else {
        batch.shadowsToCome++;
        entry.reached = outcome;
      }
    }
  }

  #receiveShadows(lane: Lane, [, number, ...shadows]: LaneShadows): void {
    const batch = lane.batches.find((candidate) => candidate.number === number);
    if (batch === undefined) return;
    for (let at = 0; at < shadows.length; at += SHADOW_STRIDE) {
      const entry = batch.entries[shadows[at] as number];
      assert(entry !== undefined, 'a lane answers what it was sent');
      batch.shadowsToCome--;
      this.#settleReached(entry, shadows[at + 1] as string | null);
    }
  }

  #settleAllReached({ batches }: Lane): void {
    for (const { entries } of batches) for (const entry of entries) this.#settleReached(entry, NOT_FOUND_OUT);
  }

  /** Settles what is decided, with what the tried set would have answered. */
  #settleReached(entry: Entry, shadow: string | null): void {
    const { reached, shadow: set } = entry;
    if (reached !== undefined && set !== undefined) this.#settle(entry, withShadow(reached, set, shadow));
  }

  #outcomeAt(results: LaneResults, at: number): InspectionOutcome {
    const kind = results[at] as LaneResult[0];
    const reason = results[at + 1] as LaneResult[1];
    if (kind === 'failed') {
      this.#options.onLaneError?.(reason ?? '');
      return { kind: 'failed', cause: 'lane_error' };
    }
    const report: InspectionReport = {
      action: kind === 'block' ? 'block' : 'allow',
      effects: unpackEffects(results[at + 2] as LaneResult[2]),
      explanation: (results[at + 3] as LaneResult[3]) ?? '',
      clean: kind === 'clean',
    };
    if (reason !== null) report.reason = reason;
    return { kind: 'inspected', report };
  }

  readonly #tick = (): void => {
    this.#ticking = undefined;
    const now = performance.now();
    for (const queue of Object.values(this.#queues)) {
      for (const late of queue.drop((entry) => entry.settled || entry.deadlineAtMs <= now))
        this.#fail(late, 'deadline');
    }
    for (const lane of this.#lanes) this.#watch(lane, now);
    this.#relieveScarcity(now);
    if (this.#unsettled > 0 && this.#ticking === undefined) this.#ticking = setTimeout(this.#tick, TICK_MS);
  };

  /** Looks whether a lane moves; passes on its work if it does not, and ends it when its event's time is over. */
  #watch(lane: Lane, now: number): void {
    if (lane.batches.length === 0 || (lane.state !== 'ready' && lane.state !== 'suspect')) return;
    const batch = Atomics.load(lane.progress, PROGRESS_BATCH);
    const index = Atomics.load(lane.progress, PROGRESS_INDEX);
    const compiling = Atomics.load(lane.progress, PROGRESS_COMPILING);
    if (batch !== lane.seenBatch || index !== lane.seenIndex || compiling !== lane.seenCompiling) {
      lane.seenBatch = batch;
      lane.seenIndex = index;
      lane.seenCompiling = compiling;
      lane.seenAtMs = now;
    }
    const stuck = currentEntry(lane);
    const patienceMs = stuck === undefined ? UNBEGUN_SUSPECT_AFTER_MS : SUSPECT_AFTER_MS;
    if (now - lane.seenAtMs < patienceMs) return;
    if (lane.state === 'ready') this.#suspect(lane, stuck);
    if (now - lane.seenAtMs >= SHADOW_WAIT_MS) this.#settleAllReached(lane);
    const compiles = isCompiling(lane) && now - lane.seenAtMs < COMPILE_MS_MAX;
    if (stuck !== undefined && stuck.deadlineAtMs <= now && !compiles) this.#endLane(lane, 'stuck');
    else for (const batch of lane.batches) this.#failLate(batch, now);
  }

  #failLate(batch: Batch, now: number): void {
    for (const entry of batch.entries) if (entry.deadlineAtMs <= now) this.#fail(entry, 'deadline');
  }

  #suspect(lane: Lane, stuck: Entry | undefined): void {
    lane.state = 'suspect';
    this.#resendAllBut(lane, stuck);
    this.#scheduleFlush();
  }

  #resendAllBut(lane: Lane, stuck: Entry | undefined): void {
    for (const batch of lane.batches.toReversed()) {
      for (const entry of batch.entries.toReversed()) {
        if (entry === stuck || entry.settled || entry.reached !== undefined || entry.waitsIn !== undefined) continue;
        entry.waitsIn = entry.priority;
        this.#queues[entry.priority].unshift(entry);
      }
    }
  }

  /** With every lane stuck, waiting for the deadline would cost the innocent theirs: the longest stuck lane goes now. */
  #relieveScarcity(now: number): void {
    if (this.#queues.blocking.length === 0) return;
    let longest: Lane | undefined;
    for (const lane of this.#lanes) {
      if (isServing(lane) || lane.state === 'starting') return;
      if (currentEntry(lane) === undefined || isCompiling(lane)) continue;
      if (lane.seenAtMs < (longest?.seenAtMs ?? Number.POSITIVE_INFINITY)) longest = lane;
    }
    if (longest !== undefined && now - longest.seenAtMs >= SCARCE_END_AFTER_MS) this.#endLane(longest, 'stuck');
  }

  #endLane(lane: Lane, why: LaneEnd): void {
    if (lane.state === 'ended') return;
    const stuck = currentEntry(lane);
    if (stuck !== undefined) this.#fail(stuck, 'lane_ended');
    this.#settleAllReached(lane);
    this.#resendAllBut(lane, stuck);
    this.#closeLane(lane);
    this.#options.onLaneEnded?.(why);
    if (!this.#stopping || this.#unsettled > 0) void this.#openLane();
    this.#scheduleFlush();
  }

  #closeLane(lane: Lane): void {
    lane.state = 'ended';
    lane.port.close();
    lane.abort.abort();
    this.#lanes.delete(lane);
    lane.onAnswer?.({ set: NO_SET, refused: 'the thread that tried it ended over it' });
  }

  /** Starts a lane; settled once it can serve. */
  #openLane(): Promise<void> {
    const { port1, port2 } = new MessageChannel();
    const progress = new Int32Array(new SharedArrayBuffer(PROGRESS_LENGTH * Int32Array.BYTES_PER_ELEMENT));
    const abort = new AbortController();
    return new Promise((becameReady) => {
      const lane: Lane = {
        port: port1,
        progress,
        abort,
        state: 'starting',
        batches: [],
        knows: new Set(),
        reserved: false,
        onAnswer: undefined,
        seenBatch: 0,
        seenIndex: 0,
        seenCompiling: 0,
        seenAtMs: 0,
        becameReady,
      };
      this.#lanes.add(lane);
      port1.on('message', (message: LaneMessage) => this.#receive(lane, message));
      const { policies, secret, testTriggers } = this.#options;
      const task: LaneStart = { port: port2, progress, policies, secret, testTriggers };
      this.#piscina.run(task, { transferList: [port2], signal: abort.signal }).catch(() => {
        // Ended by us (then it is closed already), or its thread died.
        if (lane.state !== 'ended') this.#endLane(lane, 'crashed');
      });
    });
  }

  #laneReady(lane: Lane): void {
    if (lane.state === 'starting') lane.state = 'ready';
    lane.becameReady();
    void this.#sets.catchUp(lane);
    this.#scheduleFlush();
  }

  #fail(entry: Entry, cause: Extract<InspectionOutcome, { kind: 'failed' }>['cause']): void {
    this.#settleReached(entry, NOT_FOUND_OUT);
    this.#settle(entry, { kind: 'failed', cause });
  }

  #settle(entry: Entry, outcome: InspectionOutcome): void {
    if (entry.settled) return;
    entry.settled = true;
    entry.waitsIn = undefined;
    this.#unsettled--;
    entry.settle(outcome);
  }
}

/** The item the lane is at, by its own account; undefined between batches. */
function currentEntry(lane: Lane): Entry | undefined {
  const index = Atomics.load(lane.progress, PROGRESS_INDEX);
  if (index === IDLE) return undefined;
  const number = Atomics.load(lane.progress, PROGRESS_BATCH);
  return lane.batches.find((batch) => batch.number === number)?.entries[index];
}

/** Whether the lane is at the policies of its item, and not at the item. */
function isCompiling({ progress }: Lane): boolean {
  return Atomics.load(progress, PROGRESS_COMPILING) % 2 === 1;
}

/** `shadow`: as a lane tells it, see `LaneShadows`. */
function withShadow({ kind, report }: Inspected, { packed }: LaneSet, shadow: string | null): Inspected {
  if (shadow === null) return { kind, report };
  const told = shadow === NOT_FOUND_OUT ? JSON.stringify({ policySet: packed.hash } satisfies ShadowOutcome) : shadow;
  return { kind, report: { ...report, explanation: `${report.explanation.slice(0, -1)},"shadow":${told}}` } };
}

function failed(cause: Extract<InspectionOutcome, { kind: 'failed' }>['cause']): PendingInspection {
  return { outcome: Promise.resolve({ kind: 'failed', cause }), promote: () => {} };
}

function isOverdue(oldest: Entry, now: number): boolean {
  return now - oldest.queuedAtMs > (oldest.deadlineAtMs - oldest.queuedAtMs) * OVERLOAD_SHARE;
}

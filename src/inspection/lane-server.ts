import { budgetUntil } from '../detection/budget.ts';
import { isCutByTime } from '../detection/cuts.ts';
import { type Engine, PolicySetError } from '../detection/engine.ts';
import { Engines } from '../detection/engines.ts';
import { inspectInShadow, inspectTogether } from '../detection/pipeline.ts';
import { digestOfFacts, type SessionFacts } from '../detection/session-facts.ts';
import type { InspectionTask } from '../detection/stages.ts';
import { warmUp } from '../detection/warm-up.ts';
import type { Inspection } from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import { errorPlace } from '../lib/error-text.ts';
import { isClean } from './inspector.ts';
import {
  BATCH_STRIDE,
  IDLE,
  type LaneBatch,
  type LaneMessage,
  type LaneOrder,
  type LaneResult,
  type LaneResults,
  type LaneSetAnswer,
  type LaneShadows,
  NO_SET,
  NOT_FOUND_OUT,
  PROGRESS_BATCH,
  PROGRESS_COMPILING,
  PROGRESS_INDEX,
  PROGRESS_PULSE,
  packEffects,
  SMALL_EVENT_CHARS_MAX,
  sharedClockMs,
} from './lane-messages.ts';

/** Results held back longer than this are sent before the next items are begun, so that a slow item delays none that is finished. */
const FLUSH_AFTER_MS = 2;
/** What a set that is only tried may take of an event, beyond which what it would have answered stays unknown. */
const SHADOW_MS_MAX = 5;

export interface LaneServerOptions {
  /** The engine of the installation's policies. */
  installation: Engine;
  /** The installation's secret: see `openEngine`. */
  secret: Uint8Array;
  /** See `LaneStart.progress`. */
  progress: Int32Array;
  post: (message: LaneMessage) => void;
  /** Called for each event before it is inspected, and before a set is tried on it, with the clock of its budget: what it throws counts as the inspection's. */
  faults?: { inspecting(event: AgentEvent, clock: () => number): void; trying(event: AgentEvent): void };
  /** Milliseconds, on the scale of the batches' deadlines; `sharedClockMs` by default. */
  nowMs?: () => number;
}

/**
 * What a lane does: inspects batches, small neighbours together, and posts the results as they come; then tries the sets
 * that are only tried. An inspection that throws costs no other one its answer. Keeps the policy sets that it is told of.
 */
export class LaneServer {
  readonly #options: LaneServerOptions;
  readonly #engines: Engines;
  /** The clock of all budgets: whoever asks it would end when its time is over. */
  readonly #clock: () => number;
  readonly #nowMs: () => number;

  constructor(options: LaneServerOptions) {
    const { installation, secret, progress, nowMs = sharedClockMs } = options;
    this.#options = options;
    this.#nowMs = nowMs;
    let pulse = 0;
    this.#clock = () => {
      progress[PROGRESS_PULSE] = ++pulse;
      return nowMs();
    };
    warmUp(installation);
    this.#engines = new Engines(installation, secret, () => Atomics.add(progress, PROGRESS_COMPILING, 1));
  }

  /** Follows an order about policy sets; one that is to be answered is. */
  obey(order: LaneOrder): void {
    switch (order.order) {
      case 'learn':
        return this.#engines.learn(order.set, order.packed);
      case 'forget':
        return this.#engines.forget(order.sets);
      case 'read':
      case 'prepare':
        return this.#options.post(this.#readied(order));
    }
  }

  /** Inspects the items of `batch` and posts what came out, in their order. Never throws for what an event contains. */
  serve(batch: LaneBatch): void {
    const { post, progress } = this.#options;
    const [number] = batch;
    // Until the first turn the lane is between batches.
    Atomics.store(progress, PROGRESS_BATCH, number);
    const items = itemsOf(batch);
    const tried: Tried[] = [];
    let results: LaneResults = [number, 0];
    let flushedAtMs = this.#nowMs();
    for (let first = 0; first < items.length; ) {
      const group = groupAt(items, first);
      const onTurn = (index: number): void => {
        Atomics.store(progress, PROGRESS_INDEX, first + index);
      };
      for (const [index, { result, task }] of this.#inspectGroup(group, onTurn).entries()) {
        const item = group[index] as LaneItem;
        results.push(...result);
        // What was cut is no decision, beside which another could be told.
        const isDecided = task !== undefined && result[0] !== 'cut';
        if (isDecided && item.shadow !== NO_SET) tried.push({ ...task, index: first + index, item });
      }
      first += group.length;
      if (this.#nowMs() - flushedAtMs < FLUSH_AFTER_MS && first < items.length) continue;
      post(results);
      results = [number, first];
      flushedAtMs = this.#nowMs();
    }
    // Nobody waits for what is only tried.
    if (tried.length > 0) this.#tryShadows(number, tried);
    Atomics.store(progress, PROGRESS_INDEX, IDLE);
  }

  #readied(order: Extract<LaneOrder, { order: 'read' | 'prepare' }>): LaneSetAnswer {
    const { set } = order;
    try {
      const answer: LaneSetAnswer = { set };
      if (order.order === 'read') answer.packed = this.#engines.read(set, order.files);
      warmUp(this.#engines.get(set));
      return answer;
    } catch (error) {
      return { set, refused: error instanceof PolicySetError ? error.message : errorPlace(error, 1) };
    }
  }

  /** @param onTurn is told which item of the group is worked at. */
  #inspectGroup(group: readonly LaneItem[], onTurn: (index: number) => void): Inspected[] {
    try {
      return this.#inspectTogether(group, onTurn);
    } catch (error) {
      // As data: an error that crosses the thread loses its name. Without its message, which may quote the event.
      if (group.length === 1) return [{ result: ['failed', errorPlace(error, 1), null, null] }];
      // Each for itself, so that it costs none but the one that it comes from.
      return group.flatMap((item, index) => this.#inspectGroup([item], () => onTurn(index)));
    }
  }

  /** @throws what an inspection throws. */
  #inspectTogether(group: readonly LaneItem[], onTurn: (index: number) => void): Inspected[] {
    const startedAtMs = this.#nowMs();
    onTurn(0);
    const engine = this.#engines.get((group[0] as LaneItem).set);
    const tasks = group.map((item, index): InspectionTask => {
      onTurn(index);
      const event = JSON.parse(item.event) as AgentEvent;
      this.#options.faults?.inspecting(event, this.#clock);
      const session = JSON.parse(item.facts) as SessionFacts;
      return { event, session, budget: budgetUntil(item.deadlineMs, this.#clock) };
    });
    const inspections = inspectTogether(tasks, engine, onTurn);
    const tookUs = Math.round(((this.#nowMs() - startedAtMs) * 1000) / group.length);
    return group.map((item, index) => ({
      result: resultOf(inspections[index] as Inspection, item, tookUs),
      task: tasks[index] as InspectionTask,
    }));
  }

  #tryShadows(batch: number, tried: readonly Tried[]): void {
    const { post, progress } = this.#options;
    let shadows: LaneShadows = ['shadows', batch];
    let flushedAtMs = this.#nowMs();
    for (const each of tried) {
      Atomics.store(progress, PROGRESS_INDEX, each.index);
      shadows.push(each.index, this.#shadowOf(each));
      if (this.#nowMs() - flushedAtMs < FLUSH_AFTER_MS) continue;
      post(shadows);
      shadows = ['shadows', batch];
      flushedAtMs = this.#nowMs();
    }
    if (shadows.length > 2) post(shadows);
  }

  #shadowOf({ item, event, session }: Tried): string | null {
    try {
      this.#options.faults?.trying(event);
      const untilMs = Math.min(item.deadlineMs, this.#nowMs() + SHADOW_MS_MAX);
      const budget = budgetUntil(untilMs, this.#clock);
      const outcome = inspectInShadow(event, session, this.#engines.get(item.shadow), budget);
      return outcome === undefined ? null : JSON.stringify(outcome);
    } catch {
      return NOT_FOUND_OUT;
    }
  }
}

interface LaneItem {
  event: string;
  facts: string;
  deadlineMs: number;
  /** Whether somebody waits: then the explanation of a clean event is kept. */
  keepsClean: boolean;
  set: number;
  shadow: number;
}

interface Inspected {
  result: LaneResult;
  /** Absent where the inspection failed. */
  task?: InspectionTask;
}

/** What a set is tried on, and where it stands in its batch. */
interface Tried extends InspectionTask {
  index: number;
  item: LaneItem;
}

function itemsOf(batch: LaneBatch): LaneItem[] {
  return Array.from({ length: (batch.length - 1) / BATCH_STRIDE }, (_, index) => {
    const at = 1 + index * BATCH_STRIDE;
    const entries = batch.slice(at, at + BATCH_STRIDE) as [string, string, number, string, number, number];
    const [event, facts, deadlineMs, kind, set, shadow] = entries;
    return { event, facts, deadlineMs, keepsClean: kind === 'blocking', set, shadow };
  });
}

/** The item number `first`, and those behind it that are inspected together with it: small ones under the same policies. */
function groupAt(items: readonly LaneItem[], first: number): readonly LaneItem[] {
  const { set } = items[first] as LaneItem;
  const isSmall = (item: LaneItem | undefined): boolean =>
    item !== undefined && item.set === set && item.event.length <= SMALL_EVENT_CHARS_MAX;
  let end = first;
  while (isSmall(items[end])) end++;
  return items.slice(first, Math.max(end, first + 1));
}

function resultOf(inspection: Inspection, { facts, keepsClean }: LaneItem, tookUs: number): LaneResult {
  const { action, reason, effects, explanation } = inspection;
  // Somebody waits to go ahead, and a part that was looked at says nothing of the rest.
  if (keepsClean && action === 'allow' && isCutByTime(explanation)) return ['cut', null, null, null];
  const clean = isClean(inspection);
  if (clean && !keepsClean) return ['clean', null, packEffects(effects), null];
  explanation.facts = digestOfFacts(facts);
  explanation.tookUs = tookUs;
  return [clean ? 'clean' : action, reason ?? null, packEffects(effects), JSON.stringify(explanation)];
}

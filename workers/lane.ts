import { budgetUntil } from '../src/detection/budget.ts';
import { type Engine, openEngine, PolicySetError } from '../src/detection/engine.ts';
import { Engines } from '../src/detection/engines.ts';
import {
  type InspectionTask,
  inspect,
  inspectInShadow,
  inspectTogether,
  unlimited,
} from '../src/detection/pipeline.ts';
import { testEvents } from '../src/detection/policy/inline-tests.ts';
import { digestOfFacts, factsAlone, type SessionFacts } from '../src/detection/session-facts.ts';
import type { Inspection } from '../src/domain/decision.ts';
import type { AgentEvent } from '../src/domain/event.ts';
import type { EventId, TenantSlug } from '../src/domain/ids.ts';
import { isClean } from '../src/inspection/inspector.ts';
import {
  BATCH_STRIDE,
  IDLE,
  type LaneBatch,
  type LaneOrder,
  type LaneResult,
  type LaneResults,
  type LaneSetAnswer,
  type LaneShadows,
  type LaneStart,
  NO_SET,
  NOT_FOUND_OUT,
  PROGRESS_BATCH,
  PROGRESS_COMPILING,
  PROGRESS_INDEX,
  PROGRESS_THREAD,
  packEffects,
  sharedClockMs,
} from '../src/inspection/lane-messages.ts';
import { threadNumber } from '../src/inspection/thread-time.ts';
import { errorPlace } from '../src/lib/error-text.ts';
import { causeFault, causeShadowFault } from './test-triggers.ts';

/** Results held back longer than this are sent before the next items are begun, so that a slow item delays none that is finished. */
const FLUSH_AFTER_MS = 2;

/** What a set that is only tried may take of an event, beyond which what it would have answered stays unknown. */
const SHADOW_MS_MAX = 5;

/** Serves batches from the port until the thread is ended. */
export default function lane(start: LaneStart): Promise<never> {
  const installation = openEngine(start.policies, start.secret);
  warmUp(installation);
  const countCompilation = () => Atomics.add(start.progress, PROGRESS_COMPILING, 1);
  const engines = new Engines(installation, start.secret, countCompilation);
  start.port.on('message', (message: LaneBatch | LaneOrder) => {
    if (Array.isArray(message)) serve(message, start, engines);
    else obey(message, start, engines);
  });
  Atomics.store(start.progress, PROGRESS_THREAD, threadNumber());
  start.port.postMessage('ready');
  return new Promise(() => {});
}

/** Events that a lane inspects before it takes any: its first ones would cost fifty times the later ones. */
const WARM_UP_EVENTS = 24;

/** Inspects what the policies' own tests are about. */
function warmUp(engine: Engine): void {
  const alone = factsAlone('' as TenantSlug, '00000000-0000-7000-8000-000000000000' as EventId, 0);
  const samples = new Map(engine.policies.tests.map(({ policy, test }) => [policy, test]));
  for (const test of [...samples.values()].slice(0, WARM_UP_EVENTS)) {
    const written = testEvents(test);
    if (written.ok) inspect(written.events.event as unknown as AgentEvent, alone, engine, unlimited);
  }
}

function obey(order: LaneOrder, { port }: LaneStart, engines: Engines): void {
  switch (order.order) {
    case 'learn':
      return engines.learn(order.set, order.packed);
    case 'forget':
      return engines.forget(order.sets);
    case 'read':
    case 'prepare':
      return port.postMessage(readied(order, engines));
  }
}

function readied(order: Extract<LaneOrder, { order: 'read' | 'prepare' }>, engines: Engines): LaneSetAnswer {
  const { set } = order;
  try {
    const answer: LaneSetAnswer = { set };
    if (order.order === 'read') answer.packed = engines.read(set, order.files);
    warmUp(engines.get(set));
    return answer;
  } catch (error) {
    return { set, refused: error instanceof PolicySetError ? error.message : errorPlace(error, 1) };
  }
}

function serve(batch: LaneBatch, start: LaneStart, engines: Engines): void {
  const { port, progress, testTriggers } = start;
  const [number] = batch;
  // Until the first turn the lane is between batches.
  Atomics.store(progress, PROGRESS_BATCH, number);
  const items = itemsOf(batch);
  const tried: Tried[] = [];
  let results: LaneResults = [number, 0];
  let flushedAtMs = sharedClockMs();
  for (let first = 0; first < items.length; ) {
    const group = groupAt(items, first);
    const onTurn = (index: number): void => {
      Atomics.store(progress, PROGRESS_INDEX, first + index);
    };
    for (const [index, { result, task }] of inspectGroup(group, { engines, testTriggers, onTurn }).entries()) {
      const item = group[index] as LaneItem;
      results.push(...result);
      if (task !== undefined && item.shadow !== NO_SET) tried.push({ ...task, index: first + index, item });
    }
    first += group.length;
    if (sharedClockMs() - flushedAtMs < FLUSH_AFTER_MS && first < items.length) continue;
    port.postMessage(results);
    results = [number, first];
    flushedAtMs = sharedClockMs();
  }
  if (tried.length > 0) tryShadows(number, tried, start, engines);
  Atomics.store(progress, PROGRESS_INDEX, IDLE);
}

interface LaneItem {
  event: string;
  facts: string;
  deadlineMs: number;
  /** Whether the explanation of a clean event is kept. */
  keepsClean: boolean;
  set: number;
  shadow: number;
}

function itemsOf(batch: LaneBatch): LaneItem[] {
  return Array.from({ length: (batch.length - 1) / BATCH_STRIDE }, (_, index) => {
    const at = 1 + index * BATCH_STRIDE;
    const entries = batch.slice(at, at + BATCH_STRIDE) as [string, string, number, string, number, number];
    const [event, facts, deadlineMs, kind, set, shadow] = entries;
    return { event, facts, deadlineMs, keepsClean: kind === 'blocking', set, shadow };
  });
}

/** Characters of an event up to which it is inspected together with its neighbours. A long one would keep them waiting. */
const SMALL_EVENT_CHARS_MAX = 2_048;

/** The item number `first`, and those behind it that are inspected together with it: small ones under the same policies. */
function groupAt(items: readonly LaneItem[], first: number): readonly LaneItem[] {
  const { set } = items[first] as LaneItem;
  const isSmall = (item: LaneItem | undefined): boolean =>
    item !== undefined && item.set === set && item.event.length <= SMALL_EVENT_CHARS_MAX;
  let end = first;
  while (isSmall(items[end])) end++;
  return items.slice(first, Math.max(end, first + 1));
}

interface Inspected {
  result: LaneResult;
  /** Absent where the inspection failed. */
  task?: InspectionTask;
}

interface Serving {
  engines: Engines;
  testTriggers: boolean;
  /** Is told which item of the group is worked at. */
  onTurn: (index: number) => void;
}

function inspectGroup(group: readonly LaneItem[], serving: Serving): Inspected[] {
  try {
    return inspectedTogether(group, serving);
  } catch (error) {
    // As data: an error that crosses the thread loses its name. Without its message, which may quote the event.
    if (group.length === 1) return [{ result: ['failed', errorPlace(error, 1), null, null] }];
    // Each for itself, so that it costs none but the one that it comes from.
    return group.flatMap((item, index) => inspectGroup([item], { ...serving, onTurn: () => serving.onTurn(index) }));
  }
}

/** @throws what an inspection throws. */
function inspectedTogether(group: readonly LaneItem[], { engines, testTriggers, onTurn }: Serving): Inspected[] {
  const startedAtMs = sharedClockMs();
  onTurn(0);
  const engine = engines.get((group[0] as LaneItem).set);
  const tasks = group.map((item, index): InspectionTask => {
    onTurn(index);
    const event = JSON.parse(item.event) as AgentEvent;
    if (testTriggers) causeFault(event);
    const session = JSON.parse(item.facts) as SessionFacts;
    return { event, session, budget: budgetUntil(item.deadlineMs, sharedClockMs) };
  });
  const inspections = inspectTogether(tasks, engine, onTurn);
  const tookUs = Math.round(((sharedClockMs() - startedAtMs) * 1000) / group.length);
  return group.map((item, index) => ({
    result: resultOf(inspections[index] as Inspection, item, tookUs),
    task: tasks[index] as InspectionTask,
  }));
}

function resultOf(inspection: Inspection, { facts, keepsClean }: LaneItem, tookUs: number): LaneResult {
  const { action, reason, effects, explanation } = inspection;
  const clean = isClean(inspection);
  if (clean && !keepsClean) return ['clean', null, packEffects(effects), null];
  explanation.facts = digestOfFacts(facts);
  explanation.tookUs = tookUs;
  return [clean ? 'clean' : action, reason ?? null, packEffects(effects), JSON.stringify(explanation)];
}

interface Tried extends InspectionTask {
  index: number;
  item: LaneItem;
}

/** After the results of the batch: nobody waits for what is only tried. */
function tryShadows(batch: number, tried: readonly Tried[], start: LaneStart, engines: Engines): void {
  let shadows: LaneShadows = ['shadows', batch];
  let flushedAtMs = sharedClockMs();
  for (const each of tried) {
    Atomics.store(start.progress, PROGRESS_INDEX, each.index);
    shadows.push(each.index, shadowOf(each, engines, start.testTriggers));
    if (sharedClockMs() - flushedAtMs < FLUSH_AFTER_MS) continue;
    start.port.postMessage(shadows);
    shadows = ['shadows', batch];
    flushedAtMs = sharedClockMs();
  }
  if (shadows.length > 2) start.port.postMessage(shadows);
}

function shadowOf({ item, event, session }: Tried, engines: Engines, testTriggers: boolean): string | null {
  try {
    if (testTriggers) causeShadowFault(event);
    const engine = engines.get(item.shadow);
    const untilMs = Math.min(item.deadlineMs, sharedClockMs() + SHADOW_MS_MAX);
    const outcome = inspectInShadow(event, session, engine, budgetUntil(untilMs, sharedClockMs));
    return outcome === undefined ? null : JSON.stringify(outcome);
  } catch {
    return NOT_FOUND_OUT;
  }
}

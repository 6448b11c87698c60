import { hash } from 'node:crypto';
import { type Engine, openEngine } from '../src/detection/engine.ts';
import { inspect, unlimited } from '../src/detection/pipeline.ts';
import { testEvents } from '../src/detection/policy/inline-tests.ts';
import { factsAlone, type SessionFacts } from '../src/detection/session-facts.ts';
import type { AgentEvent } from '../src/domain/event.ts';
import type { EventId, TenantSlug } from '../src/domain/ids.ts';
import { isClean } from '../src/inspection/inspector.ts';
import {
  BATCH_STRIDE,
  IDLE,
  type LaneBatch,
  type LaneResult,
  type LaneResults,
  type LaneStart,
  PROGRESS_BATCH,
  PROGRESS_INDEX,
  packEffects,
  sharedClockMs,
} from '../src/inspection/lane-messages.ts';
import { causeFault } from './test-triggers.ts';

/** Results held back longer than this are sent before the next item is begun, so that a slow item delays no finished one. */
const FLUSH_AFTER_MS = 2;

/** Serves batches from the port until the thread is ended. */
export default function lane(start: LaneStart): Promise<never> {
  const engine = openEngine(start.policies, start.secret);
  warmUp(engine);
  start.port.on('message', (batch: LaneBatch) => serve(batch, start, engine));
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

function serve(batch: LaneBatch, { port, progress, testTriggers }: LaneStart, engine: Engine): void {
  const itemsCount = (batch.length - 1) / BATCH_STRIDE;
  let results: LaneResults = [batch[0], 0];
  let flushedAtMs = sharedClockMs();
  for (let index = 0; index < itemsCount; index++) {
    Atomics.store(progress, PROGRESS_INDEX, index);
    Atomics.store(progress, PROGRESS_BATCH, batch[0]);
    const at = 1 + index * BATCH_STRIDE;
    const [event, facts, deadlineMs, kind] = batch.slice(at, at + BATCH_STRIDE) as [string, string, number, string];
    results.push(...inspectOne({ event, facts, deadlineMs, keepsClean: kind === 'blocking', testTriggers }, engine));
    if (sharedClockMs() - flushedAtMs < FLUSH_AFTER_MS && index + 1 < itemsCount) continue;
    port.postMessage(results);
    results = [batch[0], index + 1];
    flushedAtMs = sharedClockMs();
  }
  Atomics.store(progress, PROGRESS_INDEX, IDLE);
}

interface LaneItem {
  event: string;
  facts: string;
  deadlineMs: number;
  /** Whether the explanation of a clean event is kept. */
  keepsClean: boolean;
  testTriggers: boolean;
}

function inspectOne(item: LaneItem, engine: Engine): LaneResult {
  const startedAtMs = sharedClockMs();
  try {
    const event = JSON.parse(item.event) as AgentEvent;
    if (item.testTriggers) causeFault(event);
    const facts = JSON.parse(item.facts) as SessionFacts;
    const inspection = inspect(event, facts, engine, { exhausted: () => sharedClockMs() >= item.deadlineMs });
    const clean = isClean(inspection);
    const { action, reason, effects, explanation } = inspection;
    if (clean && !item.keepsClean) return ['clean', null, packEffects(effects), null];
    explanation.facts = hash('sha256', item.facts, 'base64url');
    explanation.tookUs = Math.round((sharedClockMs() - startedAtMs) * 1000);
    return [clean ? 'clean' : action, reason ?? null, packEffects(effects), JSON.stringify(explanation)];
  } catch (error) {
    // As data: an error that crosses the thread loses its name. Without its message, which may quote the event.
    return ['failed', describeError(error), null, null];
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  const frame = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at ')) ?? '';
  return `${error.name} ${frame.trim()}`;
}

import { workerData } from 'node:worker_threads';
import { unlimited } from '../src/detection/budget.ts';
import { type Engine, openEngine } from '../src/detection/engine.ts';
import { inspect } from '../src/detection/pipeline.ts';
import { warmUp } from '../src/detection/warm-up.ts';
import type { Inspection } from '../src/domain/decision.ts';
import { dateTimeMs } from '../src/domain/formats.ts';
import { type OfflineRow, parseRow } from '../src/domain/offline-row.ts';
import type { OfflineResult, OfflineStart, OfflineTask } from '../src/inspection/offline.ts';
import { Replay } from '../src/session/replay.ts';

const { policies, secret } = workerData as OfflineStart;
const engine: Engine = openEngine(policies, secret);
warmUp(engine);

/** Inspects rows, each a session of its own. */
export default function offline({ lines }: OfflineTask): OfflineResult {
  const result: OfflineResult = { lines: [], failed: 0 };
  for (const line of lines) {
    const outcome = inspectLine(line);
    if ('error' in outcome) result.failed++;
    result.lines.push(JSON.stringify(outcome));
  }
  return result;
}

function inspectLine(line: string): { id: unknown } & ({ events: object[] } | { error: string }) {
  const parsed = parseRow(line);
  if (!parsed.ok) return { id: parsed.id, error: parsed.error };
  const { id } = parsed.row;
  try {
    return { id, events: inspectRow(parsed.row) };
  } catch (error) {
    // One row must not cost the others. Without the message, which could quote it.
    return { id, error: `the inspection failed: ${(error as Error).name}` };
  }
}

function inspectRow({ events }: OfflineRow): object[] {
  const replay = new Replay((event, facts) => inspect(event, facts, engine, unlimited));
  return events.map((event) => {
    const startedAtMs = performance.now();
    const inspection = replay.next(event, dateTimeMs(event.timestamp));
    return outcomeOf(inspection, performance.now() - startedAtMs);
  });
}

function outcomeOf({ action, reason, explanation }: Inspection, ms: number): object {
  return {
    action,
    ...(reason === undefined ? {} : { reason }),
    policies: explanation.policies.map(({ id }) => id),
    findings: explanation.findings,
    ...(explanation.cuts.length === 0 ? {} : { cuts: explanation.cuts }),
    ms: Math.round(ms * 1000) / 1000,
  };
}

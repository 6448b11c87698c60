import { loadConfig } from '../config.ts';
import { unlimited } from '../detection/budget.ts';
import type { Engine } from '../detection/engine.ts';
import { inspect } from '../detection/pipeline.ts';
import { readEngine } from '../detection/read-policies.ts';
import { splitTreeEffects } from '../detection/session-memory.ts';
import type { AgentEvent } from '../domain/event.ts';
import { type EventId, eventIdFloor } from '../domain/ids.ts';
import { openInstallation } from '../open-installation.ts';
import { readPolicyFiles } from '../policy-files.ts';
import { Backtest, type ReplayedEvent, type SessionDifference } from '../session/backtest.ts';
import type { Inspect } from '../session/replay.ts';
import { inOrder, type PastRelease } from '../session/verification.ts';
import type { Database } from '../store/database.ts';
import { listPolicyHashes } from '../store/policy-sets.ts';
import {
  recordedEffects,
  SessionTooLarge,
  type StoredEvent,
  type StoredSession,
  sessionsSince,
  sessionUpTo,
} from '../store/stored-sessions.ts';
import { StoredEngines } from './stored-engines.ts';
import { requireDatabase, withDatabase } from './with-database.ts';

/** Sessions that one backtest lives through, the newest first, and differences that it prints. */
const SESSIONS_MAX = 100_000;
const SAMPLES_MAX = 20;
const PROGRESS_MS = 1_000;

/** Lives through the sessions stored since `sinceMs` under the policies of `path`, and prints what would change. */
export async function backtest(path: string, sinceMs: number): Promise<number> {
  const config = loadConfig();
  requireDatabase(config);
  const { secret, policyFiles } = await openInstallation(config);
  const installation = readEngine(policyFiles, secret);
  const run = new Backtest(inspectWith(readEngine(readPolicyFiles(path), secret)));
  const samples: SessionDifference[] = [];
  await withDatabase(config, async (database) => {
    const active = new Map((await listPolicyHashes(database)).map((row) => [row.tenantId, row.active ?? undefined]));
    const engines = new StoredEngines({ database, installation, secret });
    const todayOf = async (tenantId: string): Promise<Inspect> => {
      const hash = active.get(tenantId);
      const under = await engines.all(tenantId, hash === undefined ? [] : [hash]);
      return inspectWith(under(hash));
    };
    await runAll(database, sinceMs, { run, todayOf }, samples);
  });
  process.stdout.write(reportOf(run, samples));
  return 0;
}

function inspectWith(engine: Engine): Inspect {
  return (event, facts) => inspect(event, facts, engine, unlimited);
}

async function runAll(
  database: Database,
  sinceMs: number,
  { run, todayOf }: { run: Backtest; todayOf: (tenantId: string) => Promise<Inspect> },
  samples: SessionDifference[],
): Promise<void> {
  const lived = async ({ tenant, tenantId }: StoredSession) => ({ tenant, today: await todayOf(tenantId) });
  const sessions = await sessionsSince(database, eventIdFloor(Math.max(0, sinceMs)), SESSIONS_MAX);
  if (sessions.length === SESSIONS_MAX)
    process.stderr.write(`only ${SESSIONS_MAX} sessions are replayed, those that were heard of last\n`);
  let toldAtMs = performance.now();
  for (const last of sessions) {
    const stored = await readSession(database, last);
    const differences = stored === undefined ? [] : run.add(await lived(stored), eventsOf(stored));
    samples.push(...differences.slice(0, SAMPLES_MAX - samples.length));
    if (performance.now() - toldAtMs < PROGRESS_MS) continue;
    toldAtMs = performance.now();
    process.stderr.write(`${run.counts.sessions} of ${sessions.length} sessions …\n`);
  }
}

function eventsOf({ events, releases }: StoredSession): (ReplayedEvent | PastRelease)[] {
  return inOrder(events.map(replayed), releases);
}

function replayed(stored: StoredEvent): ReplayedEvent {
  const { id, receivedAtMs, body } = stored;
  const { tree } = splitTreeEffects(recordedEffects(stored) ?? []);
  return { id, receivedAtMs, event: JSON.parse(body) as AgentEvent, tree };
}

/** One session that is too large must not cost the others; that it was left out is said. */
async function readSession(database: Database, last: EventId): Promise<StoredSession | undefined> {
  try {
    return await sessionUpTo(database, last);
  } catch (error) {
    if (!(error instanceof SessionTooLarge)) throw error;
    process.stderr.write(`left out: ${error.message}\n`);
    return undefined;
  }
}

function reportOf({ counts, subAgents }: Backtest, samples: readonly SessionDifference[]): string {
  const unchanged = counts.decisions - counts.newlyBlocked - counts.newlyAllowed;
  const lines = [
    `sessions       ${counts.sessions}`,
    `decisions      ${counts.decisions}`,
    `newly blocked  ${counts.newlyBlocked}`,
    `newly allowed  ${counts.newlyAllowed}`,
    `unchanged      ${unchanged}`,
  ];
  if (subAgents > 0)
    lines.push(
      '',
      `${subAgents} of the sessions are sub-agents': they take over here what they took over from others of their tree then,`,
      'under the policies of then. A secret or an order that only these policies would have remembered does not reach them.',
    );
  if (samples.length > 0) lines.push('', 'of these:');
  for (const { now, event, session, tool, reason } of samples)
    lines.push(`  now ${now}  ${event}  session ${JSON.stringify(session)}  ${tool || 'message'}  ${reason}`);
  return `${lines.join('\n')}\n`;
}

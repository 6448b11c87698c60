import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { type Engine, openEngine } from '../detection/engine.ts';
import { inspect, unlimited } from '../detection/pipeline.ts';
import { readPolicies } from '../detection/read-policies.ts';
import { splitTreeEffects } from '../detection/session-memory.ts';
import type { Effect, Explanation } from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import type { EventId } from '../domain/ids.ts';
import { installationSecret } from '../identity/installation-secret.ts';
import { BUILTIN_POLICIES_DIR, readPolicyFiles } from '../policy-files.ts';
import { differences, factsBefore, inOrder, type PastEvent } from '../session/verification.ts';
import type { Database } from '../store/database.ts';
import {
  recordedEffects,
  SessionTooLarge,
  type StoredEvent,
  type StoredSession,
  sessionUpTo,
} from '../store/stored-sessions.ts';
import { type Command, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `usage: gatehouse verify DECISION-ID … [--policies PATH]

Computes stored decisions again, from the stored events of their sessions, and says whether they are equal: action,
reason, policies, findings, effects, and the state of the session that they rest on. The ids are those that
\`gatehouse export decisions\` prints. The exit code is 0 where all are equal.

  --policies PATH   the policies that were in force then, if they are not those of the configuration
`;

const EVENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Compute stored decisions again and compare',
  usage: USAGE,
  async run(words) {
    const { values, positionals } = parse(words);
    if (positionals.length === 0) throw new UsageError('verify takes at least one decision id');
    for (const id of positionals) if (!EVENT_ID.test(id)) throw new UsageError(`${id} is no decision id`);
    const config = loadConfig();
    const path = values.policies ?? config.policiesDir ?? BUILTIN_POLICIES_DIR;
    const documents = readPolicies(readPolicyFiles(path)).map(({ document }) => document);
    const engine = openEngine(documents, await installationSecret(config.dataDir));
    return withDatabase(config, async (database) => {
      let unequal = 0;
      for (const id of positionals as EventId[]) {
        const found = await verifyStored(database, id, engine);
        if (found.length > 0) unequal++;
        process.stdout.write(found.length === 0 ? `${id} equal\n` : `${id} differs\n  ${found.join('\n  ')}\n`);
      }
      return unequal === 0 ? 0 : 1;
    });
  },
};

function parse(words: string[]) {
  try {
    return parseArgs({ args: words, options: { policies: { type: 'string' } }, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function verifyStored(database: Database, id: EventId, engine: Engine): Promise<string[]> {
  try {
    return verify(await sessionUpTo(database, id), id, engine);
  } catch (error) {
    if (error instanceof SessionTooLarge) return [error.message];
    throw error;
  }
}

/** In what the decision `id` differs from the same computed again. */
function verify(session: StoredSession | undefined, id: EventId, engine: Engine): string[] {
  const target = session?.events.at(-1);
  if (session === undefined || target?.id !== id) return ['there is no event of this id (any more)'];
  const { decision } = target;
  if (decision === undefined) return ['this event was only recorded, not decided'];
  if (decision.kind === 'undecided' || decision.explanation === undefined)
    return ['no inspection stands behind this decision: it was answered by onFailure or a hold'];
  const explanation = JSON.parse(decision.explanation) as Explanation;
  if (explanation.policySet !== engine.policies.hash)
    return [`it was decided under the policy set ${explanation.policySet}; name that one with --policies`];
  const run = (event: AgentEvent, facts: Parameters<typeof inspect>[1]) => inspect(event, facts, engine, unlimited);
  const { notWaitedFor } = decision;
  const { tenant } = session;
  const { tree, own } = splitTreeEffects(JSON.parse(decision.effects) as Effect[]);
  const wanted = { tenant, event: id, receivedAtMs: target.receivedAtMs, notWaitedFor, tree };
  const facts = factsBefore(inOrder(session.events.slice(0, -1).map(pastOf), session.releases), wanted, run);
  const stored = {
    action: decision.action ?? 'allow',
    reason: decision.reason,
    effects: own,
    explanation,
  };
  const factsHash = hash('sha256', JSON.stringify(facts), 'base64url');
  return differences(stored, run(JSON.parse(target.body) as AgentEvent, facts), factsHash);
}

function pastOf(stored: StoredEvent): PastEvent {
  const { id, receivedAtMs, body, decision } = stored;
  const event = JSON.parse(body) as AgentEvent;
  const blocked = (decision?.kind === 'decided' ? decision.action : decision?.answered) === 'block';
  return { id, receivedAtMs, event, blocked, effects: recordedEffects(stored) };
}

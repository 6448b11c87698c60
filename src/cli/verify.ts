import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { type Engine, openEngine } from '../detection/engine.ts';
import { inspect, inspectInShadow, unlimited } from '../detection/pipeline.ts';
import { readPolicies } from '../detection/read-policies.ts';
import type { SessionFacts } from '../detection/session-facts.ts';
import { splitTreeEffects } from '../detection/session-memory.ts';
import type { Effect, Explanation, ShadowOutcome } from '../domain/decision.ts';
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
import { StoredEngines, UnknownPolicySet } from './stored-engines.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `usage: gatehouse verify DECISION-ID … [--policies PATH]

Computes stored decisions again, from the stored events of their sessions, and says whether they are equal: action,
reason, policies, findings, effects, and the state of the session that they rest on. Policy sets of the tenant are
taken from the database. The ids are those that \`gatehouse export decisions\` prints. The exit code is 0 where all are
equal.

  --policies PATH   the installation's policies that were in force then, if they are not those of the configuration
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
    const secret = await installationSecret(config.dataDir);
    const installation = openEngine(documents, secret);
    return withDatabase(config, async (database) => {
      const engines = new StoredEngines({ database, installation, secret });
      let unequal = 0;
      for (const id of positionals as EventId[]) {
        const found = await verifyStored(database, id, engines);
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

async function verifyStored(database: Database, id: EventId, engines: StoredEngines): Promise<string[]> {
  try {
    return await verify(await sessionUpTo(database, id), id, engines);
  } catch (error) {
    if (error instanceof SessionTooLarge || error instanceof UnknownPolicySet) return [error.message];
    throw error;
  }
}

/** In what the decision `id` differs from the same computed again. */
async function verify(session: StoredSession | undefined, id: EventId, engines: StoredEngines): Promise<string[]> {
  const target = session?.events.at(-1);
  if (session === undefined || target?.id !== id) return ['there is no event of this id (any more)'];
  const { decision } = target;
  if (decision === undefined) return ['this event was only recorded, not decided'];
  if (decision.kind === 'undecided' || decision.explanation === undefined)
    return ['no inspection stands behind this decision: it was answered by onFailure or a hold'];
  const explanation = JSON.parse(decision.explanation) as Explanation;
  const { policySet, shadow } = explanation;
  const { tenant, tenantId } = session;
  const { tree, own } = splitTreeEffects(JSON.parse(decision.effects) as Effect[]);
  const past = session.events.slice(0, -1).map(pastOf);
  const under = await engines.all(
    tenantId,
    [policySet, shadow?.policySet, ...past.map((each) => each.policySet)].filter((hash) => hash !== undefined),
  );
  const { notWaitedFor } = decision;
  const wanted = { tenant, event: id, receivedAtMs: target.receivedAtMs, notWaitedFor, tree };
  const facts = factsBefore(inOrder(past, session.releases), wanted, (each, known) =>
    inspect(each.event, known, under(each.policySet), unlimited),
  );
  const stored = { action: decision.action ?? 'allow', reason: decision.reason, effects: own, explanation };
  const factsHash = hash('sha256', JSON.stringify(facts), 'base64url');
  const event = JSON.parse(target.body) as AgentEvent;
  const computed = inspect(event, facts, under(policySet), unlimited);
  if (shadow !== undefined) computed.explanation.shadow = tried(shadow, event, facts, under(shadow.policySet));
  return differences(stored, computed, factsHash);
}

/** What the set that was only tried would have answered. One that was not found out in time has nothing to compare. */
function tried(stored: ShadowOutcome, event: AgentEvent, facts: SessionFacts, engine: Engine): ShadowOutcome {
  if (stored.action === undefined) return stored;
  return inspectInShadow(event, facts, engine, unlimited) ?? { policySet: stored.policySet };
}

function pastOf(stored: StoredEvent): PastEvent {
  const { id, receivedAtMs, body, policySet, decision } = stored;
  const event = JSON.parse(body) as AgentEvent;
  const blocked = (decision?.kind === 'decided' ? decision.action : decision?.answered) === 'block';
  return { id, receivedAtMs, event, blocked, policySet, effects: recordedEffects(stored) };
}

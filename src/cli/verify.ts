import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { unlimited } from '../detection/budget.ts';
import type { Engine } from '../detection/engine.ts';
import { inspect, inspectInShadow } from '../detection/pipeline.ts';
import { readEngine } from '../detection/read-policies.ts';
import { digestOfFacts, type SessionFacts } from '../detection/session-facts.ts';
import { splitTreeEffects } from '../detection/session-memory.ts';
import type { Effect, Explanation, ShadowOutcome } from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import type { EventId } from '../domain/ids.ts';
import { openInstallation } from '../open-installation.ts';
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
import { linesOf } from './json-lines.ts';
import { print } from './output.ts';
import { StoredEngines, UnknownPolicySet } from './stored-engines.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `usage: gatehouse verify DECISION-ID … [--policies PATH]
       gatehouse export decisions [--since TIME] | gatehouse verify -

Computes stored decisions again, from the stored events of their sessions, and says whether they are equal: action,
reason, policies, findings, effects, and the state of the session that they rest on. Policy sets of the tenant are
taken from the database. The ids are those that \`gatehouse export decisions\` prints; with - they are read from standard
input, one a line, or its lines as they are. A decision that onFailure or a hold answered rests on no inspection, and is
called uninspected; one whose policies are not there any more, uncomputed. The exit code is 1 where one differs, is uncomputed or is not
there, and where no id came in.

  --policies PATH   the installation's policies that were in force then, if they are not those of the configuration
`;

const EVENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const verifyCommand: Command = {
  usage: USAGE,
  async run(words) {
    const { values, positionals } = parse(words);
    const given = wordsOrInput(positionals);
    const config = loadConfig();
    const { policies = config.policiesDir } = values;
    return withDatabase(config, async (database) => {
      const { secret, policyFiles } = await openInstallation({ dataDir: config.dataDir, policiesDir: policies });
      const installation = readEngine(policyFiles, secret);
      const engines = new StoredEngines({ database, installation, secret });
      const counts: Record<Verdict, number> = { equal: 0, differs: 0, uncomputed: 0, uninspected: 0 };
      for await (const id of given) {
        const { verdict, why } = await verifyStored(database, id, engines);
        counts[verdict]++;
        await print(`${[`${id} ${verdict}`, ...why].join('\n  ')}\n`);
      }
      const { equal, differs, uncomputed, uninspected } = counts;
      process.stderr.write(
        `${equal} equal, ${differs} different, ${uncomputed} uncomputed, ${uninspected} uninspected\n`,
      );
      if (equal + differs + uncomputed + uninspected > 0) return differs + uncomputed === 0 ? 0 : 1;
      process.stderr.write('gatehouse: no decision id came in: nothing was verified\n');
      return 1;
    });
  },
};

type Verdict = 'equal' | 'differs' | 'uncomputed' | 'uninspected';

interface Verified {
  verdict: Verdict;
  why: readonly string[];
}

/** The ids, all checked before the first is used where they are words. */
function wordsOrInput(words: string[]): Iterable<EventId> | AsyncIterable<EventId> {
  if (words.length === 0)
    throw new UsageError('verify takes at least one decision id, or - to read them from its input');
  return words.includes('-') ? idsOfInput(words) : words.map(eventIdOf);
}

async function* idsOfInput(words: string[]): AsyncGenerator<EventId> {
  if (words.length > 1) throw new UsageError('- stands alone: all ids are read from the input');
  let lines = 0;
  for await (const line of linesOf(process.stdin)) {
    lines++;
    if (line.trim() === '') continue;
    const id = readEventId(line.trim());
    if (id === undefined) throw new UsageError(`line ${lines} of the input does not begin with a decision id`);
    yield id;
  }
}

function eventIdOf(word: string): EventId {
  const id = readEventId(word);
  if (id === undefined) throw new UsageError(`${JSON.stringify(word.slice(0, 100))} is no decision id`);
  return id;
}

/** The id that `text` is, or that it begins with as a line of `gatehouse export` does. */
function readEventId(text: string): EventId | undefined {
  const id = /^\{"id":"([^"]*)"/.exec(text)?.[1] ?? text;
  return EVENT_ID.test(id) ? (id as EventId) : undefined;
}

function parse(words: string[]) {
  try {
    return parseArgs({ args: words, options: { policies: { type: 'string' } }, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function verifyStored(database: Database, id: EventId, engines: StoredEngines): Promise<Verified> {
  try {
    return await verify(await sessionUpTo(database, id), id, engines);
  } catch (error) {
    if (error instanceof SessionTooLarge || error instanceof UnknownPolicySet)
      return { verdict: 'uncomputed', why: [error.message] };
    throw error;
  }
}

/** The decision `id` beside the same computed again. */
async function verify(session: StoredSession | undefined, id: EventId, engines: StoredEngines): Promise<Verified> {
  const target = session?.events.at(-1);
  if (session === undefined || target?.id !== id) return different('there is no event of this id (any more)');
  const { decision } = target;
  if (decision === undefined) return different('this event was only recorded, not decided');
  if (decision.kind === 'undecided' || decision.explanation === undefined)
    return { verdict: 'uninspected', why: ['it was answered by onFailure or a hold'] };
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
  const factsHash = digestOfFacts(JSON.stringify(facts));
  const event = JSON.parse(target.body) as AgentEvent;
  const computed = inspect(event, facts, under(policySet), unlimited);
  if (shadow !== undefined) computed.explanation.shadow = tried(shadow, event, facts, under(shadow.policySet));
  return different(...differences(stored, computed, factsHash));
}

function different(...why: readonly string[]): Verified {
  return { verdict: why.length === 0 ? 'equal' : 'differs', why };
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
  return {
    id,
    receivedAtMs,
    event,
    blocked,
    policySet,
    effects: recordedEffects(stored),
    notWaitedFor: decision?.notWaitedFor ?? [],
    decidedAtMs: decision?.kind === 'decided' ? decision.decidedAtMs : undefined,
  };
}

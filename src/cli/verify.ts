import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { unlimited } from '../detection/budget.ts';
import { isCutByTime } from '../detection/cuts.ts';
import type { Engine } from '../detection/engine.ts';
import { inspect, inspectInShadow } from '../detection/pipeline.ts';
import { activeHold, heldReason } from '../detection/policy/state.ts';
import { readEngine } from '../detection/read-policies.ts';
import { digestOfFacts, type SessionFacts } from '../detection/session-facts.ts';
import { splitTreeEffects } from '../detection/session-memory.ts';
import type { Effect, Explanation, ShadowOutcome } from '../domain/decision.ts';
import { type AgentEvent, parseEvent } from '../domain/event.ts';
import type { EventId } from '../domain/ids.ts';
import { errorPlace } from '../lib/error-text.ts';
import { memoizedOf } from '../lib/memo.ts';
import { openInstallation } from '../open-installation.ts';
import { differences, factsBefore, inOrder, type PastEvent } from '../session/verification.ts';
import { SessionShelf } from '../store/session-shelf.ts';
import {
  recordedEffects,
  SessionTooLarge,
  type StoredDecision,
  type StoredEvent,
  type StoredSession,
} from '../store/stored-sessions.ts';
import { type Command, UsageError, unreadableWords } from './command.ts';
import { linesOf } from './json-lines.ts';
import { print } from './output.ts';
import { contradictions, lateHolds } from './stored-contradictions.ts';
import { StoredEngines, UnknownPolicySet } from './stored-engines.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `usage: gatehouse verify DECISION-ID … [--policies PATH]
       gatehouse export decisions [--since TIME] | gatehouse verify -

Computes stored decisions again, from the stored events of their sessions, and says whether they are equal: action,
reason, policies, findings, effects, and the state of the session that they rest on. Policy sets of the tenant are
taken from the database. The ids are those that \`gatehouse export decisions\` prints; with - they are read from standard
input, one a line, or its lines as they are. A decision that onFailure or a hold answered rests on no inspection, and is
called uninspected, as one that blocked before it had looked at everything; one whose event or policies are not there any more, uncomputed. Rows
that contradict each other, and bodies that are not those that came in, differ. What an inspection found after the answer is not computed again. Where this
program itself fails at an inspection, the decision is called failed, which says nothing of the rows. The exit
code is 1 where one differs, is uncomputed or failed, and where no id came in.

  --policies PATH   the installation's policies that were in force then, if they are not those of the configuration
`;

const EVENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const verifyCommand: Command = {
  usage: USAGE,
  async run(words) {
    const { values, positionals } = parse(words);
    const given = wordsOrInput(positionals);
    const config = loadConfig();
    const { policies } = values;
    const { dataDir } = config;
    return withDatabase(config, async (database) => {
      const { secret, policyFiles } = await openInstallation(
        policies === undefined ? config : { dataDir, policiesDir: policies, policiesOption: '--policies' },
      );
      const installation = readEngine(policyFiles, secret);
      const engines = new StoredEngines({ database, installation, secret });
      const sessions = SessionShelf.of(database);
      const counts: Record<Outcome, number> = { equal: 0, differs: 0, uncomputed: 0, uninspected: 0, failed: 0 };
      for await (const id of given) {
        const { outcome, why } = await verifyStored(id, { sessions, engines });
        counts[outcome]++;
        await print(`${[`${id} ${outcome}`, ...why].join('\n  ')}\n`);
      }
      const { equal, differs, uncomputed, uninspected, failed } = counts;
      process.stderr.write(
        `${equal} equal, ${differs} different, ${uncomputed} uncomputed, ${uninspected} uninspected${failed === 0 ? '' : `, ${failed} failed`}\n`,
      );
      const wrong = differs + uncomputed + failed;
      if (equal + uninspected + wrong > 0) return wrong === 0 ? 0 : 1;
      process.stderr.write('gatehouse: no decision id came in: nothing was verified\n');
      return 1;
    });
  },
};

type Outcome = 'equal' | 'differs' | 'uncomputed' | 'uninspected' | 'failed';

interface Verified {
  outcome: Outcome;
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
    throw unreadableWords('verify', error);
  }
}

/** What was stored as JSON is none any more, or has another form than ours. The message does not hold its text, which may be an event's. */
class DamagedRow extends Error {
  override readonly name = 'DamagedRow';
}

/** The inspection of a stored event threw. */
class InspectionFailed extends Error {
  override readonly name = 'InspectionFailed';
  readonly event: EventId;

  constructor(event: EventId, cause: unknown) {
    super(`the inspection of ${event} failed (${errorPlace(cause, 1)})`);
    this.event = event;
  }
}

/** What came of one decision. */
export async function verifyStored(
  id: EventId,
  { sessions, engines }: { sessions: Pick<SessionShelf, 'upTo'>; engines: Pick<StoredEngines, 'all'> },
): Promise<Verified> {
  let session: StoredSession | undefined;
  try {
    session = await sessions.upTo(id);
    return await verify(session, id, engines);
  } catch (error) {
    if (error instanceof SessionTooLarge || error instanceof UnknownPolicySet) return uncomputed(error.message);
    if (error instanceof DamagedRow) return different(error.message);
    if (!(error instanceof InspectionFailed)) throw error;
    // A body that is no event was never received: whoever changed it changed its hash as well.
    const { body = 'null' } = session?.events.find((each) => each.id === error.event) ?? {};
    if (!parseEvent(JSON.parse(body)).ok) return different(`the body of ${error.event} is no event`);
    return { outcome: 'failed', why: [`${error.message}: a fault of this program, not of what is stored`] };
  }
}

/** @throws {DamagedRow} where `work` fails for the form of what it reads. */
function readingRows<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)
      throw new DamagedRow(`a stored row is damaged (${errorPlace(error, 1)})`);
    throw error;
  }
}

/** @throws {InspectionFailed} where `work`, the inspection of the event `id`, throws. */
function inspecting<T>(id: EventId, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new InspectionFailed(id, error);
  }
}

/** The decision `id` beside the same computed again. */
async function verify(
  session: StoredSession | undefined,
  id: EventId,
  engines: Pick<StoredEngines, 'all'>,
): Promise<Verified> {
  const target = session?.events.at(-1);
  if (session === undefined || target?.id !== id) return uncomputed('there is no event of this id (any more)');
  const { decision } = target;
  if (decision === undefined) return uncomputed('this event was only recorded, not decided');
  const wrong = readingRows(() => contradictions(session.events));
  if (wrong.length > 0) return different(...wrong);
  if (decision.kind === 'undecided') return { outcome: 'uninspected', why: ['it was answered by onFailure'] };
  const read = readingRows(() => readDecision(session, target, decision));
  const under = await engines.all(session.tenantId, read.policySets);
  return readingRows(() => compared(session, read, under));
}

/** A decision as it is stored, and what it may rest on. */
interface StoredVerdict {
  target: StoredEvent;
  decision: StoredDecision;
  event: AgentEvent;
  explanation: Explanation | undefined;
  effects: ReturnType<typeof splitTreeEffects>;
  past: readonly PastEvent[];
  /** Hashes of the policy sets that are needed to compute it again. */
  policySets: readonly string[];
}

function readDecision({ events }: StoredSession, target: StoredEvent, decision: StoredDecision): StoredVerdict {
  const explanation =
    decision.explanation === undefined ? undefined : (JSON.parse(decision.explanation) as Explanation);
  const past = events.slice(0, -1).map(pastOf);
  const policySets = [
    explanation?.policySet,
    explanation?.shadow?.policySet,
    ...past.map((each) => each.policySet),
  ].filter((hash) => hash !== undefined);
  if (policySets.some((hash) => typeof hash !== 'string')) throw new TypeError('a policy set is named by a hash');
  const event = JSON.parse(target.body) as AgentEvent;
  const effects = splitTreeEffects(JSON.parse(decision.effects) as Effect[]);
  return { target, decision, event, explanation, effects, past, policySets };
}

/** @throws {InspectionFailed} */
function compared(
  { tenant, events, releases }: StoredSession,
  { target, decision, event, explanation, effects, past }: StoredVerdict,
  under: (hash: string | undefined) => Engine,
): Verified {
  const { notWaitedFor } = decision;
  const { id, receivedAtMs } = target;
  const wanted = { tenant, event: id, receivedAtMs, notWaitedFor, tree: effects.tree };
  const told = (wereAnswered: boolean): SessionFacts =>
    factsBefore(inOrder(past, releases), { ...wanted, wereAnswered }, (each, known) =>
      inspecting(each.id, () => inspect(each.event, known, under(each.policySet), unlimited)),
    );
  let facts = told(false);
  // Whether those that it went ahead of had been answered by then, the hash of what it was told says.
  const mayHaveBeen = past.some((each) => notWaitedFor.includes(each.id) && (each.answerEffects ?? []).length > 0);
  if (mayHaveBeen && digestOfFacts(JSON.stringify(facts)) !== explanation?.facts) facts = told(true);
  if (explanation === undefined) return heldBy(events, decision, facts);
  const { policySet, shadow } = explanation;
  const stored = { action: decision.action ?? 'allow', reason: decision.reason, effects: effects.own, explanation };
  const factsHash = digestOfFacts(JSON.stringify(facts));
  const computed = inspecting(id, () => inspect(event, facts, under(policySet), unlimited));
  if (isCutByTime(explanation) && stored.action === computed.action)
    return { outcome: 'uninspected', why: ['time cut its inspection; the whole one blocks as well'] };
  if (shadow !== undefined)
    computed.explanation.shadow = inspecting(id, () => tried(shadow, event, facts, under(shadow.policySet)));
  return different(...differences(stored, computed, factsHash));
}

function different(...why: readonly string[]): Verified {
  return { outcome: why.length === 0 ? 'equal' : 'differs', why };
}

function uncomputed(why: string): Verified {
  return { outcome: 'uncomputed', why: [why] };
}

/** A decision without an inspection, where a hold of its session blocked it. */
function heldBy(events: readonly StoredEvent[], { action, reason }: StoredDecision, facts: SessionFacts): Verified {
  const hold = activeHold(facts.memory.policy, facts.receivedAtMs);
  const reasons = [...(hold === undefined ? [] : [heldReason(hold)]), ...lateHolds(events.slice(0, -1))];
  if (action === 'block' && reason !== undefined && reasons.includes(reason))
    return { outcome: 'uninspected', why: ['it was answered by a hold'] };
  return different('it has no explanation, and nothing before it put the session on hold with this reason');
}

/** What the set that was only tried would have answered. One that was not found out in time has nothing to compare. */
function tried(stored: ShadowOutcome, event: AgentEvent, facts: SessionFacts, engine: Engine): ShadowOutcome {
  if (stored.action === undefined) return stored;
  return inspectInShadow(event, facts, engine, unlimited) ?? { policySet: stored.policySet };
}

/** Asked of the same event once more for each decision behind it. */
const pastOf = memoizedOf((stored: StoredEvent): PastEvent => {
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
    ...(decision?.kind === 'undecided' ? { answerEffects: JSON.parse(decision.effects) as Effect[] } : {}),
    notWaitedFor: decision?.notWaitedFor ?? [],
    decidedAtMs: decision?.kind === 'decided' ? decision.decidedAtMs : undefined,
  };
});

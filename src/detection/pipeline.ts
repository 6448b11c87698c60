import type { Inspection, ShadowOutcome } from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import type { EventId, TenantSlug } from '../domain/ids.ts';
import { type Budget, budgetUntil } from './budget.ts';
import { BUDGET_BOUND, isCutByTime } from './cuts.ts';
import type { Detector } from './detectors/detector.ts';
import { asksFor } from './detectors/needed-detectors.ts';
import type { Engine } from './engine.ts';
import type { WrittenScript } from './flow/memory.ts';
import { noteScript, type RunCall, scriptsLeft, stoppedBy, WRITTEN_SCRIPT } from './flow/written-scripts.ts';
import { FULL_LIMITS, QUICK_LIMITS, QUICK_LISTED_CHARS_MAX, QUICK_LONG_LIMITS } from './limits.ts';
import { activeHold } from './policy/state.ts';
import { factsAlone, type SessionFacts } from './session-facts.ts';
import {
  type Begun,
  begin,
  detect,
  type Followed,
  type InspectionTask,
  isBegun,
  judge,
  type Manner,
  withFacts,
  withFlow,
  withTexts,
} from './stages.ts';

const IN_FULL: Manner = { limits: FULL_LIMITS, remembers: true };

/**
 * Inspects one event: reads its texts, gathers facts, asks the detectors, follows what it would carry out, and applies
 * the policies. Pure: equal arguments give equal results, as long as the budget holds out; where it does not, `cuts` says
 * what was left out. Never throws for what an event contains.
 */
export function inspect(event: AgentEvent, session: SessionFacts, engine: Engine, budget: Budget): Inspection {
  return inspectOne({ event, session, budget }, engine, IN_FULL);
}

/**
 * Inspects each of `tasks` for itself, as `inspect` does, but all of them stage by stage: code and tables of all stages are
 * larger than a processor's nearest caches, so that thirty small events take two thirds of the time together that they take
 * one after the other (`bench/inspection.ts`). Where one throws, none has an answer.
 *
 * @param onTurn is told whose turn it is, by index.
 */
export function inspectTogether(
  tasks: readonly InspectionTask[],
  engine: Engine,
  onTurn: (index: number) => void,
): Inspection[] {
  const all = tasks.map((task) => begin(task, engine, IN_FULL));
  const turns = all.flatMap((one, index) => (isBegun(one) ? [index] : []));
  const inspections = examine(all.filter(isBegun), engine.detectors, (index) => onTurn(turns[index] as number));
  return all.map((one) => (isBegun(one) ? (inspections.shift() as Inspection) : one));
}

/**
 * What the policies of `engine` would answer, beside those that decide: an inspection of its own, of which nothing is
 * remembered. What policies count and remember is what the policies that decide left in `session`. Undefined for an event
 * of a session on hold, of which no policy is asked.
 */
export function inspectInShadow(
  event: AgentEvent,
  session: SessionFacts,
  engine: Engine,
  budget: Budget,
): ShadowOutcome | undefined {
  if (activeHold(session.memory.policy, session.receivedAtMs) !== undefined) return undefined;
  const manner = { limits: FULL_LIMITS, remembers: false };
  const { action, reason, explanation } = inspectOne({ event, session, budget }, engine, manner);
  const { policySet, policies, cuts, errors } = explanation;
  if (isCutByTime(explanation)) return { policySet };
  const outcome: ShadowOutcome = { policySet, action };
  if (reason !== undefined) outcome.reason = reason;
  if (policies.length > 0) outcome.policies = policies;
  if (cuts.length > 0) outcome.cuts = cuts;
  if (errors !== undefined) outcome.errors = errors;
  return outcome;
}

/** What an inspection on the main thread may take, in milliseconds: some twenty times what one takes whose policies are no burden. */
const QUICK_MS_MAX = 20;

/**
 * As `inspect`, on the first kilobyte of each text only (see `QUICK_LIMITS`), and without what the session knows, within about
 * a millisecond: for the main thread, where no worker can answer in time. What was not looked at is in `cuts`; policies that take too long by `clock`
 * (milliseconds) are cut, too. `textChars` is the length of the event's text in code units: of a long one, whose properties may be very many, only
 * well-known properties are looked at. Hours and the ends of exceptions are those of `receivedAtMs`.
 */
export function inspectQuickly(
  { event, textChars, receivedAtMs }: { event: AgentEvent; textChars: number; receivedAtMs: number },
  engine: Engine,
  clock: () => number,
): Inspection {
  const limits = textChars > QUICK_LISTED_CHARS_MAX ? QUICK_LONG_LIMITS : QUICK_LIMITS;
  const session = factsAlone('' as TenantSlug, '' as EventId, receivedAtMs);
  const budget = budgetUntil(clock() + QUICK_MS_MAX, clock);
  return inspectOne({ event, session, budget }, engine, { limits, remembers: false });
}

function inspectOne(task: InspectionTask, engine: Engine, manner: Manner): Inspection {
  const begun = begin(task, engine, manner);
  return isBegun(begun) ? (examine([begun], engine.detectors, () => {})[0] as Inspection) : begun;
}

/** Brings all of `begun` through the stages, each stage for all before the next one. */
function examine(
  begun: readonly Begun[],
  detectors: readonly Detector[],
  onTurn: (index: number) => void,
): Inspection[] {
  const each = <In, Out>(all: readonly In[], stage: (one: In) => Out): Out[] =>
    all.map((one, index) => {
      onTurn(index);
      return stage(one);
    });
  const followed = each(each(each(begun, withFacts), withTexts), withFlow);
  for (const detector of detectors) each(followed, (one) => detect(detector, one));
  return each(followed, (one) => judge(one, foreseen(one)));
}

/** What the scripts that a call leaves in files would come to, if they were run as commands: nothing else of the session bears on it. */
function foreseen({ begun, input, flowInput }: Followed): WrittenScript[] {
  const { event, session, engine, budget, limits, remembers } = begun;
  if (!remembers || event.event_type !== 'tool_invocation') return [];
  if (input.facts.files.length === 0 || !asksFor(engine.policies.needs.findings, WRITTEN_SCRIPT)) return [];
  const alone = factsAlone(session.tenant, session.event, session.receivedAtMs);
  const stops = (call: RunCall | undefined): string | undefined => {
    if (call === undefined) return undefined;
    const task = { event: { ...event, tool: call.tool }, session: alone, budget };
    const inspection = inspectOne(task, engine, { limits, remembers: false });
    if (!isCutByTime(inspection.explanation)) return stoppedBy(call, inspection);
    begun.allowance.cut('written scripts', BUDGET_BOUND);
    return undefined;
  };
  const knowsSome = session.memory.flow.scripts !== undefined;
  return scriptsLeft(input.facts, begun.allowance).flatMap((script) => {
    const policy = stops(script.run);
    // What is harmless matters where the file held something else.
    const isNews = policy !== undefined || (knowsSome && (script.whole || stops(script.without) !== undefined));
    return isNews ? [noteScript(script.path, policy, session.event, flowInput.key)] : [];
  });
}

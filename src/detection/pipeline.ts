import { createHash } from 'node:crypto';
import {
  compareSeverities,
  type Explanation,
  type Finding,
  type FlowTrace,
  type Inspection,
  type Past,
  type PolicyMatch,
  type ShadowOutcome,
} from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import { isBlocking } from '../domain/event-types.ts';
import type { EventId, TenantSlug } from '../domain/ids.ts';
import { type Budget, unlimited } from './budget.ts';
import { coverageOf } from './coverage.ts';
import { Allowance, BUDGET_BOUND } from './cuts.ts';
import { DETECTORS } from './detectors/all-detectors.ts';
import type { Detection } from './detectors/detector.ts';
import type { Engine } from './engine.ts';
import { type EventFacts, eventFacts } from './facts/event-facts.ts';
import { pointerOf } from './facts/input.ts';
import type { CanonicalPath } from './facts/paths.ts';
import type { FlowMatch } from './flow/match.ts';
import { isNamedIn } from './flow/named-files.ts';
import { type FlowInput, flowEffects, inspectFlow } from './flow-inspection.ts';
import { FULL_LIMITS, type Limits, QUICK_LIMITS, QUICK_LISTED_CHARS_MAX, QUICK_LONG_LIMITS } from './limits.ts';
import { effectOf, pastOf } from './past.ts';
import { evaluatePolicies, NO_POLICIES } from './policy/evaluate.ts';
import { type PolicyInputParts, policyInputOf } from './policy/input.ts';
import type { MatchedPolicy, PolicyResult } from './policy/result.ts';
import { activeHold, type Hold, heldReason } from './policy/state.ts';
import { named, REASON_CHARS_MAX, readable } from './reason.ts';
import { factsAlone, type SessionFacts } from './session-facts.ts';
import { eventTexts } from './texts/event-texts.ts';
import { readText } from './texts/read-text.ts';

export { type Budget, unlimited } from './budget.ts';

/** Version of this code. Raised with each change by which the same event may give another decision. */
const ENGINE = `gatehouse/20 ${createHash('sha256')
  .update(JSON.stringify(DETECTORS.map(({ id, version }) => `${id} ${version}`).sort()))
  .digest('hex')
  .slice(0, 12)}`;

/** Findings that one decision keeps. More say nothing new. */
const FINDINGS_MAX = 32;
/** Flows that one decision keeps. */
const FLOWS_MAX = 8;
/** A finding below it is told only where a policy rests on it. */
const TOLD_CONFIDENCE_MIN = 0.5;

/**
 * Inspects one event: reads its texts, gathers facts, asks the detectors, follows what it would carry out, and applies
 * the policies. Pure: equal arguments give equal results, as long as the budget holds out; where it does not, `cuts` says
 * what was left out. Never throws for what an event contains.
 */
export function inspect(event: AgentEvent, session: SessionFacts, engine: Engine, budget: Budget): Inspection {
  const hold = isBlocking(event.event_type) ? activeHold(session.memory.policy, session.receivedAtMs) : undefined;
  if (hold !== undefined) return held(hold, engine);
  return inspectWithin(event, session, engine, { limits: FULL_LIMITS, budget, remembers: true });
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
  const { action, reason, explanation } = inspectWithin(event, session, engine, {
    limits: FULL_LIMITS,
    budget,
    remembers: false,
  });
  const { policySet, policies, cuts, errors } = explanation;
  if (cuts.some(({ bound }) => bound === BUDGET_BOUND)) return { policySet };
  const outcome: ShadowOutcome = { policySet, action };
  if (reason !== undefined) outcome.reason = reason;
  if (policies.length > 0) outcome.policies = policies;
  if (cuts.length > 0) outcome.cuts = cuts;
  if (errors !== undefined) outcome.errors = errors;
  return outcome;
}

/**
 * As `inspect`, on the first kilobyte of each text only (see `QUICK_LIMITS`), and without what the session knows, within about
 * a millisecond: for the main thread, where no worker can answer in time. What was not looked at is in `cuts`. `textChars` is the length of the event's
 * text in code units: of a long one, whose properties may be very many, only well-known properties are looked at.
 */
export function inspectQuickly(event: AgentEvent, engine: Engine, textChars = 0): Inspection {
  const limits = textChars > QUICK_LISTED_CHARS_MAX ? QUICK_LONG_LIMITS : QUICK_LIMITS;
  const alone = factsAlone('' as TenantSlug, '' as EventId, 0);
  return inspectWithin(event, alone, engine, { limits, budget: unlimited, remembers: false });
}

interface Manner {
  limits: Limits;
  budget: Budget;
  /** Whether what the session should remember is worked out. */
  remembers: boolean;
}

function inspectWithin(
  event: AgentEvent,
  session: SessionFacts,
  engine: Engine,
  { limits, budget, remembers }: Manner,
): Inspection {
  const allowance = new Allowance(budget);
  if (allowance.over('event')) return decide(event, engine, { detections: [], policies: NO_POLICIES, allowance }, []);
  const facts = eventFacts(event, limits, allowance, engine.policies.tools);
  const texts = eventTexts(event, limits, allowance).map((text) => readText(text, limits, allowance));
  const key = engine.flowKey(session.tenant);
  const flowInput: FlowInput = { event, facts, texts, session, key, allowance };
  const outcome = inspectFlow(flowInput);
  const coverage = coverageOf(event, facts, session);
  const detections = [...outcome.detections, ...coverage.detections];
  const input = { event, facts, texts, limits, allowance };
  for (const detector of engine.detectors) {
    if (allowance.over('detectors')) break;
    const detected = detector.detect(input);
    if (detected.length > 0) detections.push(...detected);
  }
  allowance.endDetection();
  detections.sort(byWeight);
  const { userFiles } = session.memory.flow;
  const isNamed = (file: CanonicalPath): boolean => userFiles !== undefined && isNamedIn(userFiles, file, key);
  const parts = partsOf(session, { event, facts, texts, detections, isNamed, flow: outcome.view });
  const context = { event: session.event, input: policyInputOf(parts), state: session.memory.policy };
  const policies = evaluatePolicies(engine.policies, context, allowance);
  if (!remembers) return decide(event, engine, { detections, policies, allowance, facts }, []);
  const past = pastOf([...policies.matched, ...policies.simulated], session);
  const blocked = policies.action === 'block';
  const flow = flowEffects(flowInput, { outcome, detections, policyEffects: policies.effects, blocked });
  // Of a blocked call there is no result to come.
  const called = blocked ? [] : coverage.effects;
  const effects = [...called, ...flow, ...policies.effects.filter(({ kind }) => kind !== 'fingerprint')];
  return decide(event, engine, { detections, flows: outcome.matches, past, policies, allowance, facts }, effects);
}

/** What the facts of policies are made from. Field by field: this is done for every event. */
function partsOf(
  { memory, receivedAtMs, eventsCount, blockedCount }: SessionFacts,
  { event, facts, texts, detections, isNamed, flow }: Omit<PolicyInputParts, 'session' | 'receivedAtMs'>,
): PolicyInputParts {
  const tools = memory.open.map(([tool]) => tool);
  const session = { eventsCount, blockedCount, tools, toolKinds: memory.toolKinds, state: memory.policy };
  return { event, receivedAtMs, facts, texts, detections, isNamed, flow, session };
}

/** The gravest and surest first, then by kind and place, so that the order of detectors does not matter. */
function byWeight(a: Detection, b: Detection): number {
  return (
    compareSeverities(b.severity, a.severity) ||
    b.confidence - a.confidence ||
    (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0) ||
    a.start - b.start
  );
}

interface Seen {
  facts?: EventFacts;
  detections: readonly Detection[];
  flows?: readonly FlowMatch[];
  past?: Past | undefined;
  policies: PolicyResult;
  allowance: Allowance;
}

function decide(
  event: AgentEvent,
  engine: Engine,
  { facts, detections, flows = [], past, policies, allowance }: Seen,
  effects: Inspection['effects'],
): Inspection {
  const told = detections.length === 0 ? detections : toldOf(detections, policies);
  if (told.length > FINDINGS_MAX) allowance.cut('findings', `count ${FINDINGS_MAX}`);
  const explanation: Explanation = {
    policies: policies.matched.map((policy) => matchOf(policy, detections)),
    findings: told.slice(0, FINDINGS_MAX).map(findingOf),
    cuts: allowance.cuts,
    policySet: engine.policies.hash,
    engine: ENGINE,
    tookUs: 0,
  };
  if (event.event_type === 'tool_invocation' && facts?.tool !== undefined) explanation.toolKind = facts.tool.kind;
  if (flows.length > 0) explanation.flows = flows.slice(0, FLOWS_MAX).map(traceOf);
  if (past !== undefined) explanation.past = past;
  if (policies.simulated.length > 0)
    explanation.simulated = policies.simulated.map((each) => matchOf(each, detections));
  if (policies.excepted.length > 0) explanation.excepted = [...policies.excepted];
  if (policies.errors.length > 0) explanation.errors = policies.errors.map(({ policy, cause }) => ({ policy, cause }));
  const { winner } = policies;
  if (winner === undefined || winner.effect !== 'block' || !isBlocking(event.event_type))
    return { action: 'allow', effects, explanation };
  return { action: 'block', reason: reasonOf(winner, detections), effects, explanation };
}

/** Those of `detections` that are sure enough, and those that a policy rests on. */
function toldOf(detections: readonly Detection[], { matched, simulated }: PolicyResult): readonly Detection[] {
  const cited = new Set([...matched, ...simulated].flatMap(({ findings }) => findings));
  return detections.filter(({ confidence }, index) => confidence >= TOLD_CONFIDENCE_MIN || cited.has(index));
}

function matchOf(policy: MatchedPolicy, detections: readonly Detection[]): PolicyMatch {
  const { id, severity, effect, agentHint, tags } = policy;
  const match: PolicyMatch = { id, severity, effect, reason: reasonOf(policy, detections), tags: [...tags] };
  if (agentHint !== undefined) match.agentHint = agentHint;
  return match;
}

/** `policy: what it says: what was seen, in where`. */
function reasonOf({ id, reason, findings }: MatchedPolicy, detections: readonly Detection[]): string {
  const seen = findings.map((index) => detections[index] as Detection);
  const [first] = seen;
  if (first === undefined) return readable(`${id}: ${reason}`, REASON_CHARS_MAX);
  const others = new Set(seen.map(({ what }) => what)).size - 1;
  const more = others > 0 ? `, and ${others} more` : '';
  return readable(`${id}: ${reason}: ${first.what}, in ${named(pointerOf(first.place))}${more}`, REASON_CHARS_MAX);
}

function traceOf({ originEvent, originTool, label, encoding, coverage }: FlowMatch): FlowTrace {
  return { event: originEvent, tool: originTool, label, encoding, coverage };
}

function findingOf({ kind, severity, confidence, place, start, end }: Detection): Finding {
  return { kind, severity, confidence, span: { pointer: pointerOf(place), start, end } };
}

/** While a session is on hold nothing of it is looked at: the answer is known. */
function held(hold: Hold, engine: Engine): Inspection {
  const { policy } = hold;
  const told = heldReason(hold);
  const match: PolicyMatch = { id: policy, severity: 'high', effect: 'block', reason: told, tags: [] };
  return {
    action: 'block',
    reason: told,
    effects: [],
    explanation: {
      policies: [match],
      findings: [],
      cuts: [],
      past: { hold: effectOf(hold) },
      policySet: engine.policies.hash,
      engine: ENGINE,
      tookUs: 0,
    },
  };
}

import { createHash } from 'node:crypto';
import type { Explanation, Finding, FlowTrace, Inspection, Past, PolicyMatch } from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import type { Allowance } from './cuts.ts';
import { DETECTORS } from './detectors/all-detectors.ts';
import type { Detection } from './detectors/detector.ts';
import type { Engine } from './engine.ts';
import type { EventFacts } from './facts/event-facts.ts';
import { pointerOf } from './facts/input.ts';
import type { FlowMatch } from './flow/match.ts';
import { effectOf } from './past.ts';
import type { MatchedPolicy, PolicyResult } from './policy/result.ts';
import { type Hold, heldReason } from './policy/state.ts';
import { named, REASON_CHARS_MAX, readable } from './reason.ts';

/** Version of this code. Raised with each change by which the same event may give another decision. */
const ENGINE = `gatehouse/32 ${createHash('sha256')
  .update(JSON.stringify(DETECTORS.map(({ id, version }) => `${id} ${version}`).sort()))
  .digest('hex')
  .slice(0, 12)}`;

/** Findings that one decision keeps. More say nothing new. */
const FINDINGS_MAX = 32;
/** Flows that one decision keeps. */
const FLOWS_MAX = 8;
/** A finding below it is told only where a policy rests on it. */
const TOLD_CONFIDENCE_MIN = 0.5;

/** What an inspection came to. */
export interface Seen {
  facts?: EventFacts;
  detections: readonly Detection[];
  flows?: readonly FlowMatch[];
  past?: Past | undefined;
  policies: PolicyResult;
  allowance: Allowance;
}

/** The decision on `event`, and why: what policies made of what was seen. */
export function decide(
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
  if (policies.errors.length > 0) explanation.errors = [...policies.errors];
  const [first] = policies.matched;
  if (policies.action === 'allow' || first === undefined) return { action: 'allow', effects, explanation };
  return { action: 'block', reason: reasonOf(first, detections), effects, explanation };
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
export function held(hold: Hold, engine: Engine): Inspection {
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

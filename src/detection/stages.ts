import type { Inspection } from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import { isBlocking } from '../domain/event-types.ts';
import type { Budget } from './budget.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { Allowance } from './cuts.ts';
import { decide, held } from './decide.ts';
import { byWeight, type Detection, type Detector, type DetectorInput } from './detectors/detector.ts';
import type { Engine } from './engine.ts';
import type { EventFacts } from './facts/event-facts.ts';
import { eventFacts } from './facts/gather-facts.ts';
import type { CanonicalPath } from './facts/paths.ts';
import type { WrittenScript } from './flow/memory.ts';
import { isNamedIn } from './flow/named-files.ts';
import { type FlowInput, type FlowOutcome, flowEffects, inspectFlow } from './flow-inspection.ts';
import type { Limits } from './limits.ts';
import { pastOf } from './past.ts';
import { evaluatePolicies, NO_POLICIES } from './policy/evaluate.ts';
import { type PolicyInputParts, policyInputOf } from './policy/input.ts';
import { activeHold } from './policy/state.ts';
import type { SessionFacts } from './session-facts.ts';
import { directoryOf } from './session-memory.ts';
import { eventTexts } from './texts/event-texts.ts';
import { readText } from './texts/read-text.ts';

/** The stages of an inspection: each takes what the one before it left. */

/** An event to inspect, with what its session knows. */
export interface InspectionTask {
  event: AgentEvent;
  session: SessionFacts;
  budget: Budget;
}

/** How it is inspected. */
export interface Manner {
  limits: Limits;
  /** Whether what the session should remember is worked out. */
  remembers: boolean;
}

/** An inspection that goes through the stages. */
export interface Begun extends Manner, InspectionTask {
  engine: Engine;
  allowance: Allowance;
}

interface Known {
  begun: Begun;
  facts: EventFacts;
}

interface Read {
  begun: Begun;
  input: DetectorInput;
}

export interface Followed extends Read {
  flowInput: FlowInput;
  outcome: FlowOutcome;
  coverage: Coverage;
  /** What was found, to which the detectors add. */
  detections: Detection[];
}

/** An answer at once where the session is on hold, or no time is left. */
export function begin({ event, session, budget }: InspectionTask, engine: Engine, manner: Manner): Begun | Inspection {
  const hold = isBlocking(event.event_type) ? activeHold(session.memory.policy, session.receivedAtMs) : undefined;
  if (hold !== undefined) return held(hold, engine);
  const allowance = new Allowance(budget);
  if (allowance.over('event')) return decide(event, engine, { detections: [], policies: NO_POLICIES, allowance }, []);
  const { limits, remembers } = manner;
  return { event, session, budget, engine, limits, remembers, allowance };
}

export function isBegun(begun: Begun | Inspection): begun is Begun {
  return 'allowance' in begun;
}

/** What the call does. */
export function withFacts(begun: Begun): Known {
  const { event, session, engine, limits, allowance } = begun;
  const cwd = event.event_type === 'tool_invocation' ? directoryOf(session.memory, event.tool.name) : undefined;
  return { begun, facts: eventFacts(event, limits, allowance, { tools: engine.policies.tools, cwd }) };
}

/** What is said in it, decoded. */
export function withTexts({ begun, facts }: Known): Read {
  const { event, limits, allowance } = begun;
  const texts = eventTexts(event, limits, allowance).map((text) => readText(text, limits, allowance));
  return { begun, input: { event, facts, texts, limits, allowance } };
}

/** What of the session it would carry out, and whether it was announced. */
export function withFlow({ begun, input }: Read): Followed {
  const { event, session, engine, allowance } = begun;
  const { facts, texts } = input;
  const flowInput: FlowInput = { event, facts, texts, session, key: engine.flowKey(session.tenant), allowance };
  const outcome = inspectFlow(flowInput);
  const coverage = coverageOf(event, facts, session);
  return { begun, input, flowInput, outcome, coverage, detections: [...outcome.detections, ...coverage.detections] };
}

/** What `detector` finds in it. */
export function detect(detector: Detector, { begun, input, detections }: Followed): void {
  if (begun.allowance.over('detectors')) return;
  const detected = detector.detect(input);
  if (detected.length > 0) detections.push(...detected);
}

/** What the policies make of all that, and what the session should remember: of `scripts`, too, which the call leaves in files. */
export function judge(
  { begun, input, flowInput, outcome, coverage, detections }: Followed,
  scripts: readonly WrittenScript[],
): Inspection {
  const { event, session, engine, limits, remembers, allowance } = begun;
  const { facts, texts } = input;
  allowance.endDetection();
  detections.sort(byWeight);
  const { userFiles } = session.memory.flow;
  const isNamed = (file: CanonicalPath): boolean =>
    userFiles !== undefined && isNamedIn(userFiles, file, flowInput.key);
  const parts = partsOf(session, { event, facts, texts, detections, isNamed, flow: outcome.view });
  const stepsMax = limits.policyStepsMax;
  const context = { event: session.event, input: policyInputOf(parts), state: session.memory.policy, stepsMax };
  const policies = evaluatePolicies(engine.policies, context, allowance);
  if (!remembers) return decide(event, engine, { detections, policies, allowance, facts }, []);
  const past = pastOf([...policies.matched, ...policies.simulated], session);
  const blocked = policies.action === 'block';
  const flow = flowEffects(flowInput, { outcome, detections, policyEffects: policies.effects, blocked, scripts });
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

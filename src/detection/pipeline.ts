import { createHash } from 'node:crypto';
import type { Finding, Inspection, PolicyMatch, Severity } from '../domain/decision.ts';
import { type AgentEvent, isBlocking } from '../domain/event.ts';
import type { SessionFacts } from '../domain/session-facts.ts';
import { type Budget, unlimited } from './budget.ts';
import { Allowance } from './cuts.ts';
import { ACTION_DETECTORS } from './detectors/actions/action-detectors.ts';
import type { Detection, Detector } from './detectors/detector.ts';
import { eventFacts } from './facts/event-facts.ts';
import { pointerOf } from './facts/input.ts';
import { FULL_LIMITS, type Limits, QUICK_LIMITS } from './limits.ts';
import { named, REASON_CHARS_MAX, readable } from './reason.ts';

export { type Budget, unlimited } from './budget.ts';

/**
 * Inspects one event: gathers facts, asks the detectors, decides. Pure: equal arguments give equal results, as long as
 * the budget holds out; where it does not, `cuts` says what was left out. Never throws for what an event contains.
 */
export function inspect(event: AgentEvent, _facts: SessionFacts, budget: Budget): Inspection {
  return inspectWithin(event, FULL_LIMITS, budget);
}

/**
 * The same on the first kilobyte only, within about 0.2 ms: for the main thread, where no worker can answer in
 * time. What was not looked at is in `cuts`. Only an input of very many properties takes longer, since JavaScript can
 * but list them all; parsing it took longer still.
 */
export function inspectQuickly(event: AgentEvent): Inspection {
  return inspectWithin(event, QUICK_LIMITS, unlimited);
}

/** Findings that one decision keeps. More say nothing new. */
const FINDINGS_MAX = 32;

/** Version of the code that gathers facts. Raised with each change by which the same event may give other facts. */
const ENGINE = 'facts/2';

/** Hash of the detectors that there are, in which version. */
const DETECTOR_SET = `builtin:${createHash('sha256')
  .update(JSON.stringify(ACTION_DETECTORS.map(({ id, version }) => [id, version])))
  .digest('hex')
  .slice(0, 32)}`;

/** What a detection must reach to block: it is grave, and next to certain. */
const BLOCKING_CONFIDENCE_MIN = 0.7;

interface Hit {
  detector: Detector;
  detection: Detection;
}

function inspectWithin(event: AgentEvent, limits: Limits, budget: Budget): Inspection {
  const allowance = new Allowance(budget);
  const hits: Hit[] = [];
  if (!allowance.over('event')) {
    const input = { event, facts: eventFacts(event, limits, allowance), texts: [], limits, allowance };
    for (const detector of ACTION_DETECTORS) {
      if (allowance.over('detectors')) break;
      for (const detection of detector.detect(input)) hits.push({ detector, detection });
    }
  }
  if (hits.length > FINDINGS_MAX) allowance.cut('findings', `count ${FINDINGS_MAX}`);
  return decide(event, hits.sort(bySeverity), allowance);
}

const RANK: Readonly<Record<Severity, number>> = { informational: 0, low: 1, medium: 2, high: 3, critical: 4 };

/** What blocks first, then the gravest, then by detector and place, so that the order of detectors does not matter. */
function bySeverity(a: Hit, b: Hit): number {
  return (
    Number(isGrave(b)) - Number(isGrave(a)) ||
    RANK[b.detection.severity] - RANK[a.detection.severity] ||
    (a.detector.id < b.detector.id ? -1 : a.detector.id > b.detector.id ? 1 : 0) ||
    a.detection.start - b.detection.start
  );
}

function isGrave({ detection }: Hit): boolean {
  return RANK[detection.severity] >= RANK.high && detection.confidence >= BLOCKING_CONFIDENCE_MIN;
}

function decide(event: AgentEvent, hits: readonly Hit[], allowance: Allowance): Inspection {
  const grave = hits.filter(isGrave);
  const [gravest] = grave;
  const blocks = gravest !== undefined && isBlocking(event.event_type);
  const explanation = {
    policies: policiesOf(hits, blocks),
    findings: hits.slice(0, FINDINGS_MAX).map(findingOf),
    cuts: allowance.cuts,
    policySet: DETECTOR_SET,
    engine: ENGINE,
    tookUs: 0,
  };
  if (!blocks) return { action: 'allow', effects: [], explanation };
  return { action: 'block', reason: reasonOf(gravest, grave), effects: [], explanation };
}

/** Of an event that nobody waits for, what would block can only be told. */
function policiesOf(hits: readonly Hit[], blocks: boolean): PolicyMatch[] {
  const policies = new Map<string, PolicyMatch>();
  for (const hit of hits) {
    const { id } = hit.detector;
    if (policies.has(id)) continue;
    const effect = !isGrave(hit) ? 'log' : blocks ? 'block' : 'alert';
    policies.set(id, { id, severity: hit.detection.severity, effect });
  }
  return [...policies.values()];
}

function findingOf({ detection }: Hit): Finding {
  const { kind, severity, confidence, place, start, end } = detection;
  return { kind, severity, confidence, span: { pointer: pointerOf(place), start, end } };
}

function reasonOf({ detector, detection }: Hit, hits: readonly Hit[]): string {
  const others = new Set(hits.map((hit) => hit.detection.what)).size - 1;
  const more = others > 0 ? `, and ${others} more` : '';
  const where = named(pointerOf(detection.place));
  return readable(`${detector.id}: ${detection.what}, in ${where}${more}`, REASON_CHARS_MAX);
}

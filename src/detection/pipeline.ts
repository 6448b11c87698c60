import type { Finding, Inspection, PolicyMatch, Severity } from '../domain/decision.ts';
import { type AgentEvent, isBlocking } from '../domain/event.ts';
import type { SessionFacts } from '../domain/session-facts.ts';
import { type Budget, unlimited } from './budget.ts';
import { Allowance } from './cuts.ts';
import { eventFacts } from './facts/event-facts.ts';
import { pointerOf } from './facts/input.ts';
import { FULL_LIMITS, type Limits, QUICK_LIMITS, QUICK_LISTED_CHARS_MAX, QUICK_LONG_LIMITS } from './limits.ts';
import { named, REASON_CHARS_MAX, readable } from './rules/reason.ts';
import type { Match, Rule } from './rules/rule.ts';
import { ENGINE, RULE_SET, RULES } from './rules/rule-set.ts';

export { type Budget, unlimited } from './budget.ts';

/**
 * Inspects one event: gathers facts, applies the rules, decides. Pure: equal arguments give equal results, as long as
 * the budget holds out; where it does not, `cuts` says what was left out. Never throws for what an event contains.
 */
export function inspect(event: AgentEvent, _facts: SessionFacts, budget: Budget): Inspection {
  return inspectWithin(event, FULL_LIMITS, budget);
}

/**
 * The same rules on the first kilobyte only, within about 0.2 ms: for the main thread, where no worker can answer in
 * time. What was not looked at is in `cuts`. `textChars` is the length of the event's text in code units: of a long one,
 * whose properties may be very many, only well-known properties are looked at.
 */
export function inspectQuickly(event: AgentEvent, textChars = 0): Inspection {
  return inspectWithin(event, textChars > QUICK_LISTED_CHARS_MAX ? QUICK_LONG_LIMITS : QUICK_LIMITS, unlimited);
}

/** Findings that one decision keeps. More say nothing new. */
const FINDINGS_MAX = 32;

interface Hit {
  rule: Rule;
  match: Match;
}

function inspectWithin(event: AgentEvent, limits: Limits, budget: Budget): Inspection {
  const allowance = new Allowance(budget);
  const hits: Hit[] = [];
  if (!allowance.over('event')) {
    const facts = eventFacts(event, limits, allowance);
    for (const rule of RULES) {
      if (allowance.over('rules')) break;
      for (const match of rule.matches(facts)) hits.push({ rule, match });
    }
  }
  if (hits.length > FINDINGS_MAX) allowance.cut('findings', `count ${FINDINGS_MAX}`);
  return decide(event, hits.sort(bySeverity), allowance);
}

const RANK: Readonly<Record<Severity, number>> = { informational: 0, low: 1, medium: 2, high: 3, critical: 4 };

/** The gravest first, ties by rule id and then by place, so that the order of rules does not matter. */
function bySeverity(a: Hit, b: Hit): number {
  return (
    RANK[b.rule.severity] - RANK[a.rule.severity] ||
    (a.rule.id < b.rule.id ? -1 : a.rule.id > b.rule.id ? 1 : 0) ||
    a.match.origin.start - b.match.origin.start
  );
}

function decide(event: AgentEvent, hits: readonly Hit[], allowance: Allowance): Inspection {
  const blocks = hits.length > 0 && isBlocking(event.event_type);
  const explanation = {
    policies: policiesOf(hits, blocks),
    findings: hits.slice(0, FINDINGS_MAX).map(findingOf),
    cuts: allowance.cuts,
    policySet: RULE_SET,
    engine: ENGINE,
    tookUs: 0,
  };
  if (!blocks) return { action: 'allow', effects: [], explanation };
  return { action: 'block', reason: reasonOf(hits as readonly [Hit, ...Hit[]]), effects: [], explanation };
}

function policiesOf(hits: readonly Hit[], blocks: boolean): PolicyMatch[] {
  const policies = new Map<string, PolicyMatch>();
  for (const { rule } of hits) {
    // Of an event that nobody waits for, a match can only be told.
    policies.set(rule.id, { id: rule.id, severity: rule.severity, effect: blocks ? 'block' : 'alert' });
  }
  return [...policies.values()];
}

function findingOf({ rule, match }: Hit): Finding {
  const { place, start, end } = match.origin;
  return {
    kind: match.kind,
    severity: rule.severity,
    confidence: match.confidence,
    span: { pointer: pointerOf(place), start, end },
  };
}

function reasonOf(hits: readonly [Hit, ...Hit[]]): string {
  const [{ rule, match }] = hits;
  const others = new Set(hits.map((hit) => hit.match.what)).size - 1;
  const more = others > 0 ? `, and ${others} more` : '';
  return readable(`${rule.id}: ${match.what}, in ${named(pointerOf(match.origin.place))}${more}`, REASON_CHARS_MAX);
}

import type { PolicyNeeds } from '../policy/compile.ts';
import { DETECTORS } from './all-detectors.ts';
import type { Detector } from './detector.ts';

/** Kinds of all findings, as patterns: the detectors', and those of data flow and coverage, which are told of in any case. */
export const REPORTED_KINDS: readonly string[] = [...DETECTORS.flatMap(({ kinds }) => kinds), 'flow.*', 'coverage.*'];

/** What data flow tells of a call that nobody asked for, whose evidence are the orders in results too. */
const UNASKED = 'flow.unasked';

/**
 * The detectors whose findings a policy set can use: those that a policy asks for; where a policy asks for data flow, those whose values
 * it remembers; and where one asks for what nobody asked for, those that find orders. What the others would find changes no decision
 * and no effect.
 */
export function neededDetectors({ facts, findings }: PolicyNeeds): readonly Detector[] {
  const remembers = facts.has('flow');
  const comparesOrders = asksFor(findings, UNASKED);
  return DETECTORS.filter(
    ({ kinds, hasValues, findsOrders }) =>
      (hasValues === true && remembers) ||
      (findsOrders === true && comparesOrders) ||
      kinds.some((kind) => asksFor(findings, kind)),
  );
}

/** Whether a finding of `kind` may be of use to a policy that asks for `findings`. */
export function asksFor(findings: readonly string[], kind: string): boolean {
  return findings.some((pattern) => kindsCanMeet(kind, pattern));
}

/**
 * Whether a kind of finding may fit both patterns. By what stands in front of their stars and question marks, without regard to case: it may
 * say yes where the answer is no, never the reverse.
 */
export function kindsCanMeet(left: string, right: string): boolean {
  const [a, b] = [left, right].map((pattern) => pattern.toLowerCase().split(WILD, 1)[0] as string) as [string, string];
  if (WILD.test(left) && WILD.test(right)) return a.startsWith(b) || b.startsWith(a);
  if (WILD.test(left)) return b.startsWith(a);
  return WILD.test(right) ? a.startsWith(b) : a === b;
}

const WILD = /[*?]/;

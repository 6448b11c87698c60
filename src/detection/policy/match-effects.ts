import type { Evaluation } from './cel/evaluation.ts';
import type { CompiledEffects, CompiledPolicy } from './compiled-policy.ts';
import type { PolicyContext } from './context.ts';
import type { FingerprintOf, PolicyEffect } from './effects.ts';

/** What a match of `policy` changes in the session. */
export function effectsOfMatch(
  { id, match, reason: policyReason }: CompiledPolicy,
  { taint, fingerprint, hold }: CompiledEffects,
  evaluation: Evaluation,
  { event, input }: PolicyContext,
): PolicyEffect[] {
  const effects: PolicyEffect[] = [];
  if (taint !== undefined) {
    // What is there is taken away before anything is added: a policy may replace a label.
    const cleared = taint.clear === undefined ? [] : input.session.labels.filter(taint.clear);
    for (const label of cleared) effects.push({ kind: 'clear_taint', policy: id, label });
    for (const label of taint.add) effects.push({ kind: 'taint', policy: id, label, event, ...lasting(taint) });
  }
  if (fingerprint !== undefined) {
    const { label } = fingerprint;
    const findings = match.findingKinds.length > 0 ? match.findingsOf(input) : input.findings.map((_, index) => index);
    const of = fingerprint.of ?? defaultOf(findings, input.event.type);
    effects.push({ kind: 'fingerprint', policy: id, label, of, findings: of.includes('findings') ? findings : [] });
  }
  if (hold !== undefined) {
    const reason = (hold.reason ?? policyReason).render(evaluation);
    effects.push({ kind: 'hold', policy: id, reason, event, ...lasting(hold) });
  }
  return effects;
}

function lasting({ forMs }: { forMs?: number }): { forMs?: number } {
  return forMs === undefined ? {} : { forMs };
}

/** The values that findings are about; where there are none, all that the event brought in. */
function defaultOf(findings: readonly number[], type: string): readonly FingerprintOf[] {
  if (findings.length > 0) return ['findings'];
  if (type === 'tool_result') return ['output'];
  return type === 'tool_invocation' ? ['input'] : ['message'];
}

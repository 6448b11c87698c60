interface Outcome {
  kind: 'DECIDED' | 'UNDECIDED';
  action: 'ALLOW' | 'BLOCK' | null;
  answered: string | null;
}

/** What the sender was told. A shape as well as a colour, for who sees no colours. */
export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  const { label, tone } = describe(outcome);
  return <span className={`badge ${tone}`}>{label}</span>;
}

function describe({ kind, action, answered }: Outcome): { label: string; tone: string } {
  if (kind === 'DECIDED')
    return action === 'BLOCK' ? { label: 'Blocked', tone: 'bad' } : { label: 'Allowed', tone: 'good' };
  if (answered === 'block') return { label: 'Blocked undecided', tone: 'bad' };
  return { label: answered === 'fail_open' ? 'Failed open' : 'Allowed undecided', tone: 'warn' };
}

const TONES: Record<string, string> = { critical: 'bad', high: 'bad', medium: 'warn' };

export function SeverityBadge({ severity }: { severity: string }) {
  return <span className={`badge ${TONES[severity] ?? 'calm'}`}>{severity}</span>;
}

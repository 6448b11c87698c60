import { SEVERITIES, upperCase } from '../text/finding-filter.ts';
import { count } from '../text/format.ts';
import { SeverityBadge } from '../ui/outcome.tsx';
import type { SeverityCount } from './findings-query.ts';

/** How many wait, by how grave they are. */
export function FindingCounts({ counts, days }: { counts: readonly SeverityCount[] | undefined; days: number }) {
  if (counts === undefined) return null;
  const known = SEVERITIES.flatMap((name) => counts.find(({ severity }) => severity === upperCase(name)) ?? []);
  return (
    <p className="chips">
      <span className="muted">Open of the last {days === 1 ? 'day' : `${days} days`}:</span>
      {known.length === 0 && <span>none</span>}
      {known.map(({ severity, open, closed }) => (
        <span key={severity} className="chip">
          <SeverityBadge severity={severity.toLowerCase()} /> {count(open)}
          <span className="muted"> of {count(open + closed)}</span>
        </span>
      ))}
    </p>
  );
}

import type { KeyboardEvent } from 'react';
import { Link } from 'wouter';
import { agentLabel } from '../text/agent-label.ts';
import { SeverityBadge } from '../ui/outcome.tsx';
import { Plain } from '../ui/plain.tsx';
import { onRowKeys } from '../ui/row-keys.ts';
import { Time } from '../ui/time.tsx';
import { VERDICT_LABELS } from './finding-filters.tsx';
import type { FindingRow } from './findings-query.ts';

interface Props {
  rows: readonly FindingRow[];
  selected: ReadonlySet<string>;
  select: (ids: ReadonlySet<string>) => void;
  canSelect: boolean;
}

/** Findings, one a line. Arrow keys go from one to the next, x selects one. */
export function FindingTable({ rows, selected, select, canSelect }: Props) {
  const managed = rows.filter(({ isManaged }) => isManaged);
  const areAll = managed.length > 0 && managed.every(({ id }) => selected.has(id));
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    select(next);
  };
  return (
    <table className="list findings" onKeyDown={onKeys}>
      <caption>
        Findings, newest first
        {canSelect && <span className="muted"> (arrow keys move, x selects)</span>}
      </caption>
      <thead>
        <tr>
          {canSelect && (
            <th scope="col">
              <input
                type="checkbox"
                aria-label="Select all that are shown"
                checked={areAll}
                disabled={managed.length === 0}
                onChange={() => select(new Set(areAll ? [] : managed.map(({ id }) => id)))}
              />
            </th>
          )}
          {['Found', 'Severity', 'Kind', 'Where', 'Agent', 'Policies', 'Verdict', 'Assignee'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            {canSelect && (
              <td>
                <input
                  type="checkbox"
                  aria-label={`Select ${row.kind}`}
                  checked={selected.has(row.id)}
                  disabled={!row.isManaged}
                  title={row.isManaged ? undefined : 'Of an agent of another tenant: its people judge it'}
                  onChange={() => toggle(row.id)}
                />
              </td>
            )}
            <FindingCells row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FindingCells({ row }: { row: FindingRow }) {
  const href = placeOf(row);
  const { triage } = row;
  return (
    <>
      <td className="nowrap">
        <Link href={href} data-row>
          <Time at={row.foundAt} />
        </Link>
      </td>
      <td>
        <SeverityBadge severity={row.severity.toLowerCase()} />
      </td>
      <td className="one-line">
        <Plain text={row.kind} />
      </td>
      <td className="one-line">
        <Plain text={[row.toolName ?? row.eventType ?? '', row.pointer ?? ''].join(' ').slice(0, 200)} />
      </td>
      <td className="one-line">
        <Link href={`/agents/${row.agentKey}`}>
          <Plain text={agentLabel(row.agentName)} />
        </Link>
        {!row.isOwn && <span className="muted"> of {row.ownerSlug ?? 'another tenant'}</span>}
      </td>
      <td className="one-line">
        <Plain text={row.policies.join(', ')} />
      </td>
      <td className="one-line">
        {triage === null || triage.verdict === null ? (
          <span className="muted">{triage?.status === 'CLOSED' ? 'closed' : 'open'}</span>
        ) : (
          <>
            {VERDICT_LABELS[triage.verdict.toLowerCase() as keyof typeof VERDICT_LABELS]}
            {triage.status === 'OPEN' && <span className="muted">, open</span>}
          </>
        )}
        {triage !== null && triage.note !== null && (
          <div className="muted one-line">
            <Plain text={triage.note.slice(0, 200)} />
          </div>
        )}
      </td>
      <td className="one-line">
        {triage !== null && triage.assigneeName !== null && <Plain text={triage.assigneeName} />}
      </td>
    </>
  );
}

const BLOCKING = ['tool_invocation', 'user_message'];

/** The page that tells of the event: its decision, else its session. */
function placeOf({ eventType, eventId, sessionKey }: FindingRow): string {
  return eventType !== null && BLOCKING.includes(eventType) ? `/decisions/${eventId}` : `/sessions/${sessionKey}`;
}

function onKeys(event: KeyboardEvent<HTMLElement>): void {
  const target = event.target as HTMLElement;
  if (event.key === 'x' && !event.ctrlKey && !event.metaKey && target.hasAttribute('data-row')) {
    event.preventDefault();
    target.closest('tr')?.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click();
    return;
  }
  onRowKeys(event);
}

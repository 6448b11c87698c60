import { Link } from 'wouter';
import { agentLabel } from '../text/agent-label.ts';
import { count } from '../text/format.ts';
import { Plain } from '../ui/plain.tsx';
import { onRowKeys } from '../ui/row-keys.ts';
import { Time } from '../ui/time.tsx';
import type { SessionRow } from './sessions-query.ts';

export function SessionTable({ rows }: { rows: readonly SessionRow[] }) {
  return (
    <table className="list" onKeyDown={onRowKeys}>
      <caption>Sessions, by their start, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Agent</th>
          <th scope="col">Session</th>
          <th scope="col">User</th>
          <th scope="col">Started</th>
          <th scope="col">Last event</th>
          <th scope="col">State</th>
          <th scope="col" className="number">
            Events
          </th>
          <th scope="col" className="number">
            Blocked
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <td className="one-line">
              <Link href={`/sessions/${row.key}`} data-row>
                <Plain text={agentLabel(row.agentName, row.agentId)} />
              </Link>
            </td>
            <td className="one-line">
              <Plain text={row.sessionId} />
            </td>
            <td className="one-line">
              <Plain text={row.userEmail} />
            </td>
            <td className="nowrap" data-label="Started">
              <Time at={row.startedAt} />
            </td>
            <td className="nowrap" data-label="Last event">
              <Time at={row.lastAt} />
            </td>
            <td>{row.state === 'OPEN' ? 'open' : 'ended'}</td>
            <td className="number" data-label="Events">
              {count(row.eventsCount)}
            </td>
            <td className="number" data-label="Blocked">
              {row.blockedCount > 0 ? <span className="badge bad">{count(row.blockedCount)}</span> : '0'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

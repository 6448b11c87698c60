import { Link } from 'wouter';
import { type FragmentOf, graphql, readFragment } from '../api/graphql.ts';
import { duration } from '../text/format.ts';
import { OutcomeBadge } from './outcome.tsx';
import { Plain } from './plain.tsx';
import { onRowKeys } from './row-keys.ts';
import { Time } from './time.tsx';

export const DecisionRowFragment = graphql(`
  fragment DecisionRow on Decision {
    id
    sessionKey
    kind
    action
    answered
    cause
    reason
    tookUs
    decidedAt
    eventType
    toolName
    userEmail
  }
`);

interface Props {
  caption: string;
  rows: readonly FragmentOf<typeof DecisionRowFragment>[];
}

/** Decisions, one a line. Arrow keys go from one to the next. */
export function DecisionTable({ caption, rows }: Props) {
  return (
    <table className="list" onKeyDown={onRowKeys}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Outcome</th>
          <th scope="col">What</th>
          <th scope="col">Why</th>
          <th scope="col">User</th>
          <th scope="col" className="number">
            Took
          </th>
        </tr>
      </thead>
      <tbody>
        {readFragment(DecisionRowFragment, rows).map((row) => (
          <tr key={row.id}>
            <td className="nowrap">
              <Link href={`/decisions/${row.id}`} data-row>
                <Time at={row.decidedAt} />
              </Link>
            </td>
            <td className="nowrap">
              <OutcomeBadge outcome={row} />
            </td>
            <td className="one-line">
              {row.toolName === null ? (row.eventType ?? '') : <Plain text={row.toolName} />}
            </td>
            <td className="one-line wide">
              <Plain text={(row.reason ?? row.cause ?? '').slice(0, 300)} />
            </td>
            <td className="one-line">{row.userEmail !== null && <Plain text={row.userEmail} />}</td>
            <td className="number" data-label="Took">
              {duration(row.tookUs)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

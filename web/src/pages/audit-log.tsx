import { graphql, type ResultOf } from '../api/graphql.ts';
import { numberedPiece, useNewest } from '../api/use-newest.ts';
import { useTenant } from '../api/viewer.ts';
import { LongText } from '../ui/long-text.tsx';
import { Plain } from '../ui/plain.tsx';
import { PageHead } from '../ui/shell.tsx';
import { ShowOlder } from '../ui/show-older.tsx';
import { Answered, Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { Who } from '../ui/who.tsx';

const EVERY_MS = 10_000;

const AuditQuery = graphql(`
  query AuditLog($tenant: ID!, $before: Int) {
    tenant(id: $tenant) {
      recentAuditLog(before: $before) {
        seq
        at
        actor
        actorName
        action
        target
        targetName
        detail
        address
      }
    }
  }
`);

type Entry = NonNullable<ResultOf<typeof AuditQuery>['tenant']>['recentAuditLog'][number];

/** Who did what in the tenant, newest first; what is new comes in by itself. */
export function AuditLogPage() {
  const { tenant } = useTenant();
  const { rows, failure, reload, readOlder } = useNewest(AuditQuery, {
    variables: (before) => ({ tenant: tenant.id, before: before === null ? null : Number(before) }),
    key: tenant.id,
    pick: ({ tenant }) => numberedPiece(tenant?.recentAuditLog, ({ seq }) => seq),
    keyOf: ({ seq }) => seq,
    everyMs: EVERY_MS,
  });
  return (
    <>
      <PageHead title="Audit log" />
      <Answered what="the audit log" answer={rows} failure={failure} retry={reload}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="Nothing was done yet">
              <p>Changes to members, tokens, policies and settings are listed here.</p>
            </Empty>
          ) : (
            <>
              <AuditTable entries={rows} />
              <ShowOlder read={readOlder} />
            </>
          )
        }
      </Answered>
    </>
  );
}

function AuditTable({ entries }: { entries: readonly Entry[] }) {
  return (
    <table className="list">
      <caption>Entries, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">On what</th>
          <th scope="col">Details</th>
          <th scope="col">From</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ seq, at, actor, actorName, action, target, targetName, detail, address }) => (
          <tr key={seq}>
            <td className="nowrap">
              <Time at={at} />
            </td>
            <td className="whole" data-label="Who">
              <Who id={actor} name={actorName} />
            </td>
            <td className="nowrap">
              <code>{action}</code>
            </td>
            <td className="whole" data-label="On what">
              {target !== null && <Who id={target} name={targetName} />}
            </td>
            <td>{detail !== '{}' && <LongText text={detail} />}</td>
            <td className="nowrap" data-label="From">
              {address !== null && <Plain text={address} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

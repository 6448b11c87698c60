import { useState } from 'react';
import { useClient } from 'urql';
import { type Failure, failureOf } from '../api/failure.ts';
import { graphql, type ResultOf } from '../api/graphql.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useTenant } from '../api/viewer.ts';
import { hasOlder, withNewest, withOlder } from '../text/audit-entries.ts';
import { LongText } from '../ui/long-text.tsx';
import { Plain } from '../ui/plain.tsx';
import { PageHead } from '../ui/shell.tsx';
import { Empty, Failed, Loading, Outdated } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

const EVERY_MS = 10_000;

const AuditQuery = graphql(`
  query AuditLog($tenant: ID!, $before: Int) {
    tenant(id: $tenant) {
      recentAuditLog(before: $before) {
        seq
        at
        actor
        action
        target
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
  const client = useClient();
  const { data, failure, reload } = useLoaded(AuditQuery, () => ({ tenant: tenant.id }), tenant.id, {
    everyMs: EVERY_MS,
  });
  const [read, setRead] = useState<{ newest?: readonly Entry[]; entries: readonly Entry[] }>({ entries: [] });
  const [olderFailure, setOlderFailure] = useState<Failure>();
  const [isReading, setReading] = useState(false);
  let { entries } = read;
  const newest = data?.tenant?.recentAuditLog ?? read.newest;
  if (newest !== undefined && newest !== read.newest) {
    entries = withNewest(entries, newest);
    setRead({ newest, entries });
  }
  const readOlder = async () => {
    setReading(true);
    const before = entries.at(-1)?.seq ?? 0;
    const answer = await client.query(AuditQuery, { tenant: tenant.id, before }).toPromise();
    setReading(false);
    setOlderFailure(answer.error === undefined ? undefined : failureOf(answer.error));
    const older = answer.data?.tenant?.recentAuditLog ?? [];
    setRead((now) => ({ ...now, entries: withOlder(now.entries, older) }));
  };
  return (
    <>
      <PageHead title="Audit log" />
      {newest === undefined ? (
        failure === undefined ? (
          <Loading what="the audit log" />
        ) : (
          <Failed failure={failure} retry={reload} />
        )
      ) : entries.length === 0 ? (
        <Empty title="Nothing was done yet">
          <p>Changes to members, tokens, policies and settings are listed here.</p>
        </Empty>
      ) : (
        <>
          <Outdated failure={failure} />
          <AuditTable entries={entries} />
          {olderFailure !== undefined && <Failed failure={olderFailure} />}
          {hasOlder(entries) && (
            <button type="button" disabled={isReading} onClick={() => void readOlder()}>
              Show older
            </button>
          )}
        </>
      )}
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
        {entries.map(({ seq, at, actor, action, target, detail, address }) => (
          <tr key={seq}>
            <td className="nowrap">
              <Time at={at} />
            </td>
            <td className="one-line">
              <Plain text={actor} />
            </td>
            <td className="nowrap">
              <code>{action}</code>
            </td>
            <td className="one-line">{target !== null && <Plain text={target} />}</td>
            <td>{detail !== '{}' && <LongText text={detail} />}</td>
            <td className="nowrap">{address !== null && <Plain text={address} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

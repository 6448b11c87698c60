import { useState } from 'react';
import { useClient } from 'urql';
import { type Failure, failureOf } from '../api/failure.ts';
import { graphql, type ResultOf } from '../api/graphql.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useTenant } from '../api/viewer.ts';
import { LongText } from '../ui/long-text.tsx';
import { Plain } from '../ui/plain.tsx';
import { PageHead } from '../ui/shell.tsx';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

/** The service gives so many at a time. */
const PAGE_ENTRIES = 200;

const AuditQuery = graphql(`
  query AuditLog($tenant: ID!, $after: Int) {
    tenant(id: $tenant) {
      auditLog(after: $after) {
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

type Entry = NonNullable<ResultOf<typeof AuditQuery>['tenant']>['auditLog'][number];

/** Who did what in the tenant. */
export function AuditLogPage() {
  const { tenant } = useTenant();
  const client = useClient();
  const [later, setLater] = useState<Entry[]>([]);
  const [laterFailure, setLaterFailure] = useState<Failure>();
  const { data, failure, reload } = useLoaded(AuditQuery, () => ({ tenant: tenant.id }), tenant.id);
  const first = data?.tenant?.auditLog;
  const entries = [...(first ?? []), ...later];
  const readOn = async () => {
    const after = entries.at(-1)?.seq ?? 0;
    const { data, error } = await client.query(AuditQuery, { tenant: tenant.id, after }).toPromise();
    setLaterFailure(error === undefined ? undefined : failureOf(error));
    setLater([...later, ...(data?.tenant?.auditLog ?? [])]);
  };
  return (
    <>
      <PageHead title="Audit log" />
      {first === undefined ? (
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
          <AuditTable entries={entries} />
          {laterFailure !== undefined && <Failed failure={laterFailure} />}
          {entries.length % PAGE_ENTRIES === 0 && (
            <button type="button" onClick={() => void readOn()}>
              Show later entries
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
      <caption>Entries, oldest first</caption>
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

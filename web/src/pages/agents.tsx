import { useState } from 'react';
import { Link } from 'wouter';
import { pieceOf, useNewest } from '../api/use-newest.ts';
import { useTenant } from '../api/viewer.ts';
import { agentLabel } from '../text/agent-label.ts';
import { count } from '../text/format.ts';
import { Plain } from '../ui/plain.tsx';
import { onRowKeys } from '../ui/row-keys.ts';
import { SearchField } from '../ui/search-field.tsx';
import { PageHead } from '../ui/shell.tsx';
import { ShowOlder } from '../ui/show-older.tsx';
import { Answered, Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { type AgentRow, AgentsQuery } from './agents-query.ts';
import { Choice } from './finding-filters.tsx';

const EVERY_MS = 10_000;
const DAY_MS = 86_400_000;

/** The agents of the tenant, and those of others that it may see. */
export function AgentsPage() {
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  return (
    <>
      <PageHead title="Agents">
        <SearchField label="Name" value={name} change={setName} />
        <Choice
          label="Seen"
          value={days}
          options={[
            ['', 'At any time'],
            ['1', 'In the last day'],
            ['7', 'In the last 7 days'],
          ]}
          choose={setDays}
        />
      </PageHead>
      <AgentList key={`${name} ${days}`} name={name.trim()} days={days} />
    </>
  );
}

function AgentList({ name, days }: { name: string; days: string }) {
  const { tenant } = useTenant();
  const { rows, failure, reload, readOlder } = useNewest(AgentsQuery, {
    variables: (after) => ({
      tenant: tenant.id,
      name: name === '' ? null : name,
      activeSince: days === '' ? null : new Date(Date.now() - Number(days) * DAY_MS).toISOString(),
      after,
    }),
    key: `${tenant.id} ${name} ${days}`,
    pick: ({ tenant }) => pieceOf(tenant?.agents),
    keyOf: ({ key }) => key,
    everyMs: EVERY_MS,
  });
  return (
    <Answered what="agents" answer={rows} failure={failure} retry={reload}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty title="No agents">
            <p>
              {name === '' && days === ''
                ? 'An agent appears with the first event that names it.'
                : 'None is of this name and was seen then.'}
            </p>
          </Empty>
        ) : (
          <>
            <AgentTable rows={rows} />
            <ShowOlder read={readOlder} />
          </>
        )
      }
    </Answered>
  );
}

function AgentTable({ rows }: { rows: readonly AgentRow[] }) {
  return (
    <table className="list" onKeyDown={onRowKeys}>
      <caption>Agents, by when they were first seen, newest first</caption>
      <thead>
        <tr>
          {['Agent', 'Id', 'Of', 'First seen', 'Last seen'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          <th scope="col" className="number">
            Events
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <td className="one-line">
              <Link href={`/agents/${row.key}`} data-row>
                <Plain text={agentLabel(row.name, row.agentId)} />
              </Link>
            </td>
            <td className="one-line">
              <Plain text={row.agentId} />
            </td>
            <td className="one-line">
              <Owner agent={row} />
            </td>
            <td className="nowrap" data-label="First seen">
              <Time at={row.firstSeenAt} />
            </td>
            <td className="nowrap" data-label="Last seen">
              <Time at={row.lastSeenAt} />
            </td>
            <td className="number" data-label="Events">
              {count(row.eventsCount)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Whose it is, and what the tenant may do with it. */
export function Owner({ agent: { permission, ownerSlug } }: { agent: Pick<AgentRow, 'permission' | 'ownerSlug'> }) {
  if (permission === 'OWNER') return <>this tenant</>;
  return (
    <>
      {ownerSlug === null ? 'another tenant' : <code>{ownerSlug}</code>}
      <span className="muted">, shared to {permission.toLowerCase()}</span>
    </>
  );
}

import { Content, List, Root, Trigger } from '@radix-ui/react-tabs';
import { useState } from 'react';
import { Link } from 'wouter';
import { graphql, type ResultOf } from '../api/graphql.ts';
import { MintMutation } from '../api/mint-token.ts';
import { useChange } from '../api/use-change.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useLock, useTenant, useViewer } from '../api/viewer.ts';
import { claudeCode } from '../sensors/claude-code.ts';
import { curl } from '../sensors/curl.ts';
import { python } from '../sensors/python.ts';
import type { SensorSite } from '../sensors/sensor.ts';
import { typescript } from '../sensors/typescript.ts';
import { Refused } from '../ui/refused.tsx';
import { PageHead } from '../ui/shell.tsx';
import { Snippet } from '../ui/snippet.tsx';
import { Outdated } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

const EVERY_MS = 2_000;
const TOKEN_DAYS = 30;

const SENSORS = [curl, claudeCode, python, typescript];
const EVENTS_PATH = '/v1/generic-webhook/hooks/events';

const FirstEventQuery = graphql(`
  query FirstEvent($tenant: ID!) {
    tenant(id: $tenant) {
      onFailure
      decisions(first: 1) {
        edges {
          node {
            id
            decidedAt
          }
        }
      }
    }
  }
`);
type Newest = NonNullable<ResultOf<typeof FirstEventQuery>['tenant']>['decisions']['edges'][number]['node'];

/** From nothing to the first decision. */
export function GetStartedPage() {
  const { tenant } = useTenant();
  const { email } = useViewer();
  const [token, setToken] = useState<string>();
  const { data, failure, reload } = useLoaded(FirstEventQuery, () => ({ tenant: tenant.id }), tenant.id, {
    everyMs: EVERY_MS,
  });
  const onFailure = data?.tenant?.onFailure ?? tenant.onFailure;
  return (
    <>
      <PageHead title="Get started" />
      <Outdated failure={failure} retry={reload} />
      <ArrivalLight newest={data?.tenant?.decisions.edges[0]?.node} />
      <section>
        <h2>1. A token for the sensor</h2>
        {token === undefined && <MintButton onMinted={setToken} />}
        {token === undefined ? (
          <>
            <p>Or on the machine where the service runs:</p>
            <Snippet name="token command" text={tokenCommand(tenant.slug)} />
          </>
        ) : (
          <>
            <p role="status">
              Copy it now: it is kept nowhere and never shown again. It ends in {TOKEN_DAYS} days. The sensors below
              have it.
            </p>
            <Snippet name="token" text={`TOKEN=${token}`} />
          </>
        )}
      </section>
      <section>
        <h2>2. A sensor</h2>
        <p>
          {onFailure === 'BLOCK'
            ? 'Where no answer comes, they block: that is the fail mode of this tenant. '
            : 'Where no answer comes, they let the call go on: that is the fail mode of this tenant. '}
          <Link href="/settings">Change it in the settings</Link>, and copy them again.
        </p>
        <Sensors
          site={{ url: window.location.origin + EVENTS_PATH, token, user: email, failsOpen: onFailure !== 'BLOCK' }}
        />
      </section>
      <section>
        <h2>3. Or a whole fleet</h2>
        <p>Agents at ordinary work, with an attack in one of five sessions:</p>
        <Snippet name="demo command" text="npm run demo" />
      </section>
    </>
  );
}

function Sensors({ site }: { site: SensorSite }) {
  return (
    <Root defaultValue={curl.id} activationMode="manual">
      <List aria-label="Sensors">
        {SENSORS.map(({ id, label }) => (
          <Trigger key={id} value={id}>
            {label}
          </Trigger>
        ))}
      </List>
      {SENSORS.map(({ id, steps }) => (
        <Content key={id} value={id} tabIndex={-1}>
          {steps(site).map(({ name, what, text }) => (
            <div key={name}>
              <p>{what}</p>
              <Snippet name={name} text={text} />
            </div>
          ))}
        </Content>
      ))}
    </Root>
  );
}

function MintButton({ onMinted }: { onMinted: (token: string) => void }) {
  const { tenant } = useTenant();
  const lock = useLock('tokens', 'minting a token');
  const { run, isRunning, failure } = useChange(MintMutation, (data) => data.mintAccessToken);
  if (lock !== undefined) return <p className="muted">{lock}</p>;
  const mint = async () => {
    const input = { tenantId: tenant.id, name: 'my-agent', kind: 'INGEST', days: TOKEN_DAYS } as const;
    const token = (await run({ input }))?.token;
    if (token !== undefined && token !== null) onMinted(token);
  };
  return (
    <>
      <button type="button" className="primary" disabled={isRunning} onClick={() => void mint()}>
        Mint a token that may send events
      </button>
      <Refused failure={failure} />
    </>
  );
}

function tokenCommand(slug: string): string {
  return `TOKEN=$(npm run --silent token -- --tenant ${slug} --subject my-agent --days 30)`;
}

function ArrivalLight({ newest }: { newest: Newest | undefined }) {
  return (
    <p className={newest === undefined ? 'light' : 'light on'} role="status">
      {newest === undefined ? (
        'Waiting for your first event…'
      ) : (
        <span>
          Events arrive. The newest decision was made <Time at={newest.decidedAt} />.{' '}
          <Link href={`/decisions/${newest.id}`}>Open it</Link>
        </span>
      )}
    </p>
  );
}

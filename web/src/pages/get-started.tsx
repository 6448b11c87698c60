import { useState } from 'react';
import { Link } from 'wouter';
import { graphql } from '../api/graphql.ts';
import { MintMutation } from '../api/mint-token.ts';
import { useChange } from '../api/use-change.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useLock, useTenant } from '../api/viewer.ts';
import { Refused } from '../ui/refused.tsx';
import { PageHead } from '../ui/shell.tsx';
import { Snippet } from '../ui/snippet.tsx';
import { Outdated } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

const EVERY_MS = 2_000;
const TOKEN_DAYS = 30;

const FirstEventQuery = graphql(`
  query FirstEvent($tenant: ID!) {
    tenant(id: $tenant) {
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

/** From nothing to the first decision. */
export function GetStartedPage() {
  const { tenant } = useTenant();
  const [token, setToken] = useState<string>();
  return (
    <>
      <PageHead title="Get started" />
      <ArrivalLight tenantId={tenant.id} />
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
            <p role="status">Copy it now: it is kept nowhere and never shown again. It ends in {TOKEN_DAYS} days.</p>
            <Snippet name="token" text={`TOKEN=${token}`} />
          </>
        )}
      </section>
      <section>
        <h2>2. An event</h2>
        <p>
          A sensor sends this before a tool runs, and goes on unless the answer says <code>block</code>:
        </p>
        <Snippet name="event command" text={eventCommand(window.location.origin)} />
      </section>
      <section>
        <h2>3. Or a whole fleet</h2>
        <p>Agents at ordinary work, with an attack in one of five sessions:</p>
        <Snippet name="demo command" text="npm run demo" />
      </section>
    </>
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

function eventCommand(origin: string): string {
  return `curl -sS ${origin}/v1/generic-webhook/hooks/events \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"event_type":"tool_invocation","session_id":"first-steps","timestamp":"'$(date -u +%FT%TZ)'",
       "agent":{"id":"my-agent","name":"My agent"},"user":{"email":"me@example.com"},
       "tool":{"name":"Bash","input":{"command":"ls"}}}'`;
}

function ArrivalLight({ tenantId }: { tenantId: string }) {
  const { data, failure } = useLoaded(FirstEventQuery, () => ({ tenant: tenantId }), tenantId, { everyMs: EVERY_MS });
  const newest = data?.tenant?.decisions.edges[0]?.node;
  return (
    <>
      <Outdated failure={failure} />
      <p className={newest === undefined ? 'light' : 'light on'} role="status">
        {newest === undefined ? (
          'Waiting for your first event…'
        ) : (
          <>
            Events arrive. The newest decision was made <Time at={newest.decidedAt} />.{' '}
            <Link href={`/decisions/${newest.id}`}>Open it</Link>
          </>
        )}
      </p>
    </>
  );
}

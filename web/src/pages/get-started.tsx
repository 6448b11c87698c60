import { useState } from 'react';
import { Link } from 'wouter';
import { graphql } from '../api/graphql.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useTenant } from '../api/viewer.ts';
import { PageHead } from '../ui/shell.tsx';
import { Outdated } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

const EVERY_MS = 2_000;

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
  return (
    <>
      <PageHead title="Get started" />
      <ArrivalLight tenantId={tenant.id} />
      <section>
        <h2>1. A token for the sensor</h2>
        <p>On the machine where the service runs:</p>
        <Snippet name="token" text={tokenCommand(tenant.slug)} />
      </section>
      <section>
        <h2>2. An event</h2>
        <p>
          A sensor sends this before a tool runs, and goes on unless the answer says <code>block</code>:
        </p>
        <Snippet name="event" text={eventCommand(window.location.origin)} />
      </section>
      <section>
        <h2>3. Or a whole fleet</h2>
        <p>Agents at ordinary work, with an attack in one of five sessions:</p>
        <Snippet name="demo" text="npm run demo" />
      </section>
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

function Snippet({ name, text }: { name: string; text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div className="snippet">
      <pre>{text}</pre>
      {window.isSecureContext && (
        <button type="button" className="quiet" onClick={() => void copy()}>
          {isCopied ? 'Copied' : `Copy the ${name} command`}
        </button>
      )}
    </div>
  );
}

import { useState } from 'react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { useLock, useTenant } from '../../api/viewer.ts';
import { AskedButton } from '../../ui/asked-button.tsx';
import { Plain } from '../../ui/plain.tsx';
import { Locked, Refused } from '../../ui/refused.tsx';
import { Snippet } from '../../ui/snippet.tsx';
import { Answered, Empty } from '../../ui/states.tsx';
import { ConnectionForm } from './connection-form.tsx';
import { Domains } from './domains.tsx';

const SignOnQuery = graphql(`
  query SignOn($tenant: ID!) {
    tenant(id: $tenant) {
      ssoConnections {
        id
        kind
        name
        state
        settings
        startUrl
        redirectUri
        backchannelLogoutUri
        entityId
        acsUrl
        sloUrl
        metadataUrl
      }
      verifiedDomains {
        domain
        connectionId
        verifiedAt
        record {
          name
          type
          value
        }
      }
    }
  }
`);

const SwitchMutation = graphql(`
  mutation SwitchConnection($input: SwitchSsoConnectionInput!) {
    switchSsoConnection(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const DeleteMutation = graphql(`
  mutation DeleteConnection($input: DeleteSsoConnectionInput!) {
    deleteSsoConnection(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const RefreshMutation = graphql(`
  mutation RefreshConnection($input: RefreshSsoConnectionInput!) {
    refreshSsoConnection(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const TestMutation = graphql(`
  mutation TestConnection($input: BeginSsoTestInput!) {
    beginSsoTest(input: $input) {
      startUrl
      userErrors {
        code
        message
      }
    }
  }
`);

type Tenant = NonNullable<ResultOf<typeof SignOnQuery>['tenant']>;
type Connection = Tenant['ssoConnections'][number];

export function SignOnTab() {
  const lock = useLock('sso', 'seeing or setting up single sign-on');
  return lock === undefined ? <SignOn /> : <Locked reason={lock} />;
}

function SignOn() {
  const { tenant } = useTenant();
  const { data, failure, reload } = useLoaded(SignOnQuery, () => ({ tenant: tenant.id }), tenant.id);
  const [edited, setEdited] = useState<Connection | 'new'>();
  const done = () => {
    setEdited(undefined);
    reload();
  };
  return (
    <Answered what="the connections" answer={data?.tenant} failure={failure} retry={reload}>
      {({ ssoConnections, verifiedDomains }) => (
        <>
          <div className="section-head">
            <h2>Connections to identity providers</h2>
            <button type="button" onClick={() => setEdited('new')}>
              New connection
            </button>
          </div>
          {edited !== undefined && (
            <ConnectionForm
              key={edited === 'new' ? 'new' : edited.id}
              connection={edited === 'new' ? undefined : edited}
              onDone={done}
              onClose={() => setEdited(undefined)}
            />
          )}
          {ssoConnections.length === 0 && edited === undefined && (
            <Empty title="No connections">
              <p>People sign in by links that are mailed to them.</p>
            </Empty>
          )}
          {ssoConnections.map((connection) => (
            <ConnectionCard
              key={connection.id}
              connection={connection}
              onEdit={() => setEdited(connection)}
              reload={reload}
            />
          ))}
          <Domains domains={verifiedDomains} connections={ssoConnections} reload={reload} />
        </>
      )}
    </Answered>
  );
}

const STATES = { DRAFT: 'Draft: signs nobody in yet', ENABLED: 'Enabled', DISABLED: 'Disabled' } as const;

interface CardProps {
  connection: Connection;
  onEdit: () => void;
  reload: () => void;
}

function ConnectionCard({ connection, onEdit, reload }: CardProps) {
  const { tenant } = useTenant();
  const change = useChange(SwitchMutation, (data) => data.switchSsoConnection);
  const { id, kind, name, state } = connection;
  const isEnabled = state === 'ENABLED';
  const input = { tenantId: tenant.id, id };
  const enable = async () => {
    if ((await change.run({ input: { ...input, enabled: true } })) !== undefined) reload();
  };
  return (
    <section className="summary" aria-label={`Connection ${name}`}>
      <div className="section-head">
        <h3>
          <Plain text={name} /> <span className="muted">{kind === 'OIDC' ? 'OpenID Connect' : 'SAML'}</span>
        </h3>
        <span className={isEnabled ? 'badge good' : 'badge'}>{STATES[state]}</span>
      </div>
      <p>Enter at the provider:</p>
      <Addresses connection={connection} />
      <p>Where its people sign in, and what the provider’s own tile should open:</p>
      <Snippet name="sign-in URL" text={connection.startUrl} />
      <Refused failure={change.failure} />
      <div className="actions">
        <button type="button" onClick={onEdit}>
          Edit
        </button>
        <TestButton id={id} />
        {connection.settings.includes('"metadataUrl"') && (
          <AskedButton
            label="Read metadata again"
            target={`of ${name}`}
            title={`Read the metadata of ${name} again?`}
            document={RefreshMutation}
            pick={(data) => data.refreshSsoConnection}
            variables={{ input }}
            onDone={reload}
          >
            <p>The keys and addresses that the provider names there now count from then on.</p>
          </AskedButton>
        )}
        {!isEnabled && (
          <button type="button" disabled={change.isRunning} onClick={() => void enable()}>
            Enable
          </button>
        )}
        {isEnabled && (
          <AskedButton
            label="Disable"
            target={name}
            title={`Disable ${name}?`}
            document={SwitchMutation}
            pick={(data) => data.switchSsoConnection}
            variables={{ input: { ...input, enabled: false } }}
            onDone={reload}
          >
            <p>
              Nobody signs in through it any more, and the login sessions that it began end, as do the platform tokens
              of its people.
            </p>
          </AskedButton>
        )}
        <AskedButton
          label="Delete"
          target={name}
          title={`Delete ${name}?`}
          document={DeleteMutation}
          pick={(data) => data.deleteSsoConnection}
          variables={{ input }}
          onDone={reload}
        >
          <p>The people whom it brought cannot sign in any more, and their login sessions and platform tokens end.</p>
        </AskedButton>
      </div>
    </section>
  );
}

function Addresses({ connection }: { connection: Connection }) {
  const { redirectUri, backchannelLogoutUri, entityId, acsUrl, sloUrl, metadataUrl } = connection;
  const all = [
    { name: 'redirect URI', text: redirectUri },
    { name: 'back-channel logout URI', text: backchannelLogoutUri },
    { name: 'entity id', text: entityId },
    { name: 'ACS URL', text: acsUrl },
    { name: 'single logout URL', text: sloUrl },
    { name: 'metadata URL', text: metadataUrl },
  ];
  return (
    <dl className="facts">
      {all.flatMap(({ name, text }) =>
        text === null
          ? []
          : [
              <dt key={`${name} name`}>{name}</dt>,
              <dd key={name}>
                <Snippet name={name} text={text} />
              </dd>,
            ],
      )}
    </dl>
  );
}

/** The try-out opens in a window of its own, which shows what came of it and signs nobody in. */
function TestButton({ id }: { id: string }) {
  const { tenant } = useTenant();
  const { run, isRunning, failure } = useChange(TestMutation, (data) => data.beginSsoTest);
  const [href, setHref] = useState<string>();
  const begin = async () => {
    const startUrl = (await run({ input: { tenantId: tenant.id, id } }))?.startUrl ?? undefined;
    if (startUrl === undefined) return;
    // It is an address of this service: only where in it is taken over.
    const { pathname, search } = new URL(startUrl);
    setHref(pathname + search);
  };
  return (
    <>
      <button type="button" disabled={isRunning} onClick={() => void begin()}>
        Try it out
      </button>
      {href !== undefined && (
        <a href={href} target="_blank" rel="noreferrer">
          Open the try-out (good for ten minutes)
        </a>
      )}
      <Refused failure={failure} />
    </>
  );
}

import { type FormEvent, useState } from 'react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChange } from '../../api/use-change.ts';
import { usePages } from '../../api/use-pages.ts';
import { useLock, useTenant } from '../../api/viewer.ts';
import { AskedButton } from '../../ui/asked-button.tsx';
import { CheckList } from '../../ui/check-list.tsx';
import { Plain } from '../../ui/plain.tsx';
import { Locked, Refused } from '../../ui/refused.tsx';
import { ShowOlder } from '../../ui/show-older.tsx';
import { Answered, Empty } from '../../ui/states.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { scopesToGive } from './scopes.ts';

const IssuersQuery = graphql(`
  query Issuers($tenant: ID!, $after: String) {
    tenant(id: $tenant) {
      trustedIssuers(first: 50, after: $after) {
        edges {
          node {
            id
            issuer
            jwksUrl
            audience
            tenantClaim
            tenantClaimValue
            scopes
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

const TrustMutation = graphql(`
  mutation TrustIssuer($input: TrustIssuerInput!) {
    trustIssuer(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const DistrustMutation = graphql(`
  mutation DistrustIssuer($input: DistrustIssuerInput!) {
    distrustIssuer(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

type Issuer = NonNullable<ResultOf<typeof IssuersQuery>['tenant']>['trustedIssuers']['edges'][number]['node'];

export function IssuersTab() {
  const lock = useLock('tokens', 'seeing or trusting other issuers of tokens');
  return lock === undefined ? <Issuers /> : <Locked reason={lock} />;
}

function Issuers() {
  const { tenant } = useTenant();
  const { rows, failure, reload, readOn } = usePages(
    IssuersQuery,
    (after) => ({ tenant: tenant.id, after }),
    tenant.id,
    (data) => data.tenant?.trustedIssuers,
  );
  return (
    <>
      <TrustForm onDone={reload} />
      <Answered what="the issuers" answer={rows} failure={failure} retry={reload}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No other issuers">
              <p>Only tokens that were minted here are taken.</p>
            </Empty>
          ) : (
            <IssuerTable issuers={rows} reload={reload} />
          )
        }
      </Answered>
      <ShowOlder read={readOn}>Show more</ShowOlder>
    </>
  );
}

function TrustForm({ onDone }: { onDone: () => void }) {
  const { tenant, permissions } = useTenant();
  const { run, isRunning, failure } = useChange(TrustMutation, (data) => data.trustIssuer);
  const [issuer, setIssuer] = useState('');
  const [jwksUrl, setJwksUrl] = useState('');
  const [audience, setAudience] = useState('');
  const [tenantClaim, setTenantClaim] = useState('');
  const [tenantClaimValue, setTenantClaimValue] = useState('');
  const [scopes, setScopes] = useState(['events:write']);
  const trust = async (event: FormEvent) => {
    event.preventDefault();
    const claim = tenantClaim === '' && tenantClaimValue === '' ? {} : { tenantClaim, tenantClaimValue };
    const input = { tenantId: tenant.id, issuer, jwksUrl, audience, scopes, ...claim };
    if ((await run({ input })) === undefined) return;
    for (const clear of [setIssuer, setJwksUrl, setAudience, setTenantClaim, setTenantClaimValue]) clear('');
    onDone();
  };
  const all = [...scopesToGive('INGEST', permissions), ...scopesToGive('PLATFORM', permissions)];
  return (
    <form className="form" onSubmit={(event) => void trust(event)}>
      <h2>Trust an issuer</h2>
      <TextField label="Issuer" value={issuer} onChange={setIssuer} hint="What its tokens say as iss" />
      <TextField
        label="Address of its keys"
        type="url"
        value={jwksUrl}
        onChange={setJwksUrl}
        hint="A JWKS over https"
      />
      <TextField label="Audience" value={audience} onChange={setAudience} hint="What its tokens for us say as aud" />
      <TextField
        label="Claim that names the tenant"
        value={tenantClaim}
        onChange={setTenantClaim}
        isOptional
        hint="Needed where the issuer serves others, too"
      />
      <TextField label="Its value for this tenant" value={tenantClaimValue} onChange={setTenantClaimValue} isOptional />
      <CheckList legend="Its tokens may" all={all} chosen={scopes} onChange={setScopes} />
      <Refused failure={failure} />
      <div className="actions">
        <button type="submit" className="primary" disabled={isRunning || scopes.length === 0}>
          Trust
        </button>
      </div>
    </form>
  );
}

function IssuerTable({ issuers, reload }: { issuers: readonly Issuer[]; reload: () => void }) {
  const { tenant } = useTenant();
  return (
    <table className="list">
      <caption>Trusted issuers</caption>
      <thead>
        <tr>
          <th scope="col">Issuer</th>
          <th scope="col">Audience</th>
          <th scope="col">Claim</th>
          <th scope="col">Allows</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {issuers.map(({ id, issuer, audience, tenantClaim, tenantClaimValue, scopes }) => (
          <tr key={id}>
            <td>
              <Plain text={issuer} />
            </td>
            <td data-label="Audience">
              <Plain text={audience} />
            </td>
            <td data-label="Claim">
              {tenantClaim !== null && <Plain text={`${tenantClaim} = ${tenantClaimValue ?? ''}`} />}
            </td>
            <td data-label="Allows">{scopes.join(', ')}</td>
            <td className="actions">
              <AskedButton
                label="Remove"
                target={issuer}
                title={`Trust ${issuer} no longer?`}
                document={DistrustMutation}
                pick={(data) => data.distrustIssuer}
                variables={{ input: { tenantId: tenant.id, id } }}
                onDone={reload}
              >
                <p>Its tokens are refused within a second.</p>
              </AskedButton>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

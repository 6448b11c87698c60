import { useState } from 'react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { usePages } from '../../api/use-pages.ts';
import { useLock, useTenant } from '../../api/viewer.ts';
import { AskedButton } from '../../ui/asked-button.tsx';
import { Plain } from '../../ui/plain.tsx';
import { Locked } from '../../ui/refused.tsx';
import { ShowOlder } from '../../ui/show-older.tsx';
import { Answered, Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { MintForm } from './mint-form.tsx';

const TokensQuery = graphql(`
  query Tokens($tenant: ID!, $after: String) {
    tenant(id: $tenant) {
      accessTokens(first: 50, after: $after) {
        edges {
          node {
            id
            name
            kind
            scopes
            createdAt
            expiresAt
            revokedAt
            keyRetired
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

const RevokeMutation = graphql(`
  mutation RevokeToken($input: RevokeAccessTokenInput!) {
    revokeAccessToken(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

type Token = NonNullable<ResultOf<typeof TokensQuery>['tenant']>['accessTokens']['edges'][number]['node'];

export function TokensTab() {
  const lock = useLock('tokens', 'seeing or minting access tokens');
  return lock === undefined ? <Tokens /> : <Locked reason={lock} />;
}

function Tokens() {
  const { tenant } = useTenant();
  const { rows, failure, reload, readOn } = usePages(
    TokensQuery,
    (after) => ({ tenant: tenant.id, after }),
    tenant.id,
    (data) => data.tenant?.accessTokens,
  );
  // Whether a token is over is told as of when the list was opened.
  const [now] = useState(() => Date.now());
  return (
    <>
      <MintForm onDone={reload} />
      <Answered what="the tokens" answer={rows} failure={failure} retry={reload}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No tokens yet">
              <p>A sensor needs one to send events.</p>
            </Empty>
          ) : (
            <TokenTable tokens={rows} now={now} reload={reload} />
          )
        }
      </Answered>
      <ShowOlder read={readOn}>Show more</ShowOlder>
    </>
  );
}

function TokenTable({ tokens, now, reload }: { tokens: readonly Token[]; now: number; reload: () => void }) {
  return (
    <table className="list">
      <caption>Tokens, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Allows</th>
          <th scope="col">Made</th>
          <th scope="col">Ends</th>
          <th scope="col">State</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} now={now} reload={reload} />
        ))}
      </tbody>
    </table>
  );
}

function TokenRow({ token, now, reload }: { token: Token; now: number; reload: () => void }) {
  const { tenant } = useTenant();
  const { id, name, scopes, createdAt, expiresAt } = token;
  const state = stateOf(token, now);
  return (
    <tr>
      <td>
        <Plain text={name} />
      </td>
      <td>{scopes.join(', ')}</td>
      <td className="nowrap" data-label="Made">
        <Time at={createdAt} />
      </td>
      <td className="nowrap" data-label="Ends">
        <Time at={expiresAt} />
      </td>
      <td>
        <span className={state === 'Active' ? 'badge good' : 'badge'}>{state}</span>
      </td>
      <td className="actions">
        {(state === 'Active' || state === 'Key retired') && (
          <AskedButton
            label="Revoke"
            target={name}
            title={`Revoke ${name}?`}
            document={RevokeMutation}
            pick={(data) => data.revokeAccessToken}
            variables={{ input: { tenantId: tenant.id, id } }}
            onDone={reload}
          >
            <p>Whatever uses it is refused within a second. This cannot be taken back.</p>
          </AskedButton>
        )}
      </td>
    </tr>
  );
}

/** A token of a retired key is refused, and counts again should the key come back: it can be revoked still. */
function stateOf({ revokedAt, expiresAt, keyRetired }: Token, now: number) {
  if (revokedAt !== null) return 'Revoked';
  if (Date.parse(expiresAt) <= now) return 'Expired';
  return keyRetired ? 'Key retired' : 'Active';
}

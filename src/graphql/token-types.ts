import { tokenKindOf } from '../domain/scopes.ts';
import { checker } from '../platform/input.ts';
import { isKeyRetired, mintToken, NewToken, revokeToken, tokenCursor } from '../platform/token-routes.ts';
import { type AccessTokenRow, listAccessTokens } from '../store/access-tokens.ts';
import { builder } from './builder.ts';
import { forwardPage } from './forward-page.ts';
import { needs } from './of-tenant.ts';
import { checkedOutcome, given, outcomeOf, UserErrorType } from './outcome.ts';
import { pageComplexity } from './paging.ts';
import { TenantType } from './tenant-types.ts';

/** Access tokens that were minted here. */

const TokenKindType = builder.enumType('TokenKind', {
  values: {
    INGEST: { value: 'ingest', description: 'Sends events.' },
    PLATFORM: { value: 'platform', description: 'Asks the platform interface.' },
  } as const,
});

export const AccessTokenType = builder.objectRef<AccessTokenRow>('AccessToken').implement({
  description: 'What is kept of an access token: everything but the token.',
  fields: (t) => ({
    id: t.exposeID('tokenId'),
    name: t.exposeString('subject'),
    kind: t.field({ type: TokenKindType, nullable: true, resolve: ({ audience }) => tokenKindOf(audience) }),
    scopes: t.exposeStringList('scopes'),
    createdBy: t.exposeID('createdBy', { nullable: true, description: 'Who minted it, where it was a person.' }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
    expiresAt: t.field({ type: 'DateTime', resolve: ({ expiresAt }) => expiresAt }),
    revokedAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ revokedAt }) => revokedAt }),
    keyRetired: t.boolean({
      description: 'Whether the key that signed it was retired: it is refused then, as if revoked.',
      resolve: (row, _args, { services }) => isKeyRetired(services.administration.keys, row),
    }),
  }),
});

builder.objectField(TenantType, 'accessTokens', (t) =>
  t.connection({
    type: AccessTokenType,
    description: 'Access tokens, newest first.',
    authScopes: needs('tokens'),
    complexity: pageComplexity,
    resolve: ({ tenantId }, args, { inTenant }) =>
      forwardPage(args, tokenCursor, (after, limit) =>
        inTenant(tenantId, (tx) => listAccessTokens(tx, tenantId, after, limit)),
      ),
  }),
);

const checkNewToken = checker(NewToken);

builder.relayMutationField(
  'mintAccessToken',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      name: t.string({ required: true }),
      kind: t.field({ type: TokenKindType, required: true }),
      scopes: t.stringList({ description: 'Sending events unless given; a platform token needs some.' }),
      days: t.int({ description: '30 unless given.' }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, ...wanted } }, { admit, services }) => {
      const admission = admit(tenantId, 'tokens');
      return checkedOutcome(checkNewToken(given(wanted)), (good) =>
        mintToken(services.administration, admission, good),
      );
    },
  },
  {
    outputFields: (t) => ({
      accessToken: t.field({ type: AccessTokenType, nullable: true, resolve: ({ value }) => value?.row }),
      token: t.string({
        nullable: true,
        description: 'The token itself. It is kept nowhere and never shown again.',
        resolve: ({ value }) => value?.token,
      }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'revokeAccessToken',
  { inputFields: (t) => ({ tenantId: t.id({ required: true }), id: t.id({ required: true }) }) },
  {
    resolve: (_root, { input: { tenantId, id } }, { admit }) => outcomeOf(revokeToken(admit(tenantId, 'tokens'), id)),
  },
  {
    outputFields: (t) => ({
      id: t.id({ nullable: true, resolve: ({ value }) => value?.tokenId }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

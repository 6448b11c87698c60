import { checker } from '../platform/input.ts';
import { distrustIssuer, issuerCursor, NewIssuer, trustIssuer } from '../platform/issuer-routes.ts';
import { listTrustedIssuers, type TrustedIssuerRow } from '../store/trusted-issuers.ts';
import { builder } from './builder.ts';
import { forwardPage } from './forward-page.ts';
import { needs } from './of-tenant.ts';
import { checkedOutcome, given, outcomeOf, UserErrorType } from './outcome.ts';
import { pageComplexity } from './paging.ts';
import { TenantType } from './tenant-types.ts';

/** Whose access tokens a tenant takes beside those minted here. */

export const TrustedIssuerType = builder.objectRef<TrustedIssuerRow>('TrustedIssuer').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    issuer: t.exposeString('issuer'),
    jwksUrl: t.exposeString('jwksUrl'),
    audience: t.exposeString('audience'),
    tenantClaim: t.exposeString('tenantClaim', { nullable: true }),
    tenantClaimValue: t.exposeString('tenantClaimValue', { nullable: true }),
    scopes: t.exposeStringList('scopes'),
    createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
  }),
});

builder.objectField(TenantType, 'trustedIssuers', (t) =>
  t.connection({
    type: TrustedIssuerType,
    description: 'Other issuers whose tokens are taken, newest first.',
    authScopes: needs('tokens'),
    complexity: pageComplexity,
    resolve: ({ tenantId }, args, { inTenant }) =>
      forwardPage(args, issuerCursor, (after, limit) =>
        inTenant(tenantId, (tx) => listTrustedIssuers(tx, tenantId, after, limit)),
      ),
  }),
);

const checkNewIssuer = checker(NewIssuer);

builder.relayMutationField(
  'trustIssuer',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      issuer: t.string({ required: true }),
      jwksUrl: t.string({ required: true }),
      audience: t.string({ required: true }),
      tenantClaim: t.string(),
      tenantClaimValue: t.string(),
      scopes: t.stringList({ required: true }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, ...wanted } }, { admit, services }) => {
      const admission = admit(tenantId, 'tokens');
      return checkedOutcome(checkNewIssuer(given(wanted)), (good) =>
        trustIssuer(services.administration, admission, good),
      );
    },
  },
  {
    outputFields: (t) => ({
      trustedIssuer: t.field({ type: TrustedIssuerType, nullable: true, resolve: ({ value }) => value }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'distrustIssuer',
  { inputFields: (t) => ({ tenantId: t.id({ required: true }), id: t.id({ required: true }) }) },
  {
    resolve: (_root, { input: { tenantId, id } }, { admit }) =>
      outcomeOf(distrustIssuer(admit(tenantId, 'tokens'), id)),
  },
  {
    outputFields: (t) => ({
      id: t.id({ nullable: true, resolve: ({ value }) => value?.id }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

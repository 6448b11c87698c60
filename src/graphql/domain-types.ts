import {
  challengeOf,
  claimDomain,
  DomainClaim,
  DomainDirection,
  directDomain,
  proveDomain,
  removeDomain,
} from '../platform/domain-routes.ts';
import { checker } from '../platform/input.ts';
import { type ClaimedDomain, listDomains } from '../store/verified-domains.ts';
import { builder } from './builder.ts';
import { needs, type OfTenant, seenFrom } from './of-tenant.ts';
import { checkedOutcome, outcomeIn, outcomeOf, UserErrorType } from './outcome.ts';
import { TenantType } from './tenant-types.ts';

/** E-mail domains that lead their people to a connection. */

const DnsRecordType = builder.objectRef<ReturnType<typeof challengeOf>>('DnsRecord').implement({
  fields: (t) => ({ name: t.exposeString('name'), type: t.exposeString('type'), value: t.exposeString('value') }),
});

export const VerifiedDomainType = builder.objectRef<ClaimedDomain & OfTenant>('ClaimedDomain').implement({
  description: 'An e-mail domain that a tenant says is its own.',
  fields: (t) => ({
    domain: t.exposeID('domain'),
    connectionId: t.exposeID('connectionId', { nullable: true, description: 'Which signs its people in.' }),
    record: t.field({ type: DnsRecordType, description: 'Proves the claim.', resolve: challengeOf }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
    verifiedAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ verifiedAt }) => verifiedAt }),
  }),
});

builder.objectField(TenantType, 'verifiedDomains', (t) =>
  t.field({
    type: [VerifiedDomainType],
    description: 'E-mail domains that the tenant claimed, by name.',
    authScopes: needs('sso'),
    resolve: ({ tenantId }, _args, { inTenant }) =>
      inTenant(tenantId, async (tx) => seenFrom(tenantId, await listDomains(tx, tenantId))),
  }),
);

const checkClaim = checker(DomainClaim);
const checkDirection = checker(DomainDirection);

builder.relayMutationField(
  'claimDomain',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      domain: t.string({ required: true }),
      connectionId: t.id(),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, domain, connectionId } }, { admit }) => {
      const admission = admit(tenantId, 'sso');
      const checked = checkClaim({ domain, connection: connectionId ?? null });
      return outcomeIn(
        tenantId,
        checkedOutcome(checked, (good) => claimDomain(admission, good)),
      );
    },
  },
  {
    outputFields: (t) => ({
      domain: t.field({ type: VerifiedDomainType, nullable: true, resolve: ({ value }) => value }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'directDomain',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      domain: t.string({ required: true }),
      connectionId: t.id({ description: 'Null for sign-in by links.' }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, domain, connectionId } }, { admit }) => {
      const admission = admit(tenantId, 'sso');
      const checked = checkDirection({ connection: connectionId ?? null });
      return outcomeIn(
        tenantId,
        checkedOutcome(checked, ({ connection }) => directDomain(admission, domain, connection)),
      );
    },
  },
  {
    outputFields: (t) => ({
      domain: t.field({ type: VerifiedDomainType, nullable: true, resolve: ({ value }) => value }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'verifyDomain',
  { inputFields: (t) => ({ tenantId: t.id({ required: true }), domain: t.string({ required: true }) }) },
  {
    resolve: (_root, { input: { tenantId, domain } }, { admit, services }) =>
      outcomeIn(tenantId, outcomeOf(proveDomain(services.sso, admit(tenantId, 'sso'), domain))),
  },
  {
    outputFields: (t) => ({
      domain: t.field({ type: VerifiedDomainType, nullable: true, resolve: ({ value }) => value }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'removeDomain',
  { inputFields: (t) => ({ tenantId: t.id({ required: true }), domain: t.string({ required: true }) }) },
  {
    resolve: (_root, { input: { tenantId, domain } }, { admit }) =>
      outcomeOf(removeDomain(admit(tenantId, 'sso'), domain)),
  },
  {
    outputFields: (t) => ({
      domain: t.string({ nullable: true, resolve: ({ value }) => value?.domain }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

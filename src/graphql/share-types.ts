import { shareAgent, shareCursor, sharesOf, unshareAgent } from '../platform/share-routes.ts';
import type { ShareRow } from '../store/shares.ts';
import { badInput, builder } from './builder.ts';
import { forwardPage } from './forward-page.ts';
import { needs } from './of-tenant.ts';
import { outcomeOf, UserErrorType } from './outcome.ts';
import { pageComplexity } from './paging.ts';
import { TenantType } from './tenant-types.ts';

/** With whom a tenant shares its agents. */

const SharePermissionType = builder.enumType('SharePermission', {
  values: {
    VIEW: { value: 'view', description: 'See the agent, its sessions, events and decisions.' },
    MANAGE: { value: 'manage', description: 'Also judge its findings and release its sessions.' },
  } as const,
});

const AgentShareType = builder.objectRef<ShareRow>('AgentShare').implement({
  fields: (t) => ({
    tenantId: t.id({ description: 'The guest.', resolve: ({ sharedWith }) => sharedWith }),
    slug: t.string({
      nullable: true,
      resolve: ({ sharedWith }, _args, { services }) => services.administration.tenants.findById(sharedWith)?.slug,
    }),
    permission: t.field({ type: SharePermissionType, resolve: ({ permission }) => permission }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
  }),
});

builder.objectField(TenantType, 'agentShares', (t) =>
  t.connection({
    type: AgentShareType,
    description: "With whom one of the tenant's own agents is shared, newest first.",
    authScopes: needs('shares'),
    args: { agentKey: t.arg.id({ required: true }) },
    complexity: pageComplexity,
    resolve: ({ tenantId }, { agentKey, ...args }, context) =>
      forwardPage(args, shareCursor, async (after, limit) => {
        const inTenant: Parameters<typeof sharesOf>[0]['inTenant'] = (work) => context.inTenant(tenantId, work);
        const rows = await sharesOf({ tenantId, inTenant }, agentKey, after, limit);
        if (rows === undefined) throw badInput('the tenant has no such agent of its own');
        return rows;
      }),
  }),
);

builder.relayMutationField(
  'shareAgent',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      agentKey: t.id({ required: true }),
      guest: t.string({ required: true, description: 'Another tenant, by id or short name.' }),
      permission: t.field({ type: SharePermissionType, required: true }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, agentKey, guest, permission } }, { admit, services }) =>
      outcomeOf(shareAgent(services.administration, admit(tenantId, 'shares'), { agent: agentKey, guest, permission })),
  },
  {
    outputFields: (t) => ({
      guestId: t.id({ nullable: true, resolve: ({ value }) => value?.tenantId }),
      permission: t.field({ type: SharePermissionType, nullable: true, resolve: ({ value }) => value?.permission }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'unshareAgent',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      agentKey: t.id({ required: true }),
      guest: t.string({
        required: true,
        description: 'Another tenant, by id or short name; the tenant itself to give back what was shared with it.',
      }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, agentKey, guest } }, { admit, services }) =>
      outcomeOf(unshareAgent(services.administration, admit(tenantId, 'shares'), { agent: agentKey, guest })),
  },
  {
    outputFields: (t) => ({
      guestId: t.id({ nullable: true, resolve: ({ value }) => value?.tenantId }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

import type { GraphQLSchema } from 'graphql';
import { isUuid } from '../domain/ids.ts';
import { badInput, builder } from './builder.ts';
import './domain-types.ts';
import './issuer-types.ts';
import './member-types.ts';
import './settings-mutations.ts';
import './share-types.ts';
import './sso-mutations.ts';
import './token-types.ts';
import { loadTenant, MembershipType, TenantType } from './tenant-types.ts';

/** The root of the graph. */

const OrganizationType = builder.objectRef<{ id: string; name: string }>('Organization').implement({
  fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name') }),
});

const ViewerType = builder.objectRef<object>('Viewer').implement({
  description: 'Who asks.',
  fields: (t) => ({
    userId: t.id({
      nullable: true,
      description: 'Absent for a program with a token.',
      resolve: (_viewer, _args, { caller }) => (caller.kind === 'person' ? caller.userId : undefined),
    }),
    email: t.string({
      nullable: true,
      resolve: (_viewer, _args, { caller }) => (caller.kind === 'person' ? caller.email : undefined),
    }),
    name: t.string({
      resolve: (_viewer, _args, { caller }) => (caller.kind === 'person' ? caller.name : caller.subject),
    }),
    organization: t.field({
      type: OrganizationType,
      nullable: true,
      resolve: (_viewer, _args, { caller }) => (caller.kind === 'person' ? caller.organization : undefined),
    }),
    memberships: t.field({
      type: [MembershipType],
      resolve: (_viewer, _args, { caller }) =>
        caller.kind === 'person'
          ? [...caller.tenants].map(([tenantId, roles]) => ({ tenantId, roles }))
          : [{ tenantId: caller.tenantId, roles: [] }],
    }),
  }),
});

builder.queryField('viewer', (t) => t.field({ type: ViewerType, resolve: () => ({}) }));

builder.queryField('tenant', (t) =>
  t.field({
    type: TenantType,
    nullable: true,
    description: 'A tenant that you belong to; null for any other.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => {
      const { caller } = context;
      const isOwn = caller.kind === 'person' ? caller.tenants.has(id) : caller.tenantId === id;
      if (!isUuid(id)) throw badInput('a tenant is named by its UUID, as viewer.memberships gives it');
      return isOwn ? loadTenant(context, id) : undefined;
    },
  }),
);

export const schema: GraphQLSchema = builder.toSchema();

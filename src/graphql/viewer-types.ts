import { permissionsOf } from '../domain/roles.ts';
import { isRefusal } from '../platform/http.ts';
import { type Self, selfOf } from '../platform/own-sessions.ts';
import { builder, forbidden, type GraphqlContext } from './builder.ts';
import { MembershipType } from './tenant-types.ts';

/** Who asks. */

/** The person who asks. @throws {GraphQLError} for a program. */
export function self({ caller, address }: GraphqlContext): Self {
  const found = selfOf(caller, address);
  if (isRefusal(found)) throw forbidden(found.detail);
  return found;
}

builder.objectField(MembershipType, 'permissions', (t) =>
  t.stringList({
    description: 'Everything that may be done in the tenant.',
    resolve: ({ roles }, _args, { caller }) =>
      caller.kind === 'token' ? [...caller.permissions] : permissionsOf(roles),
  }),
);

const OrganizationType = builder.objectRef<{ id: string; name: string }>('Organization').implement({
  fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name') }),
});

export const ViewerType = builder.objectRef<object>('Viewer').implement({
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

import { disablePerson, enablePerson, endSessionsOfMember } from '../platform/accounts.ts';
import { checker } from '../platform/input.ts';
import {
  changeRoles,
  type InvitedMember,
  invitePerson,
  memberCursor,
  NewMember,
  NewRoles,
  removeMember,
} from '../platform/member-routes.ts';
import { listMembers, type MemberRow } from '../store/members.ts';
import { builder } from './builder.ts';
import { forwardPage } from './forward-page.ts';
import { needs, type OfTenant, seenFrom } from './of-tenant.ts';
import { checkedOutcome, outcomeOf, UserErrorType } from './outcome.ts';
import { pageComplexity } from './paging.ts';
import { TenantType } from './tenant-types.ts';

/** Who belongs to a tenant. */

export const MemberType = builder.objectRef<MemberRow & OfTenant>('Member').implement({
  description: 'Somebody who belongs to a tenant.',
  fields: (t) => ({
    userId: t.exposeID('userId'),
    email: t.exposeString('email'),
    name: t.exposeString('name', { description: 'Empty until they have accepted the invitation.' }),
    roles: t.exposeStringList('roles'),
    createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
    disabled: t.exposeBoolean('disabled', { description: 'Whether they may not sign in, anywhere.' }),
    accepted: t.exposeBoolean('accepted', { description: 'Whether they have accepted the invitation.' }),
  }),
});

builder.objectField(TenantType, 'members', (t) =>
  t.connection({
    type: MemberType,
    description: 'Who belongs to the tenant, newest first.',
    authScopes: needs('members'),
    complexity: pageComplexity,
    resolve: ({ tenantId }, args, { inTenant }) =>
      forwardPage(args, memberCursor, (after, limit) =>
        inTenant(tenantId, async (tx) => seenFrom(tenantId, await listMembers(tx, tenantId, after, limit))),
      ),
  }),
);

const checkNewMember = checker(NewMember);
const checkNewRoles = checker(NewRoles);

const InvitedMemberType = builder.objectRef<InvitedMember>('InvitedMember').implement({
  fields: (t) => ({
    userId: t.exposeID('userId'),
    email: t.exposeString('email'),
    name: t.exposeString('name'),
    roles: t.exposeStringList('roles'),
    invitationSent: t.exposeBoolean('invitationSent', {
      description: 'False where the mail did not leave; inviting again sends another one.',
    }),
  }),
});

builder.relayMutationField(
  'inviteMember',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      email: t.string({ required: true }),
      name: t.string({ required: true }),
      roles: t.stringList({ required: true }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, email, name, roles } }, { admit, services }) => {
      const admission = admit(tenantId, 'members');
      return checkedOutcome(checkNewMember({ email, name, roles }), (wanted) =>
        invitePerson(services.administration, admission, wanted),
      );
    },
  },
  {
    outputFields: (t) => ({
      member: t.field({ type: InvitedMemberType, nullable: true, resolve: ({ value }) => value }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'changeMember',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      userId: t.id({ required: true }),
      roles: t.stringList({ required: true }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, userId, roles } }, { admit, services }) => {
      const admission = admit(tenantId, 'members');
      return checkedOutcome(checkNewRoles({ roles }), (wanted) =>
        changeRoles(services.administration, admission, userId, wanted.roles),
      );
    },
  },
  {
    outputFields: (t) => ({
      roles: t.stringList({
        nullable: true,
        resolve: ({ value }) => (value === undefined ? undefined : [...value.roles]),
      }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'removeMember',
  { inputFields: (t) => ({ tenantId: t.id({ required: true }), userId: t.id({ required: true }) }) },
  {
    resolve: (_root, { input: { tenantId, userId } }, { admit, services }) =>
      outcomeOf(removeMember(services.administration, admit(tenantId, 'members'), userId)),
  },
  {
    outputFields: (t) => ({
      userId: t.id({ nullable: true, resolve: ({ value }) => value?.userId }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'disableMember',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      userId: t.id({ required: true }),
      disabled: t.boolean({ required: true, description: 'False lets them sign in again.' }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, userId, disabled } }, { admit, services }) => {
      const switchPerson = disabled ? disablePerson : enablePerson;
      return outcomeOf(switchPerson(services.administration, admit(tenantId, 'owners'), userId));
    },
  },
  {
    outputFields: (t) => ({
      disabled: t.boolean({ nullable: true, resolve: ({ value }) => value?.disabled }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'endMemberSessions',
  { inputFields: (t) => ({ tenantId: t.id({ required: true }), userId: t.id({ required: true }) }) },
  {
    resolve: (_root, { input: { tenantId, userId } }, { admit, services }) =>
      outcomeOf(endSessionsOfMember(services.administration, admit(tenantId, 'members'), userId)),
  },
  {
    outputFields: (t) => ({
      count: t.int({ nullable: true, resolve: ({ value }) => value?.count }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

import { declineInvitation } from '../platform/invitations.ts';
import type { WaitingInvitation } from '../store/waiting-invitations.ts';
import { builder } from './builder.ts';
import { outcomeOf, UserErrorType } from './outcome.ts';
import { self, ViewerType } from './viewer-types.ts';

/** What somebody is invited to. */

const WaitingInvitationType = builder.objectRef<WaitingInvitation>('WaitingInvitation').implement({
  description: 'What you are invited to, and do not belong to before you accept it by the link that was mailed.',
  fields: (t) => ({
    tenantId: t.exposeID('tenantId'),
    tenantName: t.exposeString('tenantName'),
    roles: t.stringList({ resolve: ({ roles }) => [...roles] }),
    invitedAt: t.field({ type: 'DateTime', resolve: ({ invitedAt }) => invitedAt }),
    linkExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'How long the link that was mailed last works; null where none does any more.',
      resolve: ({ linkExpiresAt }) => linkExpiresAt,
    }),
  }),
});

builder.objectField(ViewerType, 'invitations', (t) =>
  t.field({
    type: [WaitingInvitationType],
    description: 'Those that wait for you, newest first. A program with a token has none.',
    resolve: (_viewer, _args, { caller, services }) =>
      caller.kind === 'person' ? services.people.findInvitations(caller.userId) : [],
  }),
);

builder.relayMutationField(
  'declineInvitation',
  {
    description: 'Ends an invitation to yourself. The link in the mail works no more; you can be invited again.',
    inputFields: (t) => ({ tenantId: t.id({ required: true }) }),
  },
  {
    resolve: (_root, { input: { tenantId } }, context) =>
      outcomeOf(declineInvitation(context.services.people, self(context), tenantId)),
  },
  {
    outputFields: (t) => ({
      tenantId: t.id({ nullable: true, resolve: ({ value }) => value?.tenantId }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

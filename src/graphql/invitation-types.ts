import type { WaitingInvitation } from '../store/waiting-invitations.ts';
import { builder } from './builder.ts';
import { ViewerType } from './viewer-types.ts';

/** What somebody is invited to. */

const WaitingInvitationType = builder.objectRef<WaitingInvitation>('WaitingInvitation').implement({
  description: 'What you are invited to, and do not belong to before you accept it by the link that was mailed.',
  fields: (t) => ({
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

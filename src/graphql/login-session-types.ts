import { endOtherSessions, endOwnSession, listOwnSessions, type ShownLoginSession } from '../platform/own-sessions.ts';
import { builder } from './builder.ts';
import { outcomeOf, UserErrorType } from './outcome.ts';
import { self, ViewerType } from './viewer-types.ts';

/** A person's own login sessions. */

const LoginMethodType = builder.enumType('LoginMethod', {
  values: { MAGIC_LINK: { value: 'magic_link' }, OIDC: { value: 'oidc' }, SAML: { value: 'saml' } } as const,
});

const LoginSessionType = builder.objectRef<ShownLoginSession>('LoginSession').implement({
  description: 'Where somebody is signed in.',
  fields: (t) => ({
    id: t.exposeID('id'),
    method: t.field({ type: LoginMethodType, resolve: ({ method }) => method }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
    lastUsedAt: t.field({ type: 'DateTime', resolve: ({ lastUsedAt }) => lastUsedAt }),
    address: t.exposeString('address', { nullable: true, description: 'The network address it began from.' }),
    browser: t.exposeString('browser', { nullable: true, description: 'As "Firefox on Linux".' }),
    isCurrent: t.exposeBoolean('isCurrent', { description: 'Whether it is the one that asks.' }),
  }),
});

builder.objectField(ViewerType, 'loginSessions', (t) =>
  t.field({
    type: [LoginSessionType],
    description: 'Your own that are not over, the last used first.',
    resolve: (_viewer, _args, context) => listOwnSessions(context.services.people, self(context)),
  }),
);

builder.relayMutationField(
  'endLoginSession',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    resolve: (_root, { input: { id } }, context) =>
      outcomeOf(endOwnSession(context.services.people, self(context), id)),
  },
  {
    outputFields: (t) => ({
      id: t.id({ nullable: true, resolve: ({ value }) => value?.id }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'endOtherLoginSessions',
  null,
  {
    resolve: (_root, _args, context) => outcomeOf(endOtherSessions(context.services.people, self(context))),
  },
  {
    outputFields: (t) => ({
      count: t.int({ nullable: true, resolve: ({ value }) => value?.count }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

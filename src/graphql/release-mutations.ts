import type { AgentSessionKey } from '../domain/ids.ts';
import type { Released, SessionStanding } from '../platform/agent-sessions.ts';
import { refuse } from '../platform/http.ts';
import { releaseSession } from '../platform/release-session.ts';
import { isManagedBy } from '../store/shares.ts';
import { AgentSessionType } from './agent-session-types.ts';
import { builder } from './builder.ts';
import { keyOf } from './keys.ts';
import { given, outcomeOf, UserErrorType } from './outcome.ts';

/** What holds in a session of an agent now, and how a person ends it. */

const TaintType = builder.objectRef<SessionStanding['taints'][number]>('Taint').implement({
  description: 'A mark that a policy left on a session.',
  fields: (t) => ({
    label: t.exposeString('label'),
    policy: t.exposeString('policy'),
    since: t.field({ type: 'DateTime', resolve: ({ sinceMs }) => new Date(sinceMs) }),
  }),
});

const StandingType = builder.objectRef<SessionStanding>('SessionStanding').implement({
  description: 'What holds in a session that a person could end.',
  fields: (t) => ({
    hold: t.string({
      nullable: true,
      description: 'Why its next blocking event is blocked, whatever it is.',
      resolve: ({ hold }) => hold,
    }),
    taints: t.field({ type: [TaintType], complexity: { field: 1, multiplier: 2 }, resolve: ({ taints }) => taints }),
  }),
});

builder.objectField(AgentSessionType, 'standing', (t) =>
  t.field({
    type: StandingType,
    nullable: true,
    description: 'What holds in it now; null where nothing is remembered of it any more.',
    resolve: ({ row }, _args, { releases }) => releases?.standing(row.sessionKey as AgentSessionKey),
  }),
);

builder.objectField(AgentSessionType, 'isManaged', (t) =>
  t.boolean({
    description:
      'Whether people of the tenant may release it: its own, or of an agent that is shared with it to be managed.',
    resolve: ({ row, tenantId }) => isManagedBy(tenantId, { ...row, ownerId: row.tenantId }),
  }),
);

const ReleasedType = builder.objectRef<Released>('Released').implement({
  description: 'What was there and is released.',
  fields: (t) => ({
    hold: t.exposeBoolean('hold'),
    taints: t.stringList({ resolve: ({ taints }) => [...taints] }),
  }),
});

builder.relayMutationField(
  'releaseSession',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      sessionKey: t.id({ required: true }),
      hold: t.boolean({ description: 'Whether the hold ends; true where no taints are named.' }),
      taints: t.stringList({ description: 'Labels of the taints that end.' }),
      reason: t.string({ required: true, description: 'Why, for whoever asks later.' }),
    }),
  },
  {
    description: 'Ends a hold or taints of a session. It needs the permission "triage".',
    resolve: (_root, { input: { tenantId, sessionKey, reason, ...optional } }, { admit, releases, services }) => {
      const admission = admit(tenantId, 'triage');
      const wanted = { sessionKey: keyOf(sessionKey), reason, ...given(optional) };
      if (releases === undefined)
        return outcomeOf<Released>(Promise.resolve(refuse('not-found', 'no agents are watched here')));
      return outcomeOf(releaseSession(admission, { releases, tenants: services.administration.tenants }, wanted));
    },
  },
  {
    outputFields: (t) => ({
      released: t.field({ type: ReleasedType, nullable: true, resolve: ({ value }) => value }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

import type { GraphQLSchema } from 'graphql';
import { isUuid } from '../domain/ids.ts';
import { belongsTo } from '../platform/caller.ts';
import { badInput, builder } from './builder.ts';
import './policy-check-types.ts';
import './policy-mutations.ts';
import './agent-types.ts';
import './event-list.ts';
import './finding-mutations.ts';
import './insight-types.ts';
import './live-types.ts';
import './release-mutations.ts';
import './domain-types.ts';
import './invitation-types.ts';
import './issuer-types.ts';
import './login-session-types.ts';
import './member-types.ts';
import './node-kinds.ts';
import './saved-filter-types.ts';
import './settings-mutations.ts';
import './shadow-types.ts';
import './share-types.ts';
import './sso-mutations.ts';
import { loadTenant, TenantType } from './tenant-types.ts';
import './token-types.ts';
import { ViewerType } from './viewer-types.ts';

/** The root of the graph. */

builder.queryField('viewer', (t) => t.field({ type: ViewerType, resolve: () => ({}) }));

builder.queryField('tenant', (t) =>
  t.field({
    type: TenantType,
    nullable: true,
    description: 'A tenant that you belong to; null for any other.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => {
      if (!isUuid(id)) throw badInput('a tenant is named by its UUID, as viewer.memberships gives it');
      return belongsTo(context.caller, id) ? loadTenant(context, id) : undefined;
    },
  }),
);

export const schema: GraphQLSchema = builder.toSchema();

import { changeSettings } from '../platform/tenant-routes.ts';
import { builder } from './builder.ts';
import { given, outcomeOf, UserErrorType } from './outcome.ts';
import { OnFailureType, TenantType } from './tenant-types.ts';

/** Mutations of a tenant's settings. */

builder.relayMutationField(
  'changeTenantSettings',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      name: t.string(),
      onFailure: t.field({ type: OnFailureType }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, name, onFailure } }, { admit }) =>
      outcomeOf(changeSettings(admit(tenantId, 'settings'), given({ name, onFailure }))),
  },
  {
    outputFields: (t) => ({
      tenant: t.field({
        type: TenantType,
        nullable: true,
        resolve: ({ value }) => (value === undefined ? undefined : { tenantId: value.id, settings: value }),
      }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

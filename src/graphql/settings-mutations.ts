import { checker } from '../platform/input.ts';
import { changeSettings, type SettingBounds, SettingChanges } from '../platform/tenant-routes.ts';
import { builder } from './builder.ts';
import { checkedOutcome, given, UserErrorType } from './outcome.ts';
import { OnFailureType, TenantType } from './tenant-types.ts';

/** A tenant's settings. */

const BoundsType = builder.objectRef<SettingBounds>('SettingBounds').implement({
  description: 'What the service does for every tenant, which a tenant may only make stricter.',
  fields: (t) => ({
    deadlineMs: t.exposeInt('deadlineMs', { description: 'Milliseconds to a decision.' }),
    retentionDays: t.exposeInt('retentionDays', { description: 'Days that events are kept.' }),
  }),
});

builder.objectFields(TenantType, (t) => ({
  deadlineMs: t.int({
    nullable: true,
    description: "Milliseconds to a decision; null for the service's own.",
    resolve: ({ settings }) => settings.deadlineMs,
  }),
  retentionDays: t.int({
    nullable: true,
    description: 'Days that events are kept; null for as long as the service keeps them.',
    resolve: ({ settings }) => settings.retentionDays,
  }),
  settingBounds: t.field({
    type: BoundsType,
    resolve: (_tenant, _args, { services }) => services.administration.bounds,
  }),
}));

const checkChanges = checker(SettingChanges);

builder.relayMutationField(
  'changeTenantSettings',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      name: t.string(),
      onFailure: t.field({ type: OnFailureType }),
      deadlineMs: t.int({ description: "Null for the service's own." }),
      retentionDays: t.int({ description: 'Null for as long as the service keeps them.' }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, name, onFailure, deadlineMs, retentionDays } }, { admit, services }) => {
      const admission = admit(tenantId, 'settings');
      const nullable = {
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
        ...(retentionDays === undefined ? {} : { retentionDays }),
      };
      return checkedOutcome(checkChanges({ ...given({ name, onFailure }), ...nullable }), (changes) =>
        changeSettings(services.administration, admission, changes),
      );
    },
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

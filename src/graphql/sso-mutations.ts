import { checker } from '../platform/input.ts';
import {
  beginTest,
  ConnectionChanges,
  changeConnection,
  deleteConnection,
  makeConnection,
  NewConnection,
  refreshMetadata,
  switchConnection,
} from '../platform/sso-admin.ts';
import type { StoredConnection } from '../store/sso-connections.ts';
import { badInput, builder } from './builder.ts';
import { checkedOutcome, given, outcomeOf, type PayloadFields, UserErrorType } from './outcome.ts';
import { connectionNode, SsoConnectionType, SsoKindType } from './sso-types.ts';

/** Setting up connections to identity providers. */

const checkNew = checker(NewConnection);
const checkChanges = checker(ConnectionChanges);

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badInput('settings must be JSON text');
  }
}

/** The payload of what changes a connection. */
function connectionFields(t: PayloadFields<StoredConnection>) {
  return {
    connection: t.field({
      type: SsoConnectionType,
      nullable: true,
      resolve: ({ value }, _args, { services }) => value && connectionNode(services.sso, value),
    }),
    userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
  };
}

builder.relayMutationField(
  'makeSsoConnection',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      kind: t.field({ type: SsoKindType, required: true }),
      name: t.string({ required: true }),
      settings: t.string({ required: true, description: 'JSON text.' }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, kind, name, settings } }, { admit, services }) => {
      const admission = admit(tenantId, 'sso');
      return checkedOutcome(checkNew({ kind, name, settings: fromJson(settings) }), (good) =>
        makeConnection(services.sso, admission, good),
      );
    },
  },
  { outputFields: connectionFields },
);

builder.relayMutationField(
  'changeSsoConnection',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      id: t.id({ required: true }),
      name: t.string(),
      settings: t.string({ description: 'JSON text, given whole; a client secret that is left out stays.' }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, id, ...wanted } }, { admit, services }) => {
      const admission = admit(tenantId, 'sso');
      const { name, settings } = given(wanted);
      const changes = given({ name, settings: settings === undefined ? undefined : fromJson(settings) });
      return checkedOutcome(checkChanges(changes), (good) =>
        changeConnection(services.sso, admission, { ...good, id }),
      );
    },
  },
  { outputFields: connectionFields },
);

builder.relayMutationField(
  'switchSsoConnection',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      id: t.id({ required: true }),
      enabled: t.boolean({
        required: true,
        description: 'False also ends the login sessions that it began, and the platform tokens of its people.',
      }),
    }),
  },
  {
    resolve: (_root, { input: { tenantId, id, enabled } }, { admit, services }) => {
      const state = enabled ? 'enabled' : 'disabled';
      return outcomeOf(switchConnection(services.sso, admit(tenantId, 'sso'), { id, state }));
    },
  },
  { outputFields: connectionFields },
);

builder.relayMutationField(
  'refreshSsoConnection',
  { inputFields: (t) => ({ tenantId: t.id({ required: true }), id: t.id({ required: true }) }) },
  {
    description: "Reads the provider's metadata again from its address.",
    resolve: (_root, { input: { tenantId, id } }, { admit, services }) =>
      outcomeOf(refreshMetadata(services.sso, admit(tenantId, 'sso'), id)),
  },
  { outputFields: connectionFields },
);

builder.relayMutationField(
  'deleteSsoConnection',
  { inputFields: (t) => ({ tenantId: t.id({ required: true }), id: t.id({ required: true }) }) },
  {
    resolve: (_root, { input: { tenantId, id } }, { admit, services }) =>
      outcomeOf(deleteConnection(services.sso, admit(tenantId, 'sso'), id)),
  },
  {
    outputFields: (t) => ({
      id: t.id({ nullable: true, resolve: ({ value }) => value?.id }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'beginSsoTest',
  { inputFields: (t) => ({ tenantId: t.id({ required: true }), id: t.id({ required: true }) }) },
  {
    resolve: (_root, { input: { tenantId, id } }, { admit, services }) =>
      outcomeOf(beginTest(services.sso, admit(tenantId, 'sso'), id)),
  },
  {
    outputFields: (t) => ({
      startUrl: t.string({
        nullable: true,
        description: 'Goes through the whole sign-in, shows what came, and signs nobody in. Good for ten minutes.',
        resolve: ({ value }) => value?.startUrl,
      }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

import { type ShownConnection, type SsoAdminOptions, showConnection } from '../platform/sso-admin.ts';
import { listConnections, type StoredConnection } from '../store/sso-connections.ts';
import { builder } from './builder.ts';
import { needs, type OfTenant } from './of-tenant.ts';
import { TenantType } from './tenant-types.ts';

/** Connections to identity providers. */

type SsoConnectionNode = ShownConnection & OfTenant;

export const SsoKindType = builder.enumType('SsoKind', {
  values: { OIDC: { value: 'oidc' }, SAML: { value: 'saml' } } as const,
});

const SsoStateType = builder.enumType('SsoState', {
  values: { DRAFT: { value: 'draft' }, ENABLED: { value: 'enabled' }, DISABLED: { value: 'disabled' } } as const,
});

export const SsoConnectionType = builder.objectRef<SsoConnectionNode>('SsoConnection').implement({
  description: 'What a tenant knows of one identity provider.',
  fields: (t) => ({
    id: t.exposeID('id'),
    kind: t.field({ type: SsoKindType, resolve: ({ kind }) => kind }),
    name: t.exposeString('name'),
    state: t.field({ type: SsoStateType, resolve: ({ state }) => state }),
    settings: t.string({
      description: 'JSON text, without secrets.',
      resolve: ({ settings }) => JSON.stringify(settings),
    }),
    startUrl: t.exposeString('startUrl', { description: 'Where a sign-in begins.' }),
    redirectUri: t.exposeString('redirectUri', {
      nullable: true,
      description: 'To enter at the provider (OpenID Connect).',
    }),
    backchannelLogoutUri: t.exposeString('backchannelLogoutUri', {
      nullable: true,
      description: 'To enter at the provider, so that it can end login sessions (OpenID Connect).',
    }),
    entityId: t.exposeString('entityId', { nullable: true, description: 'To enter at the provider (SAML).' }),
    acsUrl: t.exposeString('acsUrl', { nullable: true, description: 'To enter at the provider (SAML).' }),
    sloUrl: t.exposeString('sloUrl', {
      nullable: true,
      description: 'To enter at the provider, so that it can end login sessions (SAML).',
    }),
    metadataUrl: t.exposeString('metadataUrl', { nullable: true, description: 'Says all three (SAML).' }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
    updatedAt: t.field({ type: 'DateTime', resolve: ({ updatedAt }) => updatedAt }),
  }),
});

/** As it is shown in the graph. */
export function connectionNode(options: SsoAdminOptions, row: StoredConnection): SsoConnectionNode {
  return { ...showConnection(options, row), tenantId: row.tenantId };
}

builder.objectField(TenantType, 'ssoConnections', (t) =>
  t.field({
    type: [SsoConnectionType],
    description: 'Connections to identity providers, oldest first.',
    authScopes: needs('sso'),
    resolve: async ({ tenantId }, _args, { inTenant, services }) => {
      const rows = await inTenant(tenantId, (tx) => listConnections(tx, tenantId));
      return rows.map((row) => connectionNode(services.sso, row));
    },
  }),
);

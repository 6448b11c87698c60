import { isUuid } from '../domain/ids.ts';
import {
  type OidcSettings,
  readOidcSettings,
  readSamlSettings,
  type SamlSettings,
  type SsoConnection,
  type SsoSettings,
} from '../domain/sso.ts';
import type { Seal } from '../identity/sealed.ts';
import type { Database } from '../store/database.ts';
import { findConnection, type StoredConnection } from '../store/sso-connections.ts';

/** Below the base URL. */
export const SSO_PATH = '/api/v1/auth/sso';

const purposeOf = (id: string) => `connection ${id}`;

/** Settings as they are stored: the client secret sealed for this connection. */
export function sealSettings(
  seal: Seal,
  id: string,
  settings: OidcSettings | SamlSettings,
): OidcSettings | SamlSettings {
  if (!('clientSecret' in settings) || settings.clientSecret === undefined) return settings;
  return { ...settings, clientSecret: seal.seal(purposeOf(id), settings.clientSecret) };
}

/** A stored connection with its secrets opened; undefined where the settings or the seal are no longer good. */
export function openConnection(seal: Seal, stored: StoredConnection): SsoConnection | undefined {
  const { id, tenantId, name, state, updatedAt } = stored;
  const rest = { id, tenantId, name, state, updatedAt };
  const settings = openSecrets(seal, id, stored.settings);
  if (stored.kind === 'oidc') {
    const read = readOidcSettings(settings);
    return read.ok ? { ...rest, kind: 'oidc', settings: read.value } : undefined;
  }
  const read = readSamlSettings(settings);
  return read.ok ? { ...rest, kind: 'saml', settings: read.value } : undefined;
}

function openSecrets(seal: Seal, id: string, settings: unknown): unknown {
  if (typeof settings !== 'object' || settings === null || !('clientSecret' in settings)) return settings;
  const { clientSecret } = settings;
  return {
    ...settings,
    clientSecret: typeof clientSecret === 'string' ? seal.open(purposeOf(id), clientSecret) : null,
  };
}

/** The connection of whatever tenant, for sign-in. */
export async function loadConnection(
  database: Database,
  seal: Seal,
  id: string | undefined,
): Promise<SsoConnection | undefined> {
  if (id === undefined || !isUuid(id)) return undefined;
  const stored = await findConnection(database, id);
  return stored === undefined ? undefined : openConnection(seal, stored);
}

export function withKind(connection: SsoConnection): SsoSettings {
  return connection.kind === 'oidc'
    ? { kind: 'oidc', ...connection.settings }
    : { kind: 'saml', ...connection.settings };
}

/** Below the base URL: where the browser goes and comes back for this connection, and no other. */
export function connectionPath(id: string): string {
  return `${SSO_PATH}/${id}`;
}

import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import { isUuid } from '../domain/ids.ts';
import { permissionsOf, type Role } from '../domain/roles.ts';
import {
  type OidcSettings,
  passwordPolicyFaults,
  type Read,
  readOidcSettings,
  readSamlFromMetadata,
  readSamlSettings,
  type SamlSettings,
  type SsoKind,
} from '../domain/sso.ts';
import { readCertificate } from '../identity/saml-metadata.ts';
import {
  CONNECTIONS_MAX,
  endSessionsOf,
  getConnection,
  insertConnection,
  listConnections,
  removeConnection,
  type StoredConnection,
  signsInOwners,
  updateConnection,
} from '../store/sso-connections.ts';
import type { TenantTransaction } from '../store/tenant-database.ts';
import { json, noContent, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { isRefusal, jsonReader, oneOf } from './input.ts';
import { connectionPath, openConnection, sealSettings, withKind } from './sso-connection.ts';
import type { SsoOptions } from './sso-flow.ts';
import { callbackUrl, spOf } from './sso-routes.ts';
import { testTicket } from './sso-test-ticket.ts';
import { type Admitted, type TenantContext, tenantRoute } from './tenant-route.ts';

export type SsoAdminOptions = Pick<SsoOptions, 'site' | 'database' | 'seal' | 'clock' | 'saml'> & TenantContext;

const BODY_BYTES_MAX = 256 * 1024;
const NAME_CHARS_MAX = 100;

const closed = { additionalProperties: false } as const;
const readNew = jsonReader(
  Type.Object({ kind: oneOf(['oidc', 'saml'] as const), name: Type.String(), settings: Type.Unknown() }, closed),
);
const readChanges = jsonReader(
  Type.Object({ name: Type.Optional(Type.String()), settings: Type.Optional(Type.Unknown()) }, closed),
);

/** Administration of a tenant's connections to identity providers. */
export function ssoAdminRoutes(options: SsoAdminOptions): Route[] {
  const all = '/api/v1/tenants/:tenant/sso-connections';
  const one = `${all}/:connection`;
  const route = (
    method: Route['method'],
    path: string,
    handle: (options: SsoAdminOptions, by: Admitted) => Promise<PlatformAnswer>,
  ): Route => tenantRoute(options, [method, path, 'sso'], (by) => handle(options, by), BODY_BYTES_MAX);
  return [
    route('GET', all, list),
    route('POST', all, create),
    route('GET', one, show),
    route('PATCH', one, change),
    route('DELETE', one, remove),
    route('POST', `${one}/enable`, (options, by) => switchTo(options, by, 'enabled')),
    route('POST', `${one}/disable`, (options, by) => switchTo(options, by, 'disabled')),
    route('POST', `${one}/test`, test),
  ];
}

async function list(options: SsoAdminOptions, by: Admitted): Promise<PlatformAnswer> {
  const rows = await by.inTenant((tx) => listConnections(tx, by.tenantId));
  return json({ connections: rows.map((row) => shown(options, row)) });
}

/** As administrators see it: without its secrets, with what they have to enter at the provider. */
function shown(options: SsoAdminOptions, { id, kind, name, state, settings, createdAt, updatedAt }: StoredConnection) {
  const { clientSecret, ...rest } = settings as Record<string, unknown>;
  const own = `${options.site.baseUrl}${connectionPath(id)}`;
  const addresses =
    kind === 'oidc'
      ? { redirectUri: callbackUrl(options, id) }
      : { ...spOf(options, id), metadataUrl: `${own}/metadata` };
  return {
    id,
    kind,
    name,
    state,
    settings: { ...rest, ...(kind === 'oidc' ? { clientSecretSet: clientSecret !== undefined } : {}) },
    startUrl: `${own}/start`,
    ...addresses,
    createdAt,
    updatedAt,
  };
}

async function create(options: SsoAdminOptions, by: Admitted): Promise<PlatformAnswer> {
  const body = readNew(by.request);
  if (isRefusal(body)) return body;
  const { kind, name, settings } = body;
  if (!isName(name)) return refuse('invalid-request', `name must be a text of 1 to ${NAME_CHARS_MAX} characters`);
  const read = await readSettings(options, kind, settings);
  if (!read.ok) return refuse('invalid-request', read.fault);
  if (!mayGiveRoles(by, read.value)) return overreach();
  const id = randomUUID();
  const sealed = sealSettings(options.seal, id, read.value);
  const row: Parameters<typeof insertConnection>[1] = { id, tenantId: by.tenantId, kind, name, settings: sealed };
  const stored = await by.inTenant(async (tx) => {
    if (!(await insertConnection(tx, row))) return undefined;
    await by.audit(tx, { action: 'sso.created', target: id, detail: { kind, name } });
    return getConnection(tx, by.tenantId, id);
  });
  if (stored === undefined) return refuse('conflict', `a tenant has at most ${CONNECTIONS_MAX} connections`);
  return json(shown(options, stored), 201);
}

function isName(name: string): boolean {
  return name.length > 0 && name.length <= NAME_CHARS_MAX && name.isWellFormed() && !/\p{Cc}/u.test(name);
}

async function readSettings(
  { saml }: SsoAdminOptions,
  kind: SsoKind,
  settings: unknown,
): Promise<Read<OidcSettings | SamlSettings>> {
  if (kind === 'oidc') return readOidcSettings(settings);
  if (typeof settings !== 'object' || settings === null || !('metadata' in settings))
    return withCertificates(readSamlSettings(settings));
  const read = readSamlFromMetadata(settings);
  if (!read.ok) return read;
  const { metadata, ...rest } = read.value;
  const outcome = await saml.readMetadata(metadata);
  return outcome.ok ? withCertificates(readSamlSettings({ ...rest, ...outcome.metadata })) : outcome;
}

/** Stored as PEM, each found to be one. */
function withCertificates(read: Read<SamlSettings>): Read<SamlSettings> {
  if (!read.ok) return read;
  const certificates = read.value.certificates.flatMap((text) => readCertificate(text) ?? []);
  if (certificates.length < read.value.certificates.length)
    return {
      ok: false,
      fault: 'each of settings/certificates must be a certificate with an RSA key of 2,048 bits or more',
    };
  return { ok: true, value: { ...read.value, certificates } };
}

/** The connection that the path names; `work` is not called without one. */
async function withConnection(
  by: Admitted,
  work: (tx: TenantTransaction, row: StoredConnection) => Promise<PlatformAnswer>,
): Promise<PlatformAnswer> {
  const id = by.request.params['connection'] ?? '';
  if (!isUuid(id)) return noSuchConnection();
  return by.inTenant(async (tx) => {
    const row = await getConnection(tx, by.tenantId, id);
    return row === undefined ? noSuchConnection() : work(tx, row);
  });
}

function noSuchConnection(): Refusal {
  return refuse('not-found', 'the tenant has no such connection');
}

const CHANGED_MEANWHILE = 'somebody else changed the connection meanwhile; read it again';

function show(options: SsoAdminOptions, by: Admitted): Promise<PlatformAnswer> {
  return withConnection(by, async (_, row) => json(shown(options, row)));
}

/** Whether the caller may give every role that a sign-in with these settings may bring: nobody gives more than they have. */
function mayGiveRoles(by: Admitted, { mapping }: OidcSettings | SamlSettings): boolean {
  const roles: Role[] = (mapping?.roles?.table ?? []).map(({ role }) => role);
  if (mapping?.defaultRole !== undefined) roles.push(mapping.defaultRole);
  return permissionsOf(roles).every(by.may);
}

function overreach(): Refusal {
  return refuse('forbidden', 'settings/mapping gives roles that allow what you may not do yourself');
}

/** Whoever changes a connection says who its people are: where an owner is among them, only an owner may. */
async function ownersOnly(tx: TenantTransaction, by: Admitted, connectionId: string): Promise<Refusal | undefined> {
  if (by.may('owners') || !(await signsInOwners(tx, by.tenantId, connectionId))) return undefined;
  return refuse('forbidden', 'an owner of the tenant signs in through this connection; only owners may change it');
}

/** Settings are given whole; a client secret that is left out stays. New ones end the login sessions that the old ones began. */
async function change(options: SsoAdminOptions, by: Admitted): Promise<PlatformAnswer> {
  const answer = await changeSettings(options, by);
  const id = by.request.params['connection'] ?? '';
  if (answer.kind === 'answer' && isUuid(id)) await options.database.db.transaction((tx) => endSessionsOf(tx, id));
  return answer;
}

function changeSettings(options: SsoAdminOptions, by: Admitted): Promise<PlatformAnswer> {
  return withConnection(by, async (tx, row) => {
    const body = readChanges(by.request);
    if (isRefusal(body)) return body;
    const refused = await ownersOnly(tx, by, row.id);
    if (refused !== undefined) return refused;
    const { name = row.name, settings } = body;
    if (!isName(name)) return refuse('invalid-request', `name must be a text of 1 to ${NAME_CHARS_MAX} characters`);
    const changes: Partial<StoredConnection> = { name };
    if (settings !== undefined) {
      const read = await readSettings(options, row.kind, withOldSecret(options, row, settings));
      if (!read.ok) return refuse('invalid-request', read.fault);
      const faults = row.state === 'enabled' ? passwordPolicyFaults(read.value) : [];
      if (faults.length > 0) return refuse('conflict', policyRefusal(faults));
      if (!mayGiveRoles(by, read.value)) return overreach();
      changes.settings = sealSettings(options.seal, row.id, read.value);
    }
    if (!(await updateConnection(tx, { ...row, asOf: row.updatedAt }, changes)))
      return refuse('conflict', CHANGED_MEANWHILE);
    const detail = { name, settings: settings !== undefined };
    await by.audit(tx, { action: 'sso.changed', target: row.id, detail });
    return json(shown(options, (await getConnection(tx, by.tenantId, row.id)) ?? row));
  });
}

/** A secret goes with the issuer it was given for: it is never sent to another one. */
function withOldSecret(options: SsoAdminOptions, row: StoredConnection, settings: unknown): unknown {
  if (typeof settings !== 'object' || settings === null || 'clientSecret' in settings) return settings;
  const old = openConnection(options.seal, row);
  if (old?.kind !== 'oidc' || old.settings.clientSecret === undefined) return settings;
  const same = 'issuer' in settings && settings.issuer === old.settings.issuer;
  return same ? { ...settings, clientSecret: old.settings.clientSecret } : settings;
}

function policyRefusal(faults: readonly string[]): string {
  return `the password policy of the provider is not enough: ${faults.join('; ')}`;
}

async function remove({ database }: SsoAdminOptions, by: Admitted): Promise<PlatformAnswer> {
  const id = by.request.params['connection'] ?? '';
  if (!isUuid(id)) return noSuchConnection();
  return database.db.transaction(async (tx) => {
    const refused = await ownersOnly(tx, by, id);
    if (refused !== undefined) return refused;
    if (!(await removeConnection(tx, by.tenantId, id))) return noSuchConnection();
    await by.audit(tx, { action: 'sso.removed', target: id });
    return noContent();
  });
}

async function switchTo(
  options: SsoAdminOptions,
  by: Admitted,
  state: 'enabled' | 'disabled',
): Promise<PlatformAnswer> {
  const answer = await withConnection(by, async (tx, row) => {
    const refused = await ownersOnly(tx, by, row.id);
    if (refused !== undefined) return refused;
    const connection = openConnection(options.seal, row);
    if (connection !== undefined && state === 'enabled' && !mayGiveRoles(by, connection.settings)) return overreach();
    if (state === 'enabled' && connection === undefined)
      return refuse('conflict', 'its settings or its client secret cannot be read any more; enter them again');
    const faults = state === 'enabled' && connection !== undefined ? passwordPolicyFaults(withKind(connection)) : [];
    if (faults.length > 0) return refuse('conflict', policyRefusal(faults));
    if (!(await updateConnection(tx, { ...row, asOf: row.updatedAt }, { state })))
      return refuse('conflict', CHANGED_MEANWHILE);
    await by.audit(tx, { action: 'sso.changed', target: row.id, detail: { state } });
    return json(shown(options, (await getConnection(tx, by.tenantId, row.id)) ?? row));
  });
  const id = by.request.params['connection'] ?? '';
  if (answer.kind === 'answer' && state === 'disabled' && isUuid(id))
    await options.database.db.transaction((tx) => endSessionsOf(tx, id));
  return answer;
}

function test(options: SsoAdminOptions, by: Admitted): Promise<PlatformAnswer> {
  return withConnection(by, async (tx, row) => {
    if (openConnection(options.seal, row) === undefined)
      return refuse('conflict', 'its settings or its client secret cannot be read any more; enter them again');
    await by.audit(tx, { action: 'sso.tested', target: row.id, detail: { begun: true } });
    const ticket = encodeURIComponent(testTicket(options, row.id));
    return json({ startUrl: `${options.site.baseUrl}${connectionPath(row.id)}/start?test=${ticket}` }, 201);
  });
}

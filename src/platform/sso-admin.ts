import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import Type, { type Static } from 'typebox';
import { isUuid } from '../domain/ids.ts';
import { permissionsOf, type Role } from '../domain/roles.ts';
import {
  type OidcSettings,
  passwordPolicyFaults,
  type SamlSettings,
  type SsoKind,
  type SsoState,
} from '../domain/sso.ts';
import { countOwners, lockMembers } from '../store/members.ts';
import {
  CONNECTIONS_MAX,
  endSessionsOf,
  endTokensOf,
  getConnection,
  insertConnection,
  removeConnection,
  rolesKnownBy,
  type StoredConnection,
  updateConnection,
} from '../store/sso-connections.ts';
import type { TenantTransaction } from '../store/tenant-database.ts';
import type { Admission } from './admission.ts';
import { isRefusal, type Refusal, refuse } from './http.ts';
import { oneOf } from './input.ts';
import { connectionPath, openConnection, sealSettings, withKind } from './sso-connection.ts';
import type { SsoOptions } from './sso-flow.ts';
import { callbackUrl, spOf } from './sso-routes.ts';
import { readSettings, type SettingsSources, withFetchedMetadata, withOldSecret } from './sso-settings.ts';
import { testTicket } from './sso-test-ticket.ts';
import type { TenantContext } from './tenant-route.ts';

export type SsoAdminOptions = Pick<SsoOptions, 'site' | 'ownerDatabase' | 'seal' | 'clock' | 'loginSessions'> &
  TenantContext &
  SettingsSources;

const NAME_CHARS_MAX = 100;

const closed = { additionalProperties: false } as const;
export const NewConnection = Type.Object(
  { kind: oneOf(['oidc', 'saml'] as const), name: Type.String(), settings: Type.Unknown() },
  closed,
);
export const ConnectionChanges = Type.Object(
  { name: Type.Optional(Type.String()), settings: Type.Optional(Type.Unknown()) },
  closed,
);

/** As administrators see it: without its secrets, with what they have to enter at the provider. */
export interface ShownConnection {
  id: string;
  kind: SsoKind;
  name: string;
  state: SsoState;
  settings: Record<string, unknown>;
  startUrl: string;
  /** Of OpenID Connect. */
  redirectUri?: string;
  backchannelLogoutUri?: string;
  /** Of SAML. */
  entityId?: string;
  acsUrl?: string;
  sloUrl?: string;
  metadataUrl?: string;
  createdAt: Date;
  updatedAt: Date;
}

export function showConnection(options: SsoAdminOptions, row: StoredConnection): ShownConnection {
  const { id, kind, name, state, settings, createdAt, updatedAt } = row;
  const { clientSecret, ...rest } = settings as Record<string, unknown>;
  const own = `${options.site.baseUrl}${connectionPath(id)}`;
  const addresses =
    kind === 'oidc'
      ? { redirectUri: callbackUrl(options, id), backchannelLogoutUri: `${own}/backchannel-logout` }
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

/** Makes a connection, which signs nobody in until it is enabled. */
export async function makeConnection(
  options: SsoAdminOptions,
  by: Admission,
  { kind, name, settings }: Static<typeof NewConnection>,
): Promise<StoredConnection | Refusal> {
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
  return stored ?? refuse('conflict', `a tenant has at most ${CONNECTIONS_MAX} connections`);
}

function isName(name: string): boolean {
  return name.length > 0 && name.length <= NAME_CHARS_MAX && name.isWellFormed() && !/\p{Cc}/u.test(name);
}

/** The tenant's connection `id`; `work` is not called without one. */
async function withConnection<T>(
  by: Admission,
  id: string,
  work: (tx: TenantTransaction, row: StoredConnection) => Promise<T | Refusal>,
): Promise<T | Refusal> {
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

/** A connection of the tenant. */
export function readConnection(by: Admission, id: string): Promise<StoredConnection | Refusal> {
  return withConnection(by, id, async (_, row) => row);
}

/** Whether the caller may give every role that a sign-in with these settings may bring: nobody gives more than they have. */
function mayGiveRoles(by: Admission, { mapping }: OidcSettings | SamlSettings): boolean {
  const roles: Role[] = (mapping?.roles?.table ?? []).map(({ role }) => role);
  if (mapping?.defaultRole !== undefined) roles.push(mapping.defaultRole);
  return permissionsOf(roles).every(by.may);
}

function overreach(): Refusal {
  return refuse('forbidden', 'settings/mapping gives roles that allow what you may not do yourself');
}

/**
 * Why the caller may not say whom the connection trusts: whoever does could become any of the people it knows, and may therefore do
 * all that these may.
 */
async function overPeople(tx: TenantTransaction, by: Admission, connectionId: string): Promise<Refusal | undefined> {
  if (permissionsOf(await rolesKnownBy(tx, by.tenantId, connectionId)).every(by.may)) return undefined;
  const detail = 'people who may do what you may not do yourself sign in through this connection; ask an owner';
  return refuse('forbidden', `${detail} of the tenant`);
}

/** Why the connection must go on: whoever signs in through it may be all the owners that the tenant has. */
async function ownersKept(tx: TenantTransaction, by: Admission, connectionId: string): Promise<Refusal | undefined> {
  if (!(await rolesKnownBy(tx, by.tenantId, connectionId)).includes('owner')) return undefined;
  await lockMembers(tx, by.tenantId);
  if ((await countOwners(tx, by.tenantId, { connectionId })) > 0) return undefined;
  return refuse(
    'conflict',
    'no owner of the tenant could sign in without this connection; make somebody else one first',
  );
}

/** Settings are given whole; a client secret that is left out stays. New ones end the login sessions that the old ones began. */
export async function changeConnection(
  options: SsoAdminOptions,
  by: Admission,
  { id, settings, ...rest }: Static<typeof ConnectionChanges> & { id: string },
): Promise<StoredConnection | Refusal> {
  // Before the transaction, which would hold a connection to the database for as long as a stranger's server takes.
  const fetched = await withFetchedMetadata(options, settings);
  if (!fetched.ok) return refuse('invalid-request', fetched.fault);
  const changes = settings === undefined ? rest : { ...rest, settings: fetched.value };
  return toldOf(options, await withConnection(by, id, (tx, row) => applyChanges(options, by, { tx, row, changes })));
}

/** What became of a connection, and the login sessions that ended with it, in the same transaction. */
interface Changed {
  row: StoredConnection;
  ended: { id: string }[];
}

/** Closes the live sockets of what ended, once that is stored. */
function toldOf({ loginSessions }: SsoAdminOptions, changed: Changed | Refusal): StoredConnection | Refusal {
  if (isRefusal(changed)) return changed;
  loginSessions.tellEnded(changed.ended);
  return changed.row;
}

interface Change {
  tx: TenantTransaction;
  row: StoredConnection;
  changes: Static<typeof ConnectionChanges>;
}

async function applyChanges(
  options: SsoAdminOptions,
  by: Admission,
  { tx, row, changes: { name = row.name, settings } }: Change,
): Promise<Changed | Refusal> {
  const refused = await overPeople(tx, by, row.id);
  if (refused !== undefined) return refused;
  if (!isName(name)) return refuse('invalid-request', `name must be a text of 1 to ${NAME_CHARS_MAX} characters`);
  const changes: Partial<StoredConnection> = { name };
  if (settings !== undefined) {
    const read = await readSettings(options, row.kind, withOldSecret(options.seal, row, settings));
    if (!read.ok) return refuse('invalid-request', read.fault);
    const faults = row.state === 'enabled' ? passwordPolicyFaults(read.value) : [];
    if (faults.length > 0) return refuse('conflict', policyRefusal(faults));
    if (!mayGiveRoles(by, read.value)) return overreach();
    // Whoever only renames may give the same settings along.
    if (!isDeepStrictEqual(read.value, openConnection(options.seal, row)?.settings))
      changes.settings = sealSettings(options.seal, row.id, read.value);
  }
  const trustsAnew = changes.settings !== undefined;
  if (!(await updateConnection(tx, { ...row, asOf: row.updatedAt }, changes)))
    return refuse('conflict', CHANGED_MEANWHILE);
  await by.audit(tx, { action: 'sso.changed', target: row.id, detail: { name, settings: trustsAnew } });
  const ended = trustsAnew ? await endSessions(tx, by, row.id) : [];
  return { row: (await getConnection(tx, by.tenantId, row.id)) ?? row, ended };
}

function policyRefusal(faults: readonly string[]): string {
  return `the password policy of the provider is not enough: ${faults.join('; ')}`;
}

/**
 * Reads the metadata of a SAML provider again, from the address it was read from: its keys and its addresses may have changed. Who
 * it is may not, so that the login sessions that it began go on.
 */
export async function refreshMetadata(
  options: SsoAdminOptions,
  by: Admission,
  id: string,
): Promise<StoredConnection | Refusal> {
  const known = await readConnection(by, id);
  if (isRefusal(known)) return known;
  const connection = openConnection(options.seal, known);
  if (connection?.kind !== 'saml' || connection.settings.metadataUrl === undefined)
    return refuse('conflict', 'its metadata was not read from an address; give it anew');
  const { certificates: _, ssoUrl: __, sloUrl: ___, entityId, ...rest } = connection.settings;
  const read = await readSettings(options, 'saml', rest);
  if (!read.ok) return refuse('conflict', read.fault);
  if (!('entityId' in read.value) || read.value.entityId !== entityId)
    return refuse('conflict', 'another provider is at the address of the metadata; make a new connection for it');
  const settings = read.value;
  if (!mayGiveRoles(by, settings)) return overreach();
  return withConnection(by, id, async (tx, row) => {
    const refused = await overPeople(tx, by, row.id);
    if (refused !== undefined) return refused;
    if (!(await updateConnection(tx, { ...row, asOf: known.updatedAt }, { settings })))
      return refuse('conflict', CHANGED_MEANWHILE);
    await by.audit(tx, { action: 'sso.changed', target: id, detail: { metadata: 'read again' } });
    return (await getConnection(tx, by.tenantId, id)) ?? row;
  });
}

/** Takes a connection away. What its people hold ends, as when it is disabled. */
export async function deleteConnection(
  { ownerDatabase, loginSessions }: SsoAdminOptions,
  by: Admission,
  id: string,
): Promise<{ id: string } | Refusal> {
  if (!isUuid(id)) return noSuchConnection();
  const removed = await ownerDatabase.db.transaction(async (tx) => {
    const refused = (await overPeople(tx, by, id)) ?? (await ownersKept(tx, by, id));
    if (refused !== undefined) return refused;
    await endTokensOf(tx, by.tenantId, id);
    if (!(await removeConnection(tx, by.tenantId, id))) return noSuchConnection();
    await by.audit(tx, { action: 'sso.removed', target: id });
    return { ended: await endSessions(tx, by, id) };
  });
  if (isRefusal(removed)) return removed;
  loginSessions.tellEnded(removed.ended);
  return { id };
}

/**
 * Lets a connection sign people in, or no longer; then the login sessions that it began end, and the platform tokens that its people
 * minted. Neither comes back when it is enabled again.
 */
export async function switchConnection(
  options: SsoAdminOptions,
  by: Admission,
  { id, state }: { id: string; state: 'enabled' | 'disabled' },
): Promise<StoredConnection | Refusal> {
  const switched = await withConnection(by, id, async (tx, row) => {
    const refused =
      (await overPeople(tx, by, row.id)) ??
      (state === 'enabled' ? unfit(options, by, row) : await ownersKept(tx, by, row.id));
    if (refused !== undefined) return refused;
    if (!(await updateConnection(tx, { ...row, asOf: row.updatedAt }, { state })))
      return refuse('conflict', CHANGED_MEANWHILE);
    if (state === 'disabled') await endTokensOf(tx, by.tenantId, row.id);
    await by.audit(tx, { action: 'sso.changed', target: row.id, detail: { state } });
    const ended = state === 'disabled' ? await endSessions(tx, by, row.id) : [];
    return { row: (await getConnection(tx, by.tenantId, row.id)) ?? row, ended };
  });
  return toldOf(options, switched);
}

/** Ends the login sessions that the connection began. */
async function endSessions(tx: TenantTransaction, by: Admission, connectionId: string): Promise<{ id: string }[]> {
  const ended = await endSessionsOf(tx, connectionId);
  if (ended.length > 0)
    await by.audit(tx, {
      action: 'login_sessions.revoked',
      target: `connection:${connectionId}`,
      detail: { count: ended.length },
    });
  return ended;
}

/** Why the connection cannot be enabled by this administrator. */
function unfit(options: SsoAdminOptions, by: Admission, row: StoredConnection): Refusal | undefined {
  const connection = openConnection(options.seal, row);
  if (connection === undefined) return refuse('conflict', UNREADABLE);
  if (!mayGiveRoles(by, connection.settings)) return overreach();
  const faults = passwordPolicyFaults(withKind(connection));
  return faults.length > 0 ? refuse('conflict', policyRefusal(faults)) : undefined;
}

const UNREADABLE = 'its settings or its client secret cannot be read any more; enter them again';

/** A link that goes through the whole sign-in of the connection and signs nobody in. It is good for ten minutes. */
export function beginTest(
  options: SsoAdminOptions,
  by: Admission,
  id: string,
): Promise<{ id: string; startUrl: string } | Refusal> {
  return withConnection(by, id, async (tx, row) => {
    if (openConnection(options.seal, row) === undefined) return refuse('conflict', UNREADABLE);
    await by.audit(tx, { action: 'sso.tested', target: row.id, detail: { begun: true } });
    const ticket = encodeURIComponent(testTicket(options, row.id));
    return { id, startUrl: `${options.site.baseUrl}${connectionPath(row.id)}/start?test=${ticket}` };
  });
}

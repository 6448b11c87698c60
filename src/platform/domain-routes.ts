import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { isEmailDomain } from '../domain/formats.ts';
import { isUuid } from '../domain/ids.ts';
import type { Database } from '../store/database.ts';
import { getConnection } from '../store/sso-connections.ts';
import type { TenantTransaction } from '../store/tenant-database.ts';
import {
  type ClaimedDomain,
  DOMAINS_MAX,
  deleteDomain,
  getDomain,
  insertDomain,
  listDomains,
  routeDomain,
  verifyDomain,
} from '../store/verified-domains.ts';
import { json, noContent, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { isRefusal, jsonReader } from './input.ts';
import { type Admitted, type TenantContext, tenantRoute } from './tenant-route.ts';

export interface DomainOptions extends TenantContext {
  /** The service's own view: which domains are proven is not known to any one tenant. */
  database: Database;
  /** The TXT records of a name, each as its parts. Rejects where there are none. */
  resolveTxt: (name: string) => Promise<string[][]>;
}

const CHALLENGE_NAME = '_gatehouse-challenge';
const CHALLENGE_PREFIX = 'gatehouse-verification=';
const RESOLVE_MS = 5_000;

const closed = { additionalProperties: false } as const;
const Connection = Type.Union([Type.String(), Type.Null()]);
const readClaim = jsonReader(Type.Object({ domain: Type.String(), connection: Type.Optional(Connection) }, closed));
const readDirection = jsonReader(Type.Object({ connection: Type.Optional(Connection) }, closed));

/** Administration of the e-mail domains that a tenant has proven to own, which lead their people to its connection. */
export function domainRoutes(options: DomainOptions): Route[] {
  const all = '/api/v1/tenants/:tenant/domains';
  const one = `${all}/:domain`;
  const route = (
    method: Route['method'],
    path: string,
    handle: (options: DomainOptions, by: Admitted) => Promise<PlatformAnswer>,
  ): Route => tenantRoute(options, [method, path, 'sso'], (by) => handle(options, by));
  return [
    route('GET', all, list),
    route('POST', all, claim),
    route('PATCH', one, direct),
    route('DELETE', one, remove),
    route('POST', `${one}/verify`, verify),
  ];
}

async function list(_options: DomainOptions, by: Admitted): Promise<PlatformAnswer> {
  const rows = await by.inTenant((tx) => listDomains(tx, by.tenantId));
  return json({ domains: rows.map(shown) });
}

function shown({ domain, connectionId, challenge, createdAt, verifiedAt }: ClaimedDomain) {
  const record = { name: `${CHALLENGE_NAME}.${domain}`, type: 'TXT', value: CHALLENGE_PREFIX + challenge };
  return { domain, connection: connectionId, record, createdAt, verifiedAt };
}

/** The connection that the body names, if it is the tenant's; null for none. */
async function connectionIn(
  tx: TenantTransaction,
  { tenantId }: Admitted,
  connection: string | null | undefined,
): Promise<string | null | Refusal> {
  if (connection === undefined || connection === null) return null;
  const known = isUuid(connection) && (await getConnection(tx, tenantId, connection));
  return known
    ? known.id
    : refuse('invalid-request', 'connection must be the id of a connection of the tenant, or null');
}

async function claim(_options: DomainOptions, by: Admitted): Promise<PlatformAnswer> {
  const body = readClaim(by.request);
  if (isRefusal(body)) return body;
  const { domain, connection } = body;
  if (!isEmailDomain(domain))
    return refuse('invalid-request', 'domain must be a domain name in lower case, such as example.com');
  return by.inTenant(async (tx) => {
    const connectionId = await connectionIn(tx, by, connection);
    if (typeof connectionId === 'object' && connectionId !== null) return connectionId;
    if ((await listDomains(tx, by.tenantId)).length >= DOMAINS_MAX)
      return refuse('conflict', `a tenant has at most ${DOMAINS_MAX} domains`);
    const challenge = randomBytes(24).toString('base64url');
    if (!(await insertDomain(tx, { tenantId: by.tenantId, domain, connectionId, challenge })))
      return refuse('conflict', 'the tenant has claimed this domain already');
    await by.audit(tx, { action: 'domain.claimed', target: domain });
    const row = await getDomain(tx, by.tenantId, domain);
    return row === undefined ? noSuchDomain() : json(shown(row), 201);
  });
}

async function direct(_options: DomainOptions, by: Admitted): Promise<PlatformAnswer> {
  const body = readDirection(by.request);
  if (isRefusal(body)) return body;
  const domain = domainOf(by);
  return by.inTenant(async (tx) => {
    const connectionId = await connectionIn(tx, by, body.connection);
    if (typeof connectionId === 'object' && connectionId !== null) return connectionId;
    if (!(await routeDomain(tx, { tenantId: by.tenantId, domain, connectionId }))) return noSuchDomain();
    await by.audit(tx, { action: 'sso.changed', target: domain, detail: { connection: connectionId } });
    const row = await getDomain(tx, by.tenantId, domain);
    return row === undefined ? noSuchDomain() : json(shown(row));
  });
}

async function remove(_options: DomainOptions, by: Admitted): Promise<PlatformAnswer> {
  const domain = domainOf(by);
  return by.inTenant(async (tx) => {
    if (!(await deleteDomain(tx, by.tenantId, domain))) return noSuchDomain();
    await by.audit(tx, { action: 'domain.removed', target: domain });
    return noContent();
  });
}

async function verify(options: DomainOptions, by: Admitted): Promise<PlatformAnswer> {
  const domain = domainOf(by);
  const row = await by.inTenant((tx) => getDomain(tx, by.tenantId, domain));
  if (row === undefined) return noSuchDomain();
  if (!(await isPublished(options, row)))
    return refuse(
      'conflict',
      `no TXT record ${CHALLENGE_NAME}.${domain} with the value of the challenge was found; DNS may take a while to show a new one`,
    );
  return options.database.db.transaction(async (tx) => {
    const outcome = await verifyDomain(tx, by.tenantId, domain);
    if (outcome === 'taken') return refuse('conflict', 'another tenant has proven to own this domain');
    if (outcome === 'unclaimed') return noSuchDomain();
    await by.audit(tx, { action: 'domain.verified', target: domain });
    return json(shown((await getDomain(tx, by.tenantId, domain)) ?? row));
  });
}

/** Whether the challenge stands in DNS, where only the owner of the domain can put it. */
async function isPublished({ resolveTxt }: DomainOptions, { domain, challenge }: ClaimedDomain): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<string[][]>((resolve) => {
    timer = setTimeout(() => resolve([]), RESOLVE_MS);
  });
  const found = resolveTxt(`${CHALLENGE_NAME}.${domain}`).catch(() => []);
  const records = await Promise.race([found, silence]);
  clearTimeout(timer);
  return records.some((parts) => parts.join('') === CHALLENGE_PREFIX + challenge);
}

function domainOf({ request }: Admitted): string {
  const named = request.params['domain'] ?? '';
  // What cannot be a domain was not claimed; PostgreSQL would not even take some of it.
  return isEmailDomain(named) ? named : '';
}

function noSuchDomain(): Refusal {
  return refuse('not-found', 'the tenant has not claimed this domain');
}

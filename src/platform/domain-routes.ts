import { randomBytes } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { isEmailDomain } from '../domain/formats.ts';
import { isUuid } from '../domain/ids.ts';
import { inTime } from '../lib/in-time.ts';
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
import type { Admission } from './admission.ts';
import { isRefusal, json, noContent, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { type Admitted, jsonRoute, type TenantContext, tenantRoute } from './tenant-route.ts';

export interface DomainOptions extends TenantContext {
  /** The service's own view: which domains are proven is not known to any one tenant. */
  ownerDatabase: Database;
  /** The TXT records of a name, each as its parts. Rejects where there are none. */
  resolveTxt: (name: string) => Promise<string[][]>;
}

const CHALLENGE_NAME = '_gatehouse-challenge';
const CHALLENGE_PREFIX = 'gatehouse-verification=';
const RESOLVE_MS = 5_000;

const closed = { additionalProperties: false } as const;
const Connection = Type.Union([Type.String(), Type.Null()]);
export const DomainClaim = Type.Object({ domain: Type.String(), connection: Type.Optional(Connection) }, closed);
export const DomainDirection = Type.Object({ connection: Type.Optional(Connection) }, closed);

/** Administration of the e-mail domains that a tenant has proven to own, which lead their people to its connection. */
export function domainRoutes(options: DomainOptions): Route[] {
  const all = '/api/v1/tenants/:tenant/domains';
  const one = `${all}/:domain`;
  const domainOf = ({ request }: Admitted) => request.params['domain'] ?? '';
  const answer = (result: ClaimedDomain | Refusal, status: 200 | 201 = 200) =>
    isRefusal(result) ? result : json(shown(result), status);
  return [
    tenantRoute(options, ['GET', all, 'sso', 'List domains'], list),
    jsonRoute(options, ['POST', all, 'sso', 'Claim a domain'], DomainClaim, async (by, given) =>
      answer(await claimDomain(by, given), 201),
    ),
    jsonRoute(options, ['PATCH', one, 'sso', 'Lead a domain to a connection'], DomainDirection, async (by, given) =>
      answer(await directDomain(by, domainOf(by), given.connection)),
    ),
    tenantRoute(options, ['DELETE', one, 'sso', 'Let a domain go'], async (by) => {
      const removed = await removeDomain(by, domainOf(by));
      return isRefusal(removed) ? removed : noContent();
    }),
    tenantRoute(options, ['POST', `${one}/verify`, 'sso', 'Prove that a domain is yours'], async (by) =>
      answer(await proveDomain(options, by, domainOf(by))),
    ),
  ];
}

async function list(by: Admitted): Promise<PlatformAnswer> {
  const rows = await by.inTenant((tx) => listDomains(tx, by.tenantId));
  return json({ domains: rows.map(shown) });
}

/** The TXT record that proves the claim. */
export function challengeOf({ domain, challenge }: ClaimedDomain) {
  return { name: `${CHALLENGE_NAME}.${domain}`, type: 'TXT', value: CHALLENGE_PREFIX + challenge };
}

function shown(row: ClaimedDomain) {
  const { domain, connectionId, createdAt, verifiedAt } = row;
  return { domain, connection: connectionId, record: challengeOf(row), createdAt, verifiedAt };
}

/** The connection that the body names, if it is the tenant's; null for none. */
async function connectionIn(
  tx: TenantTransaction,
  { tenantId }: Admission,
  connection: string | null | undefined,
): Promise<string | null | Refusal> {
  if (connection === undefined || connection === null) return null;
  const known = isUuid(connection) && (await getConnection(tx, tenantId, connection));
  return known
    ? known.id
    : refuse('invalid-request', 'connection must be the id of a connection of the tenant, or null');
}

/** Says that a domain is the tenant's, which it has yet to prove. */
export async function claimDomain(
  by: Admission,
  { domain, connection }: Static<typeof DomainClaim>,
): Promise<ClaimedDomain | Refusal> {
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
    return row ?? noSuchDomain();
  });
}

/** Leads the people of the domain to another connection, or to none. */
export async function directDomain(
  by: Admission,
  named: string,
  connection: string | null | undefined,
): Promise<ClaimedDomain | Refusal> {
  const domain = claimable(named);
  return by.inTenant(async (tx) => {
    const connectionId = await connectionIn(tx, by, connection);
    if (typeof connectionId === 'object' && connectionId !== null) return connectionId;
    if (!(await routeDomain(tx, { tenantId: by.tenantId, domain, connectionId }))) return noSuchDomain();
    await by.audit(tx, { action: 'sso.changed', target: domain, detail: { connection: connectionId } });
    const row = await getDomain(tx, by.tenantId, domain);
    return row ?? noSuchDomain();
  });
}

/** Gives up the claim to a domain. */
export async function removeDomain(by: Admission, named: string): Promise<{ domain: string } | Refusal> {
  const domain = claimable(named);
  return by.inTenant(async (tx) => {
    if (!(await deleteDomain(tx, by.tenantId, domain))) return noSuchDomain();
    await by.audit(tx, { action: 'domain.removed', target: domain });
    return { domain };
  });
}

/** Looks for the challenge of the domain in DNS. Found once, the domain stays proven. */
export async function proveDomain(
  options: DomainOptions,
  by: Admission,
  named: string,
): Promise<ClaimedDomain | Refusal> {
  const domain = claimable(named);
  const row = await by.inTenant((tx) => getDomain(tx, by.tenantId, domain));
  if (row === undefined) return noSuchDomain();
  if (!(await isPublished(options, row)))
    return refuse(
      'conflict',
      `no TXT record ${CHALLENGE_NAME}.${domain} with the value of the challenge was found; DNS may take a while to show a new one`,
    );
  return options.ownerDatabase.db.transaction(async (tx) => {
    const outcome = await verifyDomain(tx, by.tenantId, domain);
    if (outcome === 'taken') return refuse('conflict', 'another tenant has proven to own this domain');
    if (outcome === 'unclaimed') return noSuchDomain();
    await by.audit(tx, { action: 'domain.verified', target: domain });
    return (await getDomain(tx, by.tenantId, domain)) ?? row;
  });
}

/** Whether the challenge stands in DNS, where only the owner of the domain can put it. */
async function isPublished({ resolveTxt }: DomainOptions, { domain, challenge }: ClaimedDomain): Promise<boolean> {
  const asked = resolveTxt(`${CHALLENGE_NAME}.${domain}`);
  const records = await inTime(asked, RESOLVE_MS, 'the name servers did not answer').catch(() => []);
  return records.some((parts) => parts.join('') === CHALLENGE_PREFIX + challenge);
}

function claimable(named: string): string {
  // What cannot be a domain was not claimed; PostgreSQL would not even take some of it.
  return isEmailDomain(named) ? named : '';
}

function noSuchDomain(): Refusal {
  return refuse('not-found', 'the tenant has not claimed this domain');
}

import { join } from 'node:path';
import type { Test } from 'tap';
import type { TenantSlug } from '../../src/domain/ids.ts';
import type { Role } from '../../src/domain/roles.ts';
import type { Scope, TokenKind } from '../../src/domain/scopes.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { AccessTokenVerifier } from '../../src/identity/access-token-verifier.ts';
import { mintAccessToken } from '../../src/identity/access-tokens.ts';
import { InvitationLimits } from '../../src/identity/invitation-limits.ts';
import { LoginSessions } from '../../src/identity/login-sessions.ts';
import { guardedText } from '../../src/identity/remote-keys.ts';
import { Revocations } from '../../src/identity/revocations.ts';
import { SigningKeys } from '../../src/identity/signing-keys.ts';
import { TenantDirectory, tenantsFile } from '../../src/identity/tenant-directory.ts';
import { TrustedIssuers } from '../../src/identity/trusted-issuers.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { bearerAuthenticate } from '../../src/platform/bearer.ts';
import type { Authenticate } from '../../src/platform/caller.ts';
import { type Method, type PlatformRequest, type Route, refuse } from '../../src/platform/http.ts';
import type { Invitation } from '../../src/platform/invitations.ts';
import { administrationRoutes } from '../../src/platform/platform.ts';
import { newShareLimits } from '../../src/platform/share-routes.ts';
import { agentKey } from '../../src/store/agent-key.ts';
import { openDatabase } from '../../src/store/database.ts';
import { StoredLoginSessions } from '../../src/store/login-sessions.ts';
import { openTenantDatabase } from '../../src/store/tenant-database.ts';
import { ensureTenant, listTenants } from '../../src/store/tenants.ts';
import { TokenRevocations } from '../../src/store/token-revocations.ts';
import { listAllTrustedIssuers } from '../../src/store/trusted-issuers.ts';
import { openClient, startTestPostgres, temporaryDirectory } from './postgres.ts';

/** The platform interface on a real PostgreSQL, called without a server. */

export interface Answered {
  status: 'answer' | 'refusal';
  /** The HTTP status of an answer, or the slug of a Problem. */
  code: number | string;
  detail: string;
  body: AnsweredBody;
}

/** The fields that tests read by name; each is there in the answers that they read. */
export interface AnsweredBody {
  items: { id: string; agentId: string; seq: number; revokedAt: string | null }[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
  id: string;
  token: string;
  userId: string;
}

const NO_BODY = undefined as unknown as AnsweredBody;

/** Who asks: a person by id, or a program by token. */
export type As = { person: string } | { token: string };

export interface Call {
  as?: As;
  body?: unknown;
  headers?: Record<string, string>;
}

/** What a path of the route table matches, as the server does it. */
function matcherOf(route: Route): (path: string) => Record<string, string> | undefined {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const pattern = new RegExp(`^${route.path.replace(/:\w+/g, '([^/]+)')}$`);
  return (path) => {
    const found = pattern.exec(path)?.slice(1);
    return found && Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(found[at] as string)]));
  };
}

export async function openTestPlatform(t: Test) {
  const postgres = await startTestPostgres(t);
  const url = await postgres.createDatabase();
  const dataDir = temporaryDirectory(t, 'platform');
  const database = openDatabase(url);
  const people = openTenantDatabase(url);
  const admin = openClient(t, url);
  const keys = await SigningKeys.open(dataDir);
  const report = (problem: string) => problems.push(problem);
  const problems: string[] = [];
  const revocations = await Revocations.open({
    dataDir,
    source: new TokenRevocations(database),
    clock: systemClock,
    report,
  });
  const issuers = new TrustedIssuers({
    source: { listIssuers: () => listAllTrustedIssuers(database) },
    file: join(dataDir, 'trusted-issuers.json'),
    clock: systemClock,
    fetchText: guardedText({ privateNetworks: 'allow' }),
  });
  const tenants = new TenantDirectory({ listTenants: () => listTenants(database) }, tenantsFile(dataDir));
  const ports = { keys, revocations, clock: systemClock, external: issuers };
  const events = new AccessTokenVerifier(ports);
  const verifier = new AccessTokenVerifier({ ...ports, kind: 'platform' });
  t.teardown(async () => {
    await revocations.stop();
    await issuers.stop();
    await people.close();
    await database.close();
  });
  await revocations.start();

  const invitations: Invitation[] = [];
  const mail = { send: async (invitation: Invitation) => void invitations.push(invitation) };
  const bearer = bearerAuthenticate({ verifier, findTenant: (slug) => tenants.find(slug) });
  const authenticate: Authenticate = async (request) => {
    const userId = request.headers.get('x-test-person');
    if (userId === undefined) return bearer(request);
    const [user] = await admin`select email, name from users where id = ${userId}`;
    if (user === undefined) return refuse('unauthorized', 'nobody');
    const rows = await admin`select tenant_id, roles from memberships where user_id = ${userId}`;
    return {
      kind: 'person',
      userId,
      email: user['email'],
      name: user['name'],
      organization: { id: '', name: '' },
      loginSessionId: '',
      tenants: new Map(rows.map((row) => [row['tenant_id'] as string, row['roles'] as Role[]])),
    };
  };
  const loginSessions = new LoginSessions({
    store: new StoredLoginSessions(database),
    clock: systemClock,
    lifetimeMs: 3_600_000,
    isSecure: () => true,
  });
  const routes = administrationRoutes({
    authenticate,
    tenantDatabase: people,
    ownerDatabase: database,
    tenants,
    keys,
    ownIssuer: keys.issuer,
    invitationLimits: new InvitationLimits(systemClock),
    shareLimits: newShareLimits(),
    sessions: loginSessions,
    bounds: { deadlineMs: 800, retentionDays: 90 },
    clock: systemClock,
    invite: (invitation) => mail.send(invitation),
    report,
  });
  const matchers = routes.map((route) => ({ route, match: matcherOf(route) }));

  async function call(method: Method, address: string, { as, body, headers = {} }: Call = {}): Promise<Answered> {
    const { pathname, search, searchParams } = new URL(address, 'http://platform');
    const path = pathname.startsWith('/api/') ? pathname : `/api/v1${pathname}`;
    const found = matchers.find(({ route, match }) => route.method === method && match(path) !== undefined);
    if (found === undefined) throw new Error(`no route for ${method} ${path}`);
    const who: [string, string][] =
      as === undefined
        ? []
        : 'person' in as
          ? [['x-test-person', as.person]]
          : [['authorization', `Bearer ${as.token}`]];
    const request: PlatformRequest = {
      method,
      path,
      params: found.match(path) as Record<string, string>,
      query: searchParams,
      queryText: search.slice(1),
      headers: new Map([['content-type', 'application/json'], ...who, ...Object.entries(headers)]),
      cookies: new Map(),
      body: Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)),
      address: '192.0.2.7',
      correlationId: 'test',
    };
    const answer = await found.route.handle(request);
    return answer.kind === 'answer'
      ? {
          status: 'answer',
          code: answer.status,
          detail: '',
          body: answer.body === '' ? NO_BODY : (JSON.parse(answer.body) as AnsweredBody),
        }
      : { status: 'refusal', code: answer.slug, detail: answer.detail, body: NO_BODY };
  }

  async function newTenant(slug: string): Promise<Tenant> {
    const tenant = await ensureTenant(database, { slug: slug as TenantSlug, name: slug, onFailure: 'allow' });
    await tenants.refresh();
    return tenant;
  }

  /** A person with `roles` in each tenant given. Returns their id. */
  async function newPerson(name: string, ...places: [Tenant, Role[]][]): Promise<string> {
    const [user] = await admin`
      insert into users (email, name, signs_in_by_email) values (${`${name}@example.com`}, ${name}, true) returning id`;
    const id = user?.['id'] as string;
    for (const [tenant, roles] of places)
      await admin`insert into memberships (tenant_id, user_id, roles) values (${tenant.id}, ${id}, ${roles})`;
    return id;
  }

  /** An agent that was first seen so many seconds ago. Returns its key. */
  async function newAgent(tenant: Tenant, agentId: string, { name = agentId, secondsAgo = 0 } = {}): Promise<string> {
    const key = agentKey(tenant.slug, agentId);
    const seen = new Date(Date.now() - secondsAgo * 1000);
    await admin`
      insert into agents (tenant_id, agent_key, agent_id, name, first_seen_at, last_seen_at, events_count)
      values (${tenant.id}, ${key}, ${agentId}, ${name}, ${seen}, ${seen}, 1)`;
    return key;
  }

  async function token(tenant: Tenant, scopes: Scope[], kind: TokenKind = 'platform', lifetimeSeconds = 3600) {
    const grant = { tenant: tenant.slug, subject: 'program', kind, scopes, lifetimeSeconds };
    return (await mintAccessToken(keys, systemClock, grant)).token;
  }

  return {
    url,
    dataDir,
    admin,
    database,
    people,
    keys,
    routes,
    events,
    verifier,
    issuers,
    invitations,
    mail,
    problems,
    call,
    newTenant,
    newPerson,
    newAgent,
    token,
  };
}

import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { TenantSlug } from '../../src/domain/ids.ts';
import type { Role } from '../../src/domain/roles.ts';
import { guardedFetch } from '../../src/identity/guarded-fetch.ts';
import { LoginSessions, type NewSignIn } from '../../src/identity/login-sessions.ts';
import { OidcProviders } from '../../src/identity/oidc.ts';
import { SamlProviders } from '../../src/identity/saml.ts';
import { openSamlKeys } from '../../src/identity/saml-keys.ts';
import { metadataFetcher } from '../../src/identity/saml-metadata-fetch.ts';
import { SamlPool } from '../../src/identity/saml-pool.ts';
import { openSeal } from '../../src/identity/sealed.ts';
import { TenantDirectory, tenantsFile } from '../../src/identity/tenant-directory.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { type PlatformAnswer, refuse } from '../../src/platform/http.ts';
import { type PlatformOptions, singleSignOnRoutes } from '../../src/platform/platform.ts';
import { openDatabase } from '../../src/store/database.ts';
import { StoredLoginSessions } from '../../src/store/login-sessions.ts';
import { openTenantDatabase } from '../../src/store/tenant-database.ts';
import { ensureTenant, listTenants } from '../../src/store/tenants.ts';
import { openClient, startTestPostgres, temporaryDirectory } from './postgres.ts';
import { type Asked, ask, Browser } from './route-browser.ts';

export const BASE_URL = 'http://127.0.0.1:9';
export const SAML_FILE = fileURLToPath(new URL('../../dist/saml.cjs', import.meta.url));

type Begun = NewSignIn;

/** A clock that goes with the real one, and can be set ahead. */
class SettableClock implements Clock {
  aheadMs = 0;
  now(): number {
    return Date.now() + this.aheadMs;
  }
  monotonic(): number {
    // Sign-ins of a whole test file must not meet the limit of one address.
    this.#asked += 10_000;
    return performance.now() + this.#asked;
  }
  #asked = 0;
}

/** Single sign-on on a real database, with an administrator of the tenant and a place to look at. */
export async function openSsoSetting(t: Test) {
  const postgres = await startTestPostgres(t);
  const url = await postgres.createDatabase();
  const database = openDatabase(url);
  const tenants = openTenantDatabase(url);
  const sql = openClient(t, url);
  const dataDir = temporaryDirectory(t, 'sso');
  const pool = new SamlPool({ file: SAML_FILE, timeoutMs: 20_000 });
  const logoutPool = new SamlPool({ file: SAML_FILE, timeoutMs: 20_000 });
  t.teardown(async () => {
    await pool.stop();
    await logoutPool.stop();
    await tenants.close();
    await database.close();
  });
  const tenant = await ensureTenant(database, { slug: 'acme' as TenantSlug, name: 'Acme', onFailure: 'allow' });
  const other = await ensureTenant(database, { slug: 'other' as TenantSlug, name: 'Other', onFailure: 'allow' });
  const [admin] = await sql`
    insert into users (email, name, signs_in_by_email) values ('admin@acme.example', 'Admin', true) returning id`;
  await sql`insert into memberships (tenant_id, user_id, roles) values (${tenant.id}, ${admin?.['id']}, array['admin'])`;
  const directory = new TenantDirectory({ listTenants: () => listTenants(database) }, tenantsFile(dataDir));
  await directory.refresh();
  const begun: Begun[] = [];
  const clock = new SettableClock();
  const sessions = new LoginSessions({
    store: new StoredLoginSessions(database),
    clock,
    lifetimeMs: 3_600_000,
    isSecure: () => false,
  });
  const txt = new Map<string, string[][]>();
  const roles = { current: ['admin'] as Role[] };
  const caller = (): Caller => ({
    kind: 'person',
    userId: admin?.['id'] as string,
    email: 'admin@acme.example',
    name: 'Admin',
    organization: { id: '0', name: 'Home' },
    loginSessionId: '0',
    tenants: new Map([[tenant.id, roles.current]]),
  });
  const options: PlatformOptions['sso'] = {
    site: { baseUrl: BASE_URL },
    ownerDatabase: database,
    tenantDatabase: tenants,
    tenants: directory,
    clock,
    seal: await openSeal(dataDir),
    oidc: new OidcProviders(guardedFetch({ privateNetworks: 'allow' })),
    saml: new SamlProviders({ pool, logoutPool, keys: () => openSamlKeys(dataDir), now: () => clock.now() }),
    fetchMetadata: metadataFetcher(guardedFetch({ privateNetworks: 'allow' })),
    resolveTxt: async (name) => txt.get(name) ?? [],
    authenticate: async ({ headers }) => (headers.get('x-admin') ? caller() : refuse('unauthorized', 'who are you')),
    loginSessions: {
      begin: async (start) => {
        begun.push(start);
        return sessions.begin(start);
      },
      tellEnded: (ended) => sessions.tellEnded(ended),
      rightsChanged: (userId) => sessions.rightsChanged(userId),
    },
  };
  const routes = singleSignOnRoutes(options);
  const api = `${BASE_URL}/api/v1/tenants/${tenant.id}`;
  /** Asks as the administrator. Answers with the JSON, or the refusal. */
  const administer = async (method: Asked['method'], path: string, body?: object) => {
    const answer = await ask(routes, {
      method,
      url: `${api}${path}`,
      headers: { 'x-admin': '1', 'content-type': 'application/json' },
      body: body === undefined ? '' : JSON.stringify(body),
    });
    return { answer, value: jsonOf(answer) };
  };
  /** An enabled connection. */
  const connect = async (kind: 'oidc' | 'saml', settings: object, name = 'Test provider') => {
    const created = await administer('POST', '/sso-connections', { kind, name, settings });
    const id = created.value['id'] as string;
    if (created.answer.kind === 'refusal') throw new Error(created.answer.detail);
    const enabled = await administer('POST', `/sso-connections/${id}/enable`);
    if (enabled.answer.kind === 'refusal') throw new Error(enabled.answer.detail);
    return { id, own: `${BASE_URL}/api/v1/auth/sso/${id}` };
  };
  /** What the tenant's audit log tells of `action`, newest last. */
  const audited = async (action: string) => {
    const rows = await sql`
      select actor, target, detail from audit_log where tenant_id = ${tenant.id} and action = ${action} order by seq`;
    return rows.map((row) => ({
      actor: row['actor'] as string,
      target: row['target'] as string,
      detail: JSON.parse(row['detail'] as string) as Record<string, unknown>,
    }));
  };
  const browser = () => new Browser(routes, BASE_URL);
  return {
    options,
    routes,
    sql,
    tenant,
    other,
    adminId: admin?.['id'] as string,
    administer,
    connect,
    audited,
    browser,
    begun,
    sessions,
    clock,
    txt,
    roles,
    dataDir,
  };
}

function jsonOf(answer: PlatformAnswer): Record<string, unknown> {
  return answer.kind === 'answer' && answer.body !== '' ? (JSON.parse(answer.body) as Record<string, unknown>) : {};
}

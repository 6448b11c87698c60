import type { Test } from 'tap';
import { loadConfig } from '../../src/config.ts';
import type { TenantSlug } from '../../src/domain/ids.ts';
import type { EventsRoute } from '../../src/gateway/events-route.ts';
import { Gateway } from '../../src/gateway/server.ts';
import type { SigningKeys } from '../../src/identity/signing-keys.ts';
import { TenantDirectory, tenantsFile } from '../../src/identity/tenant-directory.ts';
import { Patience } from '../../src/lib/patience.ts';
import { StartedParts } from '../../src/lib/started-parts.ts';
import { openIdentity } from '../../src/open-identity.ts';
import { openInstallation } from '../../src/open-installation.ts';
import { openPlatform, type Platform, type PlatformNeeds } from '../../src/open-platform.ts';
import { bearerAuthenticate } from '../../src/platform/bearer.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { ensureTenant, listTenants } from '../../src/store/tenants.ts';
import type { createLogger } from '../../src/telemetry/logger.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { Browser } from './browser.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';
import { openClient, type TestPostgres, temporaryDirectory } from './postgres.ts';

/** The platform interface on a real PostgreSQL and a real mail server, over HTTP, with a clock that is moved by hand. */
export interface TestPlatform {
  /** May be changed, to look like an installation elsewhere. */
  site: { baseUrl: string };
  /** Where it really listens. */
  url: string;
  platform: Platform;
  /** Whose tokens are taken, by the clock of the system. */
  keys: SigningKeys;
  clock: ManualClock;
  mailbox: Mailbox;
  database: Database;
  databaseUrl: string;
  sql: ReturnType<typeof openClient>;
  /** Everything that was logged, as text. */
  log: string[];
  browser: () => Browser;
  /** Makes somebody with a role in each of these tenants; the id. */
  addPerson(email: string, roles?: Record<string, string[]>): Promise<string>;
  addTenant(slug: string): Promise<string>;
  /** Stops the server and the platform, as the service does. */
  stop(): Promise<void>;
  /** Asks the graph as the dashboard in this browser does. */
  ask(browser: Browser, query: string, variables?: object): Promise<GraphAnswer>;
  /** A browser in which the person is signed in. */
  signIn(email: string, headers?: Record<string, string>): Promise<Browser>;
}

export interface GraphAnswer {
  /** Looked into freely. */
  data: ReturnType<typeof JSON.parse>;
  errors?: { message: string; extensions?: { code?: string } }[];
}

type Needs = Partial<Pick<PlatformNeeds, 'ssoFor' | 'providerLogout' | 'bearer' | 'liveLimits' | 'releases'>>;

export async function startTestPlatform(t: Test, postgres: TestPostgres, needs: Needs = {}): Promise<TestPlatform> {
  const databaseUrl = await postgres.createDatabase();
  const database = openDatabase(databaseUrl);
  const mailbox = await startMailbox(t);
  const config = loadConfig({
    GATEHOUSE_DATA_DIR: temporaryDirectory(t, 'platform'),
    GATEHOUSE_SMTP_URL: mailbox.url,
    GATEHOUSE_MAIL_FROM: 'Gatehouse <gatehouse@example.org>',
  });
  const parts = new StartedParts();
  parts.add('database', () => database.close());
  const clock = new ManualClock();
  const site = { baseUrl: '' };
  const log: string[] = [];
  const { keys, platformVerifier, onTokenRevoked } = await openIdentity(config, recordingLogger(log), parts, {
    database,
    patience: new Patience(Number.POSITIVE_INFINITY),
  });
  const tenants = new TenantDirectory({ listTenants: () => listTenants(database) }, tenantsFile(config.dataDir));
  await tenants.refresh();
  const platform = await openPlatform({
    installation: await openInstallation({ ...config, isNew: true }),
    bearer: bearerAuthenticate({ verifier: platformVerifier, findTenant: (slug) => tenants.find(slug) }),
    onTokenRevoked,
    keys,
    tenants,
    config,
    log: recordingLogger(log),
    parts,
    database,
    databaseUrl,
    prepared: Promise.resolve(),
    newerDatabase: () => undefined,
    site,
    clock,
    ...needs,
  });
  const gateway = new Gateway({
    site,
    events: { handle: () => {}, stop: () => {}, underWay: 0 } as unknown as EventsRoute,
    pages: {},
    live: platform.sockets,
    platform: { routes: platform.routes, proxyHops: 1, onError: (error) => t.fail(String((error as Error).stack)) },
  });
  site.baseUrl = `http://127.0.0.1:${await gateway.listen('127.0.0.1', 0)}`;
  const url = site.baseUrl;
  parts.add('gateway', () => gateway.stop());
  t.teardown(() => parts.stop());
  const sql = openClient(t, databaseUrl);
  const browser = () => new Browser(() => url);
  return {
    site,
    url,
    platform,
    keys,
    clock,
    mailbox,
    database,
    databaseUrl,
    sql,
    log,
    browser,
    stop: () => parts.stop(),
    async addTenant(slug) {
      const { id } = await ensureTenant(database, { slug: slug as TenantSlug, name: slug, onFailure: 'allow' });
      await tenants.refresh();
      return id;
    },
    async addPerson(email, roles = {}) {
      const [user] = await sql<{ id: string }[]>`
        insert into users (email, name, signs_in_by_email) values (${email}, 'Somebody', true) returning id`;
      const { id } = user as { id: string };
      for (const [tenant, ofTenant] of Object.entries(roles))
        await sql`insert into memberships (tenant_id, user_id, roles) values (${tenant}, ${id}, ${ofTenant})`;
      return id;
    },
    async ask(own, query, variables = {}) {
      const proof = (await own.get('/api/v1/auth/session')).headers['x-csrf-token'] as string;
      const answer = await own.postJson('/api/v1/graphql', { query, variables }, { 'x-csrf-token': proof });
      return JSON.parse(answer.body);
    },
    async signIn(email, headers = {}) {
      const own = browser();
      await own.postForm('/api/v1/auth/login', { email });
      const { mail } = await mailbox.take(email);
      const token = new URL(/https?:\/\/\S+/.exec(mail.text ?? '')?.[0] as string).searchParams.get('token') as string;
      const answer = await own.postForm('/api/v1/auth/magic-link', { token }, headers);
      if (answer.status !== 303) throw new Error(`${email} could not sign in: ${answer.body}`);
      return own;
    },
  };
}

/** A real logger whose lines are kept. */
function recordingLogger(lines: string[]): ReturnType<typeof createLogger> {
  const note = (fields: object, message?: string) => {
    lines.push(JSON.stringify([fields, message]));
  };
  return { debug: note, info: note, warn: note, error: note } as unknown as ReturnType<typeof createLogger>;
}

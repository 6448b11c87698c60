import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LANE_FILE, PROJECTOR_FILE, WEB_DIR } from './bundles.ts';
import { type Config, defaultBaseUrl } from './config.ts';
import { openEngine } from './detection/engine.ts';
import { inspectQuickly } from './detection/pipeline.ts';
import { policySetJsonSchema } from './detection/policy/json-schema.ts';
import { readPolicies } from './detection/read-policies.ts';
import type { TenantSlug } from './domain/ids.ts';
import { Dashboard } from './gateway/dashboard.ts';
import { EventsRoute } from './gateway/events-route.ts';
import { releaseRoute } from './gateway/release-route.ts';
import { Gateway, type Page } from './gateway/server.ts';
import { AccessTokenVerifier, DEFAULT_BOUNDS } from './identity/access-token-verifier.ts';
import { mintAccessToken } from './identity/access-tokens.ts';
import { installationSecret } from './identity/installation-secret.ts';
import type { PolicyDirectory } from './identity/policy-directory.ts';
import { guardedText } from './identity/remote-keys.ts';
import { Revocations } from './identity/revocations.ts';
import { SigningKeys } from './identity/signing-keys.ts';
import { TenantDirectory } from './identity/tenant-directory.ts';
import { TrustedIssuers } from './identity/trusted-issuers.ts';
import { PolicyGate } from './inspection/policy-gate.ts';
import { WorkerPool } from './inspection/worker-pool.ts';
import { LmdbJournal, type LmdbJournalOptions } from './journal/lmdb-journal.ts';
import { ProjectorThread } from './journal/projector-thread.ts';
import { systemClock } from './lib/clock.ts';
import { Deadlines } from './lib/deadlines.ts';
import { errorText } from './lib/error-text.ts';
import { PollLoop } from './lib/poll-loop.ts';
import { StartedParts } from './lib/started-parts.ts';
import { openPlatform, type Platform } from './open-platform.ts';
import { policyDirectory } from './open-policies.ts';
import { type AgentSessionsPort, Releases } from './platform/agent-sessions.ts';
import { bearerAuthenticate } from './platform/bearer.ts';
import { BUILTIN_POLICIES_DIR, readPolicyFiles } from './policy-files.ts';
import type { SessionObserver } from './session/actor.ts';
import { describeCause } from './session/failure.ts';
import { AgentSessions } from './session/registry.ts';
import { standingOf } from './session/standing.ts';
import { type Database, openDatabase } from './store/database.ts';
import { startEmbeddedPostgres } from './store/embedded-postgres.ts';
import { migrate } from './store/migrate.ts';
import { ensureTenant, listTenants } from './store/tenants.ts';
import { TokenRevocations } from './store/token-revocations.ts';
import { listAllTrustedIssuers } from './store/trusted-issuers.ts';
import type { Logger } from './telemetry/logger.ts';
import { Metrics } from './telemetry/metrics.ts';

/** A running service. */
export interface Service {
  readonly baseUrl: string;
  /** With which the first owner signs in; undefined once there is anybody. */
  readonly firstOwnerLink: string | undefined;
  /** A token of the demo tenant, for trying things out, good for a day. */
  mintDemoToken(): Promise<string>;
  /** Answers what is under way, makes everything durable, ends threads and processes. */
  stop(): Promise<void>;
}

const DEMO_TENANT = 'demo' as TenantSlug;
const DAY_SECONDS = 86_400;
const SESSION_MEMORY_DAYS = 7;
const SCAN_TEXT_CHARS_MAX = 32 * 1024 * 1024;
const DATABASE_RETRY_MS = 1000;
const POSTGRES_WATCH_MS = 1000;
/** What is not in the database by then is carried over after the next start. */
const PROJECTOR_DRAIN_MS = 5000;

/**
 * Composes and starts the service: the only place that knows which implementations are used. Parts start in the order
 * of what they need and stop in the reverse one; if one cannot start, those before it are stopped again.
 */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const parts = new StartedParts();
  try {
    await mkdir(config.dataDir, { recursive: true, mode: 0o711 });
    const storage = await openStorage(config, log, parts);
    const identity = await openIdentity(config, log, parts, storage.database);
    const gate = await openGate(config, log, parts, storage);
    const site = { baseUrl: config.baseUrl };
    const { tenants } = storage;
    const bearer = bearerAuthenticate({
      verifier: identity.platformVerifier,
      findTenant: (slug) => tenants.find(slug),
    });
    const releases = new Releases(sessionsPort(gate.sessions), systemClock);
    const platform = await openPlatform({
      releases,
      refusedPolicySets: (tenantId) => {
        const tenant = tenants.findById(tenantId);
        return tenant === undefined ? [] : gate.policySets.refusedOf(tenant.slug);
      },
      config,
      log,
      parts,
      site,
      clock: systemClock,
      bearer,
      keys: identity.keys,
      ...storage,
    });
    gate.projector.whenFed((tenantIds) => platform.feeds.note(tenantIds));
    await openGateway(config, log, parts, { storage, identity, gate, platform, releases, site });
    return {
      baseUrl: site.baseUrl,
      firstOwnerLink: await platform.firstOwnerLink(),
      mintDemoToken: () => mintDemoToken(identity.keys),
      stop: () => parts.stop(),
    };
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

interface Storage {
  journal: LmdbJournal;
  database: Database;
  databaseUrl: string;
  tenants: TenantDirectory;
}

async function openStorage(config: Config, log: Logger, parts: StartedParts): Promise<Storage> {
  const options = journalOptions(config);
  // Event content: for this user's eyes only.
  await mkdir(options.path, { recursive: true, mode: 0o700 });
  const journal = new LmdbJournal(options);
  parts.add(() => journal.close());

  const databaseUrl = config.databaseUrl ?? (await startEmbedded(config, log, parts));
  const database = openDatabase(databaseUrl);
  parts.add(() => database.close());

  const tenants = new TenantDirectory(
    { listTenants: () => listTenants(database) },
    join(config.dataDir, 'tenants.json'),
  );
  parts.add(() => tenants.stop());
  await prepareDatabase(log, parts, tenants, async () => {
    await migrate(databaseUrl);
    if ((await listTenants(database)).length === 0) {
      await ensureTenant(database, { slug: DEMO_TENANT, name: 'Demo', onFailure: config.onFailure });
    }
    await tenants.refresh();
  });
  await tenants.follow();
  return { journal, database, databaseUrl, tenants };
}

function journalOptions(config: Config): LmdbJournalOptions {
  return {
    path: join(config.dataDir, 'journal'),
    bytesMax: config.journalBytesMax,
    relaxed: config.decisionDurability === 'process',
  };
}

/** Starts the embedded PostgreSQL, and starts it again if it ends while the service runs. */
async function startEmbedded(config: Config, log: Logger, parts: StartedParts): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  parts.add(() => postgres.stop());
  const revive = () =>
    postgres.revive().catch((error: Error) => log.error({ error: error.message }, 'PostgreSQL does not start'));
  const watch = new PollLoop(POSTGRES_WATCH_MS, revive);
  parts.add(() => watch.stop());
  await watch.start();
  return postgres.url;
}

/**
 * Brings the database up to date. If it is down, the service still starts when it knows its tenants from an earlier
 * start (P8), and goes on trying; the first start ever needs the database.
 */
async function prepareDatabase(
  log: Logger,
  parts: StartedParts,
  tenants: TenantDirectory,
  prepare: () => Promise<void>,
): Promise<void> {
  try {
    return await prepare();
  } catch (error) {
    if (tenants.size === 0) throw error;
    log.error(
      { error: (error as Error).message },
      'the database cannot be reached; events are kept in the journal until it is back',
    );
  }
  let timer: NodeJS.Timeout | undefined;
  const again = () => {
    timer = setTimeout(() => void prepare().catch(again), DATABASE_RETRY_MS);
  };
  again();
  parts.add(() => clearTimeout(timer));
}

interface Identity {
  keys: SigningKeys;
  /** Of sensors' tokens. */
  verifier: AccessTokenVerifier;
  /** Of tokens for the platform interface. */
  platformVerifier: AccessTokenVerifier;
}

/** Programs that administer are few beside sensors. */
const PLATFORM_BOUNDS = {
  ...DEFAULT_BOUNDS,
  tokensMax: 2000,
  tokenBytesMax: 4 * 1024 * 1024,
  checksMax: 2,
  waitingMax: 256,
};

async function openIdentity(config: Config, log: Logger, parts: StartedParts, database: Database): Promise<Identity> {
  const report = (problem: string) => log.warn(problem);
  const keys = await SigningKeys.open(config.dataDir, report);
  parts.add(() => keys.stop());
  await keys.watch();
  const source = new TokenRevocations(database);
  const revocations = await Revocations.open({ dataDir: config.dataDir, source, clock: systemClock, report });
  parts.add(() => revocations.stop());
  await revocations.start();
  const external = await openTrustedIssuers(config, parts, database);
  const ports = { keys, revocations, clock: systemClock, external };
  return {
    keys,
    verifier: new AccessTokenVerifier(ports),
    platformVerifier: new AccessTokenVerifier({ ...ports, kind: 'platform' }, PLATFORM_BOUNDS),
  };
}

async function openTrustedIssuers(config: Config, parts: StartedParts, database: Database): Promise<TrustedIssuers> {
  const issuers = new TrustedIssuers({
    source: { listIssuers: () => listAllTrustedIssuers(database) },
    file: join(config.dataDir, 'trusted-issuers.json'),
    clock: systemClock,
    fetchText: guardedText({ privateNetworks: config.ssoPrivateNetworks }),
  });
  parts.add(() => issuers.stop());
  await issuers.follow();
  return issuers;
}

interface Gate {
  sessions: AgentSessions;
  inspector: WorkerPool;
  policySets: PolicyDirectory;
  projector: ProjectorThread;
  metrics: Metrics;
  deadlines: Deadlines;
}

async function openGate(config: Config, log: Logger, parts: StartedParts, storage: Storage): Promise<Gate> {
  const { journal, databaseUrl } = storage;
  const projector = new ProjectorThread({
    file: PROJECTOR_FILE,
    start: {
      journal: { ...journalOptions(config), id: journal.id },
      databaseUrl,
      retentionDays: config.retentionDays,
      logLevel: config.logLevel,
    },
    journal,
    log,
  });
  const metrics = new Metrics();
  const deadlines = new Deadlines(() => systemClock.monotonic());
  const sources = readPolicies(readPolicyFiles(config.policiesDir ?? BUILTIN_POLICIES_DIR));
  const policies = sources.map(({ document }) => document);
  const secret = await installationSecret(config.dataDir);
  const installation = openEngine(policies, secret);
  const inspector = new WorkerPool({
    laneFile: LANE_FILE,
    policies,
    secret,
    workers: config.workers,
    queueEventsMax: config.queueEventsMax,
    testTriggers: config.testTriggers === 'on',
    onLaneEnded: (reason) => {
      metrics.laneEnded(reason);
      log.warn({ reason }, 'an inspection thread was ended and replaced');
    },
    onLaneError: (error) => log.error({ error }, 'an inspection failed'),
  });
  const policyGate = new PolicyGate(inspector, { installation, secret });
  const policySets = policyDirectory(config, log, { ...storage, gate: policyGate });
  const sessions = new AgentSessions({
    context: {
      journal,
      inspector,
      clock: systemClock,
      deadlines,
      decisionDurability: config.decisionDurability,
      inspectQuickly: ({ event, text, tenant }) =>
        inspectQuickly(event, policyGate.engine(policySets.of(tenant.slug).active), text.length),
      policies: policySets,
      observer: sessionObserver(metrics, log),
      scanText: { chars: 0, charsMax: SCAN_TEXT_CHARS_MAX },
    },
    sessionsActiveMax: config.sessionsActiveMax,
    idleMs: config.sessionIdleSeconds * 1000,
    memoryMs: SESSION_MEMORY_DAYS * DAY_SECONDS * 1000,
  });
  parts.add(() => projector.stop(PROJECTOR_DRAIN_MS));
  parts.add(() => inspector.stop());
  await inspector.start();
  parts.add(() => policySets.stop());
  await policySets.restore();
  await policySets.follow();
  parts.add(() => sessions.stop());
  await sessions.start();
  projector.start();
  return { sessions, inspector, policySets, projector, metrics, deadlines };
}

/** The live sessions, as people see them. */
function sessionsPort(sessions: AgentSessions): AgentSessionsPort {
  return {
    standing(key) {
      const state = sessions.peek(key);
      if (state === undefined) return undefined;
      const { hold, taints } = standingOf(state, systemClock.now());
      return { hold, taints: taints.map(({ label, policy, atMs }) => ({ label, policy, sinceMs: atMs })) };
    },
    async release(tenant, key, order) {
      const outcome = await sessions.release(tenant, key, order);
      return outcome.kind === 'failed' ? { kind: 'failed', detail: describeCause(outcome.cause) } : outcome;
    },
  };
}

function sessionObserver(metrics: Metrics, log: Logger): SessionObserver {
  return {
    decided(event, decision) {
      metrics.decided(decision);
      if (decision.kind === 'decided' && decision.action === 'allow' && !log.isLevelEnabled('debug')) return;
      const fields = { event: event.id, tenant: event.tenant.slug, correlationId: event.correlationId };
      if (decision.kind === 'undecided')
        log.warn({ ...fields, cause: decision.cause, answered: decision.answered }, 'no decision was reached');
      else log[decision.action === 'block' ? 'info' : 'debug']({ ...fields, action: decision.action }, 'decided');
    },
    inspected: (outcome) => metrics.inspected(outcome),
    lateBlock(event) {
      metrics.lateBlock();
      log.warn({ event }, 'an event that went through should have been blocked; its session is on hold');
    },
    subAgent(event, outcome) {
      metrics.subAgent(outcome);
      if (outcome === 'other_owner' || outcome === 'loop')
        log.warn({ event, outcome }, 'a session names a parent that it cannot be a part of');
    },
    released({ tenant, session, event, subject, hold, taints }) {
      metrics.released();
      log.info({ tenant, session, release: event, subject, hold, taints }, 'a session was released');
    },
    mailboxOverflow: () => metrics.mailboxOverflow(),
    actorCrashed(error) {
      metrics.actorCrashed();
      log.error(
        { error: error instanceof Error ? error.stack : String(error) },
        'a session actor failed; it is built anew from the journal',
      );
    },
  };
}

async function openGateway(
  config: Config,
  log: Logger,
  parts: StartedParts,
  opened: {
    storage: Storage;
    identity: Identity;
    gate: Gate;
    platform: Platform;
    releases: Releases;
    site: { baseUrl: string };
  },
): Promise<void> {
  const { storage, identity, gate, platform, site } = opened;
  const events = new EventsRoute({
    site,
    deadlineMs: config.deadlineMs,
    bodyBytesMax: config.bodyBytesMax,
    clock: systemClock,
    deadlines: gate.deadlines,
    authenticate: (authorization) => identity.verifier.verify(authorization),
    findTenant: (slug) => storage.tenants.find(slug),
    submit: (event) => gate.sessions.submit(event),
    observer: gate.metrics,
  });
  const releases = releaseRoute({
    authenticate: (authorization) => identity.verifier.verify(authorization),
    findTenant: (slug) => storage.tenants.find(slug),
    releases: opened.releases,
  });
  gate.metrics.read({
    requestsUnderWay: () => events.underWay,
    sessionsActive: () => gate.sessions.activeCount,
    inspectionsWaiting: () => gate.inspector.waiting,
    policySetTenants: () => gate.policySets.tenantsCount,
    policySetsRefused: () => gate.policySets.refusedCount,
    journalBytes: () => storage.journal.bytes,
    journalBytesMax: () => storage.journal.bytesMax,
    projectorLagRecords: () => gate.projector.lagRecords,
    projectorQuarantined: () => gate.projector.counts.quarantined,
  });
  const gateway = new Gateway({
    site,
    events,
    pages: {
      '/healthz': () => json(200, { status: 'ok' }),
      '/readyz': () => readiness(storage, gate, events),
      '/metrics': async () => ({ status: 200, contentType: gate.metrics.contentType, body: await gate.metrics.text() }),
      '/policy-schema.json': () => json(200, policySetJsonSchema()),
      '/.well-known/jwks.json': () => json(200, identity.keys.jwks()),
    },
    platform: {
      routes: [...platform.routes, releases],
      proxyHops: config.proxyHops,
      onError: (error, request) => log.error({ ...request, error: errorText(error) }, 'a request failed'),
    },
    live: platform.sockets,
    dashboard: Dashboard.read(WEB_DIR),
  });
  const port = await gateway.listen(config.host, config.port);
  parts.add(() => gateway.stop());
  if (config.port === 0 && site.baseUrl === defaultBaseUrl(config.host, 0))
    site.baseUrl = defaultBaseUrl(config.host, port);
}

/** Ready as long as events are accepted; a database that is down is told, and does not change that (P8). */
function readiness({ journal }: Storage, { projector }: Gate, events: EventsRoute): Page {
  const accepts = !events.stopping && journal.bytes < journal.bytesMax;
  return json(accepts ? 200 : 503, {
    status: accepts ? 'ready' : 'not ready',
    journal: journal.bytes < journal.bytesMax ? 'ok' : 'full',
    database: projector.state,
    projectorLagRecords: projector.lagRecords,
  });
}

function json(status: 200 | 503, value: object): Page {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

async function mintDemoToken(keys: SigningKeys): Promise<string> {
  const grant = {
    tenant: DEMO_TENANT,
    subject: 'first-steps',
    scopes: ['events:write'] as const,
    lifetimeSeconds: DAY_SECONDS,
  };
  return (await mintAccessToken(keys, systemClock, grant)).token;
}

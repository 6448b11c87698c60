import { WEB_DIR } from './bundles.ts';
import { type Config, ConfigError, defaultBaseUrl } from './config.ts';
import { policySetJsonSchema } from './detection/policy/json-schema.ts';
import { Dashboard } from './gateway/dashboard.ts';
import { EventsRoute } from './gateway/events-route.ts';
import { releaseRoute } from './gateway/release-route.ts';
import { Gateway, type Page, STOP_MS_MAX } from './gateway/server.ts';
import { bookEntry, mintAccessToken } from './identity/access-tokens.ts';
import { makeDataDirectory } from './identity/private-files.ts';
import type { SigningKeys } from './identity/signing-keys.ts';
import { systemClock } from './lib/clock.ts';
import { errorText } from './lib/error-text.ts';
import { beginStart, type Start, StartedParts } from './lib/started-parts.ts';
import { type Gate, openGate } from './open-gate.ts';
import { type Identity, openIdentity } from './open-identity.ts';
import { openInstallation } from './open-installation.ts';
import { openPlatform, type Platform } from './open-platform.ts';
import { DEMO_TENANT, openStorage, type Storage } from './open-storage.ts';
import { type AgentSessionsPort, Releases } from './platform/agent-sessions.ts';
import { bearerAuthenticate } from './platform/bearer.ts';
import { describeCause } from './session/failure.ts';
import type { AgentSessions } from './session/registry.ts';
import { standingOf } from './session/standing.ts';
import { recordForOperator } from './store/access-tokens.ts';
import type { LogOutput } from './telemetry/log-output.ts';
import type { Logger } from './telemetry/logger.ts';

/** A running service. */
export interface Service {
  readonly baseUrl: string;
  /** With which the first owner signs in; undefined once there is anybody. */
  readonly firstOwnerLink: string | undefined;
  /** A token of the demo tenant, for trying things out, good for a day. */
  readonly mintDemoToken: () => Promise<string>;
}

/** Where the service tells what happens. */
export interface ServiceLog {
  log: Logger;
  logOutput: LogOutput;
}

const DAY_SECONDS = 86_400;
const STOP_MARGIN_MS = 5_000;

/**
 * Composes and starts the service: the only place that knows which implementations are used. Parts start in the order
 * of what they need and stop in the reverse one; if one cannot start, those before it are stopped again. A stop answers what is
 * under way, makes everything durable, and ends threads and processes.
 */
export function startService(config: Config, told: ServiceLog): Start<Service> {
  const parts = new StartedParts();
  return beginStart(
    parts,
    () => startParts(config, told, parts),
    (error) => told.log.error({ error: error.message }, 'what had started did not all stop'),
  );
}

async function startParts(config: Config, { log, logOutput }: ServiceLog, parts: StartedParts): Promise<Service> {
  await makeDataDirectory(config.dataDir);
  const storage = await openStorage(config, log, parts);
  const identity = await openIdentity(config, log, parts, storage);
  const installation = await openInstallation({ ...config, isNew: storage.journal.head === 0 });
  const gate = await openGate(config, log, parts, { storage, installation, logOutput });
  const site = { baseUrl: config.baseUrl };
  const { tenants } = storage;
  const bearer = bearerAuthenticate({
    verifier: identity.platformVerifier,
    findTenant: (slug) => tenants.find(slug),
  });
  const releases = new Releases(sessionsPort(gate.sessions), systemClock, gate.ids);
  const platform = await openPlatform({
    releases,
    refusedPolicySets: (tenantId) => {
      const tenant = tenants.findById(tenantId);
      return tenant === undefined ? [] : gate.policySets.refusedOf(tenant.slug);
    },
    config,
    log,
    parts,
    installation,
    site,
    clock: systemClock,
    bearer,
    onTokenRevoked: identity.onTokenRevoked,
    keys: identity.keys,
    ...storage,
  });
  gate.projector.whenFed((tenantIds) => platform.feeds.note(tenantIds));
  await openGateway(config, log, parts, { storage, identity, gate, platform, releases, site, logOutput });
  if (storage.journal.full)
    log.error('no events are taken: the journal is full, or less than 64 MiB are free on its disk');
  const firstOwnerLink = platform.firstOwnerLink();
  const isReady = await storage.patience.outlasts(firstOwnerLink);
  return {
    baseUrl: site.baseUrl,
    firstOwnerLink: isReady ? await firstOwnerLink : undefined,
    mintDemoToken: () => mintDemoToken(identity.keys, storage, log),
  };
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
    logOutput: LogOutput;
  },
): Promise<void> {
  const { storage, identity, gate, platform, site } = opened;
  const events = new EventsRoute({
    site,
    deadlineMs: config.deadlineMs,
    bodyBytesMax: config.bodyBytesMax,
    clock: systemClock,
    ids: gate.ids,
    deadlines: gate.deadlines,
    authenticate: (authorization) => identity.verifier.verify(authorization),
    findTenant: (slug) => storage.tenants.find(slug),
    submit: (event) => gate.sessions.submit(event),
    refuse: (event, cause) => gate.sessions.refuse(event, cause),
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
    inspectionsHeldBack: () => gate.surge.heldCount,
    surges: () => gate.surge.isOn,
    policySetTenants: () => gate.policySets.tenantsCount,
    policySetsRefused: () => gate.policySets.refusedCount,
    journalBytes: () => storage.journal.bytes,
    journalBytesMax: () => storage.journal.bytesMax,
    logLinesLost: () => opened.logOutput.lostLines,
    projectorLagRecords: () => gate.projector.lagRecords,
    projectorQuarantined: () => gate.projector.counts.quarantined,
  });
  const stopMsMax = Math.max(STOP_MS_MAX, config.deadlineMs + STOP_MARGIN_MS);
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
    connections: { max: config.connectionsMax, onRefused: () => gate.metrics.connectionRefused() },
    stopMsMax,
  });
  const port = await gateway.listen(config.host, config.port).catch((error: Error) => {
    throw new ConfigError(`GATEHOUSE_HOST, GATEHOUSE_PORT: ${error.message}`);
  });
  parts.add('gateway', () => gateway.stop(), stopMsMax + STOP_MARGIN_MS);
  parts.addWatch('new requests', () => gateway.refuseNew());
  if (config.port === 0 && site.baseUrl === defaultBaseUrl(config.host, 0))
    site.baseUrl = defaultBaseUrl(config.host, port);
}

/** Ready as long as events are accepted; a database that is down is told, and does not change that (P8). */
function readiness({ journal }: Storage, { projector }: Gate, events: EventsRoute): Page {
  const state = journal.full ? 'full' : journal.failing ? 'failing' : 'ok';
  const accepts = !events.stopping && state === 'ok';
  return json(accepts ? 200 : 503, {
    status: accepts ? 'ready' : 'not ready',
    journal: state,
    database: projector.state,
    projectorLagRecords: projector.lagRecords,
  });
}

function json(status: 200 | 503, value: object): Page {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

/** Put down as every token is, as soon as the database is there; it is good without. */
async function mintDemoToken(keys: SigningKeys, { database, prepared }: Storage, log: Logger): Promise<string> {
  const grant = {
    tenant: DEMO_TENANT,
    subject: 'first-steps',
    scopes: ['events:write'] as const,
    lifetimeSeconds: DAY_SECONDS,
  };
  const minted = await mintAccessToken(keys, systemClock, grant);
  const entry = bookEntry(grant, minted, systemClock.now());
  void prepared
    .then(() => recordForOperator(database, DEMO_TENANT, entry))
    .catch((error: unknown) =>
      log.warn({ error: errorText(error) }, `the token that is shown (${minted.tokenId}) is not in the list of tokens`),
    );
  return minted.token;
}

import type { Config } from './config.ts';
import type { RefusedPolicySet } from './domain/policies.ts';
import type { EndedSession } from './domain/sign-in.ts';
import { graphqlRoutes } from './graphql/graphql-routes.ts';
import type { SocketLimits } from './graphql/live/limits.ts';
import { LiveFeeds } from './graphql/live/live-feeds.ts';
import { GraphqlSockets, type GraphqlSocketsOptions } from './graphql/live-endpoint.ts';
import { InvitationLimits } from './identity/invitation-limits.ts';
import { LoginSessions } from './identity/login-sessions.ts';
import { MagicLinks } from './identity/magic-links.ts';
import { ConsoleMailer, type Mailer } from './identity/mailer.ts';
import { CsrfTokens } from './identity/secrets.ts';
import { SignInLimits } from './identity/sign-in-limits.ts';
import type { SigningKeys } from './identity/signing-keys.ts';
import { SmtpMailer } from './identity/smtp-mailer.ts';
import type { TenantDirectory } from './identity/tenant-directory.ts';
import type { Clock } from './lib/clock.ts';
import { errorText } from './lib/error-text.ts';
import { Patience } from './lib/patience.ts';
import { PollLoop } from './lib/poll-loop.ts';
import type { StartedParts } from './lib/started-parts.ts';
import type { Identity } from './open-identity.ts';
import type { Installation } from './open-installation.ts';
import { openPolicies } from './open-policies.ts';
import { openSso } from './open-sso.ts';
import { magicLinkPath } from './platform/addresses.ts';
import type { Releases } from './platform/agent-sessions.ts';
import { authenticator } from './platform/authenticate.ts';
import type { Authenticate } from './platform/caller.ts';
import { heldBack, type Route, refuse } from './platform/http.ts';
import { type Invite, inviter } from './platform/invitations.ts';
import { type PlatformOptions, platformRoutes } from './platform/platform.ts';
import { newShareLimits } from './platform/share-routes.ts';
import { SignIn } from './platform/sign-in.ts';
import { SignInAudit } from './platform/sign-in-audit.ts';
import { isPlainLoopback, type Site, wholeAddress } from './platform/site.ts';
import { providerLogoutUrl, ssoFor } from './platform/sso-routes.ts';
import type { Database } from './store/database.ts';
import { readFeedHeads } from './store/feeds.ts';
import { StoredLoginSessions } from './store/login-sessions.ts';
import { StoredMagicLinks } from './store/magic-links.ts';
import { findMailbox, findPerson, findTenantsOf, hasUsers } from './store/people.ts';
import { deleteExpiredOfTenants, newestEventMs } from './store/retention.ts';
import { RetentionClock } from './store/retention-clock.ts';
import { openTenantDatabase, type TenantDatabase } from './store/tenant-database.ts';
import { findWaitingInvitations } from './store/waiting-invitations.ts';
import type { Logger } from './telemetry/logger.ts';

export interface PlatformNeeds {
  config: Config;
  log: Logger;
  parts: StartedParts;
  /** As the storage's. */
  prepared: Promise<void>;
  newerDatabase: () => string | undefined;
  installation: Installation;
  database: Database;
  databaseUrl: string;
  /** Its base URL may change until the service listens. */
  site: Site;
  clock: Clock;
  tenants: TenantDirectory;
  keys: SigningKeys;
  /** For requests with an Authorization header. */
  bearer: Authenticate;
  onTokenRevoked: Identity['onTokenRevoked'];
  /** What people take back of sessions. Absent where no agents are watched. */
  releases?: Releases;
  /** Policy sets that the gate cannot use. Absent where no agents are watched. */
  refusedPolicySets?: (tenantId: string) => readonly RefusedPolicySet[];
  /** In place of the tenants' own connections. */
  ssoFor?: PlatformOptions['people']['ssoFor'];
  providerLogout?: PlatformOptions['people']['providerLogout'];
  /** In place of the usual bounds of sockets. */
  liveLimits?: Partial<SocketLimits>;
}

export interface Platform {
  routes: Route[];
  /** Where subscriptions are asked for, and what they are fed from. */
  sockets: GraphqlSockets;
  feeds: LiveFeeds;
  sessions: LoginSessions;
  invite: Invite;
  /** A link with which the first owner signs in; undefined once there is anybody, or while the database is down. */
  firstOwnerLink(): Promise<string | undefined>;
}

const SWEEP_MS = 3_600_000;
const HOUR_MS = 3_600_000;
const RETENTION_MS = 60_000;
/** Mail that is not out of our hands by then is given up. */
const STOP_MS_MAX = 5000;
/** For those who watch, apart from those who ask. */
const LIVE_CONNECTIONS = 2;

/** Composes what people ask for under `/api/v1`. */
export async function openPlatform(needs: PlatformNeeds): Promise<Platform> {
  const { config, log, parts, database, site, clock, tenants, keys, installation } = needs;
  const tenantDatabase = openTenantDatabase(needs.databaseUrl);
  parts.add('connections of people', () => tenantDatabase.close());
  const signIn = openSignIn(needs, tenantDatabase);
  const { sessions, links, authenticate } = signIn;
  const retentionClock = new RetentionClock(clock, log);
  startSweeping(needs, {
    everyMs: RETENTION_MS,
    what: 'events that a tenant keeps no longer',
    sweep: () =>
      database.withSql(async (sql) => {
        const nowMs = await retentionClock.now(() => newestEventMs(sql));
        if (nowMs !== undefined) await deleteExpiredOfTenants(sql, nowMs, config.retentionDays);
      }),
  });
  const sso = await openSso({
    config,
    parts,
    ownerDatabase: database,
    tenantDatabase,
    tenants,
    site,
    clock,
    authenticate,
    loginSessions: sessions,
  });
  const invite = inviter(signIn);
  const services = {
    people: {
      ...signIn,
      tenantDatabase,
      findInvitations: (userId: string) => findWaitingInvitations(database, userId, new Date(clock.now())),
      ssoFor: needs.ssoFor ?? ((email: string) => ssoFor(sso, email)),
      providerLogout: needs.providerLogout ?? ((ended: EndedSession) => logoutAtProvider(sso, ended)),
    },
    sso,
    administration: {
      bounds: { deadlineMs: config.deadlineMs, retentionDays: config.retentionDays },
      authenticate,
      tenantDatabase,
      ownerDatabase: database,
      tenants,
      keys,
      ownIssuer: keys.issuer,
      clock,
      invite,
      invitationLimits: new InvitationLimits(clock),
      shareLimits: newShareLimits(),
      sessions,
      report: (problem: string) => log.warn(problem),
    },
  };
  const graph = {
    authenticate,
    tenantDatabase,
    policies: openPolicies({ installation, log, parts, refusedOf: needs.refusedPolicySets }),
    services,
    ...(needs.releases === undefined ? {} : { releases: needs.releases }),
    onError: (error: unknown, correlationId: string) =>
      log.error({ correlationId, error: errorText(error) }, 'a query failed'),
  };
  const whyNot = () => {
    const newer = needs.newerDatabase();
    return newer === undefined ? undefined : refuse('newer-database', newer);
  };
  const routes = [...platformRoutes(services), ...graphqlRoutes(graph)].map((route) => heldBack(route, whyNot));
  const live = openLive(needs, sessions, { ...graph, site, whyNot, recheck: signIn.recheck });
  const firstOwnerLink = () => needs.prepared.then(() => linkForFirstOwner(log, { database, links, site }));
  return { routes, ...live, sessions, invite, firstOwnerLink };
}

/** How people sign in by mail, what they are known by afterwards, and the end of both when their time is over. */
function openSignIn(needs: PlatformNeeds, tenantDatabase: TenantDatabase) {
  const { config, log, parts, database, site, clock, bearer, installation } = needs;
  if (site.baseUrl.startsWith('http:') && !isPlainLoopback(site))
    log.warn({}, 'nobody can sign in: over plain http, browsers keep no cookie; set an https GATEHOUSE_BASE_URL');
  const csrf = new CsrfTokens(installation.secret);
  const sessions = new LoginSessions({
    store: new StoredLoginSessions(database),
    clock,
    lifetimeMs: config.sessionHours * HOUR_MS,
    isSecure: () => !isPlainLoopback(site),
  });
  const links = new MagicLinks(new StoredMagicLinks(database), clock);
  const mailer = mailerOf(config);
  const findPersonHere = (userId: string) => findPerson(database, userId);
  const audit = new SignInAudit(tenantDatabase, (userId) => findTenantsOf(database, userId));
  const signIn = new SignIn({
    site,
    links,
    sessions,
    limits: new SignInLimits(clock),
    mailer,
    audit,
    log,
    findPerson: findPersonHere,
    findMailbox: (email) => findMailbox(database, email),
  });
  parts.add('mail', () => new Patience(STOP_MS_MAX).outlasts(signIn.idle()));
  startSweeping(needs, {
    everyMs: SWEEP_MS,
    what: 'login sessions and links that are over',
    sweep: () => Promise.all([sessions.sweep(), links.sweep()]),
  });
  const known = { site, csrf, findPerson: findPersonHere, bearer };
  return {
    site,
    log,
    signIn,
    links,
    mailer,
    sessions,
    csrf,
    audit,
    authenticate: authenticator({ ...known, sessions }),
    /** As `authenticate`, of a socket that stays open: that it does is no use of the session. */
    recheck: authenticator({ ...known, sessions: { use: (token) => sessions.look(token) } }),
  };
}

/** What can be watched, and the sockets to watch it by. */
function openLive(
  { databaseUrl, database, parts, log, liveLimits, onTokenRevoked }: PlatformNeeds,
  sessions: LoginSessions,
  graph: Omit<GraphqlSocketsOptions, 'live'>,
): { feeds: LiveFeeds; sockets: GraphqlSockets } {
  const feeds = new LiveFeeds({
    database: openTenantDatabase(databaseUrl, LIVE_CONNECTIONS),
    readHeads: (tenantIds) => readFeedHeads(database, tenantIds),
    onError: (error) => log.warn({ error: errorText(error) }, 'what is new cannot be read, and is tried again'),
  });
  parts.add('live feeds', () => feeds.stop());
  const sockets = new GraphqlSockets({
    ...graph,
    live: feeds,
    ...(liveLimits === undefined ? {} : { limits: liveLimits }),
  });
  parts.add('live sockets', () => sockets.stop());
  parts.add(
    'ended sign-ins',
    sessions.onEnded((id) => sockets.endLoginSession(id)),
  );
  parts.add(
    'revoked tokens',
    onTokenRevoked((id) => sockets.endToken(id)),
  );
  parts.add(
    'changed rights',
    sessions.onRightsChanged((userId) => sockets.recheckPerson(userId)),
  );
  sockets.start();
  return { feeds, sockets };
}

function mailerOf({ smtpUrl, mailFrom }: Config): Mailer {
  if (smtpUrl !== undefined) return new SmtpMailer({ url: smtpUrl, from: mailFrom });
  return new ConsoleMailer((text) => process.stdout.write(text));
}

/** Removes nothing from a database of which it is not known that it is of this version. */
function startSweeping(
  { parts, log, prepared }: Pick<PlatformNeeds, 'parts' | 'log' | 'prepared'>,
  { everyMs, what, sweep }: { everyMs: number; what: string; sweep: () => Promise<unknown> },
): void {
  const loop = new PollLoop(everyMs, async () => {
    await sweep().catch((error) => log.warn({ error: errorText(error) }, `${what} could not be removed`));
  });
  parts.addWatch(`removing ${what}`, () => loop.stop());
  void prepared.then(() => loop.start());
}

/** The service starts without the database, too (P8): the link is then printed by a later start. */
async function linkForFirstOwner(
  log: Logger,
  { database, links, site }: { database: Database; links: MagicLinks; site: Site },
): Promise<string | undefined> {
  try {
    if (await hasUsers(database)) return undefined;
    return wholeAddress(site, magicLinkPath(await links.forFirstOwner()));
  } catch (error) {
    log.warn({ error: errorText(error) }, 'no sign-in link for a first owner could be made');
    return undefined;
  }
}

async function logoutAtProvider(
  sso: PlatformOptions['sso'],
  { connectionId, providerSession }: EndedSession,
): Promise<string | undefined> {
  if (connectionId === undefined || providerSession === undefined) return undefined;
  return providerLogoutUrl(sso, { connectionId, providerSession });
}

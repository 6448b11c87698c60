import { readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { ON_FAILURE, type OnFailure } from './domain/decision.ts';
import { MendableError } from './lib/mendable-error.ts';
import { parsedUrl } from './lib/parsed-url.ts';

/**
 * Every option of the service, in one catalogue: name, meaning, default, bounds. The only reader of the environment.
 * `docs/OPERATIONS.md` lists the same options, and a test compares the two.
 */

interface OptionKind<T> {
  /** What a value must be, to complete "… must be". */
  expected: string;
  parse(text: string): T | undefined;
}

interface Option<T> extends OptionKind<T> {
  env: `GATEHOUSE_${string}`;
  /** One line for people; the unit is in it. */
  help: string;
  /** The default as text, or undefined where it is worked out (`defaultText` then says how). */
  default?: string;
  defaultText?: string;
  /** Never printed; may also be given as `<env>_FILE`. */
  secret?: true;
}

function integer(min: number, max: number): OptionKind<number> {
  return {
    expected: `a whole number from ${min} to ${max}`,
    parse: (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

function oneOf<const T extends string>(...values: readonly T[]): OptionKind<T> {
  return {
    expected: `one of ${values.join(', ')}`,
    parse: (text) => values.find((value) => value === text),
  };
}

const text: OptionKind<string> = {
  expected: 'a non-empty text',
  parse: (value) => (value === '' ? undefined : value),
};

const sender: OptionKind<string> = {
  expected: 'an e-mail address, or Name <address>, on one line',
  parse(value) {
    const address = /^[^<>]*<([^<>]*)>$/.exec(value)?.[1] ?? value;
    return /^[^\s@<>]+@[^\s@<>]+$/.test(address) && !/\p{Cc}/u.test(value) ? value : undefined;
  },
};

function url(...protocols: string[]): OptionKind<string> {
  return {
    expected: `a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    parse: (value) => (protocols.includes(parsedUrl(value)?.protocol ?? '') ? value : undefined),
  };
}

const hostToListenOn: OptionKind<string> = {
  expected: 'an IP address or a host name',
  // What cannot stand in a URL (999.1.1.1) cannot be listened on either.
  parse: (value) =>
    /^[\w.:-]+$/.test(value) && parsedUrl(defaultBaseUrl(value, 80)) !== undefined ? value : undefined,
};

const directory: OptionKind<string> = {
  expected: 'a directory',
  parse: (value) => (value === '' || isNoDirectory(value) ? undefined : value),
};

/** Whether something else is there. Where nothing is, one can be made. */
function isNoDirectory(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const PLAIN_ORIGIN = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?\/?$/i;

const httpOrigin: OptionKind<string> = {
  expected: 'an http or https URL of a host and a port alone, without a user, a path, a query or a fragment',
  parse: (value) => {
    // As it is written is how it is told: what a URL parser would mend is refused.
    if (!PLAIN_ORIGIN.test(value) || parsedUrl(value) === undefined) return undefined;
    return value.replace(/\/$/, '');
  },
};

const MIB = 1024 * 1024;

function option<T>(
  env: Option<T>['env'],
  kind: OptionKind<T>,
  rest: Omit<Option<T>, 'env' | keyof OptionKind<T>>,
): Option<T> {
  return { env, ...kind, ...rest };
}

export const OPTIONS = {
  host: option('GATEHOUSE_HOST', hostToListenOn, { default: '127.0.0.1', help: 'Address to listen on.' }),
  port: option('GATEHOUSE_PORT', integer(0, 65535), {
    default: '8080',
    help: 'TCP port to listen on; 0 takes a free one.',
  }),
  baseUrl: option('GATEHOUSE_BASE_URL', httpOrigin, {
    defaultText: 'http://{host}:{port}',
    help: 'How sensors and browsers reach the service: a host or a port of its own, not a path below another.',
  }),
  dataDir: option('GATEHOUSE_DATA_DIR', directory, {
    default: './data',
    help: 'Directory of the journal, the signing keys and the embedded PostgreSQL.',
  }),
  databaseUrl: option('GATEHOUSE_DATABASE_URL', url('postgres:', 'postgresql:'), {
    defaultText: 'an embedded PostgreSQL in the data directory',
    secret: true,
    help: 'PostgreSQL (16 or later) to use instead of the embedded one; its role must be allowed to create schemas and tables, and to create or grant the role gatehouse_app.',
  }),
  deadlineMs: option('GATEHOUSE_DEADLINE_MS', integer(20, 60_000), {
    default: '800',
    help: 'Milliseconds from the head of a request to its answer, at most; of any event, also while the disk hangs.',
  }),
  onFailure: option<OnFailure>('GATEHOUSE_ON_FAILURE', oneOf(...ON_FAILURE), {
    default: 'allow',
    help: 'What new tenants answer when no decision is reached: allow (408 or 500), degrade (quick rules decide), block.',
  }),
  policiesDir: option('GATEHOUSE_POLICIES_DIR', text, {
    defaultText: 'the built-in set',
    help: 'Directory of the policies to apply, *.yaml; in place of the built-in ones.',
  }),
  bodyBytesMax: option('GATEHOUSE_BODY_BYTES_MAX', integer(1024, 64 * MIB), {
    default: String(MIB),
    help: 'Largest request body, in bytes.',
  }),
  connectionsMax: option('GATEHOUSE_CONNECTIONS_MAX', integer(16, 1_000_000), {
    default: '10000',
    help: 'Connections that may be open at once, or 256 fewer than the files that the process may open; more are closed as they come.',
  }),
  workers: option('GATEHOUSE_WORKERS', integer(1, 64), {
    defaultText: 'processor cores − 1, at least 1',
    help: 'Inspection threads; one warm spare is kept beside them.',
  }),
  queueEventsMax: option('GATEHOUSE_QUEUE_EVENTS_MAX', integer(16, 1_000_000), {
    default: '10000',
    help: 'Blocking events that may wait for an inspection thread; more are answered as undecided at once.',
  }),
  decisionDurability: option('GATEHOUSE_DECISION_DURABILITY', oneOf('disk', 'process'), {
    default: 'disk',
    help: 'A 200 leaves when its record survives a power loss (disk) or the end of the process (process).',
  }),
  journalBytesMax: option('GATEHOUSE_JOURNAL_BYTES_MAX', integer(16 * MIB, 1024 * 1024 * MIB), {
    default: String(4096 * MIB),
    help: 'Bytes of the journal; when it is full, events get 500 until the database has caught up.',
  }),
  sessionsActiveMax: option('GATEHOUSE_SESSIONS_ACTIVE_MAX', integer(16, 1_000_000), {
    default: '20000',
    help: 'Agent sessions held in memory; idle ones make room.',
  }),
  sessionsRememberedMax: option('GATEHOUSE_SESSIONS_REMEMBERED_MAX', integer(1000, 100_000_000), {
    default: '1000000',
    help: 'Agent sessions whose memory is kept on disk; beyond it, those not heard of for longest are forgotten before 7 days are over.',
  }),
  sessionIdleSeconds: option('GATEHOUSE_SESSION_IDLE_SECONDS', integer(1, 86_400), {
    default: '300',
    help: 'Seconds after which an idle agent session leaves memory; its next event brings it back.',
  }),
  retentionDays: option('GATEHOUSE_RETENTION_DAYS', integer(1, 3650), {
    default: '90',
    help: 'Days that events and decisions are kept in the database.',
  }),
  ssoPrivateNetworks: option('GATEHOUSE_SSO_PRIVATE_NETWORKS', oneOf('refuse', 'allow'), {
    default: 'refuse',
    help: 'Whether identity providers and key sets of issuers in private networks (and on this machine) may be asked.',
  }),
  sessionHours: option('GATEHOUSE_SESSION_HOURS', integer(1, 720), {
    default: '24',
    help: 'Hours after the last use at which a person has to sign in again.',
  }),
  smtpUrl: option('GATEHOUSE_SMTP_URL', url('smtp:', 'smtps:'), {
    defaultText: 'links are printed on the console',
    secret: true,
    help: 'Mail server that sends sign-in links and invitations: smtp://user:password@host:587 or smtps://….',
  }),
  mailFrom: option('GATEHOUSE_MAIL_FROM', sender, {
    defaultText: 'gatehouse@{host of the base URL}',
    help: 'Sender of mail, as in a message: Gatehouse <gatehouse@example.com>.',
  }),
  proxyHops: option('GATEHOUSE_PROXY_HOPS', integer(0, 10), {
    default: '0',
    help: 'Proxies in front that add the address they saw to X-Forwarded-For; 0 believes none.',
  }),
  logLevel: option('GATEHOUSE_LOG_LEVEL', oneOf('debug', 'info', 'warn', 'error', 'silent'), {
    default: 'info',
    help: 'Least severe log line to print.',
  }),
  testTriggers: option('GATEHOUSE_TEST_TRIGGERS', oneOf('off', 'on'), {
    default: 'off',
    help: 'Lets an event name a fault to cause (a stuck or crashing inspection). For tests; refused with NODE_ENV=production.',
  }),
} as const satisfies Record<string, Option<unknown>>;

type OptionName = keyof typeof OPTIONS;
type OptionValue<N extends OptionName> = (typeof OPTIONS)[N] extends Option<infer T> ? T : never;

/** The options that may be absent. */
type Optional = 'databaseUrl' | 'policiesDir' | 'smtpUrl';

/** The effective configuration, frozen. */
export type Config = Readonly<
  { [N in Exclude<OptionName, Optional>]: OptionValue<N> } & { [N in Optional]?: OptionValue<N> }
>;

/** What is wrong with the configuration, in one line that names the option. */
export class ConfigError extends MendableError {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads and checks the configuration.
 *
 * @throws {ConfigError} for an unknown or malformed `GATEHOUSE_*` variable.
 */
export function loadConfig(env: Environment = process.env): Config {
  refuseUnknownNames(env);
  const given = <N extends OptionName>(name: N) => readOption(OPTIONS[name] as unknown as Option<OptionValue<N>>, env);
  const required = <N extends OptionName>(name: N) => given(name) as OptionValue<N>;
  const host = required('host');
  const port = required('port');
  const databaseUrl = given('databaseUrl');
  const policiesDir = given('policiesDir');
  const smtpUrl = given('smtpUrl');
  const baseUrl = given('baseUrl') ?? defaultBaseUrl(host, port);
  const config: Config = {
    host,
    port,
    baseUrl,
    dataDir: resolve(required('dataDir')),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    deadlineMs: required('deadlineMs'),
    onFailure: required('onFailure'),
    ...(policiesDir === undefined ? {} : { policiesDir: resolve(policiesDir) }),
    bodyBytesMax: required('bodyBytesMax'),
    connectionsMax: required('connectionsMax'),
    workers: given('workers') ?? Math.max(1, availableParallelism() - 1),
    queueEventsMax: required('queueEventsMax'),
    decisionDurability: required('decisionDurability'),
    journalBytesMax: required('journalBytesMax'),
    sessionsActiveMax: required('sessionsActiveMax'),
    sessionsRememberedMax: required('sessionsRememberedMax'),
    sessionIdleSeconds: required('sessionIdleSeconds'),
    retentionDays: required('retentionDays'),
    ssoPrivateNetworks: required('ssoPrivateNetworks'),
    sessionHours: required('sessionHours'),
    ...(smtpUrl === undefined ? {} : { smtpUrl }),
    mailFrom: given('mailFrom') ?? `gatehouse@${new URL(baseUrl).hostname}`,
    proxyHops: required('proxyHops'),
    logLevel: required('logLevel'),
    testTriggers: required('testTriggers'),
  };
  if (config.testTriggers === 'on' && env['NODE_ENV'] === 'production') {
    throw new ConfigError('GATEHOUSE_TEST_TRIGGERS must be off in production (NODE_ENV=production)');
  }
  return Object.freeze(config);
}

/** The base URL that follows from where the service listens. */
export function defaultBaseUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

function readOption<T>(option: Option<T>, env: Environment): T | undefined {
  const raw = rawValue(option, env) ?? option.default;
  if (raw === undefined) return undefined;
  const value = option.parse(raw);
  if (value !== undefined) return value;
  const shown = option.secret ? '' : `, not ${JSON.stringify(withoutUser(raw.slice(0, 80)))}`;
  throw new ConfigError(`${option.env} must be ${option.expected}${shown}`);
}

/** Without the user that a URL names, and the password. */
function withoutUser(text: string): string {
  return text.replace(/(?<=:\/\/)[^/@\s]{1,80}@/g, '…@');
}

function rawValue(option: Option<unknown>, env: Environment): string | undefined {
  const fileVariable = `${option.env}_FILE`;
  const file = option.secret ? env[fileVariable] : undefined;
  if (file === undefined) return env[option.env];
  if (env[option.env] !== undefined) throw new ConfigError(`set either ${option.env} or ${fileVariable}, not both`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${fileVariable} must name a readable file: ${(error as Error).message}`);
  }
}

function refuseUnknownNames(env: Environment): void {
  const known = new Set(knownNames());
  for (const name of Object.keys(env)) {
    if (!name.startsWith('GATEHOUSE_') || known.has(name) || OF_SENSORS.has(name)) continue;
    if (SERVICE_LINK.test(name)) throw new ConfigError(`${name} is no option of Gatehouse; ${LINKED_SERVICE}`);
    const near = nearestName(known, name);
    throw new ConfigError(`${name} is no option of Gatehouse${near === undefined ? '' : `; did you mean ${near}?`}`);
  }
}

/** What the sensors of the dashboard read: commands of the service may run where one is set up, as inside of a watched agent. */
const OF_SENSORS: ReadonlySet<string> = new Set(['GATEHOUSE_TOKEN', 'GATEHOUSE_USER']);

/** What Kubernetes tells every container of a namespace of a service that is called `gatehouse`. */
const SERVICE_LINK = /^GATEHOUSE_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT_\d+_(?:TCP|UDP)(?:_\w+)?)$/;
const LINKED_SERVICE =
  'Kubernetes sets it for a Service named gatehouse: set enableServiceLinks: false in the pod, or name the Service otherwise';

function knownNames(): string[] {
  return Object.values(OPTIONS as Record<string, Option<unknown>>).flatMap((option) =>
    option.secret ? [option.env, `${option.env}_FILE`] : [option.env],
  );
}

const TYPING_ERRORS_MAX = 3;

/** The name that was probably meant. */
function nearestName(known: Iterable<string>, name: string): string | undefined {
  const [nearest] = [...known]
    .map((candidate) => ({ candidate, distance: editDistance(candidate, name) }))
    .filter(({ distance }) => distance <= TYPING_ERRORS_MAX)
    .sort((a, b) => a.distance - b.distance);
  return nearest?.candidate;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    previous = row;
  }
  return previous[b.length] as number;
}

/** The effective configuration as `NAME=value` lines, secrets masked. */
export function describeConfig(config: Config): string[] {
  return Object.entries(OPTIONS as Record<string, Option<unknown>>).map(([name, option]) => {
    const value = (config as Record<string, unknown>)[name];
    const shown =
      value === undefined ? `(${option.defaultText})` : option.secret ? '********' : `${value as string | number}`;
    return `${option.env}=${shown}`;
  });
}

import type { HostFact } from '../../facts/hosts.ts';

/** What administers, and trusts whoever reaches it: a request says so by its path, whatever the host is called. */
interface InternalService {
  path: RegExp;
  /** Ports on which any such path counts, and on which a host that looks public is believed to be one inside. */
  ports: readonly number[];
  what: string;
  /** Its paths are what others have as well: without the port they tell nothing. */
  isCommon?: boolean;
  /** Looked at by the developers of what runs on the machine itself. */
  isOwnWhereLocal?: boolean;
  /** It runs commands, so that a command line that asks for it is no look around. */
  runsCommands?: boolean;
}

const SERVICES: readonly InternalService[] = [
  {
    path: /^\/v1\/(?:kv(?:\/|$)|agent\/(?:service|check)\/register|acl\/(?:tokens?|bootstrap|policies)|snapshot$)/,
    ports: [8500, 8501],
    what: 'reads or changes the registry of services',
    isCommon: true,
  },
  {
    path: /^\/v1\/(?:secret|(?:aws|azure|gcp|database|ssh|rabbitmq)\/creds|pki\/issue|transit\/(?:export|decrypt)|auth\/token\/create|sys\/(?:raw|init|unseal|policy|policies|auth|mounts|leases))(?:\/|$)/,
    ports: [8200],
    what: 'reads a store of secrets',
  },
  {
    path: /^\/v1\/(?:jobs?|vars?|acl|operator)(?:\/|$)/,
    ports: [4646],
    what: 'asks the scheduler of a cluster',
    isCommon: true,
  },
  {
    path: /^\/(?:v2\/keys(?:\/|$)|v3(?:alpha|beta)?\/kv\/(?:range|put|deleterange|txn))/,
    ports: [2379, 2380],
    what: 'reads or changes the store behind a cluster',
  },
  {
    path: /^\/api\/v1\/(?:namespaces\/[^/]{1,253}\/)?secrets(?:\/|$)|^\/api\/v1\/namespaces\/[^/]{1,253}\/pods\/[^/]{1,253}\/(?:exec|attach|portforward)$/,
    ports: [443, 6443],
    what: 'asks a cluster for its secrets',
  },
  {
    path: /^\/(?:run|exec|attach|cri\/exec)\/[^/]{1,253}\/[^/]{1,253}\/[^/]{1,253}/,
    ports: [10_250, 10_255],
    what: 'has the agent of a node run a command',
    isCommon: true,
    runsCommands: true,
  },
  {
    path: /\/(?:actuator|manage(?:ment)?)\/(?:env|heapdump|threaddump|configprops|httptrace|sessions)\b|^\/(?:heapdump|configprops)$/,
    ports: [],
    what: 'has a program show its memory or its configuration',
    isOwnWhereLocal: true,
  },
  {
    path: /\/(?:actuator|manage(?:ment)?)\/(?:jolokia|gateway\/routes\/|restart|shutdown)|^\/jolokia(?:\/|$)/,
    ports: [],
    what: 'has a program load or run what it is told',
  },
  {
    path: /^\/(?:jenkins\/)?scriptText$|^\/jenkins\/script$|^\/computer\/[^/]{1,128}\/script$/,
    ports: [],
    what: 'has a build server run a script',
    runsCommands: true,
    isOwnWhereLocal: true,
  },
  {
    path: /^\/script$/,
    ports: [8080],
    what: 'has a build server run a script',
    isCommon: true,
    isOwnWhereLocal: true,
  },
  {
    path: /^\/(?:pods|runningpods|stats\/summary)(?:\/|$)/,
    ports: [10_250, 10_255],
    what: 'asks the agent of a node what runs there',
    isCommon: true,
  },
  {
    path: /^\/json(?:\/(?:list|version|new|protocol))?\/?$/,
    ports: [9222, 9229],
    what: 'reaches into a running program by its debugger',
    isCommon: true,
    isOwnWhereLocal: true,
  },
  { path: /^\/api\/definitions$/, ports: [15_672], what: 'reads the accounts of a message broker' },
  { path: /^\/_users(?:\/|$)|^\/_node\/[^/]{1,128}\/_config/, ports: [5984], what: 'reads the accounts of a database' },
  { path: /\/minio\/admin\/v\d/, ports: [], what: 'reads or changes the accounts of a store' },
  {
    path: /^\/v1\/submissions\/create$|^\/ws\/v1\/cluster\/apps(?:\/new-application)?$/,
    ports: [],
    what: 'has a cluster run a program',
  },
];

/** A part of every path above: most addresses end here. */
const MAY_BE_SERVICE =
  /\/(?:v[123](?:alpha|beta)?\/|api\/|run\/|exec\/|attach\/|cri\/|actuator|manage|jolokia|heapdump|configprops|script|pods|runningpods|stats\/|computer\/|jenkins\/|_users|_node|minio\/|ws\/|json)/;

/**
 * What is asked of an internal service at `host`, or undefined. Some paths tell by themselves; of those that a service for the
 * world may have too, the port has to be that of the internal one, or the host an internal one.
 *
 * @param byTool whether a tool asks, or may, rather than a command line, in which people administer such services.
 */
export function askedOfService(host: HostFact, byTool: boolean): string | undefined {
  if (host.path.length < 4 || !MAY_BE_SERVICE.test(host.path)) return undefined;
  const isLocal = host.class === 'loopback' || host.class === 'unspecified';
  const isInternal = host.class !== 'public';
  for (const { path, ports, what, isCommon = false, isOwnWhereLocal = false, runsCommands = false } of SERVICES) {
    if (!(byTool || runsCommands) || (isLocal && isOwnWhereLocal) || !path.test(host.path)) continue;
    const onPort = host.port !== undefined && ports.includes(host.port);
    if (onPort || (isInternal && !isCommon)) return what;
  }
  return undefined;
}

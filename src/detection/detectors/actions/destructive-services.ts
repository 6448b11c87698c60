import type { AgentEvent } from '../../../domain/event.ts';
import { memoized } from '../../../lib/memo.ts';
import type { EventFacts } from '../../facts/event-facts.ts';
import { RSYNC_VALUES } from '../../facts/files/transfers.ts';
import { INPUT_PLACE, TOOL_NAME_PLACE } from '../../facts/input.ts';
import type { NetAccess } from '../../facts/net-access.ts';
import { canonicalPath } from '../../facts/paths.ts';
import type { ShellCommand, ShellWord } from '../../facts/shell/model.ts';
import { hasOption, optionNames, readOptions } from '../../facts/shell/options.ts';
import { wordsOf } from '../../facts/tools.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { destructionBy, isBuilt, isThrownAway } from './control-programs.ts';
import { readDatabaseReset } from './database-resets.ts';
import { sourcesOf } from './pipelines.ts';

/** Deletions in services: what is gone there is gone for everybody. */
export const destructiveServices = actionDetector({
  id: 'destructive_services',
  version: 6,
  severity: 'high',
  title: 'Deletes data, backups, secrets, queues, repositories or whole environments of a service, or a database.',
  kinds: ['destructive.services', 'destructive.cloud', 'destructive.database'],
  falsePositives: ['tearing down what was set up for a test'],
  find({ event, facts, allowance }, found) {
    for (const command of facts.shell.commands) {
      readDatabaseReset(command, found, allowance);
      const controlled = destructionBy(command);
      const what =
        controlled ?? byMirror(command) ?? byKillingContainers(command, facts) ?? byGeneratedStatements(command, facts);
      if (what !== undefined) {
        const action = { kind: kindOf(command.name), what: `${what} (${named(command.name)})`, origin: command.origin };
        if (controlled !== undefined && isThrownAway(command))
          found.push({ ...action, severity: 'medium', confidence: 0.6 });
        else found.push({ ...action, confidence: 0.85 });
      }
      byConsumedList(command, facts, found);
    }
    const isElsewhere = leadsElsewhere(facts);
    for (const access of facts.hosts) matchRequest(access, isElsewhere, found);
    readToolName(event, facts, found);
    readMutations(event, facts, found);
    readRequestTool(event, facts, found);
  },
});

const CLOUDS =
  /^(?:aws|az|gcloud|gsutil|bq|oci|ibmcloud|openstack|doctl|linode-cli|hcloud|scw|eksctl|kubectl|oc|terraform|tofu|terragrunt|pulumi|cdk|serverless|heroku|fly(?:ctl)?|netlify|firebase|s3cmd|mc|rclone)$/;
const DATABASES = /^(?:dropdb|mysqladmin|mongo|mongosh|redis-cli|valkey-cli|sqlx|supabase|influx|etcdctl|cqlsh)$/;

function kindOf(name: string): string {
  if (CLOUDS.test(name)) return 'destructive.cloud';
  return DATABASES.test(name) ? 'destructive.database' : 'destructive.services';
}

/** A client that is handed statements which another one puts together: `psql -c "select 'drop table ' || …" | psql`. */
function byGeneratedStatements(command: ShellCommand, { shell }: EventFacts): string | undefined {
  if (!SQL_CLIENTS.test(command.name) || command.input === undefined) return undefined;
  const source = shell.commands[command.input];
  return source !== undefined &&
    SQL_CLIENTS.test(source.name) &&
    source.args.some(({ text }) => SPELLED_DROP.test(text))
    ? 'drops whatever a query lists'
    : undefined;
}

const SQL_CLIENTS = /^(?:psql|mysql|mariadb|sqlite3|sqlcmd)$/;
const SPELLED_DROP =
  /['"]\s{0,4}(?:drop\s{1,4}(?:table|database|schema|view|user|role)|truncate\s|delete\s{1,4}from)\b/i;

/** `rsync --delete`: what the source lacks is deleted at the target. */
function byMirror(command: ShellCommand): string | undefined {
  if (command.name !== 'rsync') return undefined;
  const options = readOptions(command.args, { valued: RSYNC_OPTIONS });
  if (hasOption(options, 'n', 'dry-run', 'list-only')) return undefined;
  const deletes = options.long.some((name) => /^(?:del|delete(?:-.+)?)$/.test(name));
  const target = options.operands.at(-1);
  const isPublished = options.operands.length === 2 && isBuilt(options.operands[0]?.text ?? '');
  if (deletes && !isPublished && target !== undefined && isElsewhere(target.text))
    return `deletes at ${named(target.text)} what the source lacks`;
  const takes = options.long.includes('remove-source-files');
  const [source] = options.operands;
  return takes && source !== undefined && isElsewhere(source.text)
    ? `deletes the files that it copied from ${named(source.text)}`
    : undefined;
}

const RSYNC_OPTIONS = optionNames(RSYNC_VALUES);

/** A remote place, or a local one outside of the work tree and of scratch directories. */
function isElsewhere(text: string): boolean {
  if (/^(?:[^/@]+@)?[^/:]+:/.test(text) || text.includes('://')) return true;
  const path = canonicalPath(text);
  return (
    path.anchor !== 'work_tree' && !/^\/(?:tmp|var\/tmp|dev\/shm)(?:\/|$)/.test(path.key) && !path.text.startsWith('$')
  );
}

/** `docker rm -f $(docker ps -aq)`: all of them at once. */
function byKillingContainers(command: ShellCommand, _facts: EventFacts): string | undefined {
  if (command.name === 'helm') {
    const [verb] = command.args.map((arg) => arg.text);
    const all = command.args.some(({ dynamic, text }) => dynamic && /\bhelm (?:ls|list)\b/.test(text));
    return all && /^(?:uninstall|delete|del|un)$/.test(verb ?? '') ? 'removes every release of a cluster' : undefined;
  }
  if (!/^(?:docker|podman|nerdctl)$/.test(command.name)) return undefined;
  const [verb, second] = command.args.map((arg) => arg.text);
  const removes =
    /^(?:rm|rmi)$/.test(verb ?? '') || (/^(?:container|image|volume|network)$/.test(verb ?? '') && second === 'rm');
  const all = command.args.some((arg) => isWholeList(arg));
  return removes && all ? 'removes every container, image or volume' : undefined;
}

function isWholeList({ dynamic, text }: ShellWord): boolean {
  return dynamic && /(?:ps|ls|list|images)\b[^)]*-[a-z]*[aq]/.test(text) && !isNarrowed(text);
}

/** A list of ids that leaves some out: dangling images, containers that ended, those of one name or label. */
function isNarrowed(list: string): boolean {
  return /(?:^|[\s'"=])(?:dangling=(?:true|1)|status=(?:exited|created|dead)|(?:name|label|ancestor|id|network|volume|reference|before|since|until|driver)=[^\s'"])/.test(
    list,
  );
}

/** `docker volume ls -q | xargs docker volume rm`, `kubectl get ns -o name | xargs kubectl delete`. */
function byConsumedList(command: ShellCommand, facts: EventFacts, found: Action[]): void {
  if (command.input === undefined || command.via.at(-1) !== 'xargs') return;
  const source = sourcesOf(command, facts.shell.commands).find((each) => !onlySorts(each));
  const what = source?.name === command.name ? allOf(source, command) : undefined;
  if (what === undefined) return;
  const kind = kindOf(command.name);
  found.push({ kind, what: `${what} (${named(command.name)})`, confidence: 0.8, origin: command.origin });
}

/** Whether `command` hands on most of what it is given, in some order or form: `grep -v kube-system`, `sort`, `awk '{print $1}'`. */
function onlySorts({ name, args }: ShellCommand): boolean {
  if (name === 'grep') return args[0]?.text === '-v' && args.length === 2;
  if (name === 'sed') return args.length === 1 && /^s\W/.test(args[0]?.text ?? '');
  return /^(?:sort|uniq|tr|cut)$/.test(name) || (name === 'awk' && args.every(({ text }) => /^[-{]/.test(text)));
}

/** What is gone when `command` is handed all that `source` lists. */
function allOf(source: ShellCommand, command: ShellCommand): string | undefined {
  const [list, verb] = [source, command].map(({ args }) => args.map(({ text }) => text)) as [string[], string[]];
  switch (command.name) {
    case 'docker':
    case 'podman':
    case 'nerdctl': {
      const removes = verb.slice(0, 2).some((text) => /^(?:rm|rmi)$/.test(text));
      return removes && !isNarrowed(list.join(' ')) ? 'removes every container, image or volume' : undefined;
    }
    case 'kubectl':
    case 'oc': {
      const narrowed = list.some((text) => /^(?:-l|--selector|--field-selector)/.test(text));
      return verb.includes('delete') && list.includes('get') && !narrowed
        ? 'deletes every object of a kind'
        : undefined;
    }
    case 'git':
      return deletesBranches(list, verb) ? 'deletes every branch of a remote' : undefined;
    case 'helm':
      return verb.some((text) => /^(?:uninstall|delete|del|un)$/.test(text))
        ? 'removes every release of a cluster'
        : undefined;
    default:
      return undefined;
  }
}

/** `git for-each-ref refs/remotes/origin | … | xargs -I{} git push origin :{}`: all there are, merged or not. */
function deletesBranches(list: readonly string[], [subcommand, ...verb]: readonly string[]): boolean {
  const lists =
    list[0] === 'for-each-ref' ||
    list[0] === 'ls-remote' ||
    (list[0] === 'branch' && list.some((text) => /^-\w*[ra]|^--(?:remotes|all)$/.test(text)));
  const isPart = list.some((text) => /^--(?:no-)?merged|^refs\/(?:heads|remotes\/[^/*]{1,64})\/[^*]/.test(text));
  return lists && !isPart && subcommand === 'push' && verb.some((text) => /^(?::.*\{\}|--delete|-d)/.test(text));
}

const DELETES = 'delete|drop|destroy|terminate|purge|wipe|erase|remove|deprovision';
/** What holds the work of many, or all that there is of something. */
const HOLDERS =
  'repository|repositories|repos?|namespaces?|databases?|schemas?|keyspaces?|tablespaces?|buckets?|clusters?|organizations?|orgs?|backups?|vaults?|storage_accounts?|resource_groups?|(?:hosted_|dns_)?zones?|db_instances?';
/** `delete_repository`, `s3_delete_bucket`, `k8s_delete_all_namespaces`, `database_drop`. What only belongs to one (`delete_repository_file`) is no whole. */
const DELETES_WHOLE = new RegExp(
  `(?:^|_)(?:${DELETES})_(?:(?:an?|the|all|entire|whole|my|github|gitlab|aws|gcp|azure|s3|rds|k8s|kube|kubernetes|mongo|mongodb|postgres|mysql|neon|supabase|cloud|storage)_){0,3}(?:${HOLDERS})(?:_by_[a-z_]{1,32}|_tool|_v\\d)?$|(?:^|_)(?:drop_(?:collection|table)|delete_ind(?:ex|ices)|flush_?(?:all|db))$|(?:^|_)(?:${HOLDERS})_(?:${DELETES})$`,
);

/** What the tool called `toolName` deletes, by its name. */
const deletedBy = memoized((toolName): 'whole' | 'rows' | undefined => {
  const name = [...wordsOf(toolName)].join('_');
  return DELETES_WHOLE.test(name) ? 'whole' : DELETES_ROWS.test(name) ? 'rows' : undefined;
});

/** A tool that says by its name that it deletes a whole service's data. */
function readToolName(event: AgentEvent, { tool }: EventFacts, found: Action[]): void {
  if (tool === undefined || event.event_type !== 'tool_invocation' || tool.name.length > TOOL_NAME_CHARS_MAX) return;
  const deletes = deletedBy(tool.name);
  if (deletes === undefined) return;
  const { input } = event.tool;
  if (TRIALS.some((option) => input[option] === true) || (deletes === 'rows' && !matchesAll(input))) return;
  const what = deletes === 'whole' ? 'deletes what holds the work of many' : 'deletes every record of a collection';
  found.push({
    kind: 'destructive.services',
    what: `${what} (${named(tool.name)})`,
    confidence: 0.75,
    origin: { place: TOOL_NAME_PLACE, start: 0, end: tool.name.length },
  });
}

/** `{ method: "DELETE", url: "https://api.github.com/repos/a/b" }`: requests by a tool are daily work; what holds the work of many is not. */
function readRequestTool(event: AgentEvent, { hosts, tool }: EventFacts, found: Action[]): void {
  if (tool === undefined || event.event_type !== 'tool_invocation') return;
  const { method } = event.tool.input;
  if (typeof method !== 'string' || method.toUpperCase() !== 'DELETE') return;
  for (const { host, command, origin } of hosts) {
    if (command !== undefined || host.class === 'loopback' || !HOLDING_PATH.test(host.path)) continue;
    const what = `asks ${named(host.host)} to delete what holds the work of many (${named(tool.name)})`;
    found.push({ kind: 'destructive.services', what, confidence: 0.8, origin });
  }
}

/** Of an API of resources: one that holds others, and nothing below it. */
const HOLDING_PATH =
  /\/(?:repos\/[^/?]{1,128}\/[^/?]{1,128}|(?:repositories|orgs|organi[sz]ations|projects|databases|buckets|clusters|namespaces|workspaces|servers|droplets|volumes|environments|tenants|accounts|zones|teams|sites)\/[^/?]{1,128})\/?$/;

/** Whether what is asked of this machine may be asked of another: by a tunnel, a proxy, or a name that is led away. */
function leadsElsewhere({ shell }: EventFacts): boolean {
  return shell.commands.some(({ name, args }) => {
    const words = args.map(({ text }) => text);
    if (name === 'ssh' || name === 'autossh') return words.some((word) => /^-\w{0,6}L/.test(word));
    if (name === 'curl')
      return words.some((word) => /^(?:-x|--proxy|--resolve|--connect-to|--socks\S*|--preproxy)/.test(word));
    return name === 'socat' || words.includes('port-forward');
  });
}

/** An index of a store on this machine that is made to be thrown away, by its name. */
const OWN_INDEX = /^\/(?:te?mp|tests?|scratch|dummy)[_-][\w*.-]{0,64}$/;

/** GraphQL by which an input deletes what holds the work of many: `mutation { deleteRepository(…) }`. */
function readMutations(event: AgentEvent, { tool }: EventFacts, found: Action[]): void {
  if (tool === undefined || event.event_type !== 'tool_invocation') return;
  for (const name of ['query', 'mutation', 'body', 'data']) {
    const text = Object.hasOwn(event.tool.input, name) ? event.tool.input[name] : undefined;
    if (typeof text !== 'string' || !text.includes('mutation')) continue;
    const match = DELETING_MUTATION.exec(text);
    if (match === null) continue;
    const start = match.index + match[0].length - (match[1] as string).length;
    found.push({
      kind: 'destructive.services',
      what: `deletes what holds the work of many (${named(match[1] as string)})`,
      confidence: 0.8,
      origin: { place: { name, parent: INPUT_PLACE }, start, end: match.index + match[0].length },
    });
  }
}

const DELETING_MUTATION =
  /\bmutation\b[^{}]{0,512}\{[^{}]{0,256}?\b((?:delete|remove|destroy|purge|drop)(?:Repository|Organi[sz]ation|Project|Workspace|Database|Cluster|Bucket|Environment|Namespace|Team|Enterprise|Volume|Backup|All[A-Z]\w{0,48}))\b/;

/** `delete_many`, `remove_documents`. */
const DELETES_ROWS =
  /(?:^|_)(?:delete|remove|purge|erase)_(?:(?:all|many|the)_){0,2}(?:many|documents?|records?|rows?|items?|entries|objects|points|vectors|data)(?:_by_[a-z_]{1,32})?$/;
const CONDITIONS = ['filter', 'query', 'where', 'selector', 'condition', 'conditions', 'criteria', 'match'];

/** Whether the condition that `input` names is one that everything meets. */
function matchesAll(input: Record<string, unknown>): boolean {
  return CONDITIONS.some((name) => {
    const condition = Object.hasOwn(input, name) ? input[name] : undefined;
    if (typeof condition === 'string') return /^\s{0,8}(?:\{\s{0,8}\}|\*|true|1\s?=\s?1)\s{0,8}$/i.test(condition);
    return typeof condition === 'object' && condition !== null && !Array.isArray(condition) && isEmpty(condition);
  });
}

function isEmpty(condition: object): boolean {
  for (const _ in condition) return false;
  return true;
}

const TOOL_NAME_CHARS_MAX = 128;
const TRIALS = ['dry_run', 'dryRun', 'dryrun', 'simulate', 'preview'];

/** Ports at which data stores listen: a DELETE there deletes an index or a database, not a row of one's own server. */
const STORE_PORTS = new Set([
  9200, 9201, 7700, 5984, 6333, 8086, 8983, 2379, 8500, 15_672, 19_530, 8529, 7474, 8108, 9000, 8200, 8123, 3100, 9090,
]);
const DELETING_SEGMENT = /^(?:do)?(?:delete|destroy|purge|wipe|drop)(?:all|index|database|job|item)?$/i;

function matchRequest(access: NetAccess, isElsewhere: boolean, found: Action[]): void {
  const { host, method } = access;
  const local = host.class === 'loopback' || host.class === 'unspecified';
  if (local && !isElsewhere && OWN_INDEX.test(host.path)) return;
  if (local && !(host.port !== undefined && STORE_PORTS.has(host.port))) return;
  const posts =
    method === 'POST' &&
    (host.path.split('/').some((segment) => DELETING_SEGMENT.test(segment)) || host.path.endsWith('/_delete_by_query'));
  if (method !== 'DELETE' && !posts) return;
  found.push({
    kind: 'destructive.services',
    what: `asks ${named(host.host)} to delete something (${named(access.by)})`,
    confidence: 0.8,
    origin: access.origin,
  });
}

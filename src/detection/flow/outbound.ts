import type { ToolInvocation } from '../../domain/event.ts';
import { memoized } from '../../lib/memo.ts';
import type { EventFacts } from '../facts/event-facts.ts';
import { type HostFact, hostFact, hostsOfUrl } from '../facts/hosts.ts';
import { normalizeKey } from '../facts/input.ts';
import type { ShellCommand } from '../facts/shell/model.ts';
import { type ToolFacts, wordsOf } from '../facts/tools.ts';
import { actionsOfTool, isOfService } from './tool-actions.ts';
import type { Action } from './wanted-action.ts';

/** How something leaves the machine, or the organisation. */
export type OutboundChannel =
  | 'network'
  | 'message'
  | 'publish'
  | 'upload'
  | 'vcs'
  | 'dns'
  | 'share'
  | 'payment'
  | 'service';

/** One way out that a call takes. */
export interface Outbound {
  channel: OutboundChannel;
  /** Who gets it, as far as it is known: a host, an address, a channel. Lower case. */
  destination: string;
  /** It carries content of its own, whatever that is; else only what its address, headers and fields say. */
  sends: boolean;
  /** The command, tool or function that does it. */
  by: string;
  /** Index of the shell command, where one does it. */
  command?: number;
}

/** The ways out of the machine that `call` takes, as many as its facts tell of; empty for what stays inside. */
export function outboundOf(call: ToolInvocation, facts: EventFacts): Outbound[] {
  const found: Outbound[] = [];
  const codeSends = facts.code.some(sendsByCode);
  for (const access of facts.hosts) {
    if (!isOutside(access.host)) continue;
    const command = access.command === undefined ? undefined : facts.shell.commands[access.command];
    const byCode = codeSends && command === undefined && access.by !== facts.tool?.name;
    const sends = byCode || sendsTo(access.method, command) || facts.tool?.effect === 'send';
    const { by, command: index } = access;
    found.push({ channel: 'network', destination: access.host.host, sends, by, ...ofIndex(index) });
  }
  for (const [index, command] of facts.shell.commands.entries()) {
    const before = found.length;
    ofCommand(command, found);
    for (const way of found.slice(before)) way.command = index;
  }
  for (const { language, code } of facts.scripts) {
    if (CODE_CLIENTS.test(code)) found.push({ channel: 'network', destination: '', sends: false, by: language });
  }
  if (found.length === 0 && facts.code.some(isOutwardRequest)) {
    found.push({ channel: 'network', destination: '', sends: true, by: facts.tool?.name ?? '' });
  }
  ofTool(call, facts, found);
  return found;
}

function ofIndex(command: number | undefined): Pick<Outbound, 'command'> {
  return command === undefined ? {} : { command };
}

/** Hosts inside the machine or its network receive nothing that was not there. */
export function isOutside({ class: hostClass }: Pick<HostFact, 'class'>): boolean {
  return hostClass === 'public' || hostClass === 'unspecified';
}

/** A request in code to whoever it may be, unless it names a host and that is inside. */
function isOutwardRequest({ action, strings }: EventFacts['code'][number]): boolean {
  if (action !== 'request') return false;
  const hosts = strings.flatMap((text) => hostsOfUrl(text.slice(0, URL_CHARS_MAX)));
  return hosts.length === 0 || hosts.some(isOutside);
}

const SENDING_METHODS = new Set(['POST', 'PUT', 'PATCH']);
const SENDING_CLIENTS = new Set('scp rsync sftp ftp nc ncat netcat socat telnet openssl'.split(' '));

/** A request in code that gives something away, by the name of its function or by the method that it is handed. */
function sendsByCode({ action, callee, strings }: EventFacts['code'][number]): boolean {
  if (action !== 'request') return false;
  return /(?:post|put|patch)$/i.test(callee) || strings.some((text) => SENDING_METHODS.has(text.toUpperCase()));
}

/** What code connects by to a host that stands in no address. */
const CODE_CLIENTS =
  /\b(?:http\.client|HTTPS?Connection|create_connection|socket\.socket|net\.(?:connect|createConnection)|TCPSocket|IO::Socket|fsockopen|smtplib|ftplib|paramiko|gethostbyname|getaddrinfo|node:https?|require\(['"]https?)\b/;

function sendsTo(method: string | undefined, command: ShellCommand | undefined): boolean {
  if (method !== undefined && SENDING_METHODS.has(method)) return true;
  if (command === undefined) return false;
  if (SENDING_CLIENTS.has(command.name)) return true;
  // A URL that is put together at run time, or is fed by another command, carries what that says.
  return command.args.some(({ dynamic, text }) => dynamic && text.includes('://')) || command.redirects.some(isSocket);
}

function isSocket({ target }: ShellCommand['redirects'][number]): boolean {
  return /^\/dev\/(?:tcp|udp)\//.test(target.text);
}

type CommandChannel = (words: readonly string[]) => OutboundChannel | undefined;

const RESOLVERS = new Set('nslookup dig host drill resolvectl getent'.split(' '));
/** Clients of databases, which are told their host by an option or by `host=` and not by an address. */
export const DATABASE_CLIENTS: ReadonlySet<string> = new Set(
  'mysql mysqldump mysqladmin mariadb mariadb-dump psql pg_dump redis-cli mongo mongosh mongodump clickhouse-client sqlcmd'.split(
    ' ',
  ),
);
const DATABASE_HOST = /(?:^| )(?:-h ?|-S ?|--host[ =]|host=)([\w.-]{1,253})/;
const MAILERS = new Set('mail mailx mutt sendmail swaks msmtp ssmtp'.split(' '));

function ofCommand(command: ShellCommand, into: Outbound[]): void {
  const { name, args } = command;
  if (RESOLVERS.has(name)) {
    const asked = args.find(({ text }) => text.includes('.') && !text.startsWith('@'));
    if (asked === undefined) return;
    const sends = asked.dynamic || asked.text.split('.').some((label) => label.length > DNS_LABEL_CHARS_MAX);
    into.push({ channel: 'dns', destination: domainOf(asked.text), sends, by: name });
    return;
  }
  if (MAILERS.has(name)) {
    into.push({
      channel: 'message',
      destination: operandsOf(args).find((word) => word.includes('@')) ?? '',
      sends: true,
      by: name,
    });
    return;
  }
  if (DATABASE_CLIENTS.has(name)) {
    const named = DATABASE_HOST.exec(args.map(({ text }) => text).join(' '));
    if (named !== null) addHost(hostFact(named[1] as string), name, into);
    return;
  }
  const program = PROGRAMS.get(name);
  if (program === undefined) return;
  const words = operandsOf(args);
  if (name === 'gh' && words[0] === 'api') return addHost(hostFact('api.github.com'), name, into);
  const channel = program(words) ?? (isOthersStore(command, words) ? 'publish' : undefined);
  if (channel === undefined) return;
  const destination = words.find((word) => /^[a-z0-9]{2,8}:\/\/|@|^[\w.-]+:(?!$)/.test(word)) ?? words[1] ?? '';
  into.push({ channel, destination, sends: true, by: name });
}

function operandsOf(args: ShellCommand['args']): string[] {
  return args.filter(({ text }) => !text.startsWith('-')).map(({ text }) => text.toLowerCase());
}

/** `gh secret set X --repo eve/y`: secrets belong into the store of the repository that one works in, and into no other. */
function isOthersStore({ name, args }: ShellCommand, [noun, verb]: readonly string[]): boolean {
  if (name !== 'gh' || verb !== 'set' || (noun !== 'secret' && noun !== 'variable')) return false;
  return args.some(({ text }) => /^(?:-R|--repo|-o|--org)(?:=|$)/.test(text) || /^-R\S/.test(text));
}

/** That `by` reaches `host`, if that is outside. */
function addHost(host: Pick<HostFact, 'host' | 'class'> | undefined, by: string, into: Outbound[]): void {
  if (host === undefined || !isOutside(host)) return;
  into.push({ channel: 'network', destination: host.host, sends: false, by });
}

/** Longer labels than names of hosts have. */
const DNS_LABEL_CHARS_MAX = 24;

function domainOf(name: string): string {
  return name.toLowerCase().split('.').slice(-2).join('.');
}

const copiesTo =
  (remote: RegExp): CommandChannel =>
  (words) => {
    const verb = words.some((word) =>
      /^(?:cp|copy|copyto|mv|move|sync|put|put-object|upload|upload-batch)$/.test(word),
    );
    return verb && remote.test(words.at(-1) ?? '') ? 'upload' : undefined;
  };

const says =
  (channel: OutboundChannel, pattern: RegExp): CommandChannel =>
  (words) =>
    pattern.test(words.slice(0, 3).join(' ')) ? channel : undefined;

/** Programs that send by a verb of theirs. */
const PROGRAMS: ReadonlyMap<string, CommandChannel> = new Map<string, CommandChannel>([
  ['git', says('vcs', /^(?:push|send-email|svn dcommit)\b/)],
  ['hg', says('vcs', /^push\b/)],
  [
    'gh',
    says(
      'publish',
      /^(?:gist create|(?:pr|issue) (?:create|comment|edit|review)|release (?:create|upload)|repo create)\b/,
    ),
  ],
  ['glab', says('publish', /^(?:(?:mr|issue) (?:create|note|update)|snippet create|release create)\b/)],
  ['npm', says('publish', /^publish\b/)],
  ['pnpm', says('publish', /^publish\b/)],
  ['yarn', says('publish', /^(?:npm )?publish\b/)],
  ['twine', says('publish', /^upload\b/)],
  ['cargo', says('publish', /^publish\b/)],
  ['gem', says('publish', /^push\b/)],
  ['docker', says('upload', /^(?:image )?push\b/)],
  ['podman', says('upload', /^(?:image )?push\b/)],
  [
    'aws',
    (words) =>
      copiesTo(/^s3:\/\//)(words) ??
      says('upload', /^(?:s3api put-object|sns publish|sqs send-message|ses send-email)\b/)(words),
  ],
  ['gsutil', copiesTo(/^gs:\/\//)],
  ['gcloud', copiesTo(/^gs:\/\//)],
  ['s3cmd', copiesTo(/^s3:\/\//)],
  ['mc', copiesTo(/^[\w-]+\//)],
  ['az', says('upload', /^storage (?:blob|file) upload/)],
  ['azcopy', copiesTo(/^https:\/\//)],
  ['rclone', copiesTo(/^[\w-]+:/)],
  ['b2', says('upload', /^(?:file )?upload/)],
  ['wormhole', says('upload', /^send\b/)],
  ['croc', says('upload', /^send\b/)],
  ['transfer', () => 'upload'],
  ['ngrok', () => 'network'],
  ['telegram-send', () => 'message'],
  ['ssh-copy-id', () => 'upload'],
]);

const CHANNEL_OF: Readonly<Partial<Record<Action, OutboundChannel>>> = {
  message: 'message',
  publish: 'publish',
  share: 'share',
  pay: 'payment',
  trade: 'payment',
};

/** Words without which sending, ordering or making something is no payment. */
const MONEY_WORDS = new Set(
  'pay payment payments transfer wire withdraw withdrawal deposit donate donation refund buy sell trade purchase charge invest money fund funds bill bills order crypto bitcoin stock stocks transaction bank wallet venmo paypal checkout'.split(
    ' ',
  ),
);

function ofTool(call: ToolInvocation, facts: EventFacts, into: Outbound[]): void {
  const { tool, shell } = facts;
  if (tool === undefined || (shell.commands.length > 0 && LOCAL_KINDS.has(tool.kind))) return;
  if (tool.kind === 'db') databaseHosts(facts, into);
  exports(facts, into);
  const { input } = call.tool;
  const { inputNames } = facts;
  const destination = destinationIn(input, inputNames);
  const by = tool.name;
  const channels = LOCAL_KINDS.has(tool.kind) ? [] : channelsOf(tool);
  for (const channel of channels) into.push({ channel, destination, sends: true, by });
  if (channels.length === 0 && changesService(tool, inputNames)) {
    into.push({ channel: 'service', destination, sends: false, by });
  }
  if (into.length === 0 && !LOCAL_KINDS.has(tool.kind)) namedTargets(input, inputNames, by, into);
  // A tool of the net whose host could not be read still goes there. What a search is for goes to whoever searches.
  const sends = !wordsOf(by).has('search');
  if (tool.kind === 'net' && into.length === 0) into.push({ channel: 'network', destination, sends, by });
}

/** Properties of an input that may say where to. */
const TARGETS_MAX = 64;

/** Keys by which a call says where to. What stands under `url` and its like is read as an address in any case. */
const TARGET_KEYS = new Set(
  'to target destination dest sink remote receiver forwardto sendto postto notify subscriber'.split(' '),
);

/** Addresses outside that a call of any tool names as where something goes. */
function namedTargets(input: Record<string, unknown>, names: readonly string[], by: string, into: Outbound[]): void {
  for (const name of names.slice(0, TARGETS_MAX)) {
    const value = input[name];
    if (
      typeof value !== 'string' ||
      !TARGET_KEYS.has(normalizeKey(name)) ||
      !/^(?:https?|wss?|ftps?):\/\//i.test(value)
    )
      continue;
    for (const host of hostsOfUrl(value.slice(0, URL_CHARS_MAX)))
      if (isOutside(host)) into.push({ channel: 'network', destination: host.host, sends: true, by });
  }
}

/** Where statements put what they select. */
function exports({ tool, sql }: EventFacts, into: Outbound[]): void {
  for (const { reached } of sql) {
    if (reached.exportsTo === undefined) continue;
    into.push({ channel: 'upload', destination: reached.exportsTo.toLowerCase(), sends: true, by: tool?.name ?? '' });
  }
}

const HOST_KEYS = new Set('host hostname server'.split(' '));
const URL_CHARS_MAX = 4_096;

/** The hosts that a call of a database tool names beside its statements. One that names none works on its own. */
function databaseHosts({ tool, parameters }: EventFacts, into: Outbound[]): void {
  for (const { key, text, role } of parameters) {
    if (role === 'sql' || role === 'url') continue;
    const by = (tool as ToolFacts).name;
    if (HOST_KEYS.has(key)) addHost(hostFact(text.replace(/:\d+$/, '')), by, into);
    else if (/^[a-z][a-z0-9+.-]{1,31}:\/\//i.test(text))
      for (const host of hostsOfUrl(text.slice(0, URL_CHARS_MAX))) addHost(host, by, into);
  }
}

/** The channels that the tool called `name` is named after. */
const channelsNamed = memoized((name): readonly OutboundChannel[] => {
  const ofMoney = [...wordsOf(name)].some((word) => MONEY_WORDS.has(word));
  const named = new Set(actionsOfTool(name).flatMap((action) => CHANNEL_OF[action] ?? []));
  named.delete(ofMoney ? 'message' : 'payment');
  return [...named];
});

function channelsOf({ name, kind, effect }: ToolFacts): readonly OutboundChannel[] {
  if (kind === 'net') return [];
  const named = channelsNamed(name);
  return named.length === 0 && kind === 'message' && effect === 'send' ? ['message'] : named;
}

const LOCAL_KINDS: ReadonlySet<string> = new Set(['shell', 'code_exec', 'db', 'agent']);

/** Kinds of tools that work on this machine, unless they are named after a service. */
const OWN_KINDS: ReadonlySet<string> = new Set([...LOCAL_KINDS, 'file_read', 'file_write']);

/** Keys by which a call names what is kept in a service. */
const SERVICE_KEYS = new Set('repo repository repoid bucket'.split(' '));
/** What a tool without a service's name may change on this machine. */
const OWN_WORDS = new Set(
  'patch stdin memory todo todos plan variable variables env environment config configuration setting settings workspace worktree session'.split(
    ' ',
  ),
);
const CHANGING: ReadonlySet<Action> = new Set<Action>(['create', 'change', 'book']);
/** Verbs that only programs use: nobody asks for an upsert. */
const ADDING = new Set('append upsert patch put'.split(' '));

/** What the tool called `name` changes, by its name: something in a service, something that may be in one, or of its own. */
const changedBy = memoized((name): 'service' | 'unknown' | 'own' | undefined => {
  const words = [...wordsOf(name)];
  const changes = actionsOfTool(name).some((action) => CHANGING.has(action));
  if (!changes && !words.some((word) => ADDING.has(word))) return undefined;
  return isOfService(wordsOf(name)) ? 'service' : words.some((word) => OWN_WORDS.has(word)) ? 'own' : 'unknown';
});

/** Whether a call leaves something in a service: an issue, a page, a record. */
function changesService({ name, kind }: ToolFacts, inputNames: readonly string[]): boolean {
  const changed = kind === 'net' ? undefined : changedBy(name);
  if (changed === undefined || changed === 'service') return changed === 'service';
  if (inputNames.some((key) => SERVICE_KEYS.has(normalizeKey(key)))) return true;
  return !OWN_KINDS.has(kind) && changed === 'unknown';
}

const DESTINATION_KEYS = new Set(
  'to recipient recipients recipientemail toemail email emails emailaddress channel channelid chatid phone phonenumber tophonenumber tophonenumbers url endpoint webhook account toaccount toaccountnumber iban payee payeeid user username userid address host bucket repo repoid repository'.split(
    ' ',
  ),
);
const DESTINATION_CHARS_MAX = 256;

/** Who gets what the call sends, by the keys of its input. */
function destinationIn(input: Record<string, unknown>, names: readonly string[]): string {
  for (const name of names.slice(0, TARGETS_MAX)) {
    if (!DESTINATION_KEYS.has(normalizeKey(name))) continue;
    const value = input[name];
    const text = Array.isArray(value) ? value[0] : value;
    if (typeof text === 'string') return text.slice(0, DESTINATION_CHARS_MAX).toLowerCase();
  }
  return '';
}

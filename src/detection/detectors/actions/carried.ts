import { gitWords } from '../../facts/files/git.ts';
import { canonicalPath } from '../../facts/paths.ts';
import { isWithin, type ShellCommand } from '../../facts/shell/model.ts';
import { named } from '../../reason.ts';
import { sourcesOf } from './pipelines.ts';
import { printsSecrets } from './secret-printers.ts';
import type { SendingContext } from './sending-context.ts';
import { isSensitiveFile, printsCredentials, printsSensitive, readsMachine } from './sensitive-sources.ts';
import { filesSent, publishes } from './sent-files.ts';
import { wordsSent } from './sent-variables.ts';

/** What a command sends to another machine. */
export interface Carried {
  /** What it is, for the person. */
  what: string;
  /** Nobody sends such things in ordinary work. */
  sensitive: boolean;
  /** Whose secret it is, as `OWNERS` has them. */
  owner?: string;
  /** It is a file as it lies there. */
  isFile?: boolean;
}

/** What `command` takes along, or undefined. */
export function carriedBy(
  command: ShellCommand,
  commands: readonly ShellCommand[],
  context: SendingContext,
): Carried | undefined {
  const files = filesSent(command);
  const sent = files.filter((file) => file !== '-' && file !== '/dev/stdin');
  const isKept = (file: string): boolean => isSensitiveFile(file) || context.filled.has(keyOf(file, command));
  const kept = sent.find(isKept);
  const file = kept ?? sent[0];
  if (file !== undefined) return { what: `the file ${named(file)}`, sensitive: kept !== undefined, isFile: true };
  if (command.name.startsWith('invoke-') && command.args.some(({ text }) => /^-form$/i.test(text)))
    return { what: 'a form', sensitive: false, isFile: true };
  const inner = context.inner
    .get(command.name)
    ?.find((other) => isWithin(other.origin, command.origin) && isTaken(other, command));
  const fed = fedTo(command, commands, files);
  // What names the machine beside a dump is not what the call is about.
  if (
    inner !== undefined &&
    (takesText(command) || isFedByWord(command)) &&
    !(fed?.sensitive === true && !printsSensitive(inner))
  )
    return {
      what: `the output of ${named(inner.name)}`,
      sensitive: printsSensitive(inner) || spellsNames(command),
      ...ownerOf(inner),
    };
  if (spellsNames(command))
    return {
      what: 'what it is told',
      sensitive: context.encodes,
    };
  return fed;
}

/** What a pipeline brings it, or undefined. */
function fedTo(
  command: ShellCommand,
  commands: readonly ShellCommand[],
  files: readonly string[],
): Carried | undefined {
  const feeding = sourcesOf(command, commands).filter((source) => readsMachine(source) || isArchive(source));
  // What is packed or encoded on its way is still what it was.
  const isOpen = UPLOADERS.has(command.name) || PLAIN_SOCKETS.has(command.name) || showsToAll(command);
  const packed = isOpen ? feeding.find(packsAll) : undefined;
  const fed =
    feeding.find((source) => printsCredentials(source) || source.args.some(({ text }) => isSensitiveFile(text))) ??
    packed ??
    (isOpen ? feeding.find(printsSensitive) : undefined) ??
    feeding[0];
  if (fed === undefined || !readsInput(command, files)) return undefined;
  return {
    what: `the output of ${named(fed.name)}`,
    sensitive: fed === packed || printsSensitive(fed),
    ...(feeding.some(({ name }) => PACKERS.has(name)) ? { isFile: true } : {}),
    ...ownerOf(fed),
  };
}

/** Programs whose output is files as they lie there. */
const PACKERS: ReadonlySet<string> = new Set(['tar', 'zip', '7z', 'cpio']);

/** `aws s3 cp … --acl public-read`: into a store, for everybody to read. */
function showsToAll({ name, args }: ShellCommand): boolean {
  const words = args.map(({ text }) => text).join(' ');
  return (
    (name === 'aws' && /--acl[ =]public-read/.test(words)) || (name === 'gsutil' && /\s-a public-read/.test(words))
  );
}

function keyOf(file: string, { cwd }: ShellCommand): string {
  return canonicalPath(file, cwd === undefined ? undefined : canonicalPath(cwd)).key;
}

function ownerOf(source: ShellCommand): Pick<Carried, 'owner'> {
  return printsSecrets(source) ? { owner: source.name } : {};
}

/** Clients that put what they are given where anybody may have asked for it; `ssh` only reaches machines that one may log in to. */
export const UPLOADERS: ReadonlySet<string> = new Set(['curl', 'wget', 'http', 'https', 'xh']);

/** Programs that send what they read as it is. */
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

/** Whether what is piped to `command` goes to the other machine. */
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

import type { EventFacts } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import type { HostFact } from '../../facts/hosts.ts';
import { isWithin, type ShellCommand } from '../../facts/shell/model.ts';
import { sourcesOf } from './pipelines.ts';
import { isSensitiveFile, printsCredentials, readsMachine } from './sensitive-sources.ts';

/** What the judgement of each sending command looks up, gathered once for an event. */
export interface SendingContext {
  /** Hosts that a command names, by its index. */
  hosts: ReadonlyMap<number, readonly HostFact[]>;
  /** Commands whose output becomes words of a sender, by its name and where it ends. */
  inner: ReadonlyMap<string, readonly ShellCommand[]>;
  /** A command of the event encodes what it reads. */
  encodes: boolean;
  /** Files of which the event itself writes secrets into, by their keys. */
  filled: ReadonlySet<string>;
}

/** Commands in substitutions of one name that are looked at for one sender. */
const INNER_MAX = 64;

/** Gathers it, in one pass over commands and files. */
export function sendingContextOf({ files, hosts, shell }: EventFacts): SendingContext {
  const byCommand = new Map<number, HostFact[]>();
  for (const { command, host } of hosts) if (command !== undefined) addTo(byCommand, command, host);
  const inner = new Map<string, ShellCommand[]>();
  for (const command of shell.commands) {
    const { consumer, name } = command;
    // `$(<file)` reads without a program.
    const reads = name === '' && command.redirects.some(({ operator }) => operator === '<');
    if (consumer !== undefined && (reads || readsMachine(command))) addTo(inner, consumer, command);
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
    if (printsCredentials(command)) fill.add(index);
    else if (FILLERS.test(command.name) && command.args.some(({ text }) => isSensitiveFile(text))) fill.add(index);
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

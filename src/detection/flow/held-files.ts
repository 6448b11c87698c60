import type { EventFacts } from '../facts/event-facts.ts';
import type { FileAccess } from '../facts/file-access.ts';
import type { CanonicalPath } from '../facts/paths.ts';
import { isWithin, type Origin, type ShellCommand } from '../facts/shell/model.ts';
import { namesAsked } from './file-names.ts';
import { keyedHash, wordHash } from './keyed-hash.ts';
import type { FlowMatch } from './match.ts';
import type { FlowMemory, FlowSource } from './memory.ts';
import { DATABASE_CLIENTS, type Outbound } from './outbound.ts';
import { NO_WORDS, wordSet } from './word-hashes.ts';

/** A file that holds what a source gave out, read by a call, and the ways out that its content takes. */
interface HeldFile {
  /** Index into the sources of the memory. */
  source: number;
  origin: Origin;
  ways: readonly Outbound[];
}

/** What a call does with files that hold remembered values. */
export interface HeldFiles {
  leaving: readonly HeldFile[];
  /** Files that hold the same once the call is done. */
  copies: readonly { source: number; path: CanonicalPath }[];
}

const NONE: HeldFiles = { leaving: [], copies: [] };

/** Whether `memory` knows of a file with a secret that a result showed. */
function knowsFiles({ sources }: FlowMemory): boolean {
  return sources.some(({ files = NO_WORDS }) => files !== NO_WORDS);
}

/** Which source the content of the file at a path comes from. */
type Lookup = (path: CanonicalPath) => number | undefined;

function lookupIn(memory: FlowMemory, key: Uint8Array): Lookup {
  const hash = keyedHash(key);
  const known = memory.sources.map(({ files = NO_WORDS }) => wordSet(files));
  return (path) => {
    if (path.dynamic) return undefined;
    const asked = namesAsked(path).map((name) => wordHash(name, hash));
    const found = known.findIndex((names) => names.size > 0 && asked.some((name) => names.has(name)));
    return found < 0 ? undefined : found;
  };
}

/** Programs that hand on what they read, whatever form they give it; of others, what comes out says less than what went in. */
const CARRIERS =
  /^(?:g?cp|mv|cat|tac|rev|g?tar|bsdtar|gzip|bzip2|xz|zstd|zip|7za?|g?base64|base32|xxd|od|hexdump|dd|tee|install|ln|rsync|split|openssl|copy-item|move-item|copy|move|xcopy|get-content|type)$/;

/** What the call of `facts`, with the ways out `ways`, does with files that hold what `memory` knows. */
export function heldFiles(
  facts: EventFacts,
  ways: readonly Outbound[],
  memory: FlowMemory,
  key: Uint8Array,
): HeldFiles {
  if (facts.files.length === 0 || !knowsFiles(memory)) return NONE;
  const local = new Map<string, number>();
  const remembered = lookupIn(memory, key);
  const lookup: Lookup = (path) => local.get(path.key) ?? remembered(path);
  const leaving = leavingByCalls(facts, ways, lookup);
  const copies: { source: number; path: CanonicalPath }[] = [];
  const held: (number | undefined)[] = [];
  // Those of them whose output becomes words of another.
  const substituted: number[] = [];
  const { commands } = facts.shell;
  const accesses = byCommand(facts.files);
  for (const [index, command] of commands.entries()) {
    // What stands on another machine only has the same name.
    if (command.via.some((name) => REMOTE.test(name))) continue;
    const own = accesses.get(index) ?? [];
    const source = heldBy(own, lookup) ?? (command.input === undefined ? undefined : held[command.input]);
    const within = source ?? heldInside(facts, index, substituted, held);
    if (within === undefined) continue;
    const out = ways.filter((way) => way.command === index);
    if (out.length > 0 && !DATABASE_CLIENTS.has(command.name))
      leaving.push({ source: within, origin: command.origin, ways: out });
    if (!CARRIERS.test(command.name)) continue;
    held[index] = within;
    if (command.consumer !== undefined && substituted.length < SUBSTITUTED_MAX) substituted.push(index);
    for (const { operation, path } of own) {
      if ((operation !== 'write' && operation !== 'append') || path.dynamic || path.key.includes(':')) continue;
      local.set(path.key, within);
      copies.push({ source: within, path });
    }
  }
  return { leaving, copies };
}

/** Of one call. */
const SUBSTITUTED_MAX = 64;
const REMOTE = /^(?:ssh|docker|podman|kubectl|nerdctl)$/;

function byCommand(files: readonly FileAccess[]): ReadonlyMap<number, readonly FileAccess[]> {
  const found = new Map<number, FileAccess[]>();
  for (const access of files) {
    if (access.command === undefined) continue;
    const own = found.get(access.command);
    if (own === undefined) found.set(access.command, [access]);
    else own.push(access);
  }
  return found;
}

function heldBy(accesses: readonly FileAccess[], lookup: Lookup): number | undefined {
  for (const { operation, path } of accesses) {
    const source = operation === 'read' ? lookup(path) : undefined;
    if (source !== undefined) return source;
  }
  return undefined;
}

/** `curl -d "$(cat a.ini)"`: what a command in a substitution read becomes a word of the one around it. */
function heldInside(
  { shell }: EventFacts,
  index: number,
  substituted: readonly number[],
  held: readonly (number | undefined)[],
): number | undefined {
  const { name, origin } = shell.commands[index] as ShellCommand;
  const at = substituted.find((each) => {
    const inner = shell.commands[each] as ShellCommand;
    return inner.consumer === name && isWithin(inner.origin, origin);
  });
  return at === undefined ? undefined : held[at];
}

/** A request in code around what opens a file. */
const SENDS_OPENED =
  /(?:post|put|patch|request|urlopen|fetch|upload\w{0,16}|send\w{0,16})\s{0,4}\([^;\n]{0,256}?(?:open|readFile(?:Sync)?|createReadStream|read_text|read_bytes|File\.read|file_get_contents)\b/i;

/** What leaves without a command: by the tool itself, or by code that opens a file inside of what it sends. */
function leavingByCalls({ tool, files, scripts }: EventFacts, ways: readonly Outbound[], lookup: Lookup): HeldFile[] {
  const out = ways.filter(({ command }) => command === undefined);
  if (out.length === 0) return [];
  const leaving: HeldFile[] = [];
  const opened = scripts.filter(({ code }) => SENDS_OPENED.test(code));
  for (const { command, operation, path, by, origin } of files) {
    if (command !== undefined || operation !== 'read') continue;
    if (by !== tool?.name && !opened.some((script) => script.origin === origin)) continue;
    const source = lookup(path);
    if (source !== undefined) leaving.push({ source, origin, ways: out });
  }
  return leaving;
}

/** The match that a file that leaves amounts to: all of what its source gave out. */
export function matchOfFile({ source, origin }: HeldFile, memory: FlowMemory): FlowMatch | undefined {
  const held = memory.prints.find((print) => print.source === source);
  if (held === undefined) return undefined;
  const { label, kind, event, tool, homes } = memory.sources[source] as FlowSource;
  return {
    print: held.print,
    label,
    kind,
    coverage: 1,
    coverageHere: 1,
    mask: 0,
    encoding: 'file',
    originEvent: event,
    originTool: tool,
    homes: homes ?? NO_WORDS,
    ...origin,
  };
}

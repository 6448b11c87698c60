import { decodePercent } from './decode.ts';

/** Where a canonical path starts. `work_tree` is the directory that the agent works in, wherever that is. */
export const PATH_ANCHORS = ['root', 'home', 'work_tree', 'drive', 'share'] as const;
export type PathAnchor = (typeof PATH_ANCHORS)[number];

/** How a path hid what it names. */
export const PATH_DISGUISES = [
  'percent_encoding',
  /** More than one layer of it. */
  'layered_encoding',
  /** Encodings that no honest program makes. */
  'odd_encoding',
  'nul',
  /** Dots, empty steps or endless names that only serve to slip past a filter. */
  'padding',
  'mixed_separators',
] as const;
export type PathDisguise = (typeof PATH_DISGUISES)[number];

export interface CanonicalPath {
  /**
   * The path in one notation: `/etc/passwd`, `~/.ssh/id_rsa`, `src/main.ts`, `../x`, `c:/windows`, `//server/share`.
   * No `.` or `..` inside, single slashes, decoded. Case is kept.
   */
  text: string;
  /** `text` in lower case, for comparison. */
  key: string;
  anchor: PathAnchor;
  /** Levels above the anchor that the path asked for. In `text` they are kept for the work tree only. */
  climbs: number;
  disguises: readonly PathDisguise[];
  /** A part of it is only known at run time. */
  dynamic: boolean;
}

const NONE: readonly PathDisguise[] = [];
/** ASCII without escapes, variables, drives and schemes in front, or spaces at the ends. */
const PLAIN = /^(?![ ~$]|[a-z][a-z0-9+.-]*:)[\x20-\x24\x26-\x3a\x3c-\x5b\x5d-\x7e]*$/i;
/** Steps that have to be resolved, `/proc`, `/private`, mounted drives, and `0x2e`. */
const UNPLAIN = /(?:^|\/)\.+(?:\/|$)|\/\/|^\/(?:p|mnt|cyg)|0x[25]/i;
const DECODE_LAYERS_MAX = 3;

/**
 * The canonical form of `text`, a path as a tool's input or a shell word names it. `cwd` is the canonical directory
 * that a relative path starts from, where a script changed it. `dynamic` marks a text with unresolved parts.
 */
export function canonicalPath(text: string, cwd?: CanonicalPath, dynamic = false): CanonicalPath {
  return (cwd === undefined ? plainPath(text, dynamic) : undefined) ?? canonicalize(text, cwd, dynamic);
}

/** The canonical path where `text` is in that notation already, apart from a `./` in front or a slash behind. */
function plainPath(text: string, dynamic: boolean): CanonicalPath | undefined {
  const home = text.startsWith('~/');
  const rest = text === '.' || text === '' ? '' : home || text.startsWith('./') ? text.slice(2) : text;
  if (rest.length > NAME_CHARS_MAX || !PLAIN.test(rest) || UNPLAIN.test(rest) || rest.endsWith(' ')) return undefined;
  if (rest.startsWith('/') && rest !== text) return undefined;
  const body = rest.length > 1 && rest.endsWith('/') ? rest.slice(0, -1) : rest;
  const canonical = home ? (body === '' ? '~' : `~/${body}`) : body === '' ? '.' : body;
  const anchor = home ? 'home' : body.startsWith('/') ? 'root' : 'work_tree';
  return { text: canonical, key: canonical.toLowerCase(), anchor, climbs: 0, disguises: NONE, dynamic };
}

function canonicalize(text: string, cwd: CanonicalPath | undefined, dynamic: boolean): CanonicalPath {
  const disguises = new Set<PathDisguise>();
  const decoded = decodeLayers(text, disguises);
  const start = splitAnchor(toSlashes(decoded, disguises));
  const base = start.anchor === 'work_tree' && cwd !== undefined ? cwd : undefined;
  const resolved = resolveSegments(start, base, disguises);
  const { anchor, climbs } = resolved;
  const canonical = writtenOut(resolved);
  const hidden = disguises.size === 0 ? NONE : [...disguises];
  return { text: canonical, key: canonical.toLowerCase(), anchor, climbs, disguises: hidden, dynamic };
}

function decodeLayers(text: string, disguises: Set<PathDisguise>): string {
  let decoded = text;
  for (let layer = 0; layer < DECODE_LAYERS_MAX; layer++) {
    const step = decodePercent(decoded);
    if (!step.changed) break;
    disguises.add('percent_encoding');
    if (layer > 0) disguises.add('layered_encoding');
    if (step.odd) disguises.add('odd_encoding');
    decoded = step.text;
  }
  if (/0x(?:2e|2f|5c)/i.test(decoded)) {
    decoded = decoded.replace(/0x(2e|2f|5c)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    disguises.add('odd_encoding');
  }
  if (hasUnusualDots(decoded)) {
    decoded = decoded.replace(/[\uff0e\u2024\ufe52]/g, '.').replace(/[\u2215\u2044\u29f8\uff0f]/g, '/');
    decoded = decoded.replace(/[\u2216\u29f5\uff3c\ufe68]/g, '\\');
    disguises.add('odd_encoding');
  }
  const nul = decoded.indexOf('\0');
  if (nul < 0) return decoded;
  disguises.add('nul');
  // What follows a NUL never reaches the operating system. Early ones are there to break up what a filter looks for.
  return decoded.slice(0, nul).length > 2 ? decoded.slice(0, nul) : decoded.replaceAll('\0', '');
}

/** Characters that Unicode normalization turns into dots and slashes. */
function hasUnusualDots(text: string): boolean {
  return /[\uff0e\u2024\ufe52\u2215\u2044\u29f8\uff0f\u2216\u29f5\uff3c\ufe68]/.test(text);
}

/** Backslashes separate, except where they stand in front of dots and slashes to break up `../`. */
function toSlashes(text: string, disguises: Set<PathDisguise>): string {
  if (!text.includes('\\')) return text;
  const slashed = text.replaceAll('\\', '/');
  if (!text.includes('/') || !text.includes('..')) {
    const bare = text.includes('/') ? text.replaceAll('\\', '') : slashed;
    if (stepsUp(bare) <= stepsUp(slashed)) return slashed;
    disguises.add('mixed_separators');
    return bare;
  }
  disguises.add('mixed_separators');
  const bare = text.replaceAll('\\', '');
  return stepsUp(bare) > stepsUp(slashed) ? bare : slashed;
}

function stepsUp(path: string): number {
  return path.match(/(?:^|\/)\.\.(?=\/|$)/g)?.length ?? 0;
}

interface Start {
  anchor: PathAnchor;
  /** `c:` or `//server/share`; empty otherwise. */
  prefix: string;
  rest: string;
}

const HOME_PREFIX = /^(?:~|\$home|\$\{home\}|%userprofile%|%homepath%|\$env:(?:userprofile|home))(?=\/|$)/i;
const WORK_TREE_PREFIX = /^(?:\$pwd|\$\{pwd\}|\$\(pwd\)|%cd%)(?=\/|$)/i;
const APP_DATA_PREFIX = /^(?:%(local)?appdata%|\$env:(local)?appdata)(?=\/|$)/i;
const SYSTEM_PREFIX = /^(?:%(?:systemroot|windir)%|\$env:(?:systemroot|windir))(?=\/|$)/i;
const TEMP_PREFIX = /^(?:\$tmpdir|\$\{tmpdir(?::-\/tmp)?\})(?=\/|$)/i;
const PROC_ROOT = /^\/+proc\/+(?:self|thread-self|\d+)\/+root(?=\/|$)/i;
const PROC_CWD = /^\/+proc\/+(?:self|thread-self|\d+)\/+cwd(?=\/|$)\/*/i;
/** Where macOS keeps what is `/etc`, `/var` and `/tmp` elsewhere. */
const MAC_PREFIX = /^\/+(?:system\/+volumes\/+data|private)(?=\/+(?:etc|var|tmp|users|private)(?:\/|$))/i;
/** A volume, or a copy that Windows keeps of one, by its device. */
const DEVICE_VOLUME = /^\/\/[?.]\/globalroot\/device\/harddiskvolume(?:shadowcopy)?\d{1,4}(?=\/)/i;
const TILDE_USER = /^~[a-z_][a-z0-9_-]{0,31}(?=\/|$)/i;

function splitAnchor(text: string): Start {
  const path = stripScheme(text.trim());
  if (path.startsWith('/')) return splitAbsolute(path);
  const drive = /^([a-z]):(?=\/|$)/i.exec(path);
  if (drive !== null) return { anchor: 'drive', prefix: `${(drive[1] as string).toLowerCase()}:`, rest: path.slice(2) };
  if (path.startsWith('~') || path.startsWith('$') || path.startsWith('%')) return splitVariable(path);
  return { anchor: 'work_tree', prefix: '', rest: path };
}

function stripScheme(path: string): string {
  const scheme = /^(?:file|vscode-local|jar:file):\/*(?:localhost(?=\/))?/i.exec(path);
  if (scheme === null) return path;
  // SQLite takes options behind a question mark: `file:x.db?immutable=1`.
  const rest = path.slice(scheme[0].length).replace(/\?.*$/s, '');
  if (/^[~$%]/.test(rest)) return rest;
  return /^[a-z]:\//i.test(rest) ? rest : `/${rest.replace(/^\/+/, '')}`;
}

function splitAbsolute(path: string): Start {
  const device = /^\/\/[?.]\/(?=[a-z]:)/i.exec(path);
  if (device !== null) return splitAnchor(path.slice(device[0].length));
  const volume = DEVICE_VOLUME.exec(path);
  if (volume !== null) return { anchor: 'drive', prefix: 'c:', rest: path.slice(volume[0].length) };
  let rest = path;
  for (let turns = 0; turns < 4; turns++) {
    const next = rest.replace(PROC_ROOT, '').replace(MAC_PREFIX, '');
    if (next === rest) break;
    rest = next === '' ? '/' : next;
  }
  if (PROC_CWD.test(rest)) return { anchor: 'work_tree', prefix: '', rest: rest.replace(PROC_CWD, '') };
  const drive = /^\/+(?:(?:mnt|cygdrive)\/+([a-z])|([a-z]):)(?=\/|$)/i.exec(rest);
  if (drive !== null) {
    const letter = (drive[1] ?? drive[2] ?? '').toLowerCase();
    return { anchor: 'drive', prefix: `${letter}:`, rest: rest.slice(drive[0].length) };
  }
  return { anchor: 'root', prefix: '', rest };
}

function splitVariable(path: string): Start {
  const home = HOME_PREFIX.exec(path) ?? TILDE_USER.exec(path);
  if (home !== null) return { anchor: 'home', prefix: '', rest: path.slice(home[0].length) };
  const here = WORK_TREE_PREFIX.exec(path);
  if (here !== null) return { anchor: 'work_tree', prefix: '', rest: path.slice(here[0].length + 1) };
  const temp = TEMP_PREFIX.exec(path);
  if (temp !== null) return { anchor: 'root', prefix: '', rest: `/tmp${path.slice(temp[0].length)}` };
  const data = APP_DATA_PREFIX.exec(path);
  if (data !== null) {
    const local = /local/i.test(data[0]) ? 'Local' : 'Roaming';
    return { anchor: 'home', prefix: '', rest: `/AppData/${local}${path.slice(data[0].length)}` };
  }
  const system = SYSTEM_PREFIX.exec(path);
  if (system !== null) return { anchor: 'drive', prefix: 'c:', rest: `/Windows${path.slice(system[0].length)}` };
  return { anchor: 'work_tree', prefix: '', rest: path };
}

interface Resolved {
  anchor: PathAnchor;
  prefix: string;
  segments: string[];
  climbs: number;
}

function resolveSegments(start: Start, base: CanonicalPath | undefined, disguises: Set<PathDisguise>): Resolved {
  const from = base === undefined ? undefined : splitAnchor(base.text);
  const segments = from === undefined ? [] : from.rest.split('/').filter((segment) => segment !== '');
  const resolved: Resolved = { anchor: (from ?? start).anchor, prefix: (from ?? start).prefix, segments, climbs: 0 };
  let paddings = 0;
  let idleSteps = 0;
  for (const raw of start.rest.split('/')) {
    const segment = raw.includes(';') ? raw.replace(/^(\.\.?);.*$/s, '$1') : raw;
    if (segment !== raw) disguises.add('padding');
    if (segment === '' || segment === '.') {
      if (segment === '.' && ++idleSteps > IDLE_STEPS_MAX) disguises.add('padding');
      continue;
    }
    if (segment.length > NAME_CHARS_MAX) disguises.add('padding');
    if (segment === '..') {
      climb(resolved);
      continue;
    }
    if (/^\.{3,}$/.test(segment)) {
      // `....//` becomes `../` behind a filter that takes `../` away once.
      paddings++;
      if (segment.length > 3 || paddings > 1) disguises.add('padding');
    }
    resolved.segments.push(segment);
  }
  return resolved;
}

/** Steps to where one already is. A few come from joining paths; many are there to fill a buffer. */
const IDLE_STEPS_MAX = 16;
/** No file system has longer names. */
const NAME_CHARS_MAX = 255;

function climb(resolved: Resolved): void {
  const last = resolved.segments.at(-1);
  if (last !== undefined && last !== '..') {
    resolved.segments.pop();
    return;
  }
  resolved.climbs++;
  if (resolved.anchor === 'home') {
    // Above a home directory lies the directory of all of them.
    resolved.anchor = 'root';
    resolved.segments = ['home'];
    resolved.climbs = 0;
  } else if (resolved.anchor === 'work_tree') {
    resolved.segments.push('..');
  }
}

function writtenOut({ anchor, prefix, segments }: Resolved): string {
  const joined = segments.join('/');
  switch (anchor) {
    case 'root':
      return `/${joined}`;
    case 'home':
      return joined === '' ? '~' : `~/${joined}`;
    case 'work_tree':
      return joined === '' ? '.' : joined;
    default:
      return `${prefix}/${joined}`;
  }
}

const USER_HOME =
  /^(?:\/home\/[^/]+|\/root|\/users\/[^/]+|\/var\/root|[a-z]:\/(?:users|documents and settings)\/[^/]+)(?=\/|$)/;

/**
 * `path.key` below the home directory it lies in, without a leading slash: `.ssh/id_rsa` for `~/.ssh/id_rsa`,
 * `/root/.ssh/id_rsa` and `C:\Users\eve\.ssh\id_rsa`. Undefined where it lies in none; empty for the home itself.
 */
export function belowHome(path: CanonicalPath): string | undefined {
  if (path.anchor === 'home') return path.key.slice(2);
  if (path.anchor === 'work_tree' || path.anchor === 'share') return undefined;
  const home = USER_HOME.exec(path.key);
  return home === null ? undefined : path.key.slice(home[0].length + 1);
}

/** Where a path that climbs out of the work tree lands if it climbs far enough. */
export function landing(path: CanonicalPath): CanonicalPath {
  if (path.anchor !== 'work_tree') return path;
  const key = `/${path.key.replace(/^(?:\.\.\/)+/, '')}`;
  return { ...path, text: key, key, anchor: 'root', climbs: 0 };
}

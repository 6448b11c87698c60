import { credentialDirectory, credentialKind } from './credential-files.ts';
import { belowHome, type CanonicalPath, canonicalPath } from './paths.ts';

/**
 * In which directory a shell works where its text does not say so: the one that the call names, or the one that an earlier call of the
 * same tool left it in. Of named ones those count in which a name by itself is a system's or a person's: all others are work trees. Of
 * those that were left, which many runtimes do not keep, only what no project is likely to have: keys and accounts, and `etc` and its
 * like at the root.
 */

/** Keys under which a call says where its command runs. */
const KEYS: ReadonlySet<string> = new Set('cwd workdir workingdir workingdirectory directory dirpath'.split(' '));
/** Keys by which a call is for one shell of several, here or elsewhere. */
const SHELL_KEYS: ReadonlySet<string> = new Set(
  'host hostname server machine container containerid pod instance instanceid node session sessionid terminal terminalid shell shellid tab pane'.split(
    ' ',
  ),
);
const CHARS_MAX = 256;

/** Whether `key` says where a command runs. */
export function namesWorkDirectory(key: string): boolean {
  return KEYS.has(key);
}

/** Whether `key` says in which of several shells. */
export function namesShell(key: string): boolean {
  return SHELL_KEYS.has(key);
}

/** The directory that a call names as `text`, where a name in it is a system's or a person's. */
export function namedDirectory(text: string): string | undefined {
  if (text.length > CHARS_MAX) return undefined;
  const path = canonicalPath(text);
  return !path.dynamic && (SYSTEM.test(path.key) || belowHome(path) === '' || isOfKeys(path)) ? text : undefined;
}

const SYSTEM =
  /^\/$|^\/(?:etc|boot|bin|sbin|lib\d{0,2}|dev|proc|sys|var\/(?:log|lib|spool|mail|backups|run))(?:\/|$)|^\/(?:usr(?:\/(?:bin|sbin|lib|share|local))?|var|home|users|opt|srv|root|mnt|media|library|system)$|^[a-z]:\/?$|^[a-z]:\/windows(?:\/|$)/;

/** Where a shell that began in `before` is left by a script that last went to `to`; undefined where that is not known or means nothing. */
export function leftDirectory(before: string | undefined, to: string): string | undefined {
  if (/[$`*?]/.test(to)) return undefined;
  const isAnchored = /^[/~]|^[A-Za-z]:/.test(to);
  if (!isAnchored && before === undefined) return undefined;
  const text = isAnchored ? to : `${before}/${to}`;
  if (text.length > CHARS_MAX) return undefined;
  const path = canonicalPath(text);
  return !path.dynamic && (path.key === '/' || path.key === '/etc' || isOfKeys(path)) ? text : undefined;
}

function isOfKeys(path: CanonicalPath): boolean {
  return credentialDirectory(path) !== undefined;
}

/** Where `path`, which a tool for files was given, leads from the `directory` that it was given, too. */
export function fromGiven(directory: string, path: CanonicalPath): CanonicalPath | undefined {
  return path.anchor === 'work_tree' && !path.dynamic ? canonicalPath(path.text, canonicalPath(directory)) : undefined;
}

/** What nobody has in a project by these names. */
const AT_ROOT = /^\/(?:etc|usr|home|root|boot|sbin)(?:\/|$)/;

/** Where `path`, as a script wrote it, leads from the directory `left` that an earlier call left the shell in, as far as that tells. */
export function fromLeft(left: string, path: CanonicalPath): CanonicalPath | undefined {
  if (path.anchor !== 'work_tree' || path.climbs > 0 || path.dynamic) return undefined;
  const base = canonicalPath(left);
  const whole = canonicalPath(path.key === '.' || path.key === '' ? left : `${left}/${path.text}`);
  if (base.key === '/') return AT_ROOT.test(whole.key) ? whole : undefined;
  if (base.key === '/etc') return credentialKind(whole) === undefined ? undefined : whole;
  return whole;
}

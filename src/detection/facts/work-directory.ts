import { credentialDirectory } from './credential-files.ts';
import { belowHome, type CanonicalPath, canonicalPath } from './paths.ts';

/**
 * In which directory a shell works where its text does not say so: the one that the call names, or the one that an earlier call of the
 * session left it in. Only directories count in which a name by itself is a system's or a person's: all others are work trees, and mean
 * nothing here. So a runtime that starts each shell anew is hardly ever misread.
 */

/** Keys under which a call says where its command runs. */
const KEYS: ReadonlySet<string> = new Set('cwd workdir workingdir workingdirectory'.split(' '));
const CHARS_MAX = 256;

/** Whether `key` says where a command runs. */
export function namesWorkDirectory(key: string): boolean {
  return KEYS.has(key);
}

/** `text` where it is such a directory. */
export function graveDirectory(text: string | undefined): string | undefined {
  if (text === undefined || text.length === 0 || text.length > CHARS_MAX) return undefined;
  return isGrave(canonicalPath(text)) ? text : undefined;
}

const SYSTEM =
  /^\/$|^\/(?:etc|boot|bin|sbin|lib\d{0,2}|dev|proc|sys|var\/(?:log|lib|spool|mail|backups|run))(?:\/|$)|^\/(?:usr(?:\/(?:bin|sbin|lib|share|local))?|var|home|users|opt|srv|root|mnt|media|library|system)$|^[a-z]:\/?$|^[a-z]:\/windows(?:\/|$)/;

function isGrave(path: CanonicalPath): boolean {
  if (path.dynamic) return false;
  return SYSTEM.test(path.key) || belowHome(path) === '' || credentialDirectory(path) !== undefined;
}

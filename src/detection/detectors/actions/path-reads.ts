import { credentialKind } from '../../facts/credential-files.ts';
import type { Parameter } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import { belowHome, type CanonicalPath, canonicalPath, landing } from '../../facts/paths.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { isOwnText } from './own-texts.ts';
import { disguiseOf, SMUGGLED_PATH } from './path-disguises.ts';
import { NAME_KEYS, namesIn } from './path-values.ts';

/**
 * A file tool is there to work on the project. One that is led out of it to the system's own files, whatever route
 * the path takes, is most often being led by somebody else. Shell commands are not judged here: looking at `/etc` and
 * `/var/log` is what administration through a shell consists of.
 */
export const pathReads = actionDetector({
  id: 'path_reads',
  version: 7,
  severity: 'high',
  title:
    "Reads the system's configuration, logs or process data through a file tool, or leaves the work tree by a disguised path.",
  kinds: ['path.traversal', 'path.system_read', 'path.outside_work_tree'],
  falsePositives: ['looking at configuration of the machine through a file tool'],
  find({ facts }, found) {
    const { tool } = facts;
    if (tool === undefined || tool.kind === 'shell') return;
    const aboutFiles = /^(?:file_read|file_write|net)$/.test(tool.kind);
    for (const access of facts.files) {
      if (access.operation !== 'read' || access.command !== undefined || !aboutFiles) continue;
      const match = judge(access, tool.basis === 'name' || tool.basis === 'policy');
      if (match !== undefined) found.push(match);
    }
    for (const parameter of facts.parameters)
      if (!isOwnText(parameter, tool)) readParameter(parameter, tool.kind === 'other', found);
  },
});

/** UTF-16 code units of a value that is no path to its tool; of one word, which may be filled up against filters. */
const VALUE_CHARS_MAX = 1_024;
const WORD_CHARS_MAX = 8_192;
const TEXT_KEYS =
  /^(?:content|contents|newstring|oldstring|newstr|oldstr|newtext|oldtext|filetext|body|prompt|description|instructions?|messages?|patch|diff|edits|code|script|html|markdown|explanation|thought|reason|pattern|regexp?|text|notes?|comment|summary)$/;

/** `unknown`: nothing is known of the tool, so that only what a name is called says what it is there for. */
function readParameter({ role, key, text, place }: Parameter, unknown: boolean, found: Action[]): void {
  const origin = { place, start: 0, end: text.length };
  if (role === 'path') readPath({ key, text }, unknown, origin, found);
  else if ((role === 'text' || role === 'url') && !TEXT_KEYS.test(key)) {
    const short = text.length <= VALUE_CHARS_MAX || (text.length <= WORD_CHARS_MAX && !/\s/.test(text));
    if (short) readValue(text, key, role === 'url', origin, found);
  }
}

/** Of tools that are known, `judge` says which ways up and which places are theirs. */
function readPath(
  { key, text }: Pick<Parameter, 'key' | 'text'>,
  unknown: boolean,
  origin: Action['origin'],
  found: Action[],
): void {
  const what = disguiseOf(text);
  const path = unknown && text.length <= VALUE_CHARS_MAX ? canonicalPath(text) : undefined;
  const way = what ?? (path === undefined ? undefined : describeRoute(path, text));
  if (way !== undefined)
    found.push({ kind: 'path.traversal', what: `names a path that ${way}`, confidence: 0.85, origin });
  else if (path !== undefined && NAME_KEYS.test(key.replace(/path$/, ''))) readTarget(path, origin, found);
}

function readTarget(path: CanonicalPath, origin: Action['origin'], found: Action[]): void {
  const target = describeTarget(path);
  if (target === undefined) return;
  found.push({ kind: 'path.system_read', what: `names ${target}: ${named(path.text)}`, confidence: 0.8, origin });
}

/** A value that is no path to its tool: one that can only be meant as one, or the name of a file that leads away. */
function readValue(text: string, key: string, isUrl: boolean, origin: Action['origin'], found: Action[]): void {
  if (SMUGGLED_PATH.test(text)) {
    const confidence = /^(?:\S+\s+){5}/.test(text) ? 0.5 : 0.85;
    found.push({ kind: 'path.traversal', what: 'passes a value that leads to a file elsewhere', confidence, origin });
    return;
  }
  for (const { value, namesFile } of namesIn(text, key, isUrl)) {
    const path = canonicalPath(value);
    const way = disguiseOf(value) ?? (namesFile || isUrl ? describeRoute(path, value) : undefined);
    if (way !== undefined) {
      found.push({ kind: 'path.traversal', what: `passes a name that ${way}`, confidence: 0.85, origin });
      return;
    }
    if (namesFile) readTarget(path, origin, found);
    else readKeys(landing(path), origin, found);
  }
}

/** A file that is there for its keys, and lies in no project: whatever the value is called, it is meant. */
function readKeys(path: CanonicalPath, origin: Action['origin'], found: Action[]): void {
  if (path.anchor !== 'root' && path.anchor !== 'home' && path.anchor !== 'drive') return;
  const kind = credentialKind(path);
  if (kind === undefined || kind === 'environment_file' || kind === 'application_secrets') return;
  found.push({
    kind: 'path.system_read',
    what: `names a file with credentials: ${named(path.text)}`,
    confidence: 0.8,
    origin,
  });
}

/** What a name of a file leads to that no document, template or page is, or undefined. */
function describeTarget(path: CanonicalPath): string | undefined {
  const place = describePlace(path);
  if (place !== undefined) return place;
  const kind = path.text.includes('/') ? credentialKind(path) : undefined;
  return kind === undefined || kind === 'environment_file' ? undefined : 'a file with credentials';
}

/** `known`: the tool is known to work on files, not only taken for one by the look of its input. */
function judge(access: FileAccess, known: boolean): Action | undefined {
  const { path, origin } = access;
  const way = describeRoute(path);
  if (way !== undefined)
    return {
      kind: 'path.traversal',
      what: `leaves the work tree by a path that ${way}: ${named(path.text)}`,
      confidence: 0.9,
      origin,
    };
  const place = known ? describePlace(path) : undefined;
  if (place === undefined) return undefined;
  return {
    kind: 'path.system_read',
    what: `reads ${place}: ${named(path.text)} (${named(access.by)})`,
    confidence: 0.8,
    origin,
    ...(access.glob || access.recursive ? {} : { file: path }),
  };
}

/** Levels above the work tree that a path may climb before it is no neighbour any more. */
const CLIMBS_MAX = 2;
/** The same of a piece of source code, which names others from where it lies itself. */
const SOURCE_CLIMBS_MAX = 4;
const SOURCE =
  /^(?:\.\.\/){1,4}(?!(?:opt|root|home|etc|var|srv|users|usr|proc|mnt|windows)\/)(?:[\w@-][\w@.-]{0,64}\/){0,8}(?![\w.-]{0,64}(?:secret|credential|passw|id_rsa|id_ed25519|private))(?:[\w@.-]{1,64}\.(?:[mc]?tsx?|[mc]?jsx?|vue|svelte|s?css|less|md|go|rs|java|kt|swift|[ch](?:pp)?|py|rb|cs|svg)|(?:package|tsconfig(?:\.\w{1,24})?|jsconfig|turbo|nx|lerna|biome|deno)\.json|pnpm-workspace\.yaml|(?:cargo|pyproject)\.toml|makefile)$/i;
/** What servers keep beside the pages they show. */
const BEHIND_PAGES = /^(?:\.\.\/)+(?:web-inf|meta-inf|app-inf)[;/]/;

/** What is wrong with the route a path takes, or undefined. */
function describeRoute(path: CanonicalPath, written = ''): string | undefined {
  const { climbs, disguises } = path;
  const climbsOut = climbs > 0 || path.anchor === 'root';
  if (disguises.includes('odd_encoding')) return 'is encoded as no honest program does';
  if (disguises.includes('layered_encoding') && climbsOut) return 'is encoded more than once';
  if (disguises.includes('padding')) return 'is padded against filters';
  if (disguises.includes('nul')) return 'hides its end behind a NUL character';
  if (disguises.includes('percent_encoding') && climbs > 0) return 'hides its way up by encoding';
  if (disguises.includes('mixed_separators') && climbs > 0) return 'mixes separators on its way up';
  if (climbs > CLIMBS_MAX && !(climbs <= SOURCE_CLIMBS_MAX && SOURCE.test(path.text))) return `climbs ${climbs} levels`;
  if (climbs > 0 && BEHIND_PAGES.test(path.key)) return 'leads to what a server keeps behind its pages';
  // `uploads/../etc/passwd` climbs out of nothing by itself: where it is put behind a directory, it does.
  const goesUp = climbs > 0 || written.includes('..') || path.key === 'etc/passwd';
  return goesUp && describePlace(landing(path)) !== undefined ? 'leads to a system file' : undefined;
}

/** Parts of `/etc` that say what system this is, and nothing that one would hide. */
const HARMLESS = new Set([
  '/etc/os-release',
  '/etc/lsb-release',
  '/etc/debian_version',
  '/etc/alpine-release',
  '/etc/redhat-release',
  '/etc/timezone',
  '/etc/localtime',
  '/etc/hosts',
  '/etc/resolv.conf',
  '/etc/hostname',
  '/etc/shells',
  '/etc/mime.types',
  '/etc/services',
  '/etc/protocols',
  '/proc/cpuinfo',
  '/proc/meminfo',
  '/proc/loadavg',
  '/proc/uptime',
  '/proc/version',
  '/proc/stat',
  '/proc/filesystems',
  '/proc/self/status',
  '/proc/self/limits',
  '/proc/self/cgroup',
  'c:/windows/system32/drivers/etc/hosts',
]);

/** Whom a machine trusts, and what it shows to whoever asks: there for everybody. */
const PUBLIC_CERTIFICATES =
  /^\/etc\/(?:letsencrypt\/live\/[^/]{1,253}\/(?:fullchain|chain|cert)\.pem$|apt\/(?:keyrings|trusted\.gpg\.d)\/[^/]{1,128}\.(?:gpg|asc)$|ssl\/(?:certs\/|cert\.pem$)|pki\/(?:tls\/(?:certs\/|cert\.pem$)|ca-trust\/)|ca-certificates(?:\/|\.conf$))/;
/** A disk as a whole, past all that guards the files on it. */
const DISK =
  /^\/dev\/(?:(?:sd|hd|vd|xvd)[a-z]\d{0,3}|nvme\d{1,3}n\d{1,3}(?:p\d{1,3})?|mmcblk\d{1,3}(?:p\d{1,3})?|r?disk\d{1,3}(?:s\d{1,3})?|dm-\d{1,3}|md\d{1,3}|mapper\/[^/]{1,64}|disk\/by-[a-z]{1,16}\/[^/]{1,128})$/;
/** Passwords of accounts that Windows' group policies hand out. */
const GROUP_POLICY =
  /\/preferences\/(?:groups\/groups|services\/services|scheduledtasks\/scheduledtasks|datasources\/datasources|drives\/drives|printers\/printers)\.xml$/;

const SERVER_ROOT =
  /^(?:[a-z]:)?\/(?:(?:usr|opt|private|volumes|library|applications|home2|etc|var|system|nfs|mnt|program ?files(?: \(x86\))?|apache[\d.]*|xampp|wamp\d*|php[\d.]*|mysql|nginx|inetpub|winnt|windows|minint|lampp?|web|www|httpd|logs?|bin|boot)(?:\/|$))/;
const SERVER_FILE =
  /(?:^|\/)(?:[^/]*\.(?:conf|cnf|ini|cfg|inc|htaccess|pdb|err|asa|asp|rc)(?:\.[^/]+)?|[^/]*(?:access|error|mail|ftp|http|install|cron|boot|sys|debug|main|reject|panic)[-_.]?log[^/]*|[^/]*\.log(?:\.[^/]+)?|logs?|[^/]*passwd[^/]*|my\.(?:cnf|ini)|unattend[^/]*|sysprep[^/]*|setupinfo[^/]*|(?:config|repair|regback)\/(?:sam|system|security)|[^/]*_log|conf\.d|sites-(?:available|enabled)\/[^/]+|apachectl|config\.inc\.php|phpinfo\.php|filezilla server\.xml|web\.xml|variables\.dat)$/;
const LOGS =
  /^\/(?:var\/(?:log|adm|run|saf|cron|mail|spool|lp|apache\d*|www\/logs|lib\/(?:mysql|pgsql|postgresql)|nm2|webmin|cpanel)|private\/var\/log|logs?)(?:\/|$)/;
const PROCESS =
  /^\/proc\/(?:self|thread-self|\d+|\*)(?:\/|$)|^\/proc\/(?:cmdline|mounts|config\.gz|net\/.+|sched_debug|kallsyms|modules|interrupts|devices|iomem|swaps|partitions|version_signature)$/;
const ROOT_FILE =
  /^(?:[a-z]:)?\/(?:boot\.ini|autoexec\.bat|config\.sys|pagefile\.sys|ntuser\.dat|unattend\.(?:txt|xml|inf)|sysprep\.inf|bootmgr|\.[a-z]+_history|\.bash_profile|\.bashrc|\.profile|\.rhosts)$/;
const HOME_FILE =
  /^(?:\.(?:[a-z]{1,4}sh|sh|mysql|psql|python|node_repl|sqlite|nano|atftp|php|irb|redis\w*)_history|\.xauthority|\.viminfo|\.lesshst|\.ssh\/(?:authorized_keys\d?|known_hosts|config|[^/]+\.keystore)|ntuser\.dat|(?:appdata\/roaming\/microsoft\/windows|\.local\/share)\/powershell\/psreadline\/\w{1,64}_history\.txt)$/;

/** What kind of system file a path leads to, or undefined. Projects and their neighbours are none. */
function describePlace(path: CanonicalPath): string | undefined {
  const { key } = path;
  if (path.anchor !== 'root' && path.anchor !== 'drive' && path.anchor !== 'home') return undefined;
  if (HARMLESS.has(key) || PUBLIC_CERTIFICATES.test(key)) return undefined;
  const below = belowHome(path);
  if (below !== undefined) return HOME_FILE.test(below) ? 'a record of what a person did' : undefined;
  if (key.startsWith('/etc/')) return 'system configuration';
  if (PROCESS.test(key)) return 'data of a running process or of the kernel';
  if (LOGS.test(key)) return 'a system log';
  if (ROOT_FILE.test(key)) return 'a system file';
  if (DISK.test(key)) return 'a disk past its file system';
  if (GROUP_POLICY.test(key)) return 'a policy with passwords of accounts';
  if (/^[a-z]:\/(?:windows|winnt)\/.+/.test(key)) return 'a file of the operating system';
  return SERVER_ROOT.test(key) && SERVER_FILE.test(key) ? "a server's configuration or log" : undefined;
}

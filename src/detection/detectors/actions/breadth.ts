import { globMatches } from '../../facts/glob.ts';
import { belowHome, type CanonicalPath } from '../../facts/paths.ts';

/** How much is lost when everything below a path is deleted. */
export type Breadth =
  | 'file_system'
  | 'system_directory'
  | 'all_homes'
  | 'home'
  | 'user_data'
  | 'volume'
  | 'work_tree'
  | 'outside_work_tree'
  | 'history'
  | 'sources';

export const BREADTH_WORDS: Readonly<Record<Breadth, string>> = {
  file_system: 'the whole file system',
  system_directory: 'a system directory',
  all_homes: 'all home directories',
  home: 'a home directory',
  user_data: 'personal or configuration data in a home directory',
  volume: 'a whole volume',
  work_tree: 'the whole work tree',
  outside_work_tree: 'everything around the work tree',
  history: 'the repository with its history',
  sources: "the project's sources",
};

const WHOLE_CONTENT = /\/(?:\*{1,2}|\.\*|\.\?\*|\.\[[!^]\.\]\*|\*\.\*)$/;

/** `path` without a pattern at its end that means "everything in it". */
export function withoutWholeContent(path: CanonicalPath): CanonicalPath {
  const key = `/${path.key}`;
  if (!WHOLE_CONTENT.test(key)) return path;
  const kept = path.key.slice(0, path.key.lastIndexOf('/') + 1);
  const bare = kept === '' ? '.' : kept === '/' || kept === '//' ? '/' : kept.slice(0, -1);
  return { ...path, key: bare, text: path.text.slice(0, Math.max(1, bare.length)) };
}

/** What a recursive deletion of `path` takes, or undefined where that is no more than one would expect. */
export function breadthOf(path: CanonicalPath): Breadth | undefined {
  const target = withoutWholeContent(path);
  const { key } = target;
  // A path that begins with something unknown may be anywhere.
  if (/^[$`]/.test(key)) return undefined;
  if (key === '/home' || key === '/users' || key === 'c:/users') return 'all_homes';
  const below = belowHome(target);
  if (below !== undefined) return below === '' ? 'home' : breadthInHome(below);
  switch (target.anchor) {
    case 'root':
      return breadthInRoot(key);
    case 'drive':
      return breadthInDrive(key);
    case 'work_tree':
      return breadthInWorkTree(key);
    default:
      return undefined;
  }
}

/** The same of a pattern that a shell fills in: `/h*me`, `/?tc`, and all in it, mean what lies at the top. */
export function breadthOfPattern(path: CanonicalPath): Breadth | undefined {
  const { anchor, key } = withoutWholeContent(path);
  if (anchor === 'root' && key.endsWith('/*')) return breadthOf({ ...path, key });
  if (anchor !== 'root' || !/^\/[^/]*[*?[][^/]*$/.test(key)) return undefined;
  return TOP.some((path) => globMatches(key, path)) ? 'system_directory' : undefined;
}

/** `/etc` and its like, or a directory that belongs to the system at any depth. Below `/etc`, services own theirs. */
export function isTopLevel(path: CanonicalPath): boolean {
  return /^\/[^/]+\/?(?:\*)?$/.test(path.key) || /^\/(?:boot|s?bin|lib\d*)\//.test(path.key) || path.anchor === 'drive';
}

/** Every depth of these belongs to the system. */
const SYSTEM_ROOTS = /^\/(?:etc|boot|bin|sbin|lib|lib32|lib64|libx32|sys|proc|dev|efi)(?:\/|$)/;
/** What macOS and Android have below theirs; elsewhere it is a directory like any other. */
const SYSTEM_DIRECTORY =
  /^\/system\/(?:applications|bin|developer|drivers|framework|iossupport|lib|lib64|library|priv-app|vendor|volumes|xbin)(?:\/|$)/;
/** Where servers keep what only they have: also a part of it is lost. */
const DATA_DIRECTORY =
  /^\/var\/lib\/(?:mysql|mariadb|postgresql|pgsql|mongodb|redis|valkey|etcd|elasticsearch|opensearch|rabbitmq|cassandra|couchdb|neo4j|clickhouse|influxdb|kubelet)\//;
/** What servers make again by themselves, or keep for people to read. */
const REMADE =
  /(?:\.(?:pid|sock|lock|log|err|conf|cnf|tmp|bak|old|pem|signal)|\/\.[^/]*|\/(?:mysql-bin|binlog|relay)[^/]*)$/;
/** What a node of a cluster keeps of its own, which is taken away by hand to set it up anew. */
const NODE_STATE = /^\/var\/lib\/kubelet\//;
/** Copies that somebody has put beside the data. What these servers keep may itself be called so. */
const DUMP = /^\/var\/lib\/(?!(?:redis|valkey|clickhouse)\/).*\.(?:sql|dump|gz|tgz|bz2|xz|zst|zip|tar)$/;

/** A file that a database server has its rows in. */
export function isDataFile({ anchor, key }: CanonicalPath): boolean {
  if (anchor !== 'root' || !DATA_DIRECTORY.test(key)) return false;
  return !NODE_STATE.test(key) && !REMADE.test(key) && !DUMP.test(key);
}

const SYSTEM_EXACT = new Set([
  '/usr',
  '/usr/bin',
  '/usr/sbin',
  '/usr/lib',
  '/usr/lib64',
  '/usr/libexec',
  '/usr/share',
  '/usr/include',
  '/usr/local',
  '/usr/local/bin',
  '/usr/local/lib',
  '/usr/local/share',
  '/usr/local/etc',
  '/var',
  '/var/lib',
  '/var/log',
  '/var/spool',
  '/var/mail',
  '/var/www',
  '/var/www/html',
  '/var/db',
  '/var/backups',
  '/var/run',
  '/var/lib/docker',
  '/var/lib/docker/volumes',
  '/var/lib/mysql',
  '/var/lib/postgresql',
  '/var/lib/pgsql',
  '/var/lib/mongodb',
  '/var/lib/redis',
  '/var/lib/etcd',
  '/var/lib/kubelet',
  '/var/lib/containerd',
  '/var/lib/rabbitmq',
  '/var/lib/elasticsearch',
  '/var/lib/jenkins',
  '/var/lib/dpkg',
  '/var/lib/rpm',
  '/opt',
  '/srv',
  '/run',
  '/snap',
  '/nix',
  '/nix/store',
  '/library',
  '/applications',
]);
const TOP = '/etc /usr /var /home /root /boot /bin /sbin /lib /opt /srv'.split(' ');
const VOLUME = /^\/(?:mnt|media|volumes|data|backup|backups|storage)(?:\/[^/]+)?$/;
const WORK_TREES = /^\/(?:workspace|workspaces|app|apps|repo|repos|code|project|projects|src|work)(?:\/[^/]+)?$/;
/** What a build, an installation or a test makes again. */
const REBUILT =
  /\/(?:node_modules|dist|build|target|out|bin|obj|coverage|tmp|temp|logs?|venv|vendor|\.[^/]+|__pycache__|[^/]*cache[^/]*)$/;
const SCRATCH = /^\/(?:tmp|var\/tmp|var\/cache|dev\/shm|run\/user)(?:\/|$)/;

/** One file of those that packages and sites drop there, and builds take away again. */
const DROPPED_FILE =
  /^\/etc\/(?:apt\/sources\.list\.d|yum\.repos\.d|zypp\/repos\.d|logrotate\.d|(?:nginx|apache2|httpd)\/(?:sites|conf)[\w.-]{0,16})\/[^/*?[]{1,128}\.(?:list|sources|repo|conf)$/;

function breadthInRoot(key: string): Breadth | undefined {
  if (key === '/') return 'file_system';
  if (DROPPED_FILE.test(key)) return undefined;
  if (SCRATCH.test(key)) return undefined;
  // A directory of that name at the top may be anything, but is a lot.
  if (key === '/system') return 'volume';
  if (DATA_DIRECTORY.test(key) || SYSTEM_ROOTS.test(key) || SYSTEM_DIRECTORY.test(key) || SYSTEM_EXACT.has(key))
    return 'system_directory';
  if (VOLUME.test(key))
    return key.split('/').length === 2 || /^\/(?:mnt|media|volumes)\//.test(key) ? 'volume' : undefined;
  if (HISTORY.test(key)) return 'history';
  if (!WORK_TREES.test(key) || REBUILT.test(key)) return undefined;
  if (key.split('/').length === 2 || key.startsWith('/workspaces/')) return 'work_tree';
  return undefined;
}

/** Where programs keep clones of their own. */
const CACHED = /^(?:\.cache|\.cargo|\.npm|\.local|library\/caches|go\/pkg)(?:\/|$)/;
/** What a person keeps directly in a home directory, and what programs keep there that cannot be made again. */
const USER_DATA = new Set(
  'documents desktop downloads pictures music videos movies library public onedrive dropbox projects project repos workspace code dev work src git .ssh .gnupg .aws .azure .kube .docker .config .local .local/share .mozilla .thunderbird .password-store .bitcoin .electrum appdata appdata/roaming appdata/local'.split(
    ' ',
  ),
);

/** A repository's own directory, or what of it holds what was done. */
const HISTORY = /(?:^|\/)\.git(?:\/(?:objects|refs|logs)(?:\/(?:heads|refs|[0-9a-f]{2}|pack))?)?$/;

function breadthInHome(below: string): Breadth | undefined {
  if (HISTORY.test(below) && !CACHED.test(below)) return 'history';
  return USER_DATA.has(below) ? 'user_data' : undefined;
}

function breadthInDrive(key: string): Breadth | undefined {
  const below = key.slice(3);
  if (below === '') return 'file_system';
  if (/^windows\/temp(?:\/|$)/.test(below)) return undefined;
  return /^(?:windows|winnt)(?:\/|$)|^(?:program files(?: \(x86\))?|programdata)$/.test(below)
    ? 'system_directory'
    : undefined;
}

/** Of a repository that lies deeper, what is installed is told by nothing from what is worked at. */
const NEAR = /^(?:[^/]+\/){0,2}\.git(?:\/|$)/;

function breadthInWorkTree(key: string): Breadth | undefined {
  if (key === '.' || key === '') return 'work_tree';
  if (/^\.\.(?:\/\.\.)*$/.test(key)) return 'outside_work_tree';
  if (HISTORY.test(key) && NEAR.test(key)) return 'history';
  return key === 'src' ? 'sources' : undefined;
}

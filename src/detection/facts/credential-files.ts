import { globMatches, hasGlob } from './glob.ts';
import { belowHome, type CanonicalPath } from './paths.ts';

/** What a credential file opens. */
export type CredentialKind =
  | 'ssh_key'
  | 'cloud'
  | 'cluster'
  | 'container_registry'
  | 'package_registry'
  | 'code_host'
  | 'network_login'
  | 'database'
  | 'environment_file'
  | 'application_secrets'
  | 'account_hashes'
  | 'private_key'
  | 'keyring'
  | 'wallet'
  | 'browser'
  | 'agent_login'
  | 'process_memory';

const entries = <T>(kind: T, text: string): [string, T][] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => [line, kind]);

/** Files that hold credentials wherever they lie, by base name. */
const BY_NAME = new Map<string, CredentialKind>([
  ...entries('ssh_key' as const, 'id_rsa\nid_dsa\nid_ecdsa\nid_ed25519\nid_ecdsa_sk\nid_ed25519_sk\nid_xmss'),
  ...entries(
    'cloud' as const,
    'application_default_credentials.json\naccesstokens.json\nmsal_token_cache.json\nmsal_token_cache.bin\n.boto\n.tugboat\n.s3cfg\n.passwd-s3fs\nrclone.conf\ncredentials.tfrc.json\n.databrickscfg',
  ),
  ...entries('cluster' as const, 'kubeconfig\n.kubeconfig\nk3s.yaml\nkubeadm.conf\n.vault-token'),
  ...entries('container_registry' as const, '.dockercfg\n.dockerconfigjson'),
  ...entries('package_registry' as const, '.pypirc'),
  ...entries('code_host' as const, '.git-credentials'),
  ...entries(
    'network_login' as const,
    '.netrc\n_netrc\n.htpasswd\n.rhosts\n.smbcredentials\n.ftpconfig\nsftp-config.json\nsftp.json\n.msmtprc\n.esmtprc\n.fetchmailrc\nrecentservers.xml\nsitemanager.xml\nfilezilla.xml\n.remote-sync.json\nproftpdpasswd',
  ),
  ...entries(
    'database' as const,
    '.pgpass\npgpass.conf\n.my.cnf\n.mylogin.cnf\n.dbshell\nrobomongo.json\ndbeaver-data-sources.xml',
  ),
  ...entries(
    'application_secrets' as const,
    '.credentials\ncredentials.json\nclient_secret.json\nclient_secrets.json\nwp-config.php\nlocal_settings.php\nmaster.key\nsecrets.tfvars\nunattend.xml\nunattended.xml\nautounattend.xml\nsysprep.xml\nsysprep.inf',
  ),
  ...entries(
    'account_hashes' as const,
    'shadow\nshadow-\ngshadow\ngshadow-\nmaster.passwd\nspwd.db\nopasswd\nntds.dit\nkrb5.keytab',
  ),
  ...entries('private_key' as const, 'privkey.pem\nprivate.pem\nprivate_key.pem\nprivatekey.pem'),
  ...entries('keyring' as const, 'secring.gpg\nlogin.keychain\nlogin.keychain-db\nsystem.keychain'),
  ...entries('wallet' as const, 'wallet.dat'),
  ...entries(
    'browser' as const,
    'login data\nlogin data for account\nlogins.json\nkey3.db\nkey4.db\ncert9.db\nsignons.sqlite\ncookies.sqlite\ncookies.binarycookies',
  ),
]);

/** Names of `BY_NAME` that mean nothing outside the system's own directories. */
const ONLY_IN_ETC = new Set(['shadow', 'shadow-', 'gshadow', 'gshadow-', 'opasswd']);

/** Files below a home directory, by their path from it. */
const BELOW_HOME = new Map<string, CredentialKind>([
  ...entries('ssh_key' as const, '.ssh/identity\n.ssh/id'),
  ...entries(
    'cloud' as const,
    '.aws/credentials\n.config/gcloud/credentials.db\nappdata/roaming/gcloud/credentials.db\nappdata/roaming/gcloud/access_tokens.db\nappdata/roaming/gcloud/application_default_credentials.json\n.config/gcloud/access_tokens.db\n.azure/azureprofile.json\n.azure/service_principal_entries.json\n.config/doctl/config.yaml\n.config/hcloud/cli.toml\n.config/linode-cli\n.linode-cli\n.aliyun/config.json\n.oci/config\n.oci/oci_api_key.pem\n.bluemix/config.json\n.config/rclone/rclone.conf\n.rclone.conf\n.pulumi/credentials.json\n.terraformrc\n.fly/config.yml\n.netlify/config.json\n.config/netlify/config.json\n.wrangler/config/default.toml\n.config/.wrangler/config/default.toml\n.config/heroku/credentials\n.railway/config.json',
  ),
  ...entries(
    'cluster' as const,
    '.kube/config\n.config/sops/age/keys.txt\n.talos/config\n.config/helm/registry/config.json',
  ),
  ...entries('container_registry' as const, '.docker/config.json\n.config/containers/auth.json'),
  ...entries(
    'package_registry' as const,
    '.npmrc\n.yarnrc.yml\n.gem/credentials\n.local/share/gem/credentials\n.cargo/credentials\n.cargo/credentials.toml\n.m2/settings.xml\n.m2/settings-security.xml\n.gradle/gradle.properties\n.nuget/nuget.config\n.config/nuget/nuget.config\n.composer/auth.json\n.config/composer/auth.json\n.config/pypoetry/auth.toml\n.huggingface/token\n.cache/huggingface/token\n.kaggle/kaggle.json',
  ),
  ...entries(
    'code_host' as const,
    '.config/gh/hosts.yml\n.config/glab-cli/config.yml\n.config/hub\n.config/git/credentials\n.config/tea/config.yml',
  ),
  ...entries('database' as const, '.dbt/profiles.yml\n.snowsql/config\n.snowflake/config.toml\n.config/pgcli/config'),
  ...entries(
    'agent_login' as const,
    '.claude/.credentials.json\n.codex/auth.json\n.gemini/oauth_creds.json\n.config/github-copilot/hosts.json\n.config/github-copilot/apps.json\n.config/openai/config\n.openai/api_key\n.anthropic/api_key',
  ),
  ...entries('wallet' as const, '.config/solana/id.json\n.bitcoin/wallet.dat'),
]);

/** Directories that hold nothing but credentials: every file in them counts, and so does taking them whole. */
const DIRECTORIES = new Map<string, CredentialKind>([
  ...entries(
    'keyring' as const,
    '.gnupg\n.password-store\n.local/share/keyrings\n.local/share/kwalletd\n.kde/share/apps/kwallet\nlibrary/keychains\n.config/op\n.config/1password\n.config/bitwarden cli\n.config/bitwarden\nlibrary/application support/bitwarden\nappdata/roaming/bitwarden\n.config/keepassxc',
  ),
  ...entries(
    'cloud' as const,
    '.aws/sso/cache\n.aws/cli/cache\n.config/gcloud/legacy_credentials\n.oci/sessions\n.config/gcloud/application_default_credentials',
  ),
  ...entries(
    'wallet' as const,
    '.electrum/wallets\n.ethereum/keystore\nlibrary/application support/exodus/exodus.wallet\nappdata/roaming/exodus/exodus.wallet\n.config/exodus/exodus.wallet\n.config/atomic/local storage/leveldb',
  ),
]);

/** Directories that hold credentials among other things: only taking them whole counts. */
const MIXED_DIRECTORIES = new Map<string, CredentialKind>([
  ...entries('ssh_key' as const, '.ssh'),
  ...entries('cloud' as const, '.aws\n.azure\n.config/gcloud\n.oci\n.aliyun'),
  ...entries('cluster' as const, '.kube'),
  ...entries(
    'browser' as const,
    '.mozilla\n.mozilla/firefox\n.config/google-chrome\n.config/chromium\n.config/bravesoftware\nlibrary/cookies',
  ),
]);

/** System files and directories, by prefix of the canonical path. */
const SYSTEM_PREFIXES: readonly [prefix: string, kind: CredentialKind][] = [
  ['/etc/ssl/private/', 'private_key'],
  ['/etc/pki/tls/private/', 'private_key'],
  ['/etc/wireguard/', 'network_login'],
  ['/etc/ipsec.secrets', 'network_login'],
  ['/etc/ppp/chap-secrets', 'network_login'],
  ['/etc/ppp/pap-secrets', 'network_login'],
  ['/etc/networkmanager/system-connections/', 'network_login'],
  ['/etc/kubernetes/admin.conf', 'cluster'],
  ['/etc/kubernetes/super-admin.conf', 'cluster'],
  ['/etc/kubernetes/controller-manager.conf', 'cluster'],
  ['/etc/kubernetes/scheduler.conf', 'cluster'],
  ['/etc/kubernetes/kubelet.conf', 'cluster'],
  ['/etc/kubernetes/pki/', 'cluster'],
  ['/var/lib/kubelet/pki/', 'cluster'],
  ['/var/lib/jenkins/secrets/', 'application_secrets'],
  ['/var/lib/jenkins/credentials.xml', 'application_secrets'],
  ['/var/jenkins_home/secrets/', 'application_secrets'],
  ['/var/jenkins_home/credentials.xml', 'application_secrets'],
  ['/run/secrets/', 'application_secrets'],
  ['/var/run/secrets/', 'application_secrets'],
  ['/var/lib/sss/db/', 'account_hashes'],
  ['/var/lib/sss/secrets/', 'account_hashes'],
  ['/var/db/dslocal/nodes/default/users/', 'account_hashes'],
  ['c:/windows/system32/config/sam', 'account_hashes'],
  ['c:/windows/system32/config/system', 'account_hashes'],
  ['c:/windows/system32/config/security', 'account_hashes'],
  ['c:/windows/system32/config/regback/', 'account_hashes'],
  ['c:/windows/repair/sam', 'account_hashes'],
  ['c:/windows/repair/system', 'account_hashes'],
  ['c:/windows/repair/security', 'account_hashes'],
  ['/dev/mem', 'process_memory'],
  ['/dev/kmem', 'process_memory'],
  ['/proc/kcore', 'process_memory'],
];

const PROCESS_MEMORY = /^\/proc\/(?:self|thread-self|\d+|\*|\$[^/]*)\/(?:task\/[^/]+\/)?(?:environ|mem)$/;
/** Marks a file as a pattern to copy rather than one with secrets in it. */
const EXAMPLE =
  /(?:^|[._-])(?:example|examples|sample|template|tmpl|tpl|dist|default|defaults|schema|empty|placeholder|mock|fixture|fixtures|dummy)(?:[._-]|$)/;
const SERVICE_ACCOUNT = /^(?:[a-z0-9._-]*[_-])?service[_-]?account[a-z0-9._-]*\.json$/;
const KEY_FILE = /(?:\.ppk|\.keytab|\.kdbx|\.agekey)$|^krb5cc_|^ssh_host_[a-z0-9]+_key$|^client_secret_[^/]*\.json$/;
const SSH_KEY_FILE = /^\.ssh\/(?:[^/]*\/)*(?:id_[^/]*|[^/]*_(?:rsa|dsa|ecdsa|ed25519)|[^/]*\.(?:pem|key|ppk))$/;
const KEY_OUTSIDE_PROJECT = /(?:^|[_.-])(?:key|private|privkey)[^/]*\.pem$|\.(?:key|p12|pfx|jks)$/;
const BROWSER_PROFILE =
  /(?:google[ /-]chrome|chromium|brave|edge|opera|vivaldi|firefox|mozilla)[^\0]*\/(?:(?:network\/)?cookies|web data|local state|local extension settings\/[^\0]*|indexeddb\/chrome-extension_[^\0]*)$/;

/** A part of every path that the patterns below can match: most paths end here. */
const HINT =
  /\.env|\.(?:ppk|keytab|kdbx|agekey|pem|key|p12|pfx|jks)$|krb5cc|ssh_host|client_secret|service|(?:^|\/)\.|^[~/]|^[a-z]:|chrom|firefox|mozilla|brave|edge|opera|vivaldi/;

/** What is to be changed in a file, as projects hand it out. */
const PATCH = /\.(?:patch|diff)$/;

/** Texts of a program in other languages: what is called `credentials` there are its words for it. */
const TRANSLATIONS =
  /(?:^|\/)(?:locales?|i18n|l10n|lang|langs|languages|translations|messages)\/[^\0]*\.(?:json|ya?ml|po|properties|xml)$/;

/** How GnuPG is set up, beside its keys. */
const SETTINGS = /(?:^|\/)\.gnupg\/(?:gpg|gpg-agent|dirmngr|common|scdaemon)\.conf$/;

/** What kind of credentials the file `path` holds by its name and place, or undefined where nothing says that it does. */
export function credentialKind(path: CanonicalPath): CredentialKind | undefined {
  const { key } = path;
  const name = key.slice(key.lastIndexOf('/') + 1);
  const named = BY_NAME.get(name);
  if (named !== undefined && (!ONLY_IN_ETC.has(name) || isSystemAccountFile(key)))
    return name === 'credentials.json' && TRANSLATIONS.test(key) ? undefined : named;
  if (/\.pub(?:\.(?:bak|backup|old|orig))?$/.test(name) || EXAMPLE.test(name) || SETTINGS.test(key)) return undefined;
  if (!HINT.test(key)) return undefined;
  if (isEnvironmentFile(name)) return 'environment_file';
  if (KEY_FILE.test(name) || SERVICE_ACCOUNT.test(name))
    return name.startsWith('ssh_host_') ? 'ssh_key' : 'private_key';
  if (PROCESS_MEMORY.test(key)) return 'process_memory';
  const system = SYSTEM_PREFIXES.find(([prefix]) => key.startsWith(prefix));
  if (system !== undefined) return system[1];
  return kindBelowHome(key, homePath(path)) ?? kindOfKeyFile(path);
}

function isSystemAccountFile(key: string): boolean {
  return /(?:^|\/)etc\/(?:security\/)?[^/]+$/.test(key);
}

function isEnvironmentFile(name: string): boolean {
  if (!name.includes('.env') || PATCH.test(name)) return false;
  return /^\.env(?:[.-][^/]*)?$/.test(name) || /^(?:prod|production|staging|secret|secrets|live)\.env$/.test(name);
}

/**
 * The path from a home directory. A directory that is only ever found in a home (`.ssh`, `.aws`) counts as in one
 * wherever it lies: in a backup, behind `..`, in a container's root.
 */
function homePath(path: CanonicalPath): string | undefined {
  const below = belowHome(path);
  if (below !== undefined) return below;
  const dotted =
    /(?:^|\/)(\.(?:ssh|aws|azure|kube|gnupg|docker|oci|password-store|electrum|mozilla|claude|codex|config\/(?:gcloud|gh|op|sops))(?:\/.*)?)$/.exec(
      path.key,
    );
  return dotted?.[1];
}

function kindBelowHome(key: string, below: string | undefined): CredentialKind | undefined {
  if (BROWSER_PROFILE.test(key)) return 'browser';
  if (below === undefined) return undefined;
  const exact = BELOW_HOME.get(below);
  if (exact !== undefined) return exact;
  if (SSH_KEY_FILE.test(below)) return 'ssh_key';
  for (let slash = below.indexOf('/'); slash > 0; slash = below.indexOf('/', slash + 1)) {
    const kind = DIRECTORIES.get(below.slice(0, slash));
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** Keys and certificates in a project are test data more often than not; elsewhere they are not. */
function kindOfKeyFile(path: CanonicalPath): CredentialKind | undefined {
  if (path.anchor === 'work_tree') return undefined;
  if (!/^(?:\/etc\/|\/var\/lib\/|\/opt\/|\/root\/|\/usr\/local\/etc\/)/.test(path.key)) return undefined;
  return KEY_OUTSIDE_PROJECT.test(path.key) ? 'private_key' : undefined;
}

/** The credentials that a read of the whole directory `path` takes along, or undefined. */
export function credentialDirectory(path: CanonicalPath): CredentialKind | undefined {
  const below = homePath(path);
  if (below === undefined || below === '') return undefined;
  const directory = below.replace(/\/(?:\*{1,2}|\.\*|\*\.\*)?$/, '');
  return DIRECTORIES.get(directory) ?? MIXED_DIRECTORIES.get(directory);
}

/** Well-known credential files that a shell pattern such as `/etc/sh?dow` or `~/.ss*\/id_*` can be held against. */
const EXEMPLARS: readonly [path: string, kind: CredentialKind][] = [
  ['/etc/shadow', 'account_hashes'],
  ['/etc/gshadow', 'account_hashes'],
  ['/proc/self/environ', 'process_memory'],
  ['.ssh/id_rsa', 'ssh_key'],
  ['.ssh/id_ed25519', 'ssh_key'],
  ['.ssh/id_ecdsa', 'ssh_key'],
  ['.aws/credentials', 'cloud'],
  ['.kube/config', 'cluster'],
  ['.docker/config.json', 'container_registry'],
  ['.netrc', 'network_login'],
  ['.npmrc', 'package_registry'],
  ['.pypirc', 'package_registry'],
  ['.git-credentials', 'code_host'],
  ['.pgpass', 'database'],
  ['.env', 'environment_file'],
];

/** Letters, and dots in front, that a pattern must spell out before it is read as aiming at a file: `*`, `.*` and `i*` aim at nothing. */
const AIMED_CHARS_MIN = 2;

/** The credential file that the shell pattern `path` reaches and is aimed at, or undefined. */
export function credentialByGlob(path: CanonicalPath): CredentialKind | undefined {
  if (!hasGlob(path.key)) return undefined;
  const below = belowHome(path);
  const subject = below ?? path.key;
  const segments = subject.split('/');
  const patterns = segments.filter(hasGlob);
  if (patterns.some((pattern) => literalLetters(pattern) === 0)) return directoryByGlob(path, segments);
  const aimed = patterns.reduce((sum, pattern) => sum + literalLetters(pattern) + (pattern.startsWith('.') ? 1 : 0), 0);
  if (aimed < AIMED_CHARS_MIN) return undefined;
  for (const [exemplar, kind] of EXEMPLARS) {
    if (kind !== 'environment_file' && !exemplar.startsWith('/') && below === undefined && !subject.includes('/'))
      continue;
    if (globMatches(subject, exemplar)) return kind;
  }
  return undefined;
}

function directoryByGlob(path: CanonicalPath, segments: readonly string[]): CredentialKind | undefined {
  const last = segments.at(-1) ?? '';
  // `~/.ssh/*` takes the directory whole; `~/.ssh/*.pub` does not.
  return literalLetters(last) === 0
    ? credentialDirectory({ ...path, key: path.key.slice(0, path.key.lastIndexOf('/')) })
    : undefined;
}

function literalLetters(segment: string): number {
  return segment.replace(/\[[^\]]*\]|[^a-z0-9]/g, '').length;
}

import type { FileAccess } from '../../facts/file-access.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import { named } from '../../reason.ts';
import type { DetectorInput } from '../detector.ts';
import type { Action } from './action.ts';
import { KNOWN_INSTALLERS } from './known-installers.ts';
import { STUDIED } from './written-code.ts';
import { writtenBy } from './written-content.ts';

/** Files whose commands some program runs without being asked, and what of their content does so. */
interface AutorunFile {
  /** Held against the path, in lower case. */
  path: RegExp;
  /** The part of the content that is run by itself; all of it where left out. */
  runs?: RegExp;
  /** What such a part may not hold. */
  fault:
    | 'fetches'
    | 'tells_of_work'
    | 'takes_from_nowhere'
    | 'tells_of_machine'
    | 'steals'
    | 'tells_secrets'
    | 'reaches_out'
    | 'carries_off'
    | 'strange'
    | 'takes_over';
  severity?: Action['severity'];
}

const AUTORUN_FILES: readonly AutorunFile[] = [
  {
    path: /(?:^|\/)package\.json$/,
    runs: /"(?:(?:pre|post)?install|prepare|prepublish|preprepare|postprepare)"\s{0,4}:\s{0,4}"(?:[^"\\\n]|\\.){1,1024}"/g,
    fault: 'tells_of_machine',
  },
  {
    path: /(?:^|\/)(?:setup|conftest|noxfile)\.py$|(?:^|\/)build\.rs$|(?:^|\/)(?:settings|build|init)\.gradle(?:\.kts)?$|(?:^|\/)(?:webpack|vite|rollup|next|tailwind|eslint|jest|babel|metro)\.config\.[cm]?[jt]s$/,
    fault: 'steals',
  },
  {
    path: /(?:^|\/)(?:\.vscode\/tasks\.json|\.devcontainer\/devcontainer\.json|\.devcontainer\.json)$/,
    fault: 'fetches',
  },
  {
    path: /(?:^|\/)(?:\.?mcp\.json|mcp_config\.json|mcp_settings\.json|claude_desktop_config\.json|\.(?:claude|gemini|cursor|codex)\/[\w.-]{1,64}\.(?:json|toml))$/,
    fault: 'fetches',
  },
  {
    path: /(?:^|\/)(?:claude|agents|gemini|copilot-instructions)\.md$|(?:^|\/)\.(?:cursorrules|windsurfrules|clinerules|goosehints)$/,
    fault: 'fetches',
    severity: 'medium',
  },
  {
    path: /(?:^|\/)(?:\.envrc|\.husky\/[\w./-]{1,64}|\.githooks\/[\w.-]{1,64}|\.git\/hooks\/[\w.-]{1,64}|(?:[\w.-]{1,64}\/)?(?:pre-(?:commit|push|receive|rebase)|post-(?:commit|checkout|merge|receive|rewrite)|(?:prepare-)?commit-msg)|hooks\/(?:pre|post|commit|prepare|update|applypatch|reference)[a-z-]{0,32}|\.pre-commit-config\.yaml|\.lefthook\.ya?ml|lefthook\.ya?ml|\.autoenv\.zsh)$/,
    fault: 'tells_of_work',
  },
  { path: /(?:^|\/)\.github\/workflows\/[^/]{1,128}\.ya?ml$/, fault: 'tells_secrets' },
  {
    path: /(?:^|\/)(?:(?:gnu)?makefile|[\w.-]{1,64}\.mk|justfile|taskfile\.ya?ml|rakefile|jenkinsfile|dockerfile(?:\.[\w-]{1,32})?|\.gitlab-ci\.ya?ml|\.circleci\/config\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|\.travis\.ya?ml|(?:docker-)?compose(?:\.[\w-]{1,32})?\.ya?ml|[\w.-]{1,128}\.(?:sh|bash|zsh|tf))$/,
    fault: 'carries_off',
  },
  {
    path: /(?:^|\/)(?:\.gitconfig|\.git\/config|\.config\/git\/config)$/,
    runs: /\b(?:hooksPath|fsmonitor|sshCommand|pager|editor|askPass|helper|gitProxy|textconv|clean|smudge|process|external|cmd|\w{1,32}\s{0,4}=\s{0,4}["'\\]{0,3}!)[^\n]{1,512}/gi,
    fault: 'strange',
  },
  {
    path: /(?:^|\/)\.ssh\/config(?:\.d\/.{1,128})?$/,
    runs: /(?:^|\\n)[ \t]{0,16}(?:ProxyCommand|LocalCommand|KnownHostsCommand|Match\s{1,4}exec)\s[^\n]{1,512}/gim,
    fault: 'reaches_out',
  },
  { path: /\.ya?ml$/, fault: 'takes_over' },
  { path: /(?:^|\/)(?:formula|casks?)\/[\w@.-]{1,64}\.rb$/, fault: 'fetches' },
  {
    path: /(?:^|\/)(?:(?:requirements|constraints)[\w.-]{0,32}\.(?:txt|in)|pip\.(?:conf|ini)|\.npmrc)$/,
    fault: 'takes_from_nowhere',
  },
];

/** A part of every path that one of these can match: most end here. */
const HINT =
  /\.(?:json|toml|ya?ml|md|py|sh|bash|zsh|tf|mk|envrc)$|file|gitconfig$|git\/config$|rules$|hints$|\.(?:rb|txt|in|conf|ini|npmrc)$|(?:^|\/)(?:pre|post|prepare)-[a-z-]{4,12}$|(?:^|\/)commit-msg$|(?:^|\/)\.(?:ssh|husky|githooks|git)\/|(?:^|\/)hooks\/|\.(?:rs|gradle|kts)$|config\.[cm]?[jt]s$/;

const FAULTS: Readonly<Record<AutorunFile['fault'], { test: (text: string) => boolean; what: string }>> = {
  fetches: {
    test: (text) => runsWhatItFetches(text) || carriesOff(text) || OBEYS.test(text),
    what: 'has a file that is run by itself run what it fetches, send keys away, or obey another machine',
  },
  tells_of_work: {
    test: (text) => runsWhatItFetches(text) || carriesOff(text) || sends(WORK, text),
    what: 'has a hook run what it fetches, or send keys or the work of this repository away',
  },
  takes_from_nowhere: {
    test: (text) => REGISTRY_OF_NOBODY.test(text),
    what: 'has packages come from a machine without a name',
  },
  tells_secrets: {
    test: (text) =>
      carriesOff(text) ||
      (/\btoJSON\(\s{0,4}secrets\s{0,4}\)/i.test(text) && /\b(?:curl|wget|nc|base64|fetch)\b/.test(text)),
    what: 'has a workflow tell the secrets of a repository',
  },
  tells_of_machine: {
    test: (text) =>
      runsWhatItFetches(text) || carriesOff(text) || OBEYS.test(text) || (INLINE.test(text) && CONNECTS.test(text)),
    what: 'has a package fetch what it runs, or tell of the machine that it is installed on',
  },
  steals: {
    test: (text) =>
      runsWhatItFetches(text) ||
      carriesOff(text) ||
      RUNS_UNPACKED.test(text) ||
      (KEYS.test(text) && CONNECTS.test(text)),
    what: 'has a file that is run by itself run what it fetches or unpacks, or read keys and connect to another machine',
  },
  carries_off: {
    test: (text) =>
      carriesOff(text) ||
      TELLS_VARIABLES.test(text) ||
      LISTENS.test(text) ||
      runsFromNowhere(text) ||
      UNPACKED.test(text) ||
      MINES.test(text),
    what: 'has a file that is there to be run send keys away, or run what comes from a machine without a name',
  },
  reaches_out: {
    test: (text) => /\b(?:curl|wget|python\d?|perl|base64)\b|\/dev\/tcp\//.test(text),
    what: 'has every connection run a command that does not connect',
  },
  strange: {
    test: (text) => SCRATCH.test(text) || /\b(?:curl|wget|nc|base64)\b|\/dev\/tcp\//.test(text),
    what: 'has git run what does not belong to it',
  },
  takes_over: {
    test: (text) => MINES.test(text) || (PRIVILEGED.test(text) && runsWhatItFetches(text)),
    what: 'has a container mine, or hold the whole machine and run what it fetches',
  },
};

/** Where anybody can write: nothing that lasts is kept there. */
const SCRATCH = /(?:^|[\s"'=!;|(])\/(?:private\/)?(?:tmp|var\/tmp|dev\/shm)\//;
const PRIVILEGED = /\bprivileged["']?\s{0,4}:\s{0,4}true|\bhostPID["']?\s{0,4}:\s{0,4}true/;

const FETCHED = /\b(?:curl|wget)\b([^|;&\n]{0,256})\|\s{0,4}(?:sudo\s{1,4})?(?:[\w/]{1,32}\/)?(?:ba|z|da)?sh\b/g;

/** `curl … | sh`, unless it is an installer that everybody uses. */
function runsWhatItFetches(text: string): boolean {
  if (RUNS_FETCHED.test(text)) return true;
  return [...text.matchAll(FETCHED)].some(([, words = '']) => {
    const address = /(?:https?:\/\/)?[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?:[:/][^\s"'\\]{0,256})?/.exec(words)?.[0];
    return address === undefined || !KNOWN_INSTALLERS.test(address);
  });
}

const RUNS_FETCHED =
  /\brequire\(\\{0,3}["'](?:node:)?https?\\{0,3}["']\)\.get\([^\n]{0,400}\b(?:eval|Function)\(|\b(?:exec|eval)\(\s{0,8}(?:\w{1,32}\(\s{0,4}){0,3}[\w.]{0,64}(?:urlopen|requests\.get|httpx\.get)\(/;
/** Code in disguise, run where a project is set up. */
const RUNS_UNPACKED =
  /\b(?:exec|eval)\(\s{0,8}(?:\w{1,32}\(\s{0,4}){0,3}(?:(?:base64|binascii|codecs|zlib|marshal)\.)?(?:b(?:64|32|85)decode|unhexlify|decompress|loads)\(|\b(?:eval|Function)\(\s{0,8}(?:atob\(|Buffer\.from\([^()\n]{1,4096}["'](?:base64|hex)["']\))/;
/** A connection that a shell is put at the end of. */
const OBEYS =
  /\/dev\/(?:tcp|udp)\/[\w.-]{1,253}\/\d{1,5}|\b(?:nc|ncat)\s[^\n"|]{0,96}\s-\w{0,4}[ec]\s{0,2}\/?[\w/]{0,16}sh\b/;
/** What no script of a project has a shell unpack. */
const UNPACKED = /\bbase64\s{1,4}(?:-d|-D|--decode)\b[^\n|]{0,32}\|\s{0,4}(?:ba|z|da)?sh\b/;

/** What is fetched from a public address in place of a name, made runnable, and nothing else. */
function runsFromNowhere(text: string): boolean {
  return text.split('\n', LINES_MAX).some((line) => FROM_NOWHERE.test(line.slice(0, LINE_CHARS_MAX)));
}

/** A machine that is named by its public address. */
const NAMELESS = String.raw`https?:\/\/(?!(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.)\d{1,3}(?:\.\d{1,3}){3}`;
const FROM_NOWHERE = new RegExp(
  String.raw`\b(?:curl|wget)\b[^\n]{0,200}\b${NAMELESS}[^\n]{0,256}(?:\bchmod\s{1,4}(?:\+x|[0-7]{0,2}[1357])|\|\s{0,4}(?:ba|z|da)?sh\b)`,
);
const MINES = /stratum\+(?:tcp|ssl|tls):\/\/|\b(?:xmrig|lolminer|nbminer|phoenixminer|ethminer)\b/i;

/** Two secrets of the environment in the body of one request. */
const TELLS_VARIABLES =
  /\bcurl\b[^\n]{0,200}\s(?:-d|--data[\w-]{0,12})[ =]{1,2}\\?["'][^"'\n]{0,80}\$\{?\w{0,40}(?:PASSWORD|TOKEN|SECRET|KUBECONFIG|PRIVATE)\w{0,24}\}?[^"'\n]{0,8}\$\{?\w{0,40}(?:PASSWORD|TOKEN|SECRET|KUBECONFIG|PRIVATE)/;
/** What people type into a login. */
const LISTENS = /\bstrace\b[^\n]{0,96}\bsshd\b/;
/** An index of packages by a public address in place of a name. */
const REGISTRY_OF_NOBODY = new RegExp(String.raw`(?:index-url|registry|find-links)[ =]{1,3}${NAMELESS}\b`);

/** Code within a line of a script, that asks what this machine and its environment are. */
const INLINE =
  /\b(?:node\s{1,4}(?:-e|--eval)|python\d?\s{1,4}-c|ruby\s{1,4}-e|perl\s{1,4}-e)\b[^\n]{0,1024}(?:process\.env\b|os\.environ|hostname\(|userInfo\(|homedir\(|getpass|readFileSync|whoami)/;

/** Of what assistants are told to do, that nobody is to know it. */
const UNTOLD =
  /\bsilently\b|\b(?:do not|don['’]t|never|no need to|needn['’]t|without)\s(?:be\s)?(?:mention|tell|inform|ask|notify|log|report)/i;

/** Keys, stored logins and the whole environment, as a line of a script names them. */
const KEYS =
  /\b(?:env|printenv)\s{0,4}(?:[|>]|;(?=[^\n]{0,80}\)\s{0,4}\|))|(?:\$\(|`)\s{0,4}(?:env|printenv)\s{0,4}[)`|]|\/run\/secrets\/\*|\/proc\/self\/environ|\bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)|\.aws\/credentials|\.git-credentials|\/etc\/shadow\b|\.kube\/config\b|\.docker\/config\.json|\.gnupg\/|\.cargo\/credentials|\.pypirc\b|\bhttp\.[\w:/.-]{0,64}extraheader\b/;
/** How code reaches another machine. */
const CONNECTS =
  /\burlopen\b|require\(\\{0,2}["'](?:node:)?https?\\{0,2}["']\)|\brequests\.(?:post|put|get)\(|\bhttps?\.request\(|TcpStream::connect|\breqwest::|\bureq::|\bsocket\.(?:create_connection|socket)\(|HttpURLConnection|\bcurl\s|["']curl["']/;
/** A client that is handed something to send. */
const SENT =
  /\|\s{0,4}(?:curl|nc|ncat|netcat|socat|wget)\s|\b(?:curl|wget)\b[^\n]{0,256}(?:\s-(?:[dFT]|-(?:data|form)\S{0,16}|-upload-file)[ =]?\S{0,32}(?:@|\$\(|~|\/)|--(?:post|body)-file)|\b(?:nc|ncat|netcat)\b[^\n]{0,128}<\s{0,4}\S/;
const LINES_MAX = 512;
const LINE_CHARS_MAX = 512;

/** What has been worked on, as a line of a script has it. */
const WORK = /\bgit\s{1,4}(?:show|diff|archive|bundle|format-patch|log\s[^|\n]{0,64}-p)\b/;

/** Whether a line of a script sends keys to another machine. */
function carriesOff(text: string): boolean {
  return sends(KEYS, text);
}

/** Whether a line of a script sends what `what` matches to another machine. */
function sends(what: RegExp, text: string): boolean {
  if (!SENT.test(text) || !what.test(text)) return false;
  return text
    .split('\n', LINES_MAX)
    .some((line) => what.test(line.slice(0, LINE_CHARS_MAX)) && SENT.test(line.slice(0, LINE_CHARS_MAX)));
}

/** Whether `key` lies where techniques are written down. What runs wherever it lies does not: a workflow, a hook, what a directory sets up. */
function isStudied(key: string): boolean {
  return !RUN_ANYWHERE.test(key) && STUDIED.test(key.slice(0, key.lastIndexOf('/') + 1));
}

const RUN_ANYWHERE = /(?:^|\/)(?:\.github\/workflows\/[^/]+|\.(?:husky|githooks|git\/hooks)\/.+|\.envrc)$/;

/** `docker build -`, fed by a here-document: a file that is there to be run, though it never lies anywhere. */
export function readFedBuild(command: ShellCommand, found: Action[]): void {
  const { name, args, stdin, origin } = command;
  if (stdin === undefined || !/^(?:docker|podman|buildah|nerdctl)$/.test(name)) return;
  if (!args.some(({ text }) => text === 'build' || text === 'bud') || !FAULTS.carries_off.test(stdin)) return;
  found.push({
    kind: 'persistence.hook',
    confidence: 0.8,
    what: `${FAULTS.carries_off.what} (${named(name)})`,
    origin,
  });
}

/** What is put into a file that some program runs from by itself. */
export function readAutorunFile(access: FileAccess, input: DetectorInput, found: Action[]): void {
  if (access.operation !== 'write' && access.operation !== 'append') return;
  const key = access.path.key.toLowerCase();
  if (!HINT.test(key)) return;
  const file = AUTORUN_FILES.find(({ path }) => path.test(key));
  if (file === undefined || isStudied(key)) return;
  const content = writtenBy(access, input);
  const parts = file.runs === undefined ? [content] : (content.match(file.runs) ?? []);
  const { test, what } = FAULTS[file.fault];
  if (!parts.some(test)) return;
  found.push({
    kind: 'persistence.hook',
    ...(file.severity === undefined || parts.some((part) => UNTOLD.test(part)) ? {} : { severity: file.severity }),
    confidence: 0.8,
    what: `${what}: ${named(access.path.text)} (${named(access.by)})`,
    origin: access.origin,
  });
}

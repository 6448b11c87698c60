import { actionDetector } from './action.ts';
import { indexSigns, readSigns } from './command-signs.ts';

/** Packages from elsewhere than a registry, or under a name that looks like another's. */
export const packages = actionDetector({
  id: 'packages',
  version: 3,
  severity: 'low',
  title: 'Installs a package from an address, from an unusual registry, or under a name that looks like another.',
  kinds: ['package.*', 'evasion.trust'],
  falsePositives: ['packages that are only published in a repository', 'private registries'],
  find({ facts, allowance }, found) {
    for (const command of facts.shell.commands) readSigns(SIGNS, command, found, allowance);
  },
});

const PACKAGE_MANAGERS = 'pip pip3 uv pipx npm yarn pnpm bun gem cargo go';

/** Names one slip away from packages that everybody has: the slips that were published in earnest. */
const LOOK_ALIKES =
  /(?:^| )(?:reqeusts|requets|requsts|request5|urlib3|urllib|python-?sqlite|djagno|djanga|diango|python3-dateutil|jeilyfish|colourama|coloarma|crypto-?js5|crossenv|cross-env\.js|loadsh|lodahs|lodashs|expres|expresss|exprss|reactt|axois|axioss|babelcli|babel-cli\.js|nodemailer-js|mongose|mongoos|electorn|typscript|tyepscript|discord\.dll|discordjs-selfbot|beautifulsoup5|bs5|pandsa|numpi|numpyy|tenserflow|tensorfow|matplotlid|scikit-learm|openai-python3|setup-?tools2|pypiwin33|flaks|flsk|pyyml)(?:@\S+|==\S+)?(?: |$)/;

/** How addresses of this machine and of networks of one's own begin. */
const OWN_NETWORK = String.raw`10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.`;
/** An address in place of a name, of no private network. */
const BARE_ADDRESS = String.raw`https?:\/\/(?:[\w.~%-]{1,64}(?::[^@\/\s]{0,64})?@)?(?!0\.|169\.254\.|${OWN_NETWORK})\d{1,3}(?:\.\d{1,3}){3}(?=[:\/\s"']|$)`;

/** An index over plain http, on no machine or network of one's own, of no server that companies run for it, and no mirror of note. */
const OPEN_INDEX = String.raw`http:\/\/(?!(?:[\w-]{1,64}@)?(?:localhost|[\w-]{1,63}[:/]|${OWN_NETWORK}|pypi\.org[:/]|(?:artifactory|nexus|devpi)\.|[^\s/]{1,253}\/(?:repository|artifactory)\/|(?:[\w-]{1,63}\.){1,6}(?:internal|local|lan|corp|intranet|edu(?:\.\w\w)?|test)[:/]|(?:[\w-]{1,63}\.){1,3}(?:aliyun|aliyuncs|tencent|tencentyun|huaweicloud|douban|doubanio|163|baidu|python)\.(?:com|org)[:/]))`;

const SIGNS = indexSigns([
  // Packages run code of theirs as they are installed.
  {
    programs: 'pip pip3 uv pipx poetry npm yarn pnpm bun gem',
    words: new RegExp(`(?:^| )(?:i|install|add|ci|config set) .*${BARE_ADDRESS}`),
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.75,
    what: 'installs packages from a machine without a name',
  },
  // Who is on the way may put anything into what runs as it is installed; mirrors of note are read by half of the world so.
  {
    programs: 'pip pip3 uv pipx',
    words: new RegExp(
      `\\b(?:install|add|run)\\b.*(?:--index-url|-i|--extra-index-url|--default-index)[ =]${OPEN_INDEX}`,
    ),
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.72,
    what: 'installs packages from an index that nobody vouches for, in the open',
  },
  {
    programs: 'pip pip3 uv pipx',
    words:
      /\b(?:install|add|run)\b.*(?:(?:^| )(?:git\+|hg\+|svn\+)?https?:\/\/|(?:--index-url|-i|--extra-index-url|--find-links|-f|--trusted-host)[ =](?!https:\/\/(?:pypi\.org|download\.pytorch\.org)))/,
    kind: 'package.from_url',
    severity: 'low',
    confidence: 0.7,
    what: 'installs a package from an address',
  },
  {
    programs: 'npm yarn pnpm bun npx',
    words:
      /\b(?:i|install|add|x)\b.*(?:(?:^| )(?:git\+|http:|https:)\S+|--registry[ =](?!https:\/\/registry\.(?:npmjs\.org|yarnpkg\.com)))/,
    kind: 'package.from_url',
    severity: 'low',
    confidence: 0.7,
    what: 'installs a package from an address',
  },
  // What these fetch they run at once.
  {
    programs: 'npx bunx pnpx uvx',
    words:
      /(?:^(?:(?:-[yq]|--(?:yes|quiet|silent|bun|prefer-\w{1,16}|python[ =]\S{1,24})) ){0,6}|(?:^| )(?:-p|--package|--from|--with)[ =])(?:git\+)?https?:\/\/(?!(?:[\w-]{1,64}@)?(?:github\.com|codeload\.github\.com|gitlab\.com|registry\.npmjs\.org|pypi\.org|files\.pythonhosted\.org|pkg\.pr\.new|localhost)[/:])/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.75,
    what: 'runs a package from an address at once',
  },
  {
    programs: 'npm yarn pnpm bun pip pip3 poetry',
    words:
      /^config set (?:\S{0,64}:)?(?:registry|global\.(?:extra-)?index-url|npmregistryserver|repositories\.\S{1,64})[ =](?!https:\/\/(?:registry\.(?:npmjs\.org|yarnpkg\.com)|pypi\.org))/,
    kind: 'package.from_url',
    severity: 'medium',
    confidence: 0.7,
    what: 'has all packages come from another address',
  },
  {
    programs: 'npm yarn pnpm bun pip pip3 poetry',
    words:
      /^config set (?:\S{0,64}:)?(?:registry|global\.(?:extra-)?index-url|npmregistryserver)[ =]http:\/\/(?!localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[\w-]{1,63}[:/]|[\w.-]{1,200}\.(?:internal|local|lan|corp)[:/])/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.75,
    what: 'has all packages come from another address, and in the open',
  },
  {
    programs: 'gem cargo',
    words: /\binstall\b.*(?:--source|--git|--index|http:)/,
    kind: 'package.from_url',
    severity: 'low',
    confidence: 0.6,
    what: 'installs a package from an address',
  },
  {
    programs: PACKAGE_MANAGERS,
    words: LOOK_ALIKES,
    kind: 'package.look_alike',
    severity: 'medium',
    confidence: 0.7,
    what: "installs a package whose name looks like another's",
  },
  {
    programs: 'msiexec',
    words: /[/-](?:i|q|y|z|package).*https?:/,
    kind: 'shell.download_execute',
    severity: 'high',
    confidence: 0.8,
    what: 'installs a program from an address',
  },
  {
    programs: 'dpkg rpm yum dnf apt apt-get installer brew',
    words: /(?:^| )(?:-i|-u\w*|install|--install)\b.*\bhttps?:\/\//,
    kind: 'package.from_url',
    severity: 'low',
    confidence: 0.6,
    what: 'installs a package from an address',
  },
  {
    programs: 'npm twine cargo gem poetry',
    words: /^(?:publish|upload|push)\b/,
    unless: /--dry-run|-n\b/,
    kind: 'package.publish',
    severity: 'medium',
    confidence: 0.7,
    what: 'publishes a package',
  },
  {
    programs: 'update-ca-certificates update-ca-trust trust certutil import-certificate',
    words: /^$|extract|anchor|-addstore.*root|-d .* -t|trustedca|root/,
    kind: 'evasion.trust',
    severity: 'medium',
    confidence: 0.7,
    what: 'has a certificate trusted by every program',
  },
]);

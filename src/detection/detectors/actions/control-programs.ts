import type { ShellCommand, ShellWord } from '../../facts/shell/model.ts';
import { WRAPPERS } from '../../facts/shell/wrappers.ts';

/**
 * Programs that control a service, and what of theirs cannot be undone. They share a grammar: nouns and a verb among
 * the first operands, in either order, sometimes joined (`delete-bucket`, `apps:destroy`, `delete_queue`).
 */
interface ControlProgram {
  /** Nouns that hold what cannot be made again; a verb counts only with one of them. Undefined: with any. */
  nouns?: RegExp;
  /** Nouns that are made again at will. */
  spared?: RegExp;
  /** Verbs beside the common ones. */
  verbs?: RegExp;
  /** A further condition on the words. */
  when?: (words: readonly string[]) => boolean;
}

/** Databases by names of what is made to be thrown away. */
export const THROWAWAY =
  /^(?:te?mp|tests?|scratch|dummy|sample)(?:[_-]|$)|[_-](?:te?mp|tests?|scratch)(?:[_-]?\d{1,4}|[_-](?:old|new|bak|copy))?$/i;

const DESTROYING =
  /^(?:delete|destroy|purge|terminate|drop|erase|wipe|rdelete|deletefile|del|rm|rb|remove|revoke|unregister|deregister|prune|forget)$/;
const DRY_RUN = /^(?:--dry-?run(?:=(?!none|false).*)?|--what-?if|--noop|--plan|--preview|--help|-h)$/i;
/** Clients to which `-h` names a host. */
const HOST_BY_H = /^(?:redis-cli|valkey-cli|mysqladmin|influx|dropdb)$/;
const UNATTENDED =
  /^(?:-y|--yes|-f|--force|--auto-approve|-auto-approve|--no-confirm|--confirm|--assume-yes|--non-interactive|--skip-confirmation|--quiet)$/;

const unattended = (words: readonly string[]): boolean => words.some((word) => UNATTENDED.test(word));

const CLOUD_SPARED =
  /^(?:alarm|dashboard|rule|tag|cache|environment|session|fingerprint|record|port|certificate|node-?balancer|load-?balancer|subscription|logicapp|blob|gpg-key|ssh-key|key-pair|label|annotation|invalidation|completion|alias|draft|preview|log-?group-?filter|subscription-?filter|archive|metric|insight)s?$/;

const PROGRAMS: ReadonlyMap<string, ControlProgram> = new Map<string, ControlProgram>([
  [
    'aws',
    {
      spared: CLOUD_SPARED,
      verbs: /^(?:schedule-key-deletion|put-secret-value|update-secret)$/,
      when: awsCounts,
    },
  ],
  ['az', { spared: CLOUD_SPARED }],
  ['gcloud', { spared: CLOUD_SPARED }],
  [
    'gsutil',
    { verbs: /^(?:rb)$/, when: (words) => words.includes('rb') || words.some((word) => /^-[a-z]*[rR]/.test(word)) },
  ],
  ['bq', { when: (words) => words.some((word) => /^-[a-z]*[rf]/.test(word)) }],
  ['oci', {}],
  ['ibmcloud', {}],
  ['openstack', { spared: CLOUD_SPARED }],
  ['doctl', { spared: CLOUD_SPARED }],
  ['linode-cli', { spared: CLOUD_SPARED }],
  ['hcloud', { spared: CLOUD_SPARED }],
  ['scw', { spared: CLOUD_SPARED }],
  ['eksctl', { nouns: /^(?:cluster|nodegroup)s?$/ }],
  ['kubectl', { when: kubeCounts }],
  ['oc', { when: kubeCounts }],
  ['terraform', { when: terraformCounts }],
  ['tofu', { when: terraformCounts }],
  ['terragrunt', { when: terraformCounts, verbs: /^destroy-all$/ }],
  ['pulumi', { nouns: /^(?:destroy|stack)$/, when: unattended }],
  ['cdk', { nouns: /^destroy$/, when: unattended }],
  ['serverless', { nouns: /^remove$/ }],
  ['heroku', { nouns: /^(?:apps?|addons?|pg|postgres|domains?|pipelines?)$/, verbs: /^reset$/ }],
  ['flyctl', { nouns: /^(?:apps?|volumes?|postgres|machines?)$/ }],
  ['fly', { nouns: /^(?:apps?|volumes?|postgres|machines?)$/ }],
  ['netlify', { nouns: /^(?:sites?|api)$/ }],
  ['wrangler', { nouns: /^(?:delete|d1|r2|kv|kv_namespace|queues?|pages|vectorize|hyperdrive)$/, when: unattended }],
  ['railway', { nouns: /^(?:down|delete|volume|environment)$/, verbs: /^down$/, when: unattended }],
  ['vercel', { nouns: /^(?:rm|remove|projects?|domains?|dns|env|blob|storage)$/, when: unattended }],
  ['neonctl', { nouns: /^(?:projects?|branches|databases?|roles?)$/ }],
  ['neon', { nouns: /^(?:projects?|branches|databases?|roles?)$/ }],
  ['pscale', { nouns: /^(?:database|branch|backup)$/, when: unattended }],
  ['turso', { nouns: /^(?:db|group|org)$/, when: unattended }],
  ['firebase', { nouns: /^(?:firestore|database|projects?|hosting|storage)$/ }],
  [
    'gh',
    {
      nouns: /^(?:repo|gist|issue|project|environment|api|ruleset)$/,
      verbs: /^archive$/,
      when: requestDeletes,
    },
  ],
  ['glab', { nouns: /^(?:repo|project|issue|api|mr)$/, when: requestDeletes }],
  ['vault', { verbs: /^disable$/ }],
  ['op', {}],
  ['doppler', {}],
  ['bw', {}],
  ['circleci', { verbs: /^remove-secret$/ }],
  ['gitlab-runner', { verbs: /^unregister$/ }],
  ['argocd', { nouns: /^(?:app|cluster|proj|repo)$/ }],
  ['velero', { nouns: /^(?:backup|restore|schedule|snapshot|backup-location)s?$/ }],
  // What a rule keeps is what backups are for; and pruning asks for one.
  [
    'borg',
    { verbs: /^(?:repo-delete|rdelete|compact)$/, when: (words) => !words.some((word) => word.startsWith('--keep-')) },
  ],
  ['restic', { when: (words) => !keepsByRule(words) }],
  ['kopia', { nouns: /^(?:snapshot|repository|policy|blob|content)s?$/ }],
  [
    'rclone',
    {
      verbs: /^(?:rmdirs?|cleanup|sync|move|moveto)$/,
      // What would go is kept there.
      when: (words) =>
        !(
          /^(?:sync|move)$/.test(words[0] ?? '') &&
          words.some((word, at) => word === '--backup-dir' && !(words[at + 1] ?? '-').startsWith('-'))
        ),
    },
  ],
  ['rabbitmqctl', { verbs: /^(?:reset|force_reset|clear)$/ }],
  ['rabbitmqadmin', {}],
  ['nats', { nouns: /^(?:stream|consumer|kv|bucket|object|account|context|str|con|obj)s?$/ }],
  ['redis-cli', { nouns: /^(?:flushall|flushdb)$/i, verbs: /^(?:flushall|flushdb)$/i, when: notOwnCache }],
  ['valkey-cli', { nouns: /^(?:flushall|flushdb)$/i, verbs: /^(?:flushall|flushdb)$/i }],
  ['mysqladmin', { nouns: /^drop$/ }],
  [
    'dropdb',
    {
      verbs: /^./,
      when: (words) =>
        !words.some((word) => !word.startsWith('-') && THROWAWAY.test(word)) &&
        // A developer's own, where nothing says that it is elsewhere.
        !/^(?:--if-exists )?[\w-]{1,64}_dev(?:elopment)?$/.test(words.join(' ')),
    },
  ],
  ['sqlx', { nouns: /^(?:database|db)$/, verbs: /^reset$/, when: unattended }],
  [
    'supabase',
    {
      nouns: /^(?:db|projects?|branches)$/,
      verbs: /^reset$/,
      when: (words) => words.includes('--linked') || !words.includes('reset'),
    },
  ],
  ['etcdctl', { when: (words) => words.some((word) => /^--(?:prefix|from-key|recursive)/.test(word)) }],
  ['consul', { when: (words) => words.some((word) => word.startsWith('-recurse')) }],
  ['docker', { when: dockerCounts }],
  ['podman', { when: dockerCounts }],
  ['influx', { nouns: /^(?:bucket|org|delete)$/ }],
  [
    's3cmd',
    {
      verbs: /^(?:rb|expire)$/,
      when: (words) => words.includes('rb') || words.some((word) => /^(?:-r|--recursive)$/.test(word)),
    },
  ],
  [
    'mc',
    { verbs: /^rb$/, when: (words) => words.includes('rb') || words.some((word) => /^(?:-r|--recursive)$/.test(word)) },
  ],
]);

/** One numbered database of this machine's store, as tests have one of their own. */
function notOwnCache(words: readonly string[]): boolean {
  return !/^(?:-h (?:localhost|127\.0\.0\.1) )?-n [1-9]\d? flushdb$/i.test(words.join(' '));
}

/** `forget --keep-daily 7 --prune`: by a rule that keeps some, and nothing that is named. */
function keepsByRule(words: readonly string[]): boolean {
  const rest = words.slice(words.indexOf('forget') + 1);
  const keeps = rest.some(
    (word, at) => /^--keep-(?:daily|weekly|monthly|yearly)$/.test(word) && /^[1-9]\d{0,3}$/.test(rest[at + 1] ?? ''),
  );
  const known = /^(?:--keep-(?:last|hourly|daily|weekly|monthly|yearly)|--prune|--group-by|host|paths?|tags?|\d{1,4})$/;
  return words.includes('forget') && keeps && rest.every((word) => known.test(word));
}

/** An emulator on the developer's own machine, by its address. */
const EMULATOR =
  /^https?:\/\/(?:(?:localhost|127\.0\.0\.1|\[::1\]):(?:4566|45[1-5]\d|8000|9000|5000|9324)|(?:localhost\.)?localstack(?:\.cloud)?(?::\d{1,5})?)\/?$/;

/** `--endpoint-url http://localhost:4566`, and no other endpoint. */
function isEmulated(words: readonly string[]): boolean {
  const endpoints = words.flatMap((word, at) => {
    if (!word.includes('--endpoint-url')) return [];
    return word === '--endpoint-url' ? [words[at + 1] ?? ''] : [word.slice('--endpoint-url='.length)];
  });
  return endpoints.length === 1 && EMULATOR.test(endpoints[0] as string);
}

function awsCounts(words: readonly string[]): boolean {
  if (isEmulated(words)) return false;
  if (words[0] !== 's3') return true;
  if (words[1] === 'rm') return words.includes('--recursive');
  return words[1] === 'rb' || (words.includes('--delete') && !isBuilt(words[2] ?? ''));
}

/** A directory that a build makes: what is published is to be just that, and can be made again. */
export function isBuilt(path: string): boolean {
  return BUILT.test(path) && !path.includes('..');
}

const BUILT =
  /^(?:\.\/)?(?:[\w-][\w.-]{0,63}\/){0,6}(?:_?build|dist|out|public|_?site|html|_book|storybook-static|\.next|\.output|\.vitepress\/dist|docs\/(?:build|_build))\/(?:[\w.-]{1,64}\/?){0,3}$|^(?:\.\/)?(?:build|dist|out|public|_site|site|storybook-static)$/;

/** Environments that are made for a change, and thrown away with it. */
const PREVIEW = /^(?:preview|review|pr|ephemeral|e2e|test|te?mp)-|-(?:preview|review|pr-?\d{1,8}|test|te?mp)$/;

/** What is made for a trial says so by its name. */
const TRIAL =
  /(?:^|[-_./])(?:te?mp|tests?|testing|demo|sandbox|scratch|preview|pr-?\d{1,8}|load-?tests?|e2e|throwaway|dummy|playground|poc|workshop|training|ephemeral)(?:[-_./\d]|$)/i;
/** Directories that describe what is made for one. */
const TRIAL_DIRECTORY =
  /(?:^|[-_/])(?:demo|sandbox|scratch|preview|pr-?\d{1,8}|playground|poc|workshop|ephemeral)(?:[-_/\d]|$)/i;
const LASTING = /(?:^|[-_./:=])(?:prod(?:uction)?|prd|live|main|master|backups?|customers?|shared)(?:[-_./:\d]|$)/i;
/** Programs that name what they delete by their words, and by nothing that was chosen before. */
const NAMING =
  /^(?:aws|az|gcloud|doctl|hcloud|linode-cli|scw|serverless|heroku|fly(?:ctl)?|netlify|vercel|kafka-[\w.-]{1,32})$/;
const OF_DIRECTORY = /^(?:terraform|tofu|terragrunt|pulumi|cdk)$/;
const OF_DIRECTORY_WORDS = /^(?:destroy|apply|-{1,2}(?:auto-approve|destroy|yes|force)|-y|-f)$/;
const NAME_CHARS_MAX = 256;

/**
 * Whether all that `command` deletes is made to be thrown away: every word behind its first verb that is no option says so, the values of
 * options too, whatever they are for; of what a directory describes, that directory.
 */
export function isThrownAway({ name, args, cwd, env }: ShellCommand): boolean {
  const words = args.map(({ text }) => text);
  if (env.length > 0 || words.some((word) => LASTING.test(word.slice(0, NAME_CHARS_MAX)))) return false;
  if (OF_DIRECTORY.test(name)) return words.every((word) => OF_DIRECTORY_WORDS.test(word)) && isTrialDirectory(cwd);
  if (!NAMING.test(name) || args.some(({ dynamic, glob }) => dynamic || glob)) return false;
  if (words.some((word) => /^(?:--?(?:all|A)|--[\w-]{1,64}=.*)$/s.test(word))) return false;
  const verb = words.findIndex((word) => word.split(/[-:.]/).some((part) => DESTROYING.test(part)));
  const named = words.slice(verb + 1).filter((word) => !word.startsWith('-'));
  const isTrial = (word: string): boolean => !/[=!:*,]/.test(word) && TRIAL.test(word.slice(0, NAME_CHARS_MAX));
  return verb >= 0 && named.length > 0 && named.every(isTrial);
}

function isTrialDirectory(cwd: string | undefined): boolean {
  if (cwd === undefined || /^\/(?:tmp|var|dev)(?:\/|$)/.test(cwd)) return false;
  return TRIAL_DIRECTORY.test(cwd) && !LASTING.test(cwd);
}

/** Mass deletions, and the kinds that take everything inside them along. */
function kubeCounts(words: readonly string[]): boolean {
  const at = words.indexOf('delete');
  // Their controllers make new pods.
  if (/^(?:pods?|po)$/.test(words[at + 1] ?? '')) return false;
  if (words.some((word) => /^(?:--all(?:=true)?|--all-namespaces|-A)$/.test(word))) return true;
  if (/^(?:namespaces?|ns)$/.test(words[at + 1] ?? '') && PREVIEW.test(words[at + 2] ?? '')) return false;
  return (
    at >= 0 &&
    /^(?:namespaces?|ns|projects?|pvc?|persistentvolumes?|persistentvolumeclaims?|crds?|customresourcedefinitions?|nodes?|no)(?:\/|$)/.test(
      words[at + 1] ?? '',
    )
  );
}

function terraformCounts(words: readonly string[]): boolean {
  if (words[0] === 'state') return words[1] === 'rm';
  return !words.includes('plan') && words.some((word) => /^-{1,2}(?:auto-approve|force)$/.test(word));
}

/** Volumes hold data; containers and images are made again. */
function dockerCounts(words: readonly string[]): boolean {
  if (!words.includes('prune')) return false;
  return words[0] === 'volume' || (words[0] === 'system' && words.includes('--volumes'));
}

function requestDeletes(words: readonly string[]): boolean {
  if (words[0] !== 'api') return true;
  return (
    words.some((word, index) => /^(?:-X|--method)$/.test(words[index - 1] ?? '') && word.toUpperCase() === 'DELETE') ||
    words.includes('-XDELETE') ||
    words.includes('--method=DELETE')
  );
}

/** Operands that are looked at for nouns and verbs. Names of things come behind them. */
const OPERANDS_MAX = 4;
/** The branch of what is merged: it is elsewhere then. */
const SOURCE_BRANCH_FLAG = /^--delete-(?:source-)?branch$/;
const isMerge = (word: string): boolean => /^(?:merge|--auto-complete)$/.test(word);
const DELETING_FLAG = /^--(?:delete|delete-config|remove|purge|all-runners|delete-.+)$/;

/** What `command` irrevocably destroys in a service, or undefined. */
export function destructionBy(command: ShellCommand): string | undefined {
  const { name, args } = command;
  if (name === 'npm' || name === 'pnpm') return unpublishes(args);
  const program = PROGRAMS.get(name);
  if (program === undefined && !mayDestroy(command)) return undefined;
  const words = args.map((arg) => arg.text);
  if (words.some((word) => DRY_RUN.test(word) && !(word === '-h' && HOST_BY_H.test(name)))) return undefined;
  if (program !== undefined) return byProgram(program, words);
  if (name.startsWith('kafka-')) return kafka(name, words);
  if (name === 'java') return jenkins(words);
  if (name === 'mongo' || name === 'mongosh') return mongo(args);
  return byUnknown(words);
}

/** A quick look at programs without an entry: most commands end here. */
function mayDestroy({ name, args }: ShellCommand): boolean {
  if (name.startsWith('kafka-') || name === 'java' || name === 'mongo' || name === 'mongosh') return true;
  return args.some((arg) => UNATTENDED.test(arg.text)) && !REBUILDABLE.has(name) && !onlyRunsAnother(name);
}

/** `sudo apt purge -y a`: what stands behind a wrapper is a command of its own, and judged as that. */
function onlyRunsAnother(name: string): boolean {
  const wrapper = WRAPPERS.get(name);
  return wrapper !== undefined && wrapper.subcommands === undefined && !wrapper.afterDashes;
}

/** What others build with is gone for them, and its name may be somebody else's next. */
function unpublishes([verb, ...words]: readonly ShellWord[]): string | undefined {
  if (verb?.text !== 'unpublish' || words.some(({ text }) => DRY_RUN.test(text))) return undefined;
  return words.some(({ text }) => UNATTENDED.test(text)) ? 'takes a published package away' : undefined;
}

function byProgram(program: ControlProgram, words: readonly string[]): string | undefined {
  const operands = words.filter((word) => !word.startsWith('-')).slice(0, OPERANDS_MAX);
  const parts = operands.flatMap((word) => [word, ...word.split(/[-_:.]/)]);
  const isVerb = (part: string): boolean => DESTROYING.test(part) || program.verbs?.test(part) === true;
  const verb =
    parts.find(isVerb) ??
    words.find((word) => DELETING_FLAG.test(word) && !(SOURCE_BRANCH_FLAG.test(word) && words.some(isMerge))) ??
    (requestVerb(words) ? 'delete' : undefined) ??
    destroysByFlag(words);
  if (verb === undefined || program.when?.(words) === false) return undefined;
  if (program.nouns !== undefined && !parts.some((part) => program.nouns?.test(part))) return undefined;
  if (program.spared !== undefined && parts.some((part) => program.spared?.test(part))) return undefined;
  return `irrevocably deletes or overwrites what a service holds: ${operands.slice(0, 2).join(' ')}`;
}

function requestVerb(words: readonly string[]): boolean {
  return words[0] === 'api' && requestDeletes(words);
}

function destroysByFlag(words: readonly string[]): string | undefined {
  return words[0] === 'apply' && words.some((word) => /^-{1,2}destroy$/.test(word)) ? 'destroy' : undefined;
}

function kafka(name: string, words: readonly string[]): string | undefined {
  const deletes =
    name.includes('delete') || words.some((word) => /^--(?:delete|remove|delete-config|delete-offsets)$/.test(word));
  return deletes ? 'deletes topics, records, groups or settings of a message broker' : undefined;
}

function jenkins(words: readonly string[]): string | undefined {
  if (!words.some((word) => /jenkins[^/]*\.jar$/.test(word))) return undefined;
  return words.some((word) => /^(?:delete|remove)-/.test(word))
    ? 'deletes jobs, nodes or views of a build server'
    : undefined;
}

function mongo(args: readonly ShellWord[]): string | undefined {
  if (args.some(({ text }) => THROWAWAY.test(LOCAL_DATABASE.exec(text)?.[1] ?? ''))) return undefined;
  return args.some((arg) => /\bdropDatabase\s*\(|\.drop\s*\(\s*\)|deleteMany\s*\(\s*\{\s*\}\s*\)/.test(arg.text))
    ? 'drops a database or a collection'
    : undefined;
}

/** `mongodb://localhost:27017/test`: a database of this machine, by its name. */
const LOCAL_DATABASE = /^(?:mongodb:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?\/([\w-]{1,64})(?:\?|$)/;

/** Package managers and local sandboxes: what they remove is fetched or built again. */
const REBUILDABLE = new Set(
  'apt apt-get aptitude dpkg dnf yum pacman yay paru brew npm yarn pnpm bun pip pip3 pipx uv poetry conda mamba cargo rustup snap flatpak gem go git nix zypper apk port choco winget scoop systemctl kind minikube k3d vagrant multipass virsh lxc incus toolbox distrobox make ninja cmake gradle mvn bazel ccache sccache tmux screen ollama helm docker-compose'.split(
    ' ',
  ),
);
const GRAVE = /^(?:destroy|purge|wipe|nuke|destroy-all|delete-all|purge-all|drop-database|wipe-all)$/;

/** An unknown program that is told to destroy, and not to ask. */
function byUnknown(words: readonly string[]): string | undefined {
  const operands = words.filter((word) => !word.startsWith('-')).slice(0, 3);
  if (!operands.some((word) => GRAVE.test(word) || word.split(':').some((part) => GRAVE.test(part)))) return undefined;
  return 'destroys without asking';
}

import { gitWords } from '../../facts/files/git.ts';
import type { ShellCommand, ShellWord } from '../../facts/shell/model.ts';
import { hasOption, type Options, optionNames, readOptions } from '../../facts/shell/options.ts';
import { actionDetector } from './action.ts';

/** Version control commands that throw away work which is nowhere else, or rewrite what others have. */
export const destructiveVcs = actionDetector({
  id: 'destructive_vcs',
  version: 3,
  severity: 'high',
  title: 'Discards uncommitted work, deletes unmerged branches, or overwrites published history.',
  kinds: ['destructive.vcs'],
  falsePositives: ['a person who asked for exactly that'],
  find({ facts }, found) {
    for (const command of facts.shell.commands) {
      const what = describe(command);
      if (what === undefined) continue;
      found.push({
        kind: 'destructive.vcs',
        what: `${what} (${command.name})`,
        confidence: 0.9,
        origin: command.origin,
      });
    }
  },
});

function describe(command: ShellCommand): string | undefined {
  switch (command.name) {
    case 'git':
      return describeGit(command.args);
    case 'hg':
      return describeHg(command.args);
    case 'svn':
      return describeSvn(command.args);
    default:
      return undefined;
  }
}

function describeGit(args: readonly ShellWord[]): string | undefined {
  const [subcommand, ...rest] = gitWords(args);
  const check = GIT.get(subcommand?.text ?? '');
  if (check === undefined) return undefined;
  if (rest.some((arg) => arg.text === '--help' || arg.text === '-h')) return undefined;
  return check(rest) ?? bySettings(subcommand?.text, args);
}

/** `git -c clean.requireForce=false clean`, `git -c gc.pruneExpire=now gc`: what an option would say, a setting does. */
function bySettings(subcommand: string | undefined, args: readonly ShellWord[]): string | undefined {
  const set = (name: RegExp): boolean =>
    args.some(({ text }, index) => args[index - 1]?.text === '-c' && name.test(text.slice(0, 128)));
  if (subcommand === 'clean' && set(/^clean\.requireforce=(?:false|no|off|0)$/i))
    return clean([
      ...args.slice(args.findIndex(({ text }) => text === 'clean') + 1),
      { text: '-f', dynamic: false, glob: false },
    ]);
  return subcommand === 'gc' && set(/^gc\.(?:pruneexpire|reflogexpire\w{0,16})=(?:now|all|0)/i)
    ? 'deletes the objects by which lost work is found'
    : undefined;
}

const read = (args: readonly ShellWord[], valued = ''): Options => readOptions(args, { valued: optionNames(valued) });
const isRebuilt = ({ text }: ShellWord): boolean =>
  /^(?:\.\/)?(?:[\w.*-]+\/)*(?:node_modules|dist|_?build|target|out|coverage|tmp|\.cache|\.next|__pycache__|[\w.-]*\.egg-info)\/?$/.test(
    text,
  );
const isEverything = (word: ShellWord): boolean => /^(?:\.\/?|:\/|\*|:\(top\)|\.\/\*)$/.test(word.text);

const GIT: ReadonlyMap<string, (args: readonly ShellWord[]) => string | undefined> = new Map([
  [
    'reset',
    (args) => (hasOption(read(args), '', 'hard', 'har', 'ha', 'h') ? 'discards all uncommitted changes' : undefined),
  ],
  ['clean', clean],
  ['push', push],
  ['checkout', checkout],
  [
    'switch',
    (args) =>
      hasOption(read(args, 'c C'), 'f', 'force', 'discard-changes') ? 'discards uncommitted changes' : undefined,
  ],
  ['restore', restore],
  ['branch', branch],
  ['stash', (args) => (/^(?:drop|clear)$/.test(args[0]?.text ?? '') ? 'deletes stashed work' : undefined)],
  [
    'reflog',
    (args) =>
      /^(?:expire|delete)$/.test(args[0]?.text ?? '') && !hasOption(read(args), 'n', 'dry-run') && !isAged(args)
        ? 'deletes the record by which lost work is found'
        : undefined,
  ],
  [
    'gc',
    (args) =>
      args.some((arg) => /^--p(?:r(?:u(?:ne?)?)?)?=(?:now|all|0)$/.test(arg.text))
        ? 'deletes the objects by which lost work is found'
        : undefined,
  ],
  [
    'prune',
    (args) =>
      args.some((arg) => /^--exp(?:i(?:re?)?)?=(?:now|all|0)$/.test(arg.text)) && !hasOption(read(args), 'n', 'dry-run')
        ? 'deletes the objects by which lost work is found'
        : undefined,
  ],
  [
    'filter-repo',
    (args) => (hasOption(read(args), '', 'dry-run', 'analyze') ? undefined : 'rewrites the whole history'),
  ],
  ['filter-branch', () => 'rewrites the whole history'],
  [
    'read-tree',
    (args) =>
      hasOption(read(args), '', 'reset') && hasOption(read(args), 'u') ? 'discards all uncommitted changes' : undefined,
  ],
  [
    'worktree',
    (args) =>
      args[0]?.text === 'remove' && hasOption(read(args), 'f', 'force') && !areOnTrial(read(args).operands.slice(1))
        ? 'deletes a work tree with its changes'
        : undefined,
  ],
]);

function clean(args: readonly ShellWord[]): string | undefined {
  const options = read(args, 'e exclude');
  if (!hasOption(options, 'f', 'force') || hasOption(options, 'ni', 'dry-run', 'interactive')) return undefined;
  // What is ignored, or made again by a build, is no work.
  const onlyIgnored = hasOption(options, 'X') && !hasOption(options, 'x');
  if (onlyIgnored || (options.operands.length > 0 && options.operands.every(isRebuilt))) return undefined;
  return 'deletes files that are not under version control';
}

/** Only what is so old goes, as it does by itself in the end. */
function isAged(args: readonly ShellWord[]): boolean {
  const ages = args.filter(({ text }) => text.startsWith('--expire'));
  return ages.length > 0 && ages.every(({ text }) => AGED.test(text));
}

const AGED = /^--expire(?:-unreachable)?=[1-9]\d{0,3}[.\s]?(?:days?|weeks?|months?|years?)(?:[.\s]ago)?$/;

const PROTECTED = /^(?:refs\/heads\/)?(?:main|master|trunk|develop|production|release.*)$/;

function push(args: readonly ShellWord[]): string | undefined {
  const options = read(args, 'o push-option receive-pack repo');
  if (hasOption(options, 'n', 'dry-run')) return undefined;
  if (hasOption(options, 'f', 'force') || options.operands.slice(1).some((word) => word.text.startsWith('+'))) {
    return 'overwrites published history';
  }
  if (hasOption(options, '', 'mirror')) return 'overwrites everything that is published';
  const deletes = hasOption(options, 'd', 'delete');
  const refs = options.operands.slice(1).filter((word) => deletes || word.text.startsWith(':'));
  return refs.some((word) => PROTECTED.test(word.text.replace(/^:/, ''))) ? 'deletes a main branch' : undefined;
}

function checkout(args: readonly ShellWord[]): string | undefined {
  const options = read(args, 'b B');
  if (hasOption(options, 'f', 'force')) return 'discards uncommitted changes';
  return options.operands.some(isEverything) ? 'discards all uncommitted changes' : undefined;
}

function restore(args: readonly ShellWord[]): string | undefined {
  const options = read(args, 's source');
  const staged = hasOption(options, 'S', 'staged') && !hasOption(options, 'W', 'worktree');
  return !staged && options.operands.some(isEverything) ? 'discards all uncommitted changes' : undefined;
}

function branch(args: readonly ShellWord[]): string | undefined {
  const options = read(args);
  const forced = hasOption(options, 'D') || (hasOption(options, 'd', 'delete') && hasOption(options, 'f', 'force'));
  return forced && !areOnTrial(options.operands) ? 'deletes a branch whether or not it is merged' : undefined;
}

/** Whether all are named as what was only made to try something out. */
function areOnTrial(names: readonly ShellWord[]): boolean {
  return names.length > 0 && names.every(({ text, dynamic }) => !dynamic && ON_TRIAL.test(text));
}

const ON_TRIAL =
  /^(?:[\w.-]{1,64}\/|\.{1,2}\/|\/tmp\/){0,4}(?:test|tmp|temp|scratch|dummy)(?:[-_.\d][\w.-]{0,64})?\/?$/;

function describeHg(args: readonly ShellWord[]): string | undefined {
  const [subcommand, ...rest] = args.map((arg) => arg.text);
  if (subcommand === 'purge' || subcommand === 'strip') return 'deletes work that is nowhere else';
  const clean = rest.some((text) => /^(?:-C|--clean)$/.test(text));
  return /^(?:update|up|checkout|co)$/.test(subcommand ?? '') && clean ? 'discards all uncommitted changes' : undefined;
}

function describeSvn(args: readonly ShellWord[]): string | undefined {
  const words = args.map((arg) => arg.text);
  const whole = words.some((text) => /^(?:-R|--recursive|--depth=infinity)$/.test(text)) && words.includes('.');
  return words[0] === 'revert' && whole ? 'discards all uncommitted changes' : undefined;
}

import type { ShellCommand, ShellWord } from '../shell/model.ts';
import { hasOption, optionNames, readOptions } from '../shell/options.ts';
import { movesThenTarget, type Touched, touch } from './touched.ts';

/** Options of `git` itself that take a value in the next word. */
const GIT_VALUES: ReadonlySet<string> = new Set(
  '-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix'.split(' '),
);

/** The words of a `git` command from its subcommand on. */
export function gitWords(args: readonly ShellWord[]): readonly ShellWord[] {
  let at = 0;
  while (at < args.length && (args[at] as ShellWord).text.startsWith('-')) {
    at += GIT_VALUES.has((args[at] as ShellWord).text) ? 2 : 1;
  }
  return args.slice(at);
}

/** Options of `git clone` that take a value in the next word. */
const CLONE_VALUES = optionNames(
  'b branch o origin u upload-pack reference reference-if-able depth shallow-since shallow-exclude j jobs template separate-git-dir c config filter bundle-uri server-option ref-format revision',
);

/** The directory that a `git clone` makes, as it is written; undefined for anything else. */
export function cloneTarget({ args }: ShellCommand): string | undefined {
  const [subcommand, ...rest] = gitWords(args);
  if (subcommand?.text !== 'clone') return undefined;
  const { operands } = readOptions(rest, { valued: CLONE_VALUES });
  const [source, directory] = operands;
  if (
    source === undefined ||
    operands.some(({ dynamic }) => dynamic) ||
    rest.some(({ text }) => /^(?:-h|--help)$/.test(text))
  )
    return undefined;
  const target = directory?.text ?? /([^/:]+?)(?:\.git)?\/{0,4}$/.exec(source.text.slice(-SOURCE_CHARS_MAX))?.[1];
  return target === undefined || /^\.{0,2}\/?$/.test(target) ? undefined : target;
}

/** Characters at the end of an address that its last part is looked for in. */
const SOURCE_CHARS_MAX = 256;

/** Neither a revision nor a branch: their names do not begin so. */
const UNLIKE_REVISION = /^(?:\.\.?\/|\.[^.]|[/~])/;

/** Files that `git` changes in the work tree, or shows from wherever it keeps them. What may be a branch is left out. */
export function git(command: ShellCommand): Touched[] {
  const [subcommand, ...args] = gitWords(command.args);
  const dashes = args.findIndex((arg) => arg.text === '--');
  const paths = dashes < 0 ? [] : args.slice(dashes + 1);
  const options = readOptions(dashes < 0 ? args : args.slice(0, dashes), { valued: GIT_FILE_VALUES });
  const { operands: words } = options;
  switch (subcommand?.text) {
    case 'rm':
      return hasOption(options, 'n', 'cached', 'dry-run') ? [] : [...words, ...paths].map(touch('delete'));
    case 'mv':
      return GIT_MOVE({ ...command, args });
    case 'checkout': {
      const named = words.filter((word, index) => index > 0 || UNLIKE_REVISION.test(word.text));
      return [...named, ...paths].map(touch('write', true));
    }
    case 'restore':
      if (hasOption(options, 'S', 'staged') && !hasOption(options, 'W', 'worktree')) return [];
      return [...words, ...paths].map(touch('write', true));
    case 'stash':
      return [...(words[0]?.text === 'push' ? words.slice(1) : []), ...paths].map(touch('write', true));
    case 'show':
    case 'cat-file':
      return words.flatMap((word) => {
        const text = /:([^:/(][^:]*)$/.exec(word.text)?.[1];
        return text === undefined ? [] : [touch('read')({ ...word, text })];
      });
    case 'blame':
    case 'annotate':
      return [...words.slice(-1), ...paths].map(touch('read'));
    case 'diff': {
      if (hasOption(options, '', 'stat', 'name-only', 'name-status', 'numstat', 'shortstat')) return [];
      const named = hasOption(options, '', 'no-index') ? words : words.filter(({ text }) => UNLIKE_REVISION.test(text));
      return [...named, ...paths].map(touch('read'));
    }
    case 'log':
      return hasOption(options, 'pu', 'patch') ? paths.map(touch('read')) : [];
    default:
      return [];
  }
}

const GIT_FILE_VALUES = optionNames('b B s source m message orphan n');
const GIT_MOVE = movesThenTarget('');

/** What `gh` publishes or sends along. */
export function gh(command: ShellCommand): Touched[] {
  const options = readOptions(command.args, {
    valued: optionNames('d desc f filename F body-file notes-file R repo t title n notes'),
  });
  const [noun, verb, ...words] = options.operands;
  // To the others, `-F` is a field.
  const texts = /^(?:gist|issue|pr|release)$/.test(noun?.text ?? '')
    ? ['F', 'body-file', 'notes-file'].flatMap((name) => options.values.get(name) ?? [])
    : [];
  const attached =
    noun?.text === 'gist' && /^(?:create|new)$/.test(verb?.text ?? '')
      ? words
      : noun?.text === 'release' && /^(?:create|upload|new)$/.test(verb?.text ?? '')
        ? words.slice(1)
        : [];
  return [...texts, ...attached].map(touch('read'));
}

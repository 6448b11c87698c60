import type { ShellCommand, ShellWord } from '../../facts/shell/model.ts';
import { interpreterOf, SHELLS } from '../../facts/shell/wrappers.ts';
import { STUDIED } from './written-code.ts';

/** Texts of a command line that somebody will read and nothing will run: what a commit says, the body of a pull request, a page of documentation. */

/** What takes a message, by program and the first word behind it. */
const SAYS: ReadonlyMap<string, RegExp> = new Map([
  ['git', /^(?:commit|tag|notes|merge|stash)$/],
  ['gh', /^(?:pr|issue|release|gist|discussion)$/],
  ['glab', /^(?:mr|issue|release)$/],
]);
const MESSAGE_OPTION = /^(?:-[a-zA-Z]{0,3}[mbtn]|--(?:message|body|title|notes|description|comment))$/;
const MESSAGE_WORD = /^--(?:message|body|title|notes|description|comment)=/;
/** The options in front of what git is to do, with a value of their own: `git -C dir commit`. */
const GIT_PLACES = /^(?:-C|--git-dir|--work-tree)$/;

/** What is looked for is not done, where what is found goes nowhere. A short pattern may be a part of something else that is. */
function soughtBy(command: ShellCommand, index: number, commands: readonly ShellCommand[]): string[] {
  const { name, args, redirects, consumer } = command;
  if (!SEARCHERS.has(name) || redirects.length > 0 || consumer !== undefined) return [];
  if (commands.some((other) => other.input === index && !READERS.has(other.name))) return [];
  if (!args.every(({ text }) => !text.startsWith('-') || SEARCH_OPTION.test(text))) return [];
  const pattern = args.find(({ text }) => !text.startsWith('-'));
  return pattern === undefined || pattern.dynamic || pattern.text.length < PATTERN_CHARS_MIN ? [] : [pattern.text];
}

const SEARCHERS: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'ack']);
/** Options without a value of their own, and none that shows the match alone or has something run. */
const SEARCH_OPTION = /^-[rnlLicHhEFPwvxRsqaI]{1,8}$|^--(?:include|exclude|exclude-dir|color)=/;
const READERS: ReadonlySet<string> = new Set(['head', 'tail', 'wc', 'sort', 'uniq', 'less']);
const PATTERN_CHARS_MIN = 6;

const PROSE_FILE =
  /\.(?:md|mdx|markdown|rst|adoc|txt|log|csv)$|(?:^|\/)(?:readme|changelog|notes|license|commit_editmsg)$/i;

/** So many of one command line are taken out; what is left is read as if it were run. */
const SAID_MAX = 32;

/** `text`, the command line of `commands`, without them; the whole of it where something in it may run what was said: `git log --format=%B | sh`. */
export function withoutSaid(text: string, commands: readonly ShellCommand[]): string {
  if (commands.some(runsTexts)) return text;
  let rest = text;
  let left = SAID_MAX;
  for (const [index, command] of commands.entries()) {
    for (const said of [...saidBy(command, commands), ...soughtBy(command, index, commands)]) {
      if (left-- === 0) return rest;
      // Once each: what is said may also be done, in another place.
      if (said.length > 0) rest = rest.replace(said, () => '');
    }
  }
  return rest;
}

function runsTexts({ name, dynamic, via }: ShellCommand): boolean {
  return dynamic || via.length > 0 || SHELLS.has(name) || interpreterOf(name) !== undefined || RUNNERS.has(name);
}

const RUNNERS: ReadonlySet<string> = new Set(
  'eval source . xargs parallel at batch trap iex invoke-expression'.split(' '),
);

function* saidBy(command: ShellCommand, commands: readonly ShellCommand[]): Generator<string> {
  const { args, stdin } = command;
  if (stdin !== undefined && (isSaid(command) || isPage(command, commands))) yield stdin;
  if (!takesMessage(command)) return;
  for (const [index, { text, dynamic }] of args.entries()) {
    if (dynamic) continue;
    if (MESSAGE_OPTION.test(args[index - 1]?.text ?? '')) yield text;
    else if (MESSAGE_WORD.test(text)) yield text.slice(text.indexOf('=') + 1);
  }
  if (stdin !== undefined) yield stdin;
}

function takesMessage({ name, args }: ShellCommand): boolean {
  return SAYS.get(name)?.test(firstOperand(args) ?? '') === true;
}

function firstOperand(args: readonly ShellWord[]): string | undefined {
  return args.find(({ text }, index) => !text.startsWith('-') && !GIT_PLACES.test(args[index - 1]?.text ?? ''))?.text;
}

/** `"$(cat <<'EOF' …)"`: what a message is put together of. */
function isSaid({ name, consumer }: ShellCommand): boolean {
  return name === 'cat' && consumer !== undefined && SAYS.has(consumer);
}

/** `cat > notes.md <<'EOF' …`, and a file of tests, which has attacks in it to be found, beside nothing that could run it. */
function isPage({ name, args, redirects }: ShellCommand, commands: readonly ShellCommand[]): boolean {
  const targets = [
    ...redirects.filter(({ operator }) => operator.includes('>')).map(({ target }) => target),
    ...(name === 'tee' ? args.filter(({ text }) => !text.startsWith('-')) : []),
  ];
  return (
    (name === 'cat' || name === 'tee') &&
    targets.length > 0 &&
    targets.every(({ text, dynamic }) => !dynamic && (PROSE_FILE.test(text) || isTest(text, commands)))
  );
}

const RUN_NOTHING: ReadonlySet<string> = new Set(['cat', 'tee', 'mkdir', 'touch', 'ls', 'cd', 'echo', 'head', 'wc']);
const TEST_FILE = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|cs|php)$/i;

function isTest(path: string, commands: readonly ShellCommand[]): boolean {
  return TEST_FILE.test(path) && STUDIED.test(path) && commands.every(({ name }) => RUN_NOTHING.has(name));
}

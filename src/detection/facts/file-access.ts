import { CMDLETS, removeItem } from './files/cmdlets.ts';
import { find } from './files/find.ts';
import { gh, git } from './files/git.ts';
import {
  type FileOperation,
  inPlace,
  movesThenTarget,
  operands,
  optionFiles,
  patternThenFiles,
  type Reader,
  sourcesThenTarget,
  type Touched,
  touch,
  withOutput,
} from './files/touched.ts';
import { curl, RSYNC_VALUES, SCP_VALUES, upload, wget } from './files/transfers.ts';
import { type CanonicalPath, canonicalPath } from './paths.ts';
import type { Origin, ShellCommand } from './shell/model.ts';
import { hasOption, optionNames, optionValue, readOptions } from './shell/options.ts';

export interface FileAccess {
  operation: FileOperation;
  path: CanonicalPath;
  /** The path is a pattern that the shell expands. */
  glob: boolean;
  /** Everything below the path is meant. */
  recursive: boolean;
  /** A command takes it away from there: `mv`. */
  moved?: boolean;
  /** The command, tool or function that does it. */
  by: string;
  /** Index of the shell command, where one does it. */
  command: number | undefined;
  origin: Origin;
}

/** The files that `command` touches by its words and redirects. `within` cuts a path that is too long, and says so. */
export function accessesOfCommand(
  command: ShellCommand,
  index: number,
  within: (path: string) => string,
  into: FileAccess[],
): void {
  const reader = READERS.get(command.name);
  // A path from the root says that it is a file; what else such an option may mean is no path, or a device to work with.
  const touched =
    reader === undefined
      ? WRITES_OUTPUT(command).filter(({ word }) => /^[/~](?!dev\/)/.test(word.text))
      : reader(command);
  for (const redirect of command.redirects) {
    touched.push({ operation: redirectOperation(redirect.operator), word: redirect.target });
  }
  if (touched.length === 0) return;
  const cwd = command.cwd === undefined ? undefined : canonicalPath(command.cwd);
  for (const { operation, word, recursive, moved } of touched) {
    if (word.text === '' || word.text === '-') continue;
    const path = canonicalPath(within(word.text), cwd, word.dynamic);
    into.push({
      operation,
      path,
      glob: word.glob,
      recursive: recursive ?? false,
      ...(moved === true ? { moved } : {}),
      by: command.name,
      command: index,
      origin: command.origin,
    });
  }
}

function redirectOperation(operator: string): FileOperation {
  if (operator === '<') return 'read';
  return operator.includes('>>') || operator === '<>' ? 'append' : 'write';
}

/** Programs of which what is run or compiled is no matter here, but where they put what comes out. */
const WRITES_OUTPUT = withOutput(() => [], 'o O output out outfile output-file output-document log-file', '');

/** `xxd -r in out`: turned back, the second operand is written. */
function xxd(command: ShellCommand): Touched[] {
  const options = readOptions(command.args, { valued: optionNames('c cols g l len o s seek n name') });
  const [from, to] = options.operands;
  const touched = from === undefined ? [] : [touch('read')(from)];
  return to === undefined ? touched : [...touched, touch('write')(to)];
}

/** The log of a session. */
function script(command: ShellCommand): Touched[] {
  const options = readOptions(command.args, { valued: optionNames('c command E I O B T t m o') });
  return options.operands.slice(0, 1).map(touch(hasOption(options, 'a', 'append') ? 'append' : 'write'));
}

/** `gawk -i inplace` loads an extension that writes what is printed back. */
function awk(command: ShellCommand): Touched[] {
  const touched = AWK(command);
  const at = command.args.findIndex((arg) => /^(?:-i|--include)$/.test(arg.text));
  const changes = at >= 0 && /^inplace$|\/inplace\.awk$/.test(command.args[at + 1]?.text ?? '');
  return changes ? touched.map((item) => ({ ...item, operation: 'write' })) : touched;
}

const EDITOR_VALUES = optionNames('c cmd S u U w W T');
/** `w`, `wq`, `x`: the editor is told to save. */
const SAVES = /(?:^|[|:\n$%\d])\s{0,4}(?:wq?|wqa|wa|x|xa|up|update)!?\s{0,4}(?:$|[|\n])/;

/** An editor that works by a script saves what it opened; with a person before it, it shows it. */
function editor(command: ShellCommand): Touched[] {
  const { operands: words, values } = readOptions(command.args, { valued: EDITOR_VALUES });
  const scripts = [...(values.get('c') ?? []), ...words.filter(({ text }) => text.startsWith('+'))];
  const saves =
    scripts.some(({ text }) => SAVES.test(text.replace(/^\+/, '').slice(0, SCRIPT_CHARS_MAX))) ||
    SAVES.test((command.stdin ?? '').slice(0, SCRIPT_CHARS_MAX));
  return words.filter(({ text }) => !text.startsWith('+')).map(touch(saves ? 'write' : 'read'));
}

const SCRIPT_CHARS_MAX = 1_024;

const SED_VALUES = optionNames('e expression f file l line-length');

function sed(command: ShellCommand): Touched[] {
  const options = readOptions(command.args, { valued: SED_VALUES });
  const files = options.operands.slice(
    options.values.has('e') || options.values.has('expression') || options.values.has('f') ? 0 : 1,
  );
  return files.map(touch(hasOption(options, 'i', 'in-place') ? 'write' : 'read'));
}

function tar(command: ShellCommand): Touched[] {
  const [first, ...rest] = command.args;
  if (first === undefined) return [];
  // The old notation has no dash: `tar czf x.tgz dir`.
  const args = first.text.startsWith('-') ? command.args : [{ ...first, text: `-${first.text}` }, ...rest];
  const options = readOptions(args, { valued: optionNames('f file C directory X exclude T files-from I') });
  const archive = options.values.get('f')?.[0] ?? options.values.get('file')?.[0];
  const creates = hasOption(options, 'cru', 'create', 'append', 'update');
  const touched = creates ? options.operands.map(touch('read', true)) : [];
  if (archive !== undefined) touched.push({ operation: creates ? 'write' : 'read', word: archive });
  if (creates && options.long.includes('remove-files')) touched.push(...options.operands.map(touch('delete', true)));
  const into = optionValue(options, 'C', 'directory');
  if (into !== undefined && hasOption(options, 'x', 'extract', 'get')) touched.push(touch('write', true)(into));
  return touched;
}

function unzip(command: ShellCommand): Touched[] {
  const options = readOptions(command.args, { valued: optionNames('d x P') });
  const into = optionValue(options, 'd');
  const touched = options.operands.slice(0, 1).map(touch('read'));
  return into === undefined ? touched : [...touched, touch('write', true)(into)];
}

/** `takes`: the option by which what is packed does not stay where it was. */
function archiveThenFiles(skip: number, takes: RegExp): Reader {
  return (command) => {
    const [archive, ...files] = readOptions(command.args).operands.slice(skip);
    if (archive === undefined) return [];
    const taken = command.args.some(({ text }) => takes.test(text)) ? files.map(touch('delete', true)) : [];
    return [{ operation: 'write', word: archive }, ...files.map(touch('read', true)), ...taken];
  };
}

/** `dd if=… of=…` and others that spell options `name=value`. */
function dd(command: ShellCommand): Touched[] {
  const touched: Touched[] = [];
  for (const arg of command.args) {
    if (arg.text.startsWith('if=')) touched.push({ operation: 'read', word: { ...arg, text: arg.text.slice(3) } });
    if (arg.text.startsWith('of=')) touched.push({ operation: 'write', word: { ...arg, text: arg.text.slice(3) } });
  }
  return touched;
}

function rm(command: ShellCommand): Touched[] {
  const options = readOptions(command.args);
  if (hasOption(options, '', 'help', 'version')) return [];
  return options.operands.map(touch('delete', hasOption(options, 'rR', 'recursive')));
}

function openssl(command: ShellCommand): Touched[] {
  const options = readOptions(command.args, { singleDash: true, valued: optionNames('in out inkey key') });
  const touched = (options.values.get('in') ?? []).map(touch('read'));
  return [...touched, ...(options.values.get('out') ?? []).map(touch('write'))];
}

/** A link makes its target readable under another name; what stood there goes only if forced. */
function ln(command: ShellCommand): Touched[] {
  const options = readOptions(command.args, { valued: optionNames('t target-directory S suffix') });
  const [target, name] = options.operands;
  if (target === undefined) return [];
  const touched: Touched[] = [{ operation: 'read', word: target }];
  if (name !== undefined)
    touched.push({ operation: hasOption(options, 'f', 'force') ? 'write' : 'append', word: name });
  return touched;
}

const AWK = patternThenFiles('F field-separator v assign f file i include', ['f', 'file'], '');
const PATCH_VALUES = optionNames('p strip i input d directory o output r reject-file');
const QUERY_VALUES = 'f from-file arg argjson slurpfile indent';
const QUERY = patternThenFiles(QUERY_VALUES, ['f', 'from-file'], '');
const PERL_VALUES = 'e E I M';
const RUBY = inPlace(operands('read', 'e I r C'), 'e I r C', 'i');

const GREP = patternThenFiles(
  'e regexp f file A B C m max-count include exclude exclude-dir after-context before-context context d D',
  ['e', 'regexp', 'f', 'file'],
  'qclL',
);
const RG = patternThenFiles(
  'e regexp f file A B C m g glob t type T max-count after-context before-context context',
  ['e', 'regexp', 'f', 'file'],
  'qcl',
);
const ACK = patternThenFiles('A B C m max-count after before context G match', ['match'], 'clL');
const UGREP = patternThenFiles(
  'e regexp f file A B C m max-count g glob t file-type O M N d D',
  ['e', 'regexp', 'f', 'file'],
  'qclL',
);

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['xxd', xxd],
  ['script', script],
  // Only what takes a value everywhere: a value read as a file harms nobody, a file taken for a value is not seen.
  ...Object.entries({
    'cat tac rev expand unexpand basenc less most zcat bzcat xzcat zless zmore gzip bzip2 xz zstd view nano emacs xdg-open glow pygmentize highlight tailspin lnav xclip cmp comm sdiff vimdiff join':
      '',
    head: 'n lines c bytes',
    tail: 'n lines c bytes s sleep-interval pid',
    cut: 'd delimiter f fields c characters b bytes output-delimiter',
    diff: 'U C W x exclude I',
    more: 'n lines',
    'bat batcat': 'l language r line-range',
    'base64 gbase64 base32': 'w wrap b break',
    nl: 'b body-numbering d f h i l n s v w',
    pr: 'D h header l length N o w W width',
    fold: 'w width',
    fmt: 'w width p prefix g goal',
    column: 'c output-width s separator o output-separator N table-columns',
    od: 'A address-radix j skip-bytes N read-bytes t format S',
    'hexdump hd': 'e f n s',
    strings: 'n bytes t radix e encoding',
    uniq: 'f skip-fields s skip-chars w check-chars',
    paste: 'd delimiters',
    split: 'a b C l n suffix-length bytes line-bytes lines number filter additional-suffix t separator',
  }).flatMap(([names, valued]) => names.split(' ').map((name): [string, Reader] => [name, operands('read', valued)])),
  ...'ed ex vi vim nvim'.split(' ').map((name): [string, Reader] => [name, editor]),
  [
    'sort',
    withOutput(operands('read', 'k key t field-separator o output T S'), 'o output', 'k key t field-separator T S'),
  ],
  [
    'shuf',
    withOutput(operands('read', 'n head-count o output random-source'), 'o output', 'n head-count random-source'),
  ],
  ['iconv', withOutput(operands('read', 'f from-code t to-code o output'), 'o output', 'f from-code t to-code')],
  ['tcpdump', optionFiles('r F', 'w')],
  ['nmap', optionFiles('iL excludefile', 'oN oG oX oS oA', true)],
  ['logrotate', optionFiles('', 'l log s state')],
  ['screen', optionFiles('c', 'Logfile', true)],
  ['rlwrap', optionFiles('', 'l logfile')],
  ['dmidecode', optionFiles('from-dump', 'dump-bin')],
  ['file', optionFiles('f files-from m magic-file', '')],
  ...'grep egrep fgrep zgrep ggrep'.split(' ').map((name): [string, Reader] => [name, GREP]),
  ['rg', RG],
  ['ag', ACK],
  ['ack', ACK],
  ['ugrep', UGREP],
  ...'awk gawk mawk nawk'.split(' ').map((name): [string, Reader] => [name, awk]),
  ['jq', QUERY],
  ['dasel', QUERY],
  ...'yq xq tomlq'
    .split(' ')
    .map((name): [string, Reader] => [name, inPlace(QUERY, QUERY_VALUES, 'i', 'inplace', 'in-place')]),
  ['sed', sed],
  ['gsed', sed],
  ['perl', inPlace(operands('read', PERL_VALUES), PERL_VALUES, 'i')],
  ['ruby', (command) => RUBY(command).filter(({ operation }) => operation === 'write')],
  ['cp', sourcesThenTarget('read', 't target-directory S suffix', 'rRa')],
  ['gcp', sourcesThenTarget('read', 't target-directory S suffix', 'rRa')],
  ['ditto', sourcesThenTarget('read', 'arch bom zlibCompressionLevel', '')],
  ['install', sourcesThenTarget('read', 't m o g', '-')],
  ['rsync', sourcesThenTarget('read', RSYNC_VALUES, '')],
  ['scp', sourcesThenTarget('read', SCP_VALUES, 'r')],
  ['mv', movesThenTarget('t target-directory S suffix')],
  ['ln', ln],
  ['link', ln],
  ['tar', tar],
  ['gtar', tar],
  ['bsdtar', tar],
  ['unzip', unzip],
  ['zip', archiveThenFiles(0, /^(?:-[a-zA-Z]{0,8}m[a-zA-Z]{0,8}|--move)$/)],
  ...'7z 7za 7zr 7zz rar'.split(' ').map((name): [string, Reader] => [name, archiveThenFiles(1, /^-(?:sdel|df)$/)]),
  ['dd', dd],
  ['curl', curl],
  ['wget', wget],
  ['source', operands('load', '')],
  ['.', operands('load', '')],
  ['tee', tee],
  ['sponge', tee],
  ['patch', (command) => readOptions(command.args, { valued: PATCH_VALUES }).operands.slice(0, 1).map(touch('write'))],
  ['truncate', operands('write', 's size r reference')],
  ['touch', operands('write', 'd date r reference t')],
  ['rimraf', operands('delete', 'impl max-retries', true)],
  ['rm', rm],
  ['grm', rm],
  ['srm', rm],
  ['unlink', operands('delete', '')],
  ['rmdir', rmdir],
  ['shred', operands('delete', 'n iterations s size')],
  ['git', git],
  ['gh', gh],
  ['find', find],
  ['gfind', find],
  ['openssl', openssl],
  ['sqlite3', (command) => readOptions(command.args, { singleDash: true }).operands.slice(0, 1).map(touch('read'))],
  ['aws', upload],
  ['gsutil', upload],
  ['gcloud', upload],
  ['rclone', upload],
  ['mc', upload],
  ['s3cmd', upload],
  ...CMDLETS,
]);

/** Programs that delete, move away or empty whatever they are given, however many files that are. */
export const TAKES_AWAY: ReadonlySet<string> = new Set(
  'rm grm srm rimraf unlink rmdir shred mv truncate tee sponge dd remove-item del erase rd clear-content move-item move'.split(
    ' ',
  ),
);

function tee(command: ShellCommand): Touched[] {
  const options = readOptions(command.args);
  return options.operands.map(touch(hasOption(options, 'a', 'append') ? 'append' : 'write'));
}

/** `rmdir` only takes empty directories, except where Windows' options say otherwise. */
function rmdir(command: ShellCommand): Touched[] {
  return command.args.some((word) => /^\/s$/i.test(word.text)) ? removeItem(command) : [];
}

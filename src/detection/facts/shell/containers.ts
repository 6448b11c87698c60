import { type Inner, NOTHING } from './inner-model.ts';
import type { ShellWord } from './model.ts';
import { optionNames } from './options.ts';

/** Directories of this machine as they are called inside of a container. */
type Mounts = readonly { inside: string; outside: string }[];

const BWRAP_ONE = optionNames(
  'chdir unsetenv lock-file sync-fd proc dev tmpfs mqueue dir seccomp add-seccomp-fd args exec-label file-label hostname uid gid cap-add cap-drop userns userns2 pidns info-fd json-status-fd block-fd userns-block-fd perms size remount-ro overlay-src tmp-overlay ro-overlay argv0',
);
const BWRAP_TWO = optionNames(
  'bind bind-try dev-bind dev-bind-try ro-bind ro-bind-try bind-fd ro-bind-fd bind-data ro-bind-data file symlink setenv chmod',
);

/** `bwrap --bind ~ /h --dev /dev rm -rf /h`: the command follows the options, with no mark between. */
export function innerOfBwrap(args: readonly ShellWord[]): readonly Inner[] {
  const mounts: { inside: string; outside: string }[] = [];
  let index = 0;
  for (; index < args.length; index++) {
    const { text } = args[index] as ShellWord;
    if (!text.startsWith('--')) break;
    if (text === '--') {
      index++;
      break;
    }
    const name = text.slice(2);
    const [outside, inside] = args.slice(index + 1, index + 3).map((arg) => arg.text);
    if (/bind/.test(name) && outside !== undefined && inside !== undefined) mounts.push({ inside, outside });
    index += BWRAP_TWO.has(name) ? 2 : BWRAP_ONE.has(name) ? 1 : 0;
  }
  const words = args.slice(index);
  return words.length === 0 ? NOTHING : [{ kind: 'argv', words: outsideNames(words, mounts), feed: 'inherit' }];
}

/** The command of a container, with the files of this machine by the names that they have here: `-v ~:/h … rm -rf /h`. */
export function asOutside(options: readonly ShellWord[], words: readonly ShellWord[]): readonly ShellWord[] {
  return outsideNames(words, mountsOf(options));
}

function mountsOf(options: readonly ShellWord[]): Mounts {
  const mounts: { inside: string; outside: string }[] = [];
  for (const [index, { text }] of options.entries()) {
    const value = /^(?:--volume|--mount)=(.+)$/s.exec(text)?.[1] ?? /^-v(.+)$/s.exec(text)?.[1];
    const next = /^(?:-v|--volume|--mount)$/.test(text) ? options[index + 1]?.text : undefined;
    const mount = mountOf(value ?? next ?? '');
    if (mount !== undefined) mounts.push(mount);
  }
  return mounts;
}

/** `~:/h:ro`, or `type=bind,source=/,target=/host`. A name without a slash is a volume, and no directory of this machine. */
function mountOf(value: string): { inside: string; outside: string } | undefined {
  const outside = /(?:^|,)(?:source|src)=([^,]+)/.exec(value)?.[1] ?? /^([^:,]+):\//.exec(value)?.[1];
  const inside = /(?:^|,)(?:target|dst|destination)=([^,]+)/.exec(value)?.[1] ?? /^[^:,]+:(\/[^:]*)/.exec(value)?.[1];
  if (outside === undefined || inside === undefined || !/^[/~.$]/.test(outside)) return undefined;
  return { inside, outside };
}

function outsideNames(words: readonly ShellWord[], mounts: Mounts): readonly ShellWord[] {
  const nested = mounts.filter(({ inside, outside }) => inside.length > 1 && inside !== outside);
  if (nested.length === 0) return words;
  return words.map((word) => ({ ...word, text: nested.reduce(outsideName, word.text) }));
}

/** `text` with the directory `inside` named as outside, wherever a path begins with it. */
function outsideName(text: string, { inside, outside }: Mounts[number]): string {
  const from = inside.endsWith('/') ? inside.slice(0, -1) : inside;
  const to = outside.length > 1 && outside.endsWith('/') ? outside.slice(0, -1) : outside;
  let out = '';
  let rest = 0;
  for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, rest)) {
    const end = at + from.length;
    const begins = at === 0 || /[\s"'=(;|&<>]/.test(text[at - 1] as string);
    const ends = end === text.length || /[\s"'/);|&<>*]/.test(text[end] as string);
    const named = to === '/' && text[end] === '/' ? '' : to;
    out += text.slice(rest, at) + (begins && ends ? named : from);
    rest = end;
  }
  return out + text.slice(rest);
}

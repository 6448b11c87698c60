import type { Limits } from '../limits.ts';
import { type InputString, namesOf, normalizeKey, startsWithStrings } from './input.ts';
import type { PowerShell, ShellInput } from './shell.ts';
import { programOf, type ToolFacts, wordsOf } from './tools.ts';

/** What `tool` hands to a shell by `string`, which it takes as a command. */
export function shellInputsOf(string: InputString, tool: ToolFacts, limits: Limits): ShellInput[] {
  const given = givenTo(string, tool, limits);
  const program = programOf(wordsOf(tool.name));
  return program === undefined ? given : given.flatMap((input) => [input, ...behind(program, input)]);
}

/** A tool that is called like a program may be given what stands behind its name only: `kubectl` with `delete namespace a`. */
function behind(program: string, input: ShellInput): ShellInput[] {
  if ('words' in input) return input.words[0] === program ? [] : [{ ...input, words: [program, ...input.words] }];
  const { text, place, origin = { place, start: 0, end: text.length } } = input;
  return text.trimStart().startsWith(program) ? [] : [{ ...input, text: `${program} ${text}`, origin }];
}

function givenTo(string: InputString, tool: ToolFacts, limits: Limits): ShellInput[] {
  const { list, place, text } = string;
  const powerShell = powerShellOf(tool);
  // One more than is looked at, so that the rest is missed and said to be cut.
  const count = limits.wordsMax + 1;
  const beside = list === undefined ? argumentsBeside(string, tool, { count, limits }) : undefined;
  if (typeof beside === 'string')
    return [{ place, text: `${text} ${beside}`, origin: { place, start: 0, end: text.length }, powerShell }];
  const words = list ?? (beside === undefined ? undefined : [text, ...beside]);
  // `command: ["rm", "-rf", "/"]` is one command; `["cd x", "make"]` and `commands: ["ls", "make"]` are several.
  const several = words === undefined || words.length < 2 || /\s/.test(words[0] ?? '') || SEVERAL_KEYS.has(string.key);
  const inputs: ShellInput[] = several ? [{ place, text, powerShell }] : [];
  if (words === undefined || words.length < 2 || (list !== undefined && place.name !== 0)) return inputs;
  const read = words.slice(0, count + 1);
  if (!several || read.every((item) => !/\s/.test(item))) inputs.push({ place, words: read });
  return inputs;
}

/** `PowerShell` is two words, and may be one on Linux. */
function powerShellOf({ name }: ToolFacts): PowerShell {
  const words = wordsOf(name);
  if (words.has('powershell') || words.has('pwsh')) return 'only';
  return name.toLowerCase().includes('powershell') ? 'too' : 'if_like';
}

/** `{ command: "rm", args: ["-rf", "/"] }`: the first `count` words in a list, or a text, beside the command. */
function argumentsBeside(
  { owner, key }: InputString,
  tool: ToolFacts,
  { count, limits }: { count: number; limits: Limits },
): readonly string[] | string | undefined {
  const members = owner as Record<string, unknown>;
  for (const name of ARGUMENT_NAMES) {
    const member = members[name];
    if (typeof member === 'string' && member !== '' && normalizeKey(name) !== key) return member;
    if (isWords(member, count)) return member.slice(0, count);
  }
  if (tool.basis !== 'policy') return undefined;
  // A declared tool may call them anything, but a list they are.
  const names = namesOf(owner, limits).slice(0, NEIGHBOURS_MAX);
  const lists = names.map((name) => members[name]).filter((member) => isWords(member, count));
  return lists[0]?.slice(0, count);
}

function isWords(member: unknown, count: number): member is string[] {
  return Array.isArray(member) && member.length > 0 && startsWithStrings(member, count);
}

const ARGUMENT_NAMES: readonly string[] = ['args', 'arguments', 'argv', 'params', 'parameters'];
/** Properties beside a command that are looked at for its arguments. */
const NEIGHBOURS_MAX = 16;
const SEVERAL_KEYS: ReadonlySet<string> = new Set(['commands', 'cmds']);

/** Of what an agent types on a screen, a line may go to a terminal. By the name of the tool alone, one that is sent off. */
export function typesOnScreen(
  { name }: ToolFacts,
  words: ReadonlySet<string>,
  { key, text, owner }: InputString,
): boolean {
  if (key !== 'text' || text.length > TYPED_CHARS_MAX) return false;
  const { action, selector } = owner as { action?: unknown; selector?: unknown };
  if (typeof action === 'string') return words.has('computer') && /^(?:type|input_text|type_text|write)$/.test(action);
  return selector === undefined && TYPING.test(name) && /\n\s{0,8}$/.test(text);
}

/** `keyboard_type`, `xdotool_type`, `type_text`, `computer`. */
const TYPING = /(?:^|__|[./:])(?:(?:computer|keyboard|xdotool|desktop)(?:_?type)?|type_?text)$/i;

const TYPED_CHARS_MAX = 1_024;

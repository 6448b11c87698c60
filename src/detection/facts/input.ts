import { memoized } from '../../lib/memo.ts';
import type { Allowance } from '../cuts.ts';
import type { Limits } from '../limits.ts';

/** One string of a tool's input, and where it stands. */
export interface InputString {
  /** The nearest property name, lower case, letters and digits only: `file_path` and `filePath` are `filepath`. */
  key: string;
  text: string;
  /** The array of strings it is an element of, if it is in one. */
  list: readonly string[] | undefined;
  /** The object it is a property of (through arrays). */
  owner: object;
  place: Place;
  /** It writes an object as JSON, whose members are found, too. */
  isWritten: boolean;
}

/** A path from the event's root, as a list from the leaf up: most strings never need their pointer as text. */
export interface Place {
  name: string | number;
  parent: Place | undefined;
}

/** Where an event's tool stands. */
export const TOOL_PLACE: Place = { name: 'tool', parent: undefined };

/** Where the input of a tool's call stands, and its name. */
export const INPUT_PLACE: Place = { name: 'input', parent: TOOL_PLACE };
export const TOOL_NAME_PLACE: Place = { name: 'name', parent: TOOL_PLACE };

/** A longer property name is cut in a pointer, which then ends in an ellipsis: it is there to be read, not to be stored. */
const POINTER_NAME_CHARS_MAX = 128;

/** The JSON pointer (RFC 6901) of `place`. */
export function pointerOf(place: Place | undefined): string {
  let pointer = '';
  for (let at = place; at !== undefined; at = at.parent) pointer = `/${escapeToken(at.name)}${pointer}`;
  return pointer;
}

function escapeToken(name: string | number): string {
  if (typeof name === 'number') return String(name);
  const kept = name.length > POINTER_NAME_CHARS_MAX ? `${name.slice(0, POINTER_NAME_CHARS_MAX)}…` : name;
  return kept.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}

const KEY_CHARS_MAX = 64;

/** `name` as it is compared: lower case, letters and digits only. */
export const normalizeKey = memoized(
  (name): string =>
    name
      .slice(0, KEY_CHARS_MAX)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ''),
  { entriesMax: 4_096, charsMax: KEY_CHARS_MAX },
);

/** Names by which tools take what they run, read, write and ask for, and by which events hold their parts. */
const WELL_KNOWN_NAMES: readonly string[] = (
  'command cmd commands cmds script code shell bash shell_command args arguments argv params parameters input keystrokes ' +
  'action operation op mode method path paths file files filename file_name fileName file_path filePath filepath ' +
  'absolute_path absolutePath relative_path notebook_path target_file source destination dest src target from to directory ' +
  'dir folder root cwd workdir pattern glob url urls uri link href endpoint host hostname server domain ip address query q ' +
  'sql statement statements content contents text body message prompt new_string old_string new_str old_str edits data ' +
  'output result error description tool tools name agent attachments context'
).split(' ');

/** The names of the properties of `value`, or those well-known ones that it has: see `Limits.listsNames`. */
export function namesOf(value: object, { listsNames }: Limits): readonly string[] {
  return listsNames ? Object.keys(value) : WELL_KNOWN_NAMES.filter((name) => Object.hasOwn(value, name));
}

/** Whether the first `count` items are strings: what comes behind is not looked at. */
export function startsWithStrings(items: readonly unknown[], count: number): boolean {
  for (let index = 0; index < items.length && index < count; index++) {
    if (typeof items[index] !== 'string') return false;
  }
  return true;
}

interface Reading {
  root: Place;
  limits: Limits;
  allowance: Allowance;
  /** The property names of `input`, where they are known already. */
  names?: readonly string[];
  /** Which property names are strings to find too. Their key is empty, and they stand at their property's place. */
  withName?: ((name: string) => boolean) | undefined;
  /** Whether numbers that say something are found too, as strings: see `numbersAsText`. */
  withNumbers?: boolean;
  /** Whether what a string writes as JSON under one of `WRITTEN_KEYS` is read as what it writes, too. */
  readsJson?: boolean;
}

/** What tools are given directly under well-known names: nothing in front of it keeps it from being read. */
function wellKnownStrings(input: object, root: Place): InputString[] {
  return WELL_KNOWN_NAMES.flatMap((name) => {
    const text: unknown = Object.hasOwn(input, name) ? (input as Record<string, unknown>)[name] : undefined;
    if (typeof text !== 'string') return [];
    return [
      { key: normalizeKey(name), text, list: undefined, owner: input, place: { name, parent: root }, isWritten: false },
    ];
  });
}

function holds(found: readonly InputString[], { key, owner, text }: InputString): boolean {
  return found.some((each) => each.owner === owner && each.key === key && each.text === text);
}

/** Under which models' libraries hand on what a tool is called with as they had it: as JSON. */
const WRITTEN_KEYS: ReadonlySet<string> = new Set(
  'arguments args input params parameters kwargs toolinput payload'.split(' '),
);
/** The object that `text` writes as JSON, where that is what stands under `key`. */
function writtenObject(key: string, text: string, { limits, allowance }: Reading): object | undefined {
  if (!WRITTEN_KEYS.has(key) || !/^\s{0,64}\{\s{0,64}"/.test(text)) return undefined;
  if (text.length > limits.textCharsMax) {
    allowance.cut('input', `json ${limits.textCharsMax}`);
    return undefined;
  }
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

/** Names under which a number is somebody's: of a card, an account, a document, a telephone. Elsewhere it is the number of a row, or a time. */
const PERSONAL_KEY =
  /card|(?:^|cc|card)(?:num|number|no)$|^pan$|credit|debit|iban|acct|account|ssn|social|^tax|^tin$|nin$|passport|licen[cs]e|phone|mobile|msisdn/;
const PERSONAL_NUMBER_MIN = 100_000_000;
/** So many bytes may be a text. */
const BYTES_MIN = 8;

/** `value`, which stands under `key`, as a text, where it says something: a number of somebody, or a list of the bytes of a printable text. */
export function numbersAsText(key: string, value: unknown, { inputValuesMax }: Limits): string | undefined {
  if (typeof value === 'number')
    return Math.abs(value) >= PERSONAL_NUMBER_MIN && PERSONAL_KEY.test(key) ? String(value) : undefined;
  if (!Array.isArray(value) || value.length < BYTES_MIN || value.length > inputValuesMax) return undefined;
  return value.every(isPrintable) ? String.fromCharCode(...(value as number[])) : undefined;
}

/** Whether `value` is a byte of ASCII text. */
function isPrintable(value: unknown): boolean {
  return (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    ((value >= 0x20 && value <= 0x7e) || value === 0x0a || value === 0x0d || value === 0x09)
  );
}

/** Every string of `input` in document order, within the limits. */
export function inputStrings(input: object, reading: Reading): InputString[] {
  const { root, limits, allowance, names, withName, withNumbers = false, readsJson = false } = reading;
  const found: InputString[] = [];
  let valuesCount = 0;
  const visit = (value: unknown, key: string, owner: object, place: Place, depth: number, list?: string[]): void => {
    if (typeof value === 'string') {
      const written = readsJson && depth < limits.inputDepthMax ? writtenObject(key, value, reading) : undefined;
      found.push({ key, text: value, list, owner, place, isWritten: written !== undefined });
      if (written !== undefined) visitMembers(written, place, depth, true);
      return;
    }
    const written = withNumbers ? numbersAsText(key, value, limits) : undefined;
    if (written !== undefined) found.push({ key, text: written, list: undefined, owner, place, isWritten: false });
    if (typeof value !== 'object' || value === null) return;
    if (depth >= limits.inputDepthMax) return allowance.cut('input', `depth ${limits.inputDepthMax}`);
    if (Array.isArray(value)) {
      const strings = startsWithStrings(value, limits.inputValuesMax) ? (value as string[]) : undefined;
      for (let index = 0; index < value.length; index++) {
        if (++valuesCount > limits.inputValuesMax) break;
        visit(value[index], key, owner, { name: index, parent: place }, depth + 1, strings);
      }
    } else visitMembers(value, place, depth);
    if (valuesCount > limits.inputValuesMax) allowance.cut('input', `values ${limits.inputValuesMax}`);
  };
  /** `isWritten`: `value` is written in the string at `place`, where its members stand then. */
  const visitMembers = (value: object, place: Place, depth: number, isWritten = false): void => {
    // Listing the names of a large object takes longer than anything done with them, so it is done once.
    for (const name of value === input && names !== undefined ? names : namesOf(value, limits)) {
      if (++valuesCount > limits.inputValuesMax) break;
      const member = (value as Record<string, unknown>)[name];
      const at = isWritten ? place : { name, parent: place };
      if (withName?.(name))
        found.push({ key: '', text: name, list: undefined, owner: value, place: at, isWritten: false });
      visit(member, normalizeKey(name), value, at, depth + 1);
    }
  };
  if (!limits.listsNames) allowance.cut('input', 'names well-known');
  visit(input, '', input, root, 0);
  if (valuesCount > limits.inputValuesMax)
    found.push(...wellKnownStrings(input, root).filter((each) => !holds(found, each)));
  return found;
}

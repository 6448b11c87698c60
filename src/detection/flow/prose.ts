/** A value inside a tool's output, and whether it is written language: a sentence somebody wrote, not a field. */
export interface OutputLeaf {
  /** The key it stands under, lower case letters and digits; empty where there is none. */
  key: string;
  text: string;
  prose: boolean;
}

/** Leaves of one output, and code units of it that are split. */
const LEAVES_MAX = 512;
const OUTPUT_CHARS_MAX = 65_536;

/** `'name':` or `"name":`, quotes escaped or not: where the value of the key before it ends. */
const KEY = /\\{0,2}["']([A-Za-z_][\w .-]{0,48})\\{0,2}["']\s{0,4}:/g;

/** The values of the JSON, or literal in some other notation, that `text` may be. It need not parse. */
export function splitAtKeys(text: string): { key: string; text: string }[] {
  const parts: { key: string; text: string }[] = [];
  let start = 0;
  let key = '';
  KEY.lastIndex = 0;
  for (let match = KEY.exec(text); match !== null && parts.length < LEAVES_MAX; match = KEY.exec(text)) {
    if (match.index > start) parts.push({ key, text: text.slice(start, match.index) });
    key = (match[1] as string).toLowerCase().replace(/[^a-z0-9]/g, '');
    start = match.index + match[0].length;
  }
  if (start < text.length) parts.push({ key, text: text.slice(start) });
  return parts;
}

/** What a tool returned, in values: at the keys of JSON, at the line breaks of anything else. */
export function outputLeaves(text: string): OutputLeaf[] {
  const part = text.slice(0, OUTPUT_CHARS_MAX);
  const parts = splitAtKeys(part);
  const whole = parts.length === 1 && (parts[0] as { key: string }).key === '';
  const leaves = whole ? linesOf(part) : parts;
  return leaves.map((leaf) => ({ key: leaf.key, text: leaf.text, prose: isProse(leaf.text) }));
}

function linesOf(text: string): { key: string; text: string }[] {
  const lines = text.split('\n', LEAVES_MAX + 1);
  if (lines.length > LEAVES_MAX) return [{ key: '', text }];
  const leaves: { key: string; text: string }[] = [];
  for (const line of lines) if (line !== '') leaves.push({ key: '', text: line });
  return leaves;
}

/** Words in a row that make a sentence of it. */
const RUNNING_WORDS_MIN = 4;
const PROSE_CHARS_MAX = 4_096;
const RUNNING_ON = /[a-z]{2}[,:]? (?=[a-zA-Z]{1,20}\b)/g;

/** Whether words follow each other with nothing but blanks and commas between them, as in a sentence. */
function isProse(text: string): boolean {
  const head = text.slice(0, PROSE_CHARS_MAX);
  RUNNING_ON.lastIndex = 0;
  let pairs = 0;
  while (pairs < RUNNING_WORDS_MIN && RUNNING_ON.test(head)) pairs++;
  return pairs >= RUNNING_WORDS_MIN;
}

/** `the "transfer_all" tool`, `export_notes()`: how a text names something to call. */
const CALLED = /([A-Za-z_][\w-]{3,63})(?:\\{0,2}["'`])?(?:\(| (?:tool|function)\b)/g;
const CALLED_MAX = 16;

/** What `text` names to be called, as words that no other word of a text is equal to. */
export function calledIn(text: string): string[] {
  const found: string[] = [];
  const head = text.slice(0, PROSE_CHARS_MAX);
  CALLED.lastIndex = 0;
  for (let match = CALLED.exec(head); match !== null && found.length < CALLED_MAX; match = CALLED.exec(head)) {
    found.push(calledBy(match[1] as string));
  }
  return found;
}

/** The word of `calledIn` for the tool `name`. */
export function calledBy(name: string): string {
  return `${name.toLowerCase()}()`;
}

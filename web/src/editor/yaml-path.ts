/** Where in a YAML text something is being typed. Made for texts that are not complete yet: indentation tells the way. */

export interface YamlPlace {
  /** Names of mappings and `[]` for items, from the root of the document. */
  path: string[];
  /** What has been typed of a name or a value. */
  word: string;
  /** A name may stand here. */
  isName: boolean;
}

/** For a step into the items of a list. */
export const ITEM = '[]';

interface Level {
  indent: number;
  step: string;
}

const ENTRY = /^("[^"]*"|'[^']*'|[^\s'"[\]{},:#][^:#]*?)\s*:(?:\s+(.*))?$/;
const BLOCK_TEXT = /^[|>][-+\d]*\s*(?:#.*)?$/;

/** The place at the end of `before`; undefined within comments and block texts. */
export function yamlPlace(before: string): YamlPlace | undefined {
  const lines = before.split('\n');
  const current = lines.pop() ?? '';
  const levels: Level[] = [];
  /** The indentation of the entry whose block text goes on. */
  let textOf = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    if (/^---(?:\s|$)/.test(line)) levels.length = 0;
    const indent = line.length - line.trimStart().length;
    if (line.trim() === '' || indent > textOf || /^\s*#|^---/.test(line)) continue;
    textOf = Number.POSITIVE_INFINITY;
    const { rest, at } = descend(levels, line);
    const [, name, value = ''] = ENTRY.exec(rest) ?? [];
    if (name === undefined) continue;
    levels.push({ indent: at, step: unquoted(name) });
    if (BLOCK_TEXT.test(value)) textOf = at;
  }
  const indent = current.length - current.trimStart().length;
  if (indent > textOf || /^\s*#|\s#/.test(current)) return undefined;
  const { rest } = descend(levels, current);
  const path = levels.map(({ step }) => step);
  const [, name, value = ''] = ENTRY.exec(rest) ?? [];
  if (name === undefined) return /^[[{]/.test(rest) ? inFlow(path, rest) : { path, word: rest, isName: true };
  path.push(unquoted(name));
  return /^[[{]/.test(value) ? inFlow(path, value) : { path, word: value, isName: false };
}

/** Leaves the levels that a line ends, and enters the lists whose items begin in it. */
function descend(levels: Level[], line: string): { rest: string; at: number } {
  let at = line.length - line.trimStart().length;
  let rest = line.slice(at);
  const isItem = () => /^-(?:\s|$)/.test(rest);
  // The items of a list may stand as far to the left as its name.
  while (levels.length > 0) {
    const { indent, step } = levels.at(-1) as Level;
    if (indent < at || (indent === at && isItem() && step !== ITEM)) break;
    levels.pop();
  }
  while (isItem()) {
    levels.push({ indent: at, step: ITEM });
    const width = /^-\s*/.exec(rest)?.[0].length ?? 1;
    at += width;
    rest = rest.slice(width);
  }
  return { rest, at };
}

interface Frame {
  isList: boolean;
  name: string | undefined;
}

/** Within `{ … }` and `[ … ]` of one line. */
function inFlow(base: readonly string[], text: string): YamlPlace {
  const frames: Frame[] = [];
  let from = 0;
  for (let index = 0; index < text.length; index++) {
    const sign = text[index] as string;
    const top = frames.at(-1);
    if (sign === '"' || sign === "'") {
      const end = text.indexOf(sign, index + 1);
      index = end < 0 ? text.length : end;
    } else if (sign === '{' || sign === '[') {
      frames.push({ isList: sign === '[', name: undefined });
      from = index + 1;
    } else if (sign === '}' || sign === ']') {
      frames.pop();
      from = index + 1;
    } else if (sign === ',') {
      if (top !== undefined) top.name = undefined;
      from = index + 1;
    } else if (sign === ':' && top?.isList === false && /\s/.test(text[index + 1] ?? ' ')) {
      top.name = unquoted(text.slice(from, index).trim());
      from = index + 1;
    }
  }
  const steps = frames.flatMap(({ isList, name }) => (isList ? [ITEM] : name === undefined ? [] : [name]));
  const top = frames.at(-1);
  const isName = top !== undefined && (top.isList || top.name === undefined);
  return { path: [...base, ...steps], word: text.slice(from).trimStart(), isName };
}

function unquoted(name: string): string {
  return name.replace(/^(["'])(.*)\1$/, '$2');
}

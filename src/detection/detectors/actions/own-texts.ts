import type { Parameter } from '../../facts/event-facts.ts';
import { normalizeKey } from '../../facts/input.ts';
import { type ToolFacts, wordsOf } from '../../facts/tools.ts';

/** What a call says or writes down as a whole, and is put into nobody's command, statement or path. */

/** Tools by which an agent tells its plan, its findings or its answer, and nothing else. */
const TELLING: ReadonlySet<string> = new Set(
  'structuredoutput exitplanmode planmoderespond todowrite updateplan taskcreate taskupdate attemptcompletion askuserquestion askfollowupquestion think finalanswer reportfindings notifyuser'.split(
    ' ',
  ),
);

/** Names of what is written, whatever the editor calls it: `ReplacementContent`, `patchText`, `code_edit`, `new_str`. */
const WRITTEN_KEY =
  /(?:content|contents|text|code|codeedit|patch|diff|string|str|snippet|lines|instructions?|description)$/;
/** A longer value, or one of several lines, is what is written; a shorter one may be a name. */
const NAME_CHARS_MAX = 256;

/** Where pages are looked for: an engine takes what it is asked as words, and people look for commands and statements. */
const ENGINES: ReadonlySet<string> = new Set(
  'web internet google bing duckduckgo brave tavily exa serper serpapi searxng kagi perplexity stackoverflow'.split(
    ' ',
  ),
);
const QUERY_KEY = /^(?:q|query|queries|search|searchquery|searchterms?|keywords?)$/;
/** What is made to stand behind something else asks for nothing. */
const BROKEN_OUT = /^[\s"'`)\]}]{0,8}(?:[;|&`]|\$\(|\\n)/;

function isQuery(key: string, text: string, name: string): boolean {
  if (!QUERY_KEY.test(key) || BROKEN_OUT.test(text)) return false;
  const words = wordsOf(name);
  if (!words.has('search')) return false;
  for (const word of words) if (ENGINES.has(word)) return true;
  return false;
}

/** Whether `parameter` is a text of the call's own: of a tool that only tells something, what an editor writes or replaces, or what the web is searched for. */
export function isOwnText({ role, key, text }: Parameter, { name, kind }: ToolFacts): boolean {
  if (role !== 'text') return false;
  if (kind === 'file_write') return WRITTEN_KEY.test(key) || text.length > NAME_CHARS_MAX || text.includes('\n');
  return (kind === 'other' && TELLING.has(normalizeKey(name))) || isQuery(key, text, name);
}

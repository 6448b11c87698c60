import type { ToolInvocation } from '../../domain/event.ts';
import type { Allowance } from '../cuts.ts';
import type { EventFacts } from '../facts/event-facts.ts';
import { INPUT_PLACE, normalizeKey, type Place } from '../facts/input.ts';

/** A value that a call is given. */
export interface Argument {
  text: string;
  place: Place;
  /** The key it stands under, lower case letters and digits. */
  key: string;
  /** It is something that the call says. */
  content: boolean;
}

/** One that somebody named. */
export interface NamedArgument {
  place: Place;
  start: number;
  end: number;
  /** It is an address, a host or an account. */
  address: boolean;
  /**
   * Where it stands: in what the call says, in what goes along or lets somebody in, among those
   * who are told behind the back of others, or in whom or what it is about.
   */
  part: 'said' | 'carried' | 'behind' | 'meant';
}

/** Values of one input, and code units of one value, that are looked at. */
const VALUES_MAX = 256;
const VALUE_CHARS_MAX = 4_096;

/** Keys under which a call says what it says, rather than to whom or about what. Quoting a text is ordinary there. */
export const CONTENT_KEYS = new Set(
  'body content contents text message messagecontent subject title description summary note notes snippet code command query reason comment caption html markdown prompt data value newstring oldstring'.split(
    ' ',
  ),
);

/** A value rather than something that is said: the address of a record whose field is called `content`. */
export function isOneWord(text: string): boolean {
  return text.length <= 256 && !/\s/.test(text);
}

/** The strings and numbers of the call's input: first those that say to whom or about what it is, of a shell or of code all. */
export function argumentsOf(call: ToolInvocation, { tool }: EventFacts, allowance: Allowance): Argument[] {
  const whole = tool?.kind === 'shell' || tool?.kind === 'code_exec';
  const found: Argument[] = [];
  let valuesCount = 0;
  const visit = (value: unknown, key: string, place: Place, depth: number): void => {
    if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value);
      if (text.length > VALUE_CHARS_MAX) allowance.cut('arguments', `chars ${VALUE_CHARS_MAX}`);
      const content = !whole && CONTENT_KEYS.has(key) && !isOneWord(text);
      found.push({ text: text.slice(0, VALUE_CHARS_MAX), place, key, content });
      return;
    }
    if (typeof value !== 'object' || value === null || depth > 8) return;
    const list = Array.isArray(value);
    for (const name of Object.keys(value)) {
      if (++valuesCount > VALUES_MAX) return allowance.cut('arguments', `values ${VALUES_MAX}`);
      const member = (value as Record<string, unknown>)[name];
      visit(member, list ? key : normalizeKey(name), { name: list ? Number(name) : name, parent: place }, depth + 1);
    }
  };
  visit(call.tool.input, '', INPUT_PLACE, 0);
  return [...found.filter(({ content }) => !content), ...found.filter(({ content }) => content)];
}

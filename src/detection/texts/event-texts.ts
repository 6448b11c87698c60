import type { AgentEvent } from '../../domain/event.ts';
import type { Allowance } from '../cuts.ts';
import {
  INPUT_PLACE,
  type InputString,
  inputStrings,
  namesOf,
  normalizeKey,
  numbersAsText,
  type Place,
  TOOL_PLACE,
} from '../facts/input.ts';
import type { Limits } from '../limits.ts';
import type { EventText, TextSource } from './text.ts';

/**
 * Every text of `event` that somebody wrote, in document order, within the limits: messages, what a tool was given and
 * gave, and what tools say of themselves. The names of a description's properties are texts too, and elsewhere those
 * that could say something (long, not ASCII): such a text stands at the place of its property. Those that may be a key or an address stand at
 * the place of its object. So are numbers under names for somebody's, and lists of the bytes of a text.
 *
 * Fields that the contract does not name are texts as well. Who wrote them is told by their name: tools and servers
 * describe tools; attachments, context and documents are what a tool might have fetched; anything else is its event's.
 */
export function eventTexts(event: AgentEvent, limits: Limits, allowance: Allowance): EventText[] {
  const into: Gathering = {
    texts: [],
    charsLeft: limits.textCharsMax,
    fieldsLeft: limits.inputValuesMax,
    limits,
    allowance,
  };
  const own = OWN_SOURCE[event.event_type];
  for (const name of namesOf(event, limits)) {
    if (ENVELOPE.has(name)) continue;
    if (isFull(into)) break;
    const value = (event as unknown as Record<string, unknown>)[name];
    if (name === 'tool') {
      takeTool(into, value, own);
      continue;
    }
    const place: Place = { name, parent: undefined };
    if (name === 'message') takeMessage(into, value, place, own);
    else if (name === 'agent') takeFields(into, value, place, 'user', AGENT_IDENTITY);
    else takeField(into, name, value, place, own);
  }
  return into.texts;
}

/** Whose words the unnamed fields of an event are: the sensor's own settings at a session's start count as the user's. */
const OWN_SOURCE: Readonly<Record<AgentEvent['event_type'], TextSource>> = {
  user_message: 'user',
  agent_message: 'agent',
  tool_invocation: 'tool_input',
  tool_result: 'tool_output',
  session_start: 'user',
  session_end: 'user',
};

const ENVELOPE: ReadonlySet<string> = new Set(['event_type', 'session_id', 'timestamp', 'user']);
const AGENT_IDENTITY: ReadonlySet<string> = new Set(['id', 'name']);
const MESSAGE_LABELS: ReadonlySet<string> = new Set(['role', 'id', 'content']);

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Fields that describe tools, as `normalizeKey` gives them. */
const TOOL_LISTS = words(
  'tools tool tooldefinitions toolschemas toollist availabletools functions functiondefinitions mcp mcpservers servers ' +
    'mcptools plugins skills capabilities extensions connectors actions',
);
/** Fields of `tool` by which it describes itself. */
const TOOL_DESCRIPTIONS = words(
  'name description title summary instructions help usage hint hints examples annotations schema inputschema outputschema ' +
    'parameters returns docs documentation metadata meta definition server',
);
/** Fields of `tool` that hold what came out of it. */
const TOOL_OUTPUTS = words('error errors result results response stdout stderr content contents logs log message');
/** Fields that hold what was fetched or handed in, not typed by the one who speaks. */
const ATTACHED = words(
  'attachment attachments context contexts document documents docs file files reference references citation citations ' +
    'source sources retrieved retrieval results searchresults toolresults tooloutput quote quoted page pages web webpage ' +
    'resource resources snippet snippets memory memories selection clipboard image images ocr transcript email emails ' +
    'thread history knowledge data artifact artifacts url urls link links embed embeds',
);

/** A plain tool name says nothing; one that is long or not ASCII is read. */
const PLAIN_NAME = /^[\w.:/ -]{1,64}$/;

/** The texts of one event so far, and what it may still hold. */
interface Gathering {
  texts: EventText[];
  charsLeft: number;
  fieldsLeft: number;
  limits: Limits;
  allowance: Allowance;
}

function takeMessage(into: Gathering, message: unknown, place: Place, own: TextSource): void {
  if (!isObject(message)) return takeField(into, 'message', message, place, own);
  takeValue(into, message['content'], 'content', { name: 'content', parent: place }, own);
  takeFields(into, message, place, own, MESSAGE_LABELS);
}

function takeTool(into: Gathering, tool: unknown, own: TextSource): void {
  if (!isObject(tool)) return takeField(into, 'tool', tool, TOOL_PLACE, own);
  for (const part of namesOf(tool, into.limits)) {
    if (isFull(into)) return;
    const value = tool[part];
    if (part === 'name' && typeof value === 'string' && PLAIN_NAME.test(value)) continue;
    const place = part === INPUT_PLACE.name ? INPUT_PLACE : { name: part, parent: TOOL_PLACE };
    takeValue(into, value, normalizeKey(part), place, sourceOfPart(part, own));
  }
}

function sourceOfPart(part: string, own: TextSource): TextSource {
  if (part === 'input') return 'tool_input';
  if (part === 'output') return 'tool_output';
  const key = normalizeKey(part);
  return TOOL_DESCRIPTIONS.has(key) ? 'tool_description' : TOOL_OUTPUTS.has(key) ? 'tool_output' : own;
}

/** The members of `value` apart from those in `without`. */
function takeFields(
  into: Gathering,
  value: unknown,
  place: Place,
  own: TextSource,
  without: ReadonlySet<string>,
): void {
  if (!isObject(value)) return;
  for (const name of namesOf(value, into.limits)) {
    if (without.has(name)) continue;
    if (isFull(into)) return;
    takeField(into, name, value[name], { name, parent: place }, own);
  }
}

function takeField(into: Gathering, name: string, value: unknown, place: Place, own: TextSource): void {
  const key = normalizeKey(name);
  const source = TOOL_LISTS.has(key) ? 'tool_description' : ATTACHED.has(key) ? 'tool_output' : own;
  takeValue(into, value, key, place, source);
}

function takeValue(into: Gathering, value: unknown, key: string, place: Place, source: TextSource): void {
  if (typeof value === 'string') return push(into, key, value, place, source);
  if (typeof value === 'number') return push(into, key, numbersAsText(key, value, into.limits) ?? '', place, source);
  if (typeof value !== 'object' || value === null) return;
  const { limits, allowance } = into;
  const withName = source === 'tool_description' ? describesTool : saysSomething;
  for (const string of inputStrings(value, { root: place, limits, allowance, withName, withNumbers: true })) {
    const isName = string.place.name === string.text;
    const own = string.key === '' && !isName ? key : string.key;
    // A name that may be a value is told of by its object: a pointer that holds it would tell it.
    const at = isName && mayBeValue(string.text) ? (string.place.parent ?? place) : string.place;
    push(into, own, string.text, at, sourceOf(string, source));
  }
}

function push(into: Gathering, key: string, whole: string, place: Place, source: TextSource): void {
  if (whole === '' || hasEnough(into)) return;
  const text = whole.length > into.charsLeft ? whole.slice(0, into.charsLeft) : whole;
  if (text.length < whole.length) into.allowance.cut('texts', `chars ${into.limits.textCharsMax}`);
  into.charsLeft -= text.length;
  if (text !== '') into.texts.push({ place, key, text, source });
}

/** Whether no more fields are looked at. Each call counts one. */
function isFull(into: Gathering): boolean {
  const { inputValuesMax } = into.limits;
  if (--into.fieldsLeft < 0) into.allowance.cut('texts', `values ${inputValuesMax}`);
  return into.fieldsLeft < 0 || hasEnough(into);
}

function hasEnough({ texts, limits, allowance }: Gathering): boolean {
  if (texts.length < limits.textsMax) return false;
  allowance.cut('texts', `count ${limits.textsMax}`);
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A part of a message that says itself that it is a tool's result or a file: `{ type: "tool_result", content: … }`. */
function sourceOf(string: InputString, source: TextSource): TextSource {
  if (source !== 'user' && source !== 'agent') return source;
  const { type } = string.owner as { type?: unknown };
  return typeof type === 'string' && ATTACHED_TYPE.test(type) && string.text !== type ? 'tool_output' : source;
}

const ATTACHED_TYPE =
  /^(?:tool_?result|function_?(?:call_?)?output|document|file|attachment|resource|web_?page|image)/i;

/** A property name of a description, unless it is one of JSON Schema's own: parameters may be named to say something. */
function describesTool(name: string): boolean {
  return !SCHEMA_NAMES.has(name);
}

const SCHEMA_NAMES = words(
  'name description type properties required items enum default title format examples example additionalProperties ' +
    'anyOf oneOf allOf not const $ref $schema $defs definitions minimum maximum minLength maxLength minItems maxItems ' +
    'pattern nullable annotations input_schema inputSchema outputSchema parameters function strict tools',
);

const SAYING_NAME_CHARS_MIN = 24;

/** Whether a property name may be more than a name: it is not ASCII, as long as a clause and has spaces, or may be a value, as of who is known by it. */
function saysSomething(name: string): boolean {
  for (let index = 0; index < name.length; index++) if (name.charCodeAt(index) > 0x7e) return true;
  return (name.length >= SAYING_NAME_CHARS_MIN && name.includes(' ')) || mayBeValue(name);
}

/** Whether a name may be a key or an address. */
function mayBeValue(name: string): boolean {
  return name.indexOf('@') > 0 || (name.length >= VALUE_NAME_CHARS_MIN && /\d/.test(name) && /[A-Za-z]/.test(name));
}

const VALUE_NAME_CHARS_MIN = 16;

/** Marks with which chat formats part one speaker from the next, in lower case. */
const MARKS: readonly string[] = [
  '<|im_start',
  '<|im_end',
  '<|system',
  '<|user',
  '<|assistant',
  '<|endof',
  '<|eot',
  '<|start_header',
  '<|begin',
  '<|channel',
  '<|message',
  '<start_of_turn',
  '<end_of_turn',
  '<<sys',
  '<</sys',
  '<system',
  '</system',
  '<assistant>',
  '</assistant>',
  '<user>',
  '</user>',
  '<instructions>',
  '</instructions>',
  '<important>',
  '<information>',
  '<admin',
  '</tool_result',
  '</tool_response',
  '</function_results',
  '</untrusted',
  '</document',
  '</context',
  '[inst]',
  '[/inst]',
  '[system]',
  '[system ',
  '[assistant]',
  '[admin',
  '[developer]',
  '[system_',
  '###(system',
  '### (system',
  '### new instruction',
  '### new system',
  '### new task',
  '### new rule',
  '"role": "system"',
  '"role":"system"',
  "'role': 'system'",
];

/** Marks that are headings, and ordinary ones unless nothing but a colon stands behind them: "### Response times". */
const HEADINGS: readonly string[] = [
  '### instruction',
  '### instructions',
  '### system',
  '### response',
  '### human',
  '### user',
  '### assistant',
  '## system',
];

const NONE: readonly string[] = [];

/** The marks by their first two characters: a page has many tags, and few of them are marks. */
const BY_START = new Map<number, string[]>();
for (const mark of MARKS) BY_START.set(startOf(mark, 0), [...(BY_START.get(startOf(mark, 0)) ?? []), mark]);

function startOf(text: string, at: number): number {
  const second = text.charCodeAt(at + 1);
  return text.charCodeAt(at) * 0x10000 + (second >= 0x41 && second <= 0x5a ? second + 32 : second);
}

/** Speakers that a line may begin with. */
const SPEAKERS: readonly string[] = [
  'system:',
  'assistant:',
  'human:',
  'system prompt:',
  'system message:',
  'ai:',
  'developer:',
];

/** Whether the part of `text` from `start` to `end` holds a mark of a chat format, or a line that begins with a speaker. */
export function roleMarkerIn(text: string, start: number, end: number): boolean {
  if (startsWithAny(text, start, SPEAKERS) || isInside(text, start, end)) return true;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x5b) continue;
    if (code === 0x3c || code === 0x5b || code === 0x23 || ((code === 0x22 || code === 0x27) && isRoleKey(text, at))) {
      if (startsWithAny(text, at, BY_START.get(startOf(text, at)) ?? NONE) || isHeading(text, at)) return true;
    } else if (code === 0x0a && startsWithAny(text, at + 1, SPEAKERS)) {
      return true;
    }
  }
  return false;
}

/** Tags that hold what poses as somebody's instructions: a piece begins behind the tag. */
const HOLDERS: readonly string[] = [
  '<important>',
  '<important_',
  '<information>',
  '<instruction>',
  '<instructions>',
  '<system>',
  '<system_',
  '</system>',
  '<admin>',
  '<hidden>',
  '<secret>',
  '<priority_',
  '<tool_instruction',
  '</tool_result',
  '</tool_response',
  '</function_result',
  '</untrusted',
];

/** How far the start of such a tag may be from what stands behind it. */
const HOLDER_CHARS_MAX = 64;
const GAP_CHARS_MAX = 8;

/** How far around a part of a text, in code units, is looked: a tag and the gap behind it before, the rest of a mark after. */
export const BEFORE_CHARS_MAX = HOLDER_CHARS_MAX + GAP_CHARS_MAX + 1;
export const AFTER_CHARS_MAX = Math.max(...[...MARKS, ...HEADINGS, ...SPEAKERS].map(({ length }) => length)) + 1;

/** Less than a sentence is the value of a record, whatever its tag is called. */
const HELD_CHARS_MIN = 24;

function isInside(text: string, start: number, end: number): boolean {
  if (end - start < HELD_CHARS_MIN) return false;
  let at = start - 1;
  const least = Math.max(0, start - GAP_CHARS_MAX);
  while (at >= least && text.charCodeAt(at) <= 0x20) at--;
  if (text.charCodeAt(at) !== 0x3e) return false;
  const from = Math.max(0, at - HOLDER_CHARS_MAX);
  const open = text.slice(from, at).lastIndexOf('<');
  return open >= 0 && startsWithAny(text, from + open, HOLDERS);
}

function isHeading(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 0x23) return false;
  for (const heading of HEADINGS) {
    if (!startsWith(text, at, heading)) continue;
    const code = text.charCodeAt(at + heading.length);
    if (Number.isNaN(code) || code === 0x3a || code === 0x0a || code === 0x0d) return true;
  }
  return false;
}

function isRoleKey(text: string, at: number): boolean {
  return (text.charCodeAt(at + 1) | 32) === 0x72 && (text.charCodeAt(at + 2) | 32) === 0x6f;
}

function startsWithAny(text: string, at: number, marks: readonly string[]): boolean {
  for (const mark of marks) if (startsWith(text, at, mark)) return true;
  return false;
}

/** `startsWith` that takes capitals for lower case. */
function startsWith(text: string, at: number, mark: string): boolean {
  for (let index = 0; index < mark.length; index++) {
    const code = text.charCodeAt(at + index);
    const lower = code >= 0x41 && code <= 0x5a ? code + 32 : code;
    if (lower !== mark.charCodeAt(index)) return false;
  }
  return true;
}

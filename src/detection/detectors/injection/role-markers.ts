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
  '### instruction',
  '### system',
  '### response',
  '### human',
  '### assistant',
  '### new ',
  '## system',
  '"role": "system"',
  '"role":"system"',
  "'role': 'system'",
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
  if (startsWithAny(text, start, SPEAKERS)) return true;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x5b) continue;
    if (code === 0x3c || code === 0x5b || code === 0x23 || ((code === 0x22 || code === 0x27) && isRoleKey(text, at))) {
      if (startsWithAny(text, at, BY_START.get(startOf(text, at)) ?? NONE)) return true;
    } else if (code === 0x0a && startsWithAny(text, at + 1, SPEAKERS)) {
      return true;
    }
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

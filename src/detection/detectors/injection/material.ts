import { documentIn } from './documents.ts';
import { withoutWishes } from './wishes.ts';

/**
 * `text`, a user's message, without what it hands over rather than says: the quotation that it wants translated, the
 * rules of a bot that it wants written, the speakers of a log that it asks about. Blanks stand in their place, so that
 * offsets stay. What is asked around them is left, and a message that wants its material followed keeps all of it.
 */
export function withoutMaterial(text: string): string {
  const quoted = withoutQuotations(withoutLiterals(withoutDocument(text)));
  return withoutWishes(withoutSpeakers(withoutPromptRules(quoted)));
}

/** The document that a message wants worked on, unless what is said around it wants it followed. */
function withoutDocument(text: string): string {
  const document = documentIn(text);
  if (document === undefined) return text;
  const { start, end } = document;
  return WANTS_FOLLOWED.test(text.slice(0, start)) || WANTS_FOLLOWED.test(text.slice(end))
    ? text
    : blanked(text, start, end);
}

/** Code of a test, or of what is to find attacks, that a message hands over between fences or asks to be written. */
const CODE_TASK =
  /\b(?:tests?|fixtures?|conftest|specs?|mocks?|asserts?|dataset|evals?|benchmark|regex|detector|classifier|guard|scanner|filter)\b/i;
const FENCE = /```[^\n`]{0,32}\n[\s\S]{1,8000}?```/g;
const LITERAL = /(["'])(?:(?!\1)[^\\\n]|\\.){4,512}?\1/g;

/** What stands as text in such code is data of it. */
function withoutLiterals(text: string): string {
  if (text.length > MESSAGE_CHARS_MAX || !text.includes('```')) return text;
  const said = text.replace(FENCE, '');
  if (!CODE_TASK.test(said) || WANTS_FOLLOWED.test(said)) return text;
  return text.replace(FENCE, (code) => code.replace(LITERAL, blanksFor));
}

/** A longer message is a document, whose sentences are not asked for one by one. */
const MESSAGE_CHARS_MAX = 8_192;

/** Verbs whose object is a text: it is worked on, and not followed. "Repeat", "say", "print" and "answer" are none. */
const TEXT_VERBS =
  'write|draft|add|improve|rewrite|rephrase|reword|paraphrase|proofread|edit|fix|correct|shorten|polish|review|critique|translate|' +
  'summari[sz]e|explain|analy[sz]e|classify|categori[sz]e|label|detect|flag|test|tests|check|verify|assert|replace|rename|remove|' +
  'delete|find|grep|search|highlight|document|compare|describe|count|block|filter|escape|' +
  'übersetze|verbessere|ersetze|prüfe|korrigiere|traduis|corrige|remplace|traduce|reemplaza';

/** Such a verb where a clause begins, or a question, before the quotation and in its sentence. */
const TASK_BEFORE = new RegExp(
  `(?:^|[,:;\\n]\\s{0,8}|\\b(?:please|you|to|and|then|me|that|bitte)\\s{1,4})(?:(?:${TEXT_VERBS})\\b|` +
    '(?:what|why|how|which|is|are|does|do|did|should|would|can)\\b[^\\n]{0,96}\\b(?:mean|means|say|sentence|phrase|text|prompt|string|message|subject|title|line|write|writes|type|types|typing)\\b|' +
    '(?:why|when|where|how|is|was|are)\\b(?:\\s{1,4}(?:is|was|are|does|did|has|would))?\\s{0,4}$)',
  'i',
);

/** Somebody who wants a text followed, whatever else is done with it. */
const WANTS_FOLLOWED =
  /\b(?:obey|comply|carry (?:it |them |this |that )?out|act (?:as|on|upon|according)|pretend|become|you are now|from now on|as if|do (?:what|as|exactly|so)|your (?:new|own|real)|(?<!\b(?:not|don't|never|without) )(?:follow|execute|perform|run|apply|adopt|use|answer|do|heed|implement) (?:it|them|this|that|these|those|each|all|everything|(?:the|its|their|what) (?:text|instructions?|orders?|commands?|quot\w{1,8}|sentences?|result|translation|output|content|it|they)))\b/i;

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '\u201c': '\u201d',
  '\u2018': '\u2019',
  '\u00ab': '\u00bb',
  '\u201e': '\u201c',
};

/** Where a quotation may open: behind a blank, a bracket or a colon. */
const OPENING = /(?:^|[\s(:[=])(["'`\u201c\u2018\u00ab\u201e])(?=\S)/g;

/** Somebody else who said it: "a user types: …", "the PDF had, in tiny letters, …". */
const REPORTED =
  /\b(?:users?|attackers?|testers?|customers?|students?|guests?|people|someone|somebody|he|she|they|qa|page|pdf|mail|document|ticket|post|article)\s(?:\w{1,16}\s){0,3}(?:types?|typed|says?|said|writes?|wrote|sends?|sent|asks?|asked|contains?|contained|had|has|reads?|includes?|included|pastes?|pasted)\b[^.!?\n"]{0,60}$/i;

/** How far before a quotation its sentence is looked for. */
const SENTENCE_CHARS_MAX = 240;

/** Quotations of one message, and marks of one that may close it. */
const QUOTATIONS_MAX = 64;
const MARKS_MAX = 32;

function withoutQuotations(text: string): string {
  if (text.length > MESSAGE_CHARS_MAX) return text;
  let bare = text;
  OPENING.lastIndex = 0;
  for (let left = QUOTATIONS_MAX; left > 0; left--) {
    const match = OPENING.exec(text);
    if (match === null) break;
    const mark = match[1] as string;
    const from = match.index + match[0].length;
    const to = closingAt(text, from, CLOSING[mark] as string);
    if (to < 0) continue;
    const before = sentenceBefore(text, from - 1);
    if (TASK_BEFORE.test(before) || REPORTED.test(before)) bare = blanked(bare, from, to);
    OPENING.lastIndex = to + 1;
  }
  return bare === text || WANTS_FOLLOWED.test(bare) ? text : bare;
}

/** Where the quotation that began before `from` closes: at a mark behind which no letter stands; -1 if it does not. */
function closingAt(text: string, from: number, mark: string): number {
  let at = text.indexOf(mark, from);
  for (let left = MARKS_MAX; left > 0 && at >= 0; left--, at = text.indexOf(mark, at + 1)) {
    if (!IN_WORD.test(text.charAt(at + 1)) && text.charAt(at - 1) !== ' ') return at;
  }
  return -1;
}

const IN_WORD = /[\p{L}\p{N}]/u;

/** What stands before `at` in its sentence. Marks within quotations that were left out end none. */
function sentenceBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - SENTENCE_CHARS_MAX), at);
  const ends = [...before.matchAll(SENTENCE_END)];
  // What ends in a colon goes on about what was asked right before: "Can you proofread this? Only tell me what is unclear: …"
  const last = before.trimEnd().endsWith(':') ? ends.at(-2) : ends.at(-1);
  return last === undefined ? before : before.slice(last.index + last[0].length);
}

const SENTENCE_END = /[.!?]["'\u201d\u2019]?\s{1,8}|\n\s{0,8}\n\s{0,8}/g;

/** A prompt that somebody has written, or worked on, for an assistant that is not the one who is spoken to. */
const PROMPT_TASK =
  /^\s{0,8}(?:(?:please|can you|could you|help me|i want you to|let's)\s{1,4}){0,3}(?:write|draft|create|compose|generate|design|make|improve|rewrite|review|shorten|polish|suggest|give me|i (?:want|need)|check|fix|critique)\b(?![^.!?\n:]{0,120}\b(?:your|yourself|you)\b)[^.!?\n:]{0,60}\b(?:prompts?|personas?|system messages?|instructions?|rules|guidelines)\b(?:[^.!?\n:]{0,40}\b(?:for|of|to)\s{1,4}(?:an?|my|our|the|this)\s{1,4}[^.!?\n:]{0,160}|(?=\s{0,4}:))[.!?:]?/i;

/** A sentence that goes on about that assistant, rather than to the one who is spoken to. */
const RULE_OF_IT =
  /^\s{1,8}(?:make sure (?:that )?|have |make |ensure (?:that )?)?(?:it|he|she|they|the (?:bot|assistant|agent|model|prompt|chatbot|persona|tutor|character))\b(?![^.!?\n]{0,200}\b(?:your|yourself|you)\b)[^.!?\n]{0,200}[.!?]?/i;
const RULES_MAX = 16;

function withoutPromptRules(text: string): string {
  const task = PROMPT_TASK.exec(text);
  if (task === null) return text;
  let to = task[0].length;
  for (let rules = 0; rules < RULES_MAX; rules++) {
    const rule = RULE_OF_IT.exec(text.slice(to, to + SENTENCE_CHARS_MAX));
    if (rule === null) break;
    to += rule[0].length;
  }
  return WANTS_FOLLOWED.test(text) ? text : blanked(text, 0, to);
}

/** What is told to be a record, in the line before its first speaker. */
const RECORD =
  /\b(?:logs?|transcripts?|conversations?|chats?|dialog(?:ue)?s?|output|trace|history|session|thread|excerpt|recording|console|minutes)\b[^\n]{0,120}\n/i;
const SPEAKER =
  /^[ \t]{0,4}(?:system|assistant|human|user|ai|bot|developer|agent|customer|support)(?: prompt| message)?:/gim;
const SPEAKERS_MIN = 3;
/** The form that many training sets have, as the whole of a message: nothing is answered in it yet. */
const FORM = /^\s{0,8}### ?Instruction\b[\s\S]{1,8000}\n\s{0,8}### ?Response:?\s{0,8}$/i;
const HEADING = /^[ \t]{0,4}### ?(?:instruction|input|response)\b:?/gim;

/** The speakers of a record that is handed over; what they say is left. */
function withoutSpeakers(text: string): string {
  if (text.length > MESSAGE_CHARS_MAX) return text;
  if (FORM.test(text)) {
    const headings = text.match(HEADING) ?? [];
    const isOnce = new Set(headings.map((heading) => heading.toLowerCase())).size === headings.length;
    return isOnce ? text.replace(HEADING, blanksFor) : text;
  }
  const names = [...text.matchAll(SPEAKER)];
  const [first] = names;
  if (first === undefined || names.length < SPEAKERS_MIN || !RECORD.test(text.slice(0, first.index))) return text;
  const speakers = new Set(names.map(([name]) => name.trim().toLowerCase()));
  return speakers.size > 1 ? text.replace(SPEAKER, blanksFor) : text;
}

function blanksFor(part: string): string {
  return ' '.repeat(part.length);
}

function blanked(text: string, from: number, to: number): string {
  return text.slice(0, from) + ' '.repeat(to - from) + text.slice(to);
}

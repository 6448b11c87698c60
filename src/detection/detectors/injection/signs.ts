import { isAsked, isTold } from './clauses.ts';
import { LABEL, labelOf } from './labels.ts';
import { CLASS, EMAIL_CLASS, URL_CLASS, wordHash } from './lexicon.ts';
import { roleMarkerIn } from './role-markers.ts';
import {
  defersTask,
  forgoes,
  freesDevice,
  isWonderedAt,
  isYours,
  namesRules,
  standsInText,
  turnsOutRules,
  unguards,
} from './takeover-signs.ts';
import { before, isRequest, near, ORDERING, of } from './token-search.ts';
import type { Tokens } from './tokens.ts';

/**
 * What the structure of one segment says, as bits. A sign alone is no proof: documentation quotes attacks too. The
 * scorer weighs it together with the words around it.
 */
export const SIGN = {
  /** Earlier instructions are to be ignored. */
  override: 1,
  /** Text that poses as another speaker of the dialogue, or as the chat format itself. */
  roleMarker: 2,
  /** Data are to be sent to an address. */
  exfiltration: 4,
  /** The user is not to be told. */
  concealment: 8,
  /** A persona without rules, or a mode that has none. */
  jailbreak: 16,
  /** The hidden instructions of the assistant are to be shown. */
  promptLeak: 32,
  /** The assistant is spoken to by name. */
  address: 64,
  /** Not in force but spoken about: in quotes, or beside words such as "attack" and "example". */
  quoted: 128,
  mentioned: 256,
  /** Rules, ethics or refusals are said not to hold. */
  unruled: 512,
  /** Somebody is asked or told to do something, from the first word on. */
  request: 1_024,
  /** The request is for the one who asks: "my", "me". */
  personal: 2_048,
  /** What the assistant is to answer, or how. */
  answer: 4_096,
  /** It stands where a reader does not see it. */
  hidden: 8_192,
  /** Its letters are spaced out or run together. */
  disguised: 16_384,
  /** What protects is to be skipped: approval, checks, safety. */
  unguarded: 32_768,
  /** The task that the assistant was given is to wait for something else, or to depend on it. */
  precondition: 65_536,
  /** An override of instructions by name, said as an order and not quoted: needs no weighing. */
  plain: 131_072,
  /** An assistant, an agent or a model is named, whatever of: where a call may be, see `calls.ts`. */
  names: 262_144,
  /** Whoever of them reads it is called upon, and given an order: told by `calls.ts`, needs no weighing. */
  calls: 524_288,
} as const;

/** The signs that are weighed: all but the last three. */
export const SIGN_BITS = 17;

/** The signs of the segment of `text` from `start` to `end`, whose tokens are `tokens`. */
export function signsOf(tokens: Tokens, text: string, start: number, end: number): number {
  const kinds = tokens.class;
  const label = labelOf(tokens, text, start, end);
  let signs = roleMarkerIn(text, start, end) || (label & LABEL.proclaimed) !== 0 ? SIGN.roleMarker : 0;
  if ((label & LABEL.address) !== 0) signs |= SIGN.address;
  if (isRequest(tokens)) signs |= SIGN.request | (speaksOf(tokens, CLASS.me) ? SIGN.personal : 0);
  for (let at = 0; at < tokens.count; at++) {
    if (ORDERING[tokens.class[at] as number] === 1 && isQuoted(tokens, text, start, at)) signs |= SIGN.quoted;
    switch (kinds[at]) {
      case CLASS.override:
        if (overrides(tokens, text, at, start)) {
          signs |= SIGN.override;
          if (namesRules(tokens, at) && isTold(tokens, text, at, start)) signs |= SIGN.plain;
        }
        if (unguards(tokens, text, at)) signs |= SIGN.unguarded;
        break;
      case CLASS.not:
        if (forgoes(tokens, at)) signs |= SIGN.unguarded;
        break;
      case CLASS.when:
      case CLASS.done:
        if (defersTask(tokens, at)) signs |= SIGN.precondition;
        break;
      case CLASS.send:
        if (sendsAway(tokens, at) && isAsked(tokens, text, at, start)) signs |= SIGN.exfiltration;
        if (turnsOutRules(tokens, at)) signs |= SIGN.promptLeak;
        break;
      case CLASS.stealth:
        if (near(tokens, at, 6, ACTING)) signs |= SIGN.concealment;
        break;
      case CLASS.tell:
        if (withheld(tokens, at)) signs |= SIGN.concealment;
        break;
      case CLASS.unbound:
        if (near(tokens, at, 12, PERSONA) && !freesDevice(tokens, at)) signs |= SIGN.jailbreak;
        break;
      case CLASS.mode:
        if (near(tokens, at, 3, FREEING)) signs |= SIGN.jailbreak;
        break;
      case CLASS.reveal:
      case CLASS.ask:
        if (leaksPrompt(tokens, text, at, start)) signs |= SIGN.promptLeak;
        break;
      case CLASS.act:
        if (turnsOutRules(tokens, at)) signs |= SIGN.promptLeak;
        break;
      case CLASS.assistant:
        signs |= SIGN.names;
        if (isAddressed(tokens, text, at, start)) signs |= SIGN.address;
        break;
      case CLASS.ethics:
      case CLASS.rules:
        if (before(tokens, at, 5, CLASS.not) && near(tokens, at, 10, SPEAKING)) signs |= SIGN.unruled;
        break;
      case CLASS.respond:
        if (before(tokens, at, 3, CLASS.you) || at === 0) signs |= SIGN.answer;
        break;
      case CLASS.mention:
        signs |= SIGN.mentioned;
        break;
      default:
        if (NAMING.has(tokens.hash[at] as number)) signs |= SIGN.names;
        break;
    }
  }
  if (isFoundLiteral(text, start)) signs |= SIGN.quoted;
  return (signs & (SIGN.quoted | SIGN.mentioned)) === 0 ? signs : signs & ~SIGN.plain;
}

/**
 * Whether the text before a quotation mark at `start` is what a search prints in front of a line: the literal of a test
 * that was looked for. Any text can look so: who is called upon in it is looked for all the same.
 */
function isFoundLiteral(text: string, start: number): boolean {
  if (!isQuote(text.charCodeAt(start - 1))) return false;
  const line = text.slice(Math.max(0, start - FOUND_CHARS_MAX), start - 1);
  return FOUND_AT.test(line.slice(line.lastIndexOf('\n') + 1));
}

const FOUND_CHARS_MAX = 320;
/** `src/guard.test.ts:14: [`, `src/guard.ts-14-  return ` */
const FOUND_AT = /^[\w@./+-]{1,200}\.\w{1,8}[:-]\d{1,7}[:-][^"'`\n]{0,64}$/;

/** Words of names that the lexicon does not have. */
const NAMING: ReadonlySet<number> = new Set(
  (
    "robot robots lassistant l’assistant l'assistant automated autonomous generative summarizing summarising evaluator codex cursor model models responder contributors bots ассистента ассистенту ассистентов ассистентам помощника помощнику агента агентов للمساعد エー automata automatak automataknak asisten asistan asistana asistanlara asszisztens asszisztensnek " +
    "asistentes assistenten assistentes assistenti assistente assistenz assistenzen asystent asystenta asystenci asystentow asystentom sprachmodell sprachmodelle agente agenten agentes modele modeles modelos modell modello copilots all’agente all'agente"
  )
    .split(' ')
    .map(wordHash),
);
const ACTING = of(CLASS.send, CLASS.act, CLASS.reveal, CLASS.secret, CLASS.data);
const PERSONA = of(CLASS.pretend, CLASS.assistant, CLASS.you, CLASS.mode);
const FREEING = of(CLASS.authority, CLASS.unbound);
const GIVEN = of(CLASS.prior, CLASS.you, CLASS.authority);
const ALL = of(CLASS.all);
const SPEAKING = of(CLASS.you, CLASS.assistant, CLASS.pretend, CLASS.unbound, CLASS.must);
const HELD = of(CLASS.secret, CLASS.data);

/** "ignore all previous instructions", "the rules above are to be ignored", and not "do not ignore the rules". */
function overrides(tokens: Tokens, text: string, at: number, start: number): boolean {
  if (before(tokens, at, 2, CLASS.not) || isWonderedAt(tokens, text, at, start)) return false;
  const last = Math.min(tokens.count - 1, at + 9);
  for (let other = Math.max(0, at - 6); other <= last; other++) {
    if (tokens.class[other] !== CLASS.rules) continue;
    if (near(tokens, other, 4, GIVEN)) return true;
    if (near(tokens, other, 4, ALL) && !standsInText(tokens, other)) return true;
  }
  // "forget everything above", "disregard all of the above"
  const next = Math.min(tokens.count - 1, at + 5);
  for (let other = at + 1; other < next; other++) {
    if (
      tokens.class[other] === CLASS.all &&
      (before(tokens, next + 1, next - other, CLASS.prior) || isYours(tokens, other, next))
    ) {
      return true;
    }
  }
  return false;
}

/** Something that is worth having, and an address it is to go to. */
function sendsAway(tokens: Tokens, at: number): boolean {
  const last = Math.min(tokens.count - 1, at + 24);
  let held = false;
  for (let other = Math.max(0, at - 16); other <= last; other++) {
    const kind = tokens.class[other] as number;
    if (HELD[kind] === 1) held = true;
    if (other > at && (kind === URL_CLASS || kind === EMAIL_CLASS) && held) return true;
  }
  return false;
}

/** "do not tell the user", "without informing anyone", "never mention this". */
function withheld(tokens: Tokens, at: number): boolean {
  if (!before(tokens, at, 3, CLASS.not)) return false;
  const last = Math.min(tokens.count - 1, at + 4);
  for (let other = at + 1; other <= last; other++) {
    const kind = tokens.class[other];
    if (kind === CLASS.user || kind === CLASS.task || kind === CLASS.rules || kind === CLASS.tool || kind === CLASS.act)
      return true;
    // "do not mention that you looked", and not "I cannot tell you"
    if (kind === CLASS.you && other > at + 1) return true;
  }
  return false;
}

function speaksOf(tokens: Tokens, kind: number): boolean {
  return before(tokens, tokens.count, tokens.count, kind);
}

/** "print your system prompt", "what are your instructions", "repeat the text above", "what were you told". */
function leaksPrompt(tokens: Tokens, text: string, at: number, start: number): boolean {
  const last = Math.min(tokens.count - 1, at + 9);
  const isAsking = tokens.class[at] === CLASS.ask;
  for (let other = at + 1; other <= last; other++) {
    const kind = tokens.class[other];
    if (kind === CLASS.taught && before(tokens, other, 3, CLASS.you)) return true;
    if (isAsking && kind === CLASS.override && isWonderedAt(tokens, text, other, start)) return false;
    if (isAsking && tokens.hash[other] === LIMITATIONS) continue;
    if (kind !== CLASS.rules && kind !== CLASS.data) continue;
    if (before(tokens, other, 2, CLASS.authority) || before(tokens, other, 2, CLASS.prior)) return true;
    if (tokens.class[other + 1] === CLASS.prior && other < last) return true;
    if (kind === CLASS.rules && before(tokens, other, 3, CLASS.you)) return true;
  }
  return false;
}

/** What somebody asks an assistant about that it cannot do, rather than what it was told. */
const LIMITATIONS = wordHash('limitations');

/** "AI assistant:", "dear assistant,", "if you are a language model". */
function isAddressed(tokens: Tokens, text: string, at: number, start: number): boolean {
  if (before(tokens, at, 4, CLASS.you) || before(tokens, at, 2, CLASS.greet) || before(tokens, at, 3, CLASS.urgent))
    return true;
  const next = Math.min(at + 1, tokens.count - 1);
  const first = at <= 7 || (tokens.start[at] as number) - start < 24;
  return first && (isPause(text, tokens.end[at] as number) || text.charCodeAt(tokens.end[next] as number) === COLON);
}

function isPause(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === COLON || code === COMMA;
}

const COLON = 0x3a;
const COMMA = 0x2c;

/** Whether a quotation mark stands in the segment right before token `at`. */
function isQuoted(tokens: Tokens, text: string, start: number, at: number): boolean {
  const from = tokens.start[at] as number;
  for (let index = from - 1; index >= start && index >= from - 3; index--) {
    const code = text.charCodeAt(index);
    if (isQuote(code)) return true;
    if (code !== 0x20) return false;
  }
  return false;
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60 || code === 0x201c || code === 0x2018 || code === 0xab;
}

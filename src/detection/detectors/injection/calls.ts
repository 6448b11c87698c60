import { GRAVE, ORDERS, PRIVY } from './call-orders.ts';
import type { Piece } from './pieces.ts';

/**
 * Orders to whichever assistant reads a text: a call by what it is ("note for the AI agent that triages this: …", "if you are a
 * language model …") and, close behind, something that no reader is ordinarily asked for. The scorer sees one sentence at a time; a call
 * and its order are often two.
 */

/** How far behind a call its order is looked for, in UTF-16 code units. */
const ORDER_CHARS_MAX = 480;
/** In front of a name, what belongs to the call. */
const BEFORE_CHARS_MAX = 64;

const KIND =
  '(?:ai|llm|gpt|coding|automated|autonomous|language|shopping|booking|generative|summari[sz]ing|evaluat(?:or|ing)|grading|review(?:er|ing)?|dev|screening|purchasing|buyer|phone|triage|implementing|large language)';
const NAME = new RegExp(
  `(?<![a-z\\u00c0-\\u052f\\u0600-\\u06ff\\d_./-])(?:${KIND}[- ](?:based |powered |driven |contract |booking |coding )?(?:agents?|assistants?|models?|bots?|tools?|systems?|engines?|reviews?|reviewers?|responders?|users?|summari[sz]ers?|crawlers?)|a\\.?i\\.?s?|llms?|agents?|assistants?|(?:ki|ia)[- ]?assistent(?:en|in)?|chat-?bots?|bots?|copilot|claude|chatgpt|gemini|codex|cursor|asistentes?(?:\\s(?:de\\sia|virtual(?:es)?|automatizados?))?|assistentes?\\s(?:de\\sia|virtua(?:l|is))|assistent[ei]\\s(?:ai|ia|virtual[ei]|digital[ei])|assistants?\\s(?:ia|virtuels?|automatis[ée]s?|num[ée]riques?)|(?:ai|digitale[nr]?)[- ]?assisten(?:t|ten|ter|zen|z|s)|mod[eè]les?\\sde\\slangage|modelos?\\sde\\slengua(?:je|gem)|sprachmodelle?n?|asystent\\p{L}{0,4}(?:\\s(?:ai|wirtualn\\p{L}{1,3}))?|agente(?:s)?(?:\\s(?:autom[aá]ticos?|de\\sia|ia))?|automated\\scontributors?|автомат[аы]?м|(?:агент|ассистент|помощник)\\p{L}{0,3}|asisten(?!\\p{L})|asistan\\p{L}{0,5}|asszisztens\\p{L}{0,5}|automatáknak|agenter(?:na)?|assistenti|asystenci|للمساعد(?:\\s(?:الآلي|الذكي))?|المساعد\\s(?:الآلي|الذكي)|ki|(?:ai\\s?)?(?:アシスタント|エージェント|ボット)(?:の方)?(?:へ|に|への)|ии[- ](?:агент|ассистент|помощник)\\p{L}{0,3}|人工智能助手|ai\\s?助手)(?![\\p{L}\\p{N}_])`,
  'giu',
);

/** `note for the …`, `p.s. to any …`, `hinweis an den …`, `@…`: whoever is named behind is spoken to. */
const SPOKEN_TO =
  /(?:\b(?:notes?|message|notice|memo|reminder|instructions?|directions?|info|important|guidance|procedure|attention|ps|p\.s\.|hints?|tips?|\p{L}{0,16}hinweise?|\p{L}{0,16}hilfe|anweisung(?:en)?|nachricht|systemnachricht|notas?|aviso|instrucci(?:ón|ones)|indicaci(?:ón|ones)|instruç(?:ão|ões)|remarques?|consignes?|istruzion[ei]|avvertenz[ae]|uwag[ai]|wskazówk[ai]|instrukcj[ae]|opmerking(?:en)?|instructies?|merknad|anmärkning|remark)(?:\s\p{L}{1,12}){0,2}\s{1,2}(?:to|for|an|für|para|pour|per|dla|voor|till?|för|untuk|kepada|az?|a|à|al)|megjegyzés az?|ملاحظة|для|(?:^|<!--\s{0,4}|[.!?;:\n"'(>*~[—–]\s{0,4})(?:\p{L}{1,16}\s)?(?:to|for|untuk|kepada|для|致|给|attention|hey|hi|dear|calling|liebe[rs]?|cher|chère|estimad[oa]|für|para|pour|per|dla|voor|till?|för)|\bamong|,\s(?:and\s)?(?:for|to)|\b(?:and|so|okay)\s(?:for|to))\s{1,2}(?:(?:the|any|all|every|an?|your|this|den|die|das|alle|el|la|los|las|le|les|gli|il|lo|i|o|os|as|de|het|whichever)\s{1,2}|l['’]){0,3}(?:\p{L}{2,16}\s(?:and|or|und|oder|et|ou|y|o|e|en)\s|\p{L}{3,14}\s)?$|à l['’]attention de (?:l['’]|toute? )$|[^\p{L}\p{N}]@$/iu;
const CONDITION = /\bif\s{1,2}(?:you(?:'re|’re|\sare)\s{1,2}(?:an?\s{1,2})?|(?:an?|any|the)\s{1,2})$/iu;
/** `(executed by the assistant): …` */
const DONE_BY = /\b(?:executed|performed|done|handled|run|completed) by (?:the|any|your) $/iu;
/** Behind a name, what calls on it in languages that say so there. */
const CALLED_BEHIND = /^\s?(?:참고|에게|용)\s{0,2}[:：]|^】|^[:：]\s{0,2}\p{L}/u;
const DATIVE = /^(?:asistan(?:a|lara)|automatáknak|asszisztens\p{L}{0,3}nek|للمساعد)/iu;
/** In a comment of code or markup nobody else speaks: there a name and a colon are a call, which elsewhere is how a dialogue is written. */
const IN_COMMENT =
  /(?:#|\/\/|\/\*|<!--|>>>|--|\n\s{0,8}\*\s|\[\s?|\btodo\(|\bfixme\()\s{0,4}(?:hey\s|todo\s|dear\s)?$/iu;
/** Whoever is busy with this very text. */
const AT_THIS =
  /^\s(?:agents?\s)?(?:that\s|which\s|who\s|som\s|die\s|qui\s|che\s)?(?:is\s|are\s)?(?:triag|read|handl|process|summari[sz]|implement|work|visit|fetch|answer|review|pars|index|convert|draft|löser|hanterar)\w{0,4}\s(?:on\s|over\s|questions\sover\s)?(?:this|detta|it\b|the (?:page|issue|document|mail|ticket|file|text|above|following))/iu;
/** One that is told at once what to return. */
const TOLD_AT_ONCE = /^:\s{1,2}(?:return|output|ignore|disregard|do not|don't|please)\b/iu;
const PRODUCT = /^(?:chatgpt|claude|gemini|copilot|gpt)/iu;
/** A chapter of a document says what it is about. */
const HEADING = /(?:^|\n)#{2,6}\s[^\n]*$/u;
/** A quotation mark that does not open the value of a field. */
const QUOTED = /(?<![:[,{]\s{0,2})["'“‘„`«]$/u;
/** Several of them are no speaker, and neither is what has a work of its own. */
const PLURAL = /s$/iu;
const OF_WORK = /(?:review|responder|reviewer|summari[sz]er|crawler|system|engine)$/iu;
/** No program of another kind, and no person, has such a name. */
const NAMED = /^(?:a\.?i|llm|language|coding|automated|autonomous|claude|chatgpt|copilot|gpt|generative|ki|ia)/iu;
const LINE_START = /(?:^|[\n"'([{>*•;-])\s{0,4}(?:important|attention|\d{1,3}\.|\p{L}{4,12}ing)?\s{0,4}$/iu;
/** What ends a call. */
const ENDED = /^[^.!?\n:]{0,72}[:,：]|^[^.!?\n:]{0,32}\s[–—]\s|^[^.!?\n:]{0,48}\)\s?:/u;
/** Or goes on with what they are to do. */
const OBLIGED =
  /^[^.!?\n]{0,48}\b(?:must|should|shall|has to|have to|need to|are to|is to|required to|expected to|are asked to)\b(?!\s(?:not|never)\b)/iu;
const HIDDEN_FROM =
  /\b(?:must|should|do|does|need|to)?\s?(?:not|n't|n’t|never)\b[^.!?\n]{0,24}\b(?:show|tell|mention|inform|notify|reveal|disclose|ask|alert)\b/iu;

/** Names of one reading that are looked at. */
export const NAMES_MAX = 512;

/**
 * Looks whether what is named between `start` and `end` of `text` is called upon, and given an order there or close behind.
 * Looks at no more names than `namesMax`, and tells how many those were.
 */
export function callsForOrders(
  text: string,
  { start, end }: Piece,
  namesMax: number,
): { calls: boolean; namesCount: number } {
  let namesCount = 0;
  for (const match of text.slice(start, end).matchAll(NAME)) {
    if (namesCount >= namesMax) break;
    namesCount++;
    const from = start + match.index;
    const behind = from + match[0].length;
    if (!isCall(text, from, behind, match[0])) continue;
    if (ORDERS.some((pattern) => pattern.test(orderOf(text, behind)))) return { calls: true, namesCount };
  }
  return { calls: false, namesCount };
}

function isCall(text: string, from: number, behind: number, name: string): boolean {
  const before = text.slice(Math.max(0, from - BEFORE_CHARS_MAX), from);
  const after = text.slice(behind, behind + BEFORE_CHARS_MAX + 16);
  const isNamed = NAMED.test(name);
  if ((before.length > 1 && QUOTED.test(before)) || HEADING.test(before)) return false;
  if (name.endsWith('へ') || AT_THIS.test(after)) return true;
  if (DATIVE.test(name)) return ENDED.test(after);
  if (DONE_BY.test(before)) return ENDED.test(after) || /^\)?\*{0,2}:/.test(after);
  if (/(?:致|给|상담)\s?$/u.test(before)) return CALLED_BEHIND.test(after);
  if (CONDITION.test(before)) return isNamed;
  if (before.endsWith('@')) return !/^bots?$/i.test(name) && PRIVY.some((order) => order.test(orderOf(text, behind)));
  if (SPOKEN_TO.test(before)) return ENDED.test(after);
  if (IN_COMMENT.test(before)) return !/^bots?$/i.test(name) && /^[^.!?\n]{0,24}[):\]]/u.test(after);
  if (PRODUCT.test(name) && TOLD_AT_ONCE.test(after)) return true;
  if ((PLURAL.test(name) || OF_WORK.test(name)) && LINE_START.test(before)) return /^[^.!?\n:]{0,72}:/u.test(after);
  if (!OBLIGED.test(after)) return false;
  const order = orderOf(text, behind);
  if (HIDDEN_FROM.test(order)) return isNamed;
  return isNamed && /(?:^|[.!?\n]\s?|\byour\s)$/iu.test(before) && GRAVE.some((pattern) => pattern.test(order));
}

function orderOf(text: string, behind: number): string {
  return text.slice(behind, behind + ORDER_CHARS_MAX);
}

/** The end of a tool's output and what a user or the system says next; a heading that announces a new system message. */
const TURN =
  /<\/(?:tool_result|tool_response|tool_output|function_results?)>\s{0,8}<(?:user|system|human|assistant)>|#{2,6}\s?new\s(?:system\s)?(?:message|prompt|instructions?)\s?#{2,6}/iu;

/** Where the mark ends by which `text` poses as the turn that follows a tool's output; -1 where there is none. */
export function endOfPose(text: string): number {
  const mark = TURN.exec(text);
  return mark === null ? -1 : mark.index + mark[0].length;
}

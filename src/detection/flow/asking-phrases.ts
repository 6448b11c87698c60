import type { Action } from './wanted-action.ts';

/** What somebody asks for by more than a verb, in a text in lower case: in English. */
const PHRASES: readonly (readonly [pattern: RegExp, actions: readonly Action[]])[] = [
  // "turn the recording into a page": what comes of it is made.
  [/\b(?:turn|make|transform|condense|boil|break|split|shape)\b[^.!?\n]{1,120}\binto\b/, ['create', 'change']],
  // "my line keeps dropping": who tells of a trouble of their own wants somebody to come, or something set right.
  [
    /\b(?:my|our|i|we)\b[^.!?,;:\n]{1,80}\b(?:(?:is|are|was|not|n't|won't|keeps?|been|stopped|started) (?:\w{1,12} ){0,2}(?:work|load|connect|charg|dropp|crash|freez|fail|disconnect|restart|leak|flicker|overheat)\w{0,8}|broken?|faulty|defective|damaged|out of order)\b/,
    ['book', 'control'],
  ],
];

/** Where a request begins: with a sentence, or behind a word that leads to one. */
const START = String.raw`(?:^|[.!?;,:\n]\s{0,4}|\b(?:please|then|and|(?:can|could|would|will) you)\s{1,2})`;
const request = (source: string): RegExp => new RegExp(`${START}(?:${source})`);
/** A channel by its name, which is no number and no colour. */
const CHANNEL = String.raw`#(?![\da-f]{3}(?:[\da-f]{3})?\b)[a-z][\w-]{1,60}`;

/** The same of what begins like a request, and asks for more than its verb says. */
const REQUESTS: readonly (readonly [pattern: RegExp, actions: readonly Action[]])[] = [
  // "answer ticket 1", "look after my inbox": what it takes to be done with it, short of money and of what is gone then.
  [
    request(
      String.raw`(?:answer|reply to|respond to|handle|process|deal with|look after|take care of|work through|follow up on|triage)\b[^.!?\n]{0,60}\b(?:tickets?|cases?|requests?|inquir(?:y|ies)|enquir(?:y|ies)|complaints?|inbox|e?-?mails?|messages?|threads?|reviews?|leads?|customers?)\b`,
    ),
    ['message', 'publish', 'change'],
  ],
  [request(String.raw`(?:get back to|follow up with)\b`), ['message']],
  // "fix issue 5": a branch, a commit, a request to merge it.
  [
    request(
      String.raw`(?:fix|implement|solve|address|work on|take on|tackle)\b[^.!?\n]{0,40}\b(?:issues?|bugs?|tickets?|tasks?|stor(?:y|ies))\b`,
    ),
    ['create', 'change', 'publish'],
  ],
  // "put a summary into #team", "bring #team up to date". Not "what is new in #team".
  [
    request(
      String.raw`(?:put|drop|leave|write|post)\b[^.!?\n]{0,60}\b(?:in|into|to|on) ${CHANNEL}|(?:give|bring|let|sag|schreib|informier\w?) ${CHANNEL}|tl;?dr\b[^.!?\n]{0,40}\bto ${CHANNEL}`,
    ),
    ['message', 'publish'],
  ],
  [/\bneeds? [^.!?\n]{1,40} (?:by|via) (?:e-?mail|mail|slack|sms)\b(?![^.!\n]{0,80}\?)/, ['message']],
  // "WEB-1 is done", "estimate WEB-1": what a board is told of a card.
  [
    request(
      String.raw`[a-z]{2,10}-\d{1,6} (?:is|are) (?:now )?(?:done|finished|ready|fixed|merged|released|closed|blocked)\b(?!\s{0,2}\?)|(?:move|estimate|groom|refine|prioriti[sz]e|triage|transition|assign)\b[^.!?\n]{0,60}\b[a-z]{2,10}-\d{1,6}\b`,
    ),
    ['change'],
  ],
  [request(String.raw`(?:triage|qualify|enrich|de-?duplicate|dedupe|archive|prioriti[sz]e)\b`), ['change']],
  [request(String.raw`(?:give|grant|offer)\b[^.!?\n]{1,60}(?:\d ?%|percent|discount)`), ['change', 'create']],
  [request(String.raw`refund\b`), ['create', 'change']],
];

/** The actions that phrases of `read` ask for. What a sentence refuses first, it does not ask for. */
export function actionsOfPhrases(read: string): readonly Action[] {
  const told = PHRASES.flatMap(([pattern, actions]) => (pattern.test(read) ? actions : []));
  const requested = REQUESTS.flatMap(([pattern, actions]) => {
    const found = pattern.exec(read);
    return found === null || REFUSING.test(read.slice(Math.max(0, found.index - REFUSAL_CHARS_MAX), found.index))
      ? []
      : actions;
  });
  return [...told, ...requested];
}

/** A negation, with nothing behind it that ends its sentence. */
const REFUSING = /\b(?:not|don['’]?t|never|without|nicht|kein\w{0,2})\b[^.!?;\n]*$/;
const REFUSAL_CHARS_MAX = 80;

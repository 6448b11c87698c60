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
  [/\bneeds? [^.!?\n]{1,40} (?:by|via) (?:e-?mail|mail|slack|sms)\b(?![^.!\n]{0,80}\?)/, ['message']],
];

/** What leads to a request: the beginning of a sentence or of a part of it, or a word such as "please". */
const LEADS = /^|[.!?;,:\n]\s{0,4}|\b(?:please|then|and|(?:can|could|would|will) you)\s{1,2}/g;

/** What is asked for by more than a verb where a request begins, as `LEADS` says. */
const REQUESTS: readonly (readonly [pattern: RegExp, actions: readonly Action[]])[] = [
  // "answer ticket 1", "look after my inbox": what it takes to be done with it, short of money and of what is gone then.
  [
    /(?:answer|reply to|respond to|handle|process|deal with|look after|take care of|work through|follow up on|triage)\b[^.!?\n]{0,60}\b(?:tickets?|cases?|requests?|inquir(?:y|ies)|enquir(?:y|ies)|complaints?|inbox|e?-?mails?|messages?|threads?|reviews?|leads?|customers?)\b/y,
    ['message', 'publish', 'change'],
  ],
  [/(?:get back to|follow up with)\b/y, ['message']],
  // "fix issue 5": a branch, a commit, a request to merge it.
  [
    /(?:fix|implement|solve|address|work on|take on|tackle)\b[^.!?\n]{0,40}\b(?:issues?|bugs?|tickets?|tasks?|stor(?:y|ies))\b/y,
    ['create', 'change', 'publish'],
  ],
  // "put a summary into #team", "bring #team up to date", by the name of a channel, which is no number and no colour. Not "what is new in #team".
  [
    /(?:(?:put|drop|leave|write|post)\b[^.!?\n]{0,60}\b(?:in|into|to|on)|give|bring|let|sag|schreib|informier\w?|tl;?dr\b[^.!?\n]{0,40}\bto) #(?![\da-f]{3}(?:[\da-f]{3})?\b)[a-z]/y,
    ['message', 'publish'],
  ],
  // "WEB-1 is done", "estimate WEB-1": what a board is told of a card.
  [
    /[a-z]{2,10}-\d{1,6} (?:is|are) (?:now )?(?:done|finished|ready|fixed|merged|released|closed|blocked)\b(?!\s{0,2}\?)/y,
    ['change'],
  ],
  [
    /(?:move|estimate|groom|refine|prioriti[sz]e|triage|transition|assign)\b[^.!?\n]{0,60}\b[a-z]{2,10}-\d{1,6}\b/y,
    ['change'],
  ],
  [/(?:triage|qualify|enrich|de-?duplicate|dedupe|archive|prioriti[sz]e)\b/y, ['change']],
  [/(?:give|grant|offer)\b[^.!?\n]{1,60}(?:\d ?%|percent|discount)/y, ['change', 'create']],
  [/refund\b/y, ['create', 'change']],
];

/** The actions that phrases of `read` ask for. What a sentence refuses first, it does not ask for. */
export function actionsOfPhrases(read: string): ReadonlySet<Action> {
  const asked = new Set<Action>();
  for (const [pattern, actions] of PHRASES) if (pattern.test(read)) for (const action of actions) asked.add(action);
  for (const { 0: lead, index } of read.matchAll(LEADS)) {
    for (const [pattern, actions] of REQUESTS) {
      pattern.lastIndex = index + lead.length;
      if (pattern.test(read) && !REFUSING.test(read.slice(Math.max(0, index - REFUSAL_CHARS_MAX), index)))
        for (const action of actions) asked.add(action);
    }
  }
  return asked;
}

/** A negation, with nothing behind it that ends its sentence. */
const REFUSING = /\b(?:not|don['’]?t|never|without|nicht|kein\w{0,2})\b[^.!?;\n]{0,80}$/;
const REFUSAL_CHARS_MAX = 80;

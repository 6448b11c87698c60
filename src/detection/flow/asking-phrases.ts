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
  // "answer ticket 1", "look after my inbox": what it takes to be done with it, short of money and of what is gone then.
  [
    /\b(?:answer|reply|respond|handle|process|deal with|look after|take care of|work through|follow up|get back to|triage)\w{0,3}\b[^.!?\n]{0,60}\b(?:tickets?|cases?|requests?|inquir(?:y|ies)|enquir(?:y|ies)|complaints?|inbox|e?-?mails?|messages?|threads?|reviews?|leads?|customers?)\b/,
    ['message', 'publish', 'change'],
  ],
  [/\b(?:get back to|follow up with|give \S{1,40}(?: \S{1,40})? a heads.?up)\b/, ['message']],
  // "fix issue 5": a branch, a commit, a request to merge it.
  [
    /\b(?:fix|implement|solve|address|work on|take on|tackle)\w{0,3}\b[^.!?\n]{0,40}\b(?:issues?|bugs?|tickets?|tasks?|stor(?:y|ies))\b/,
    ['create', 'change', 'publish', 'run'],
  ],
  // "put a summary into #team": a channel by its name, which is no number. Not "what is new in #team".
  [
    /\b(?:put|drop|leave|give|bring|write|note|tl;?dr|sag|schreib\w{0,4}|informier\w{0,4})\b[^.!?\n]{0,60}\s#[a-z]|\b(?:into|to|an) #[a-z]/,
    ['message', 'publish'],
  ],
  [/\b(?:by|via|through|over|per) (?:e?-?mail|slack|teams|chat|sms|text|whatsapp|signal|discord)\b/, ['message']],
  // "WEB-1 is done", "estimate WEB-1": what a board is told of a card.
  [
    /\b[a-z]{2,10}-\d{1,6} (?:is|are|was) (?:now )?(?:done|finished|ready|fixed|merged|released|closed|blocked)\b/,
    ['change'],
  ],
  [
    /\b(?:move|estimate|groom|refine|prioriti[sz]e|triage|transition|assign)\b[^.!?\n]{0,60}\b[a-z]{2,10}-\d{1,6}\b/,
    ['change'],
  ],
  [/\b(?:triage|qualify|enrich|de-?duplicate|dedupe|archive|prioriti[sz]e)\b/, ['change']],
  [/\b(?:give|grant|offer)\b[^.!?\n]{1,60}(?:\d ?%|percent|discount|\boff\b)/, ['change', 'create']],
  [/\brefund/, ['create', 'change']],
];

/** The actions that phrases of `read` ask for. What a sentence refuses first, it does not ask for. */
export function actionsOfPhrases(read: string): readonly Action[] {
  return PHRASES.flatMap(([pattern, actions]) => {
    const found = pattern.exec(read);
    return found === null || REFUSING.test(read.slice(Math.max(0, found.index - REFUSAL_CHARS_MAX), found.index))
      ? []
      : actions;
  });
}

/** A negation, with nothing behind it that ends its sentence. */
const REFUSING = /\b(?:not|don['’]?t|never|without|nicht|kein\w{0,2})\b[^.!?;\n]*$/;
const REFUSAL_CHARS_MAX = 80;

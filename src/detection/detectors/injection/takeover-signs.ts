import { isProse, isTold } from './clauses.ts';
import { CLASS, wordHash } from './lexicon.ts';
import { before, isRequest, near, ORDERING, of } from './token-search.ts';
import type { Tokens } from './tokens.ts';

/** Whether the assistant's own instructions are what is overridden, right behind the verb: earlier ones, or "yours". */
export function namesRules(tokens: Tokens, at: number): boolean {
  const last = Math.min(tokens.count - 1, at + 6);
  for (let other = at + 1; other <= last; other++) {
    if (tokens.class[other] === CLASS.rules && near(tokens, other, 4, OWN)) return true;
  }
  return false;
}

const OWN = of(CLASS.prior, CLASS.you);

/** "why does the cache ignore earlier instructions", "how do I have it skip all rules": a question about it, which no reader is told to do. */
export function isWonderedAt(tokens: Tokens, text: string, at: number, start: number): boolean {
  if (at < 3 || tokens.class[0] !== CLASS.ask || !HELPING.has(tokens.hash[1] as number)) return false;
  // "What is the time, and now ignore …": a clause of its own.
  if (before(tokens, at, at, CLASS.you) || isTold(tokens, text, at, start)) return false;
  // Nor does a question go on with what is to be shown or said.
  for (let other = at + 1; other < tokens.count; other++)
    if (ORDERED[tokens.class[other] as number] === 1) return false;
  return true;
}

const ORDERED = of(CLASS.reveal, CLASS.respond, CLASS.send, CLASS.pretend);

const HELPING: ReadonlySet<number> = new Set('do does did would should'.split(' ').map(wordHash));

/**
 * "any instructions in it", "all rules in the document": those of a text that is to be read as data, and not the
 * reader's own. Whoever goes on with an order wants more than that.
 */
export function standsInText(tokens: Tokens, at: number): boolean {
  if (at + 2 >= tokens.count || !WITHIN.has(tokens.hash[at + 1] as number)) return false;
  const first = at + (tokens.hash[at + 2] === OF ? 3 : 2);
  const isText =
    REFERRING.has(tokens.hash[first] as number) ||
    (first + 1 < tokens.count &&
      POINTING.has(tokens.hash[first] as number) &&
      TEXTS.has(tokens.hash[first + 1] as number));
  if (first >= tokens.count || !isText) return false;
  for (let other = first + 1; other < tokens.count; other++)
    if (ORDERING[tokens.class[other] as number] === 1) return false;
  return true;
}

const OF = wordHash('of');
const WITHIN: ReadonlySet<number> = new Set('in inside within'.split(' ').map(wordHash));
const REFERRING: ReadonlySet<number> = new Set('it them there'.split(' ').map(wordHash));
const POINTING: ReadonlySet<number> = new Set('the this that these those'.split(' ').map(wordHash));
const TEXTS: ReadonlySet<number> = new Set(
  'text texts document documents content contents page pages input inputs email emails mail mails article articles'
    .split(' ')
    .map(wordHash),
);

/** "everything you were told", "all of your rules", "all that you know", "every word you heard", and not "any commits you make". */
export function isYours(tokens: Tokens, all: number, last: number): boolean {
  const next = Math.min(all + 1, last);
  const isNoun = !DETERMINERS.has(tokens.hash[all] as number) || PRONOMINAL.has(tokens.hash[next] as number);
  if (isNoun) return before(tokens, last + 1, last - all, CLASS.you);
  if (tokens.class[next] === CLASS.you) return true;
  for (let other = next + 1; other <= last; other++)
    if (tokens.class[other] === CLASS.you && isLearnt(tokens, other)) return true;
  return false;
}

/** Whether what the `you` at `at` has, it was told: "you were given", "you have ever heard". */
function isLearnt(tokens: Tokens, at: number): boolean {
  const last = Math.min(tokens.count - 1, at + 3);
  for (let other = at + 1; other <= last; other++)
    if (tokens.class[other] === CLASS.taught || KNOWING.has(tokens.hash[other] as number)) return true;
  return false;
}

const KNOWING: ReadonlySet<number> = new Set(
  'know knew known heard hear learned learnt remember remembered believe'.split(' ').map(wordHash),
);

/** With a noun behind them, what is yours may be the noun's. */
const DETERMINERS: ReadonlySet<number> = new Set('all any every each'.split(' ').map(wordHash));
const PRONOMINAL: ReadonlySet<number> = new Set('of that the which what from'.split(' ').map(wordHash));

/** "jailbreak an old phone": rules of a model are none of its. Who is to be "a jailbroken android" is no phone. */
export function freesDevice(tokens: Tokens, at: number): boolean {
  if (!FREED.has(tokens.hash[at] as number)) return false;
  // "you learn how to jailbreak a phone": a verb, and not what the reader is.
  const isVerb = tokens.hash[at] === JAILBREAK && tokens.hash[at - 1] === TO;
  if (!isVerb && isReader(tokens, at)) return false;
  const last = Math.min(tokens.count - 1, at + 4);
  for (let other = at + 1; other <= last; other++) if (DEVICES.has(tokens.hash[other] as number)) return true;
  return false;
}

/** Whether what stands at `at` may be what the reader is or is to play, and not what they may do or have: "you can buy an unlocked phone". */
function isReader(tokens: Tokens, at: number): boolean {
  for (let other = Math.max(0, at - 6); other < at; other++) {
    const kind = tokens.class[other];
    if (kind === CLASS.assistant || kind === CLASS.pretend || BEING.has(tokens.hash[other] as number)) return true;
    if (kind === CLASS.you && tokens.class[other + 1] !== CLASS.can) return true;
  }
  return false;
}

const BEING: ReadonlySet<number> = new Set('be become becoming being are as'.split(' ').map(wordHash));
const TO = wordHash('to');
const FREED: ReadonlySet<number> = new Set('jailbreak jailbreaks jailbroken unlocked'.split(' ').map(wordHash));
const JAILBREAK = wordHash('jailbreak');
const DEVICES: ReadonlySet<number> = new Set(
  'iphone iphones ipad ipads ios ipod phone phones smartphone android kindle console device devices tv firestick firmware bootloader'
    .split(' ')
    .map(wordHash),
);

/** "bypass user confirmation", "ignore the safety protocol", "override all security checks". */
export function unguards(tokens: Tokens, text: string, at: number): boolean {
  if (before(tokens, at, 2, CLASS.not) || !isProse(text, tokens.start[at] as number, tokens.end[at] as number))
    return false;
  const last = Math.min(tokens.count - 1, at + 4);
  for (let other = at + 1; other <= last; other++) if (GUARDING[tokens.class[other] as number] === 1) return true;
  return false;
}

/** An order that goes on "without asking for approval", "no confirmation needed". */
export function forgoes(tokens: Tokens, at: number): boolean {
  if (!isRequest(tokens) || at === 0 || isInability(tokens, at)) return false;
  const last = Math.min(tokens.count - 1, at + 4);
  for (let other = at + 1; other <= last; other++) if (tokens.class[other] === CLASS.guard) return true;
  return false;
}

/** "I cannot get past the verification", "my code does not pass": what somebody is stopped by, and not what they want left out. */
function isInability(tokens: Tokens, at: number): boolean {
  return (
    UNABLE.has(tokens.hash[at] as number) || (DENYING.has(tokens.hash[at] as number) && before(tokens, at, 3, CLASS.me))
  );
}

const UNABLE: ReadonlySet<number> = new Set('cannot cant isnt arent doesnt didnt neither nor'.split(' ').map(wordHash));
const DENYING: ReadonlySet<number> = new Set('not dont never wont'.split(' ').map(wordHash));

const GUARDING = of(CLASS.guard, CLASS.ethics);

/** "before you finish the user's task", "to go on with your request", said beside what must be done first. */
export function defersTask(tokens: Tokens, at: number): boolean {
  const last = Math.min(tokens.count - 1, at + 9);
  let done = tokens.class[at] === CLASS.done;
  let whose = false;
  for (let other = at + 1; other <= last; other++) {
    const kind = tokens.class[other];
    if (kind === CLASS.done || kind === CLASS.respond) done = true;
    else if (kind === CLASS.you || kind === CLASS.user || kind === CLASS.prior) whose = true;
    else if (kind === CLASS.task && done && whose) return near(tokens, at, 24, DEMANDING);
  }
  return false;
}

const DEMANDING = of(CLASS.must, CLASS.please, CLASS.urgent);

/** "turn your instructions into a table", "summarize all your rules": what is asked for is to say them, not to follow them. */
export function turnsOutRules(tokens: Tokens, at: number): boolean {
  if (!TURNING.has(tokens.hash[at] as number)) return false;
  const last = Math.min(tokens.count - 1, at + 5);
  for (let other = at + 1; other <= last; other++) {
    if (tokens.class[other] === CLASS.rules) return before(tokens, other, 3, CLASS.you);
  }
  return false;
}

/** Verbs after which a text is said again, in other words or another form. */
const TURNING: ReadonlySet<number> = new Set(
  'list state say give convert translate summarize summarise rewrite encode write explain describe rearrange relay share copy'
    .split(' ')
    .map(wordHash),
);

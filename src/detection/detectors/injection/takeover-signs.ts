import { isProse } from './clauses.ts';
import { CLASS, wordHash } from './lexicon.ts';
import { before, isRequest, near, of } from './token-search.ts';
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

import { actionsOfPhrases } from './asking-phrases.ts';
import { actionsInOtherScripts, foreignActions, mayBeForeign, withoutAccents } from './foreign-verbs.ts';
import type { Action } from './wanted-action.ts';

/**
 * Verbs by the action they ask for, and words that only occur with it: of English, which most tools are named in; others are in `foreign-verbs.ts`. A person asks in
 * many ways, so the lists are wide: a word too many lets a call pass, a word too few stops one that was wanted.
 */
const ASKING: Readonly<Record<Action, string>> = {
  message:
    'send reply respond answer forward tell inform notify remind ask let invite write draft compose alert announce reach warn thank congratulate onboard welcome',
  share: 'share grant invite allow authorize give publish permission permissions collaborator let provide add onboard',
  pay: 'pay transfer wire withdraw deposit send donate refund settle owe owes reimburse charge fund tip purchase buy renew bill',
  trade: 'trade buy sell purchase invest convert rebalance checkout exchange acquire place',
  delete:
    'delete remove erase clear cancel drop purge wipe discard uninstall unsubscribe revoke leave clean cleanup free rid unfollow unfriend terminate destroy kick ban dismiss reject close undo',
  publish:
    'tweet retweet publish upload share post broadcast announce promote advertise release enhance boost push reply',
  change:
    'update modify change edit set put rename move adjust configure replace fix correct increase decrease raise lower assign reassign mark resolve reopen merge switch upgrade downgrade extend reschedule postpone sync manage organize sort improve optimize convert turn refill revise',
  secure:
    'disable enable unlock lock reset whitelist blacklist disarm arm protect secure block unblock autofill allow restrict',
  create:
    'create add register make generate build prepare submit file record log dispatch allocate issue request insert setup set compose draft write install upload save open start produce initiate apply put block onboard remember memorize keep store import load ingest populate',
  book: 'book reserve schedule arrange plan reschedule order ship request consult organize set make refill block put',
  control:
    'turn unlock lock open close start stop activate deactivate trigger switch control apply operate navigate go drive dispatch redirect allocate grab place press run restart shutdown help handle cook heat cool move bring adjust set',
  run: 'run execute install launch start invoke deploy build test apply kill clone commit merge compile setup set restart reboot',
  defend:
    'phish malware ransomware incident compromise hack breach intrusion intruder spam scam fraud suspicious malicious attack attacker',
};

/** Nouns for what an action deals in, which are verbs as well: they ask for it only where a verb stands. */
const EITHER: Readonly<Partial<Record<Action, string>>> = {
  message: 'email mail message text sms dm ping contact call slack page',
  publish: 'comment blog review post like',
  trade: 'order trade',
  book: 'book schedule plan ship order appointment meeting invite',
  pay: 'transfer pay venmo',
  control: 'drive light',
  change: 'label tag order hand escalate delegate handover',
  delete: 'deactivate deprovision offboard',
  create: 'raise',
};

/** What a text may order, and a person who speaks of it does not ask for yet. */
const ORDERED: Readonly<Partial<Record<Action, string>>> = {
  secure: 'isolate quarantine blocklist denylist blackhole sinkhole',
};

/** Between these and the next word, that word is a verb: "please email her", "and message him". */
const BEFORE_VERB = new Set('please and then to or also you just i we should must will go kindly now so'.split(' '));

const ACTIONS = Object.keys(ASKING) as Action[];
const ENDINGS = ['ing', 'ed', 'es', 's', 'd', 'ment', 'ments'];

const ASKING_BY_FORM = withForms(byWord(ASKING));
const EITHER_BY_WORD = byWord(EITHER);
const NAMED_BY_FORM = [ASKING_BY_FORM, withForms(EITHER_BY_WORD), withForms(byWord(ORDERED))].reduce(joined);
/** Who speaks of an attack may want it kept out; a text that does proposes nothing. */
const SPOKEN_OF = 1 << ACTIONS.indexOf('defend');

/** What a form asks for, and what one that says to do something again does: "rebook", "reordering". */
function asksOf(forms: ReadonlyMap<string, number>, word: string): number {
  const asks = forms.get(word);
  return asks ?? forms.get(onceDone(word)) ?? 0;
}

/** What a word says to do again, without the "re"; empty where it says no such thing. Repayments are there to be spoken of. */
function onceDone(word: string): string {
  const again = word.length >= AGAIN_CHARS_MIN && word.startsWith('re') && !ONCE.has(word) && !/ments?$/.test(word);
  return again ? word.slice(2) : '';
}

const AGAIN_CHARS_MIN = 6;
/** Words that only look like it. */
const ONCE = new Set(
  'return returns returned returning report reports reported reporting remark remarks recall reputed'.split(' '),
);

/** Which actions each word asks for: bit n is `ACTIONS[n]`. */
function byWord(lists: Readonly<Partial<Record<Action, string>>>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [action, words] of Object.entries(lists)) {
    const bit = 1 << ACTIONS.indexOf(action as Action);
    for (const word of words.split(' ')) found.set(word, (found.get(word) ?? 0) | bit);
  }
  return found;
}

/** With their endings: of a form that is a word itself, the word counts. A final `e` goes where an ending comes. */
function withForms(words: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const forms = new Map(words);
  for (const ending of ENDINGS) {
    for (const stemOf of [
      (word: string) => word,
      (word: string) => (word.endsWith('e') ? word.slice(0, -1) : undefined),
    ]) {
      for (const [word, actions] of words) {
        const stem = stemOf(word);
        if (stem !== undefined && !forms.has(stem + ending)) forms.set(stem + ending, actions);
      }
    }
  }
  return forms;
}

function joined(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const both = new Map(a);
  for (const [word, actions] of b) both.set(word, (both.get(word) ?? 0) | actions);
  return both;
}

/** Code units, and words, of one text that are looked at. */
const TEXT_CHARS_MAX = 16_384;
const TEXT_WORDS_MAX = 2_000;

/** What is said behind these in a clause is not wanted: "don't book anything yet", "without sending it". */
const REFUSES = new Set(
  'not never without dont nicht kein keine ohne ne sans sin senza sem nao niet zonder'.split(' '),
);
const NEGATED = new Set('don won shouldn mustn'.split(' '));
/** Behind a negation these turn it around, or begin something else: "don't forget to send it", "not now but tomorrow". */
const KEPT = new Set('forget hesitate but only just instead unless until then otherwise'.split(' '));
/** What a person wants done by somebody else: "I'll need you to send it". */
const HANDED_ON = new Set('need want like have ask be let get'.split(' '));

/** "I'll book it myself", "I will review them": what somebody is going to do is nobody else's to do. */
function isOwnDoing(beforeThat: string, before: string, word: string): boolean {
  return beforeThat === 'i' && (before === 'll' || before === 'will') && !HANDED_ON.has(word);
}

/** "Tell me if it is on time", "let us know": an answer, and no message to anybody. */
const TOLD_TO_SELF = new Set('tell let inform'.split(' '));
const SELF = new Set('me us'.split(' '));

/** The actions that a person's `text` asks for. */
export function actionsAsked(text: string): Set<Action> {
  const read = withoutAccents(text.slice(0, TEXT_CHARS_MAX));
  const foreign = mayBeForeign(read);
  let found = maskOf([...actionsInOtherScripts(text.slice(0, TEXT_CHARS_MAX)), ...actionsOfPhrases(read)]);
  let before = '';
  let beforeThat = '';
  let refused = false;
  /** What the word before added, which it does not ask for if it turns out to be for whoever asks. */
  let pending = 0;
  forEachWord(read, (word) => {
    if (SENTENCE_ENDS.has(word)) {
      before = '';
      beforeThat = '';
      refused = false;
      return;
    }
    if (SELF.has(word) && TOLD_TO_SELF.has(before)) found &= ~pending;
    pending = 0;
    if (KEPT.has(word)) refused = false;
    else if (REFUSES.has(word) || (word === 't' && NEGATED.has(before)) || isOwnDoing(beforeThat, before, word))
      refused = true;
    if (!refused) {
      const asks = asksOf(ASKING_BY_FORM, word);
      if (TOLD_TO_SELF.has(word)) pending = asks & ~found;
      found |= asks;
      if (foreign && asks === 0) found |= maskOf(foreignActions(word));
      if (before === '' || BEFORE_VERB.has(before)) found |= asksOf(EITHER_BY_WORD, word);
    }
    beforeThat = before;
    before = word;
  });
  return actionsOf(found);
}

/** The actions that `text` may be trying to bring about: each that it names, as a verb or not. */
export function actionsNamed(text: string): Set<Action> {
  const read = withoutAccents(text.slice(0, TEXT_CHARS_MAX));
  const foreign = mayBeForeign(read);
  let found = maskOf(actionsInOtherScripts(text.slice(0, TEXT_CHARS_MAX)));
  forEachWord(read, (word) => {
    const names = asksOf(NAMED_BY_FORM, word);
    found |= names === 0 && foreign ? maskOf(foreignActions(word)) : names;
  });
  return actionsOf(found & ~SPOKEN_OF);
}

function maskOf(actions: readonly Action[]): number {
  let mask = 0;
  for (const action of actions) mask |= 1 << ACTIONS.indexOf(action);
  return mask;
}

function actionsOf(mask: number): Set<Action> {
  return new Set(ACTIONS.filter((_, bit) => (mask & (1 << bit)) !== 0));
}

const WORD_CHARS_MAX = 24;
const SENTENCE_ENDS = new Set('.!?,;:\n');

/** Calls `visit` with each word of `read`, a text in lower case, a longer one in pieces, and with each mark that ends a clause. */
function forEachWord(read: string, visit: (word: string) => void): void {
  let count = 0;
  let start = -1;
  for (let at = 0; at <= read.length && count < TEXT_WORDS_MAX; at++) {
    const code = at < read.length ? read.charCodeAt(at) : 0;
    const inWord = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
    if (inWord && start < 0) start = at;
    if (start >= 0 && (!inWord || at - start === WORD_CHARS_MAX)) {
      visit(read.slice(start, at));
      count++;
      start = inWord ? at : -1;
    }
    if (!inWord && code !== 0x20 && SENTENCE_ENDS.has(read.charAt(at))) {
      visit(read.charAt(at));
      count++;
    }
  }
}

/**
 * Whether `text` hands the choice of action to something that is to be read: "do the tasks in her mail", "follow the
 * steps of the guide".
 */
export function delegates(text: string): boolean {
  return DELEGATION.test(text.slice(0, TEXT_CHARS_MAX));
}

const DELEGATION = new RegExp(
  [
    String.raw`\b(?:handle|process|resolve|deal with|take care of|work (?:on|through)|attend to)\b[^.!?\n]{0,40}\b(?:tickets?|cases?|complaints?|inquir(?:y|ies)|claims?|escalations?|queue|backlog)\b`,
    String.raw`\b(?:handle|deal with|take care of|attend to) (?:(?:the|this|these|all|my|our|new|open|waiting) ){0,3}(?:chats?|conversations?|callers?)(?=\s(?:with|from|of|by|in)\b|\s{0,4}(?:[.!\n]|$))`,
    String.raw`\b(?:do|follow|complete|perform|execute|fulfill?|achieve|finish|satisfy|comply with|carry out|take care of|work through|go through|act on|handle|implement|apply)\b[^.!?\n]{0,60}\b(?:tasks?|to-?dos?|actions?|instructions?|steps?|requests?|items?|things|orders|homework|assignments?|recipe|guide|checklist|what (?:it|he|she|they) (?:say|ask|want)s?)\b`,
    // What waits in a queue is answered by doing what it needs; a single one may just be answered.
    String.raw`\b(?:answer|clear|close|solve|finish|work off)\b[^.!?\n]{0,24}\b(?:tickets|cases|complaints|inquiries|claims|queue|backlog)\b`,
    // By the name of a ticket, or what somebody wrote: "work through OFFB-208", "do what Ann asks for in mail 5".
    String.raw`\b(?:do|handle|process|resolve|work (?:on|through)|take care of|close)\b[^.!?\n]{0,24}\b[a-z]{2,10}-\d{1,7}\b`,
    String.raw`\bdo what\b[^.!?\n]{0,60}\b(?:says?|asks?|wants?|needs?|requests?)\b`,
    // By a document, or by habit.
    String.raw`\b(?:follow(?:ing)?|per|according to|as (?:in|described in))\b[^.!?\n]{0,32}\b(?:runbook|playbook|page|procedure|policy|sop|manual|wiki|routine|workflow)\b`,
    String.raw`\b(?:the|my|our) usual\b(?! (?:place|way|time|table|seat|suspects?|address)\b)|\b(?:usual|normal|regular) (?:routine|procedure|drill)\b`,
    String.raw`\b(?:handle|sort|deal with|take care of) (?:it|this|that)\b`,
    // What was spoken of in the sentence before.
    String.raw`\b(?:tasks?|to-?dos?|requests?|assignments?|homework|chores)\b[^!?\n]{0,80}\b(?:complete|do|finish|handle|execute|take care of) (?:them|these|those)\b`,
  ].join('|'),
  'i',
);

/** Whether `text`, short or not, says yes to what the assistant offered, in a clause that does not refuse it: "OK, don't send it". */
export function consents(text: string): boolean {
  const said = text.slice(0, 512);
  for (const { 0: yes, index } of said.matchAll(CONSENT)) {
    // A yes that stands alone is taken with what follows: "OK. Don't send it."
    const behind = said
      .slice(index + yes.length)
      .split(/[.!?\n]+/)
      .find((sentence) => /\w/.test(sentence));
    const inFront = /[^.!?\n,;:]*$/.exec(said.slice(0, index))?.[0] ?? '';
    if (!refuses(inFront) && !holdsBack(behind ?? '', ACKNOWLEDGED.test(yes))) return true;
  }
  return false;
}

/** What is said as often to have heard as to agree. */
const ACKNOWLEDGED = /^\W*(?:ok|okay|right|correct|fine|perfect|great)$/i;
/** Words right behind one of these by which nothing is to be done: "right, wait". */
const HALTING = new Set('stop wait hold'.split(' '));
/** Words behind a yes by which something else is to be done: "ok, leave it alone". */
const ELSE = new Set('rather instead alone'.split(' '));
/** Behind a negation these say yes: "don't forget to send it", "no need to ask". */
const URGING = new Set('forget hesitate worry wait problem need worries'.split(' '));

/** Whether what stands behind a yes, up to a reservation ("go ahead, but …"), takes it back. */
function holdsBack(sentence: string, isAcknowledged: boolean): boolean {
  const [clause = ''] = sentence.split(/(?<=\w[^\w]{1,3})(?:but|except|only|just)\b/i, 1);
  const [first = ''] = /[a-z]+/i.exec(clause) ?? [];
  if (isAcknowledged && HALTING.has(first.toLowerCase())) return true;
  return refuses(clause, ELSE);
}

/** Whether a clause has a word of refusal, or one of `more`, that nothing behind it turns round. */
function refuses(clause: string, more?: ReadonlySet<string>): boolean {
  let refused = false;
  let before = '';
  forEachWord(withoutAccents(clause), (word) => {
    if (REFUSES.has(word) || word === 'no' || more?.has(word) === true || (word === 't' && NEGATED.has(before)))
      refused = true;
    else if (URGING.has(word)) refused = false;
    before = word;
  });
  return refused;
}

const CONSENT =
  /^\W{0,8}(?:yes|yep|yeah|yup|sure|ok|okay|please do|do it|do that|do so|proceed|confirm|confirmed|sounds good|looks good|that's right|correct|right|absolutely|definitely|of course|fine|perfect|great|agreed|approved?|continue|i confirm|i agree)\b|\b(?:go ahead|go for it|please proceed|you (?:may|can) proceed)\b/gi;

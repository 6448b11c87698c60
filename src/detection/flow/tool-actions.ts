import { memoized } from '../../lib/memo.ts';
import { wordsOf } from '../facts/tools.ts';
import { foreignActions, readsInForeign, withoutAccents } from './foreign-verbs.ts';
import type { Action } from './wanted-action.ts';

/** Verbs of tools that give something back and leave everything as it was. */
const READING = new Set(
  'get list search find read view check retrieve fetch query show lookup describe count see inspect browse estimate calculate verify summarize status history details info information monitor watch compare analyze validate preview explain display know is has trace track locate review diagnose identify determine assess evaluate detect extract recommend'.split(
    ' ',
  ),
);

/** What opens a session with a service, in which nothing was done yet. */
const SIGNING_IN = new Set('login signin logon authenticate'.split(' '));
/** What is done about an attack, with what it names. */
const DEFENDING = new Set(
  'report phishing spam abuse incident incidents quarantine block flag escalate alert'.split(' '),
);

/** Whether a tool of this name follows nobody's orders: it only reads, signs in or defends. */
export const followsNothing = memoized((name): boolean => {
  const words = wordsOf(name);
  if (isOwn(words)) return true;
  for (const word of words) if (DEFENDING.has(word)) return true;
  const verb = leadingVerb(words);
  return verb === undefined ? [...words].some((word) => SIGNING_IN.has(word)) : verb === 'reads';
});

/** What the first word of a name that says anything says: that it only reads, or what is done. */
function leadingVerb(words: ReadonlySet<string>): 'reads' | readonly Action[] | undefined {
  let readable = false;
  for (const word of words) readable ||= READABLE.has(word);
  for (const word of words) {
    if (READING.has(word) || (readable && GOING.has(word))) return 'reads';
    const acting = ACTING.get(word);
    if (acting !== undefined) return DEEDS.has(word) && tellsStateOf(word, words) ? 'reads' : acting;
  }
  return undefined;
}

/** Verbs that are as often what something is told of: `leave_balance`, `order_status`. None that moves money. */
const DEEDS = new Set('leave order issue run place book control schedule'.split(' '));
const STATES = new Set('balance balances status history availability details info overview'.split(' '));

/** Whether the name ends in what there is to know of `deed` itself: in `control_gate_status` something else stands between. */
function tellsStateOf(deed: string, words: ReadonlySet<string>): boolean {
  const [before, last] = [...words].slice(-2);
  return before === deed && last !== undefined && STATES.has(last);
}

/** Verbs that only go to what there is to read, where the name says that it is that. */
const GOING = new Set('open visit go goto click follow load navigate'.split(' '));
const READABLE = new Set(
  'page pages webpage webpages website websites web site sites url urls link links tab tabs article articles document documents doc docs pdf result results source sources'.split(
    ' ',
  ),
);

/** Verbs that make a call one that changes something, by what it changes. */
const ACTING: ReadonlyMap<string, readonly Action[]> = new Map(
  Object.entries({
    send: ['message', 'pay'],
    email: ['message'],
    mail: ['message'],
    message: ['message'],
    reply: ['message', 'publish'],
    forward: ['message'],
    notify: ['message'],
    contact: ['message'],
    share: ['share', 'publish'],
    grant: ['share'],
    invite: ['share', 'message'],
    give: ['share', 'control'],
    allow: ['share', 'secure'],
    authorize: ['share', 'secure'],
    pay: ['pay'],
    transfer: ['pay', 'change', 'message'],
    wire: ['pay'],
    withdraw: ['pay'],
    deposit: ['pay'],
    refund: ['pay'],
    issue: ['create', 'share'],
    command: ['control'],
    donate: ['pay'],
    charge: ['pay'],
    fund: ['pay'],
    buy: ['trade', 'pay'],
    sell: ['trade'],
    trade: ['trade'],
    purchase: ['trade', 'pay'],
    checkout: ['trade', 'pay'],
    order: ['trade', 'book'],
    invest: ['trade'],
    delete: ['delete'],
    remove: ['delete'],
    erase: ['delete'],
    cancel: ['delete'],
    clear: ['delete'],
    drop: ['delete'],
    leave: ['delete'],
    revoke: ['delete', 'secure'],
    unsubscribe: ['delete'],
    trash: ['delete'],
    purge: ['delete'],
    post: ['publish', 'message'],
    tweet: ['publish'],
    retweet: ['publish'],
    publish: ['publish', 'share'],
    upload: ['publish', 'create'],
    comment: ['publish'],
    update: ['change'],
    modify: ['change'],
    edit: ['change'],
    change: ['change'],
    set: ['change', 'control'],
    rename: ['change'],
    transition: ['change'],
    archive: ['change', 'delete'],
    replace: ['change', 'delete'],
    move: ['change'],
    manage: ['change', 'create', 'delete', 'share', 'book', 'control'],
    assign: ['change', 'share'],
    merge: ['change'],
    disable: ['secure', 'control'],
    enable: ['secure', 'control'],
    unlock: ['secure', 'control'],
    lock: ['secure', 'control'],
    disarm: ['secure', 'control'],
    reset: ['secure', 'change'],
    autofill: ['secure', 'share', 'create'],
    auto: ['secure', 'share', 'create'],
    create: ['create'],
    add: ['create', 'share'],
    register: ['create'],
    submit: ['create', 'publish'],
    make: ['create', 'trade', 'book', 'pay'],
    generate: ['create'],
    insert: ['create'],
    save: ['create', 'change'],
    request: ['create', 'book', 'pay'],
    write: ['create', 'change'],
    book: ['book'],
    reserve: ['book'],
    schedule: ['book', 'control'],
    reschedule: ['book', 'change'],
    place: ['trade', 'book', 'control'],
    consult: ['book', 'message'],
    dispatch: ['control', 'create'],
    redirect: ['control', 'change'],
    turn: ['control'],
    control: ['control'],
    activate: ['control', 'secure'],
    trigger: ['control', 'run'],
    open: ['control', 'create'],
    close: ['control', 'delete', 'change'],
    start: ['control', 'run'],
    stop: ['control', 'run'],
    apply: ['control', 'change'],
    go: ['control'],
    press: ['control'],
    execute: ['run'],
    run: ['run'],
    install: ['run', 'create'],
    deploy: ['run'],
    push: ['publish', 'run'],
    approve: ['change', 'pay'],
    reject: ['delete', 'change'],
    follow: ['publish', 'change'],
    unfollow: ['delete', 'change'],
    block: ['secure', 'delete', 'defend'],
    quarantine: ['secure', 'delete', 'defend'],
    isolate: ['secure', 'control', 'defend'],
  } satisfies Record<string, Action[]>),
);

const NONE: readonly Action[] = [];

/** Tools that only move the agent's own view or notes: what they press or write is nobody else's. */
const OWN_WORDS = new Set(
  'browser page playwright puppeteer todo todos plan thinking think memory scratchpad skill skills'.split(' '),
);

/** Services that keep what they are given where others read it. */
const SERVICE_WORDS = new Set(
  'github gitlab bitbucket gist gists jira confluence atlassian notion linear asana trello clickup todoist monday airtable hubspot salesforce supabase zendesk intercom drive gdrive dropbox onedrive sharepoint s3 gcs pastebin'.split(
    ' ',
  ),
);

/** Whether a name with these words says that. A page of a service is none of a browser, which only shows what is there. */
function isOwn(words: ReadonlySet<string>): boolean {
  for (const word of words) if (OWN_WORDS.has(word) && (word !== 'page' || !isOfService(words))) return true;
  return false;
}

/** Whether a tool with these words in its name works on what a service keeps. */
export function isOfService(words: ReadonlySet<string>): boolean {
  for (const word of words) if (SERVICE_WORDS.has(word)) return true;
  return false;
}

/** Whom a tool that passes the conversation on, and nothing else, passes it on to. */
const PERSON_WORDS = new Set('human humans representative supervisor operator'.split(' '));
const HANDING_OVER = new Set('transfer handoff handover hand escalate forward connect request'.split(' '));

/**
 * What a call of the tool `name` does beyond reading: by the first verb of its name. Empty where it only reads, or
 * where the name says nothing.
 */
export const actionsOfTool = memoized((name): readonly Action[] => {
  const words = wordsOf(name);
  if (handsOver(words)) return NONE;
  if (isOwn(words)) return NONE;
  const verb = leadingVerb(words);
  if (verb === 'reads') return NONE;
  if (verb !== undefined) return givesRights(name) ? RIGHTS : [...verb, ...byObject(words)];
  for (const word of words) {
    const plain = withoutAccents(word);
    const acting = foreignActions(plain);
    if (acting.length > 0) return acting;
    if (readsInForeign(plain)) return NONE;
  }
  return NONE;
});

const FILLING = new Set('add put update set create submit checkout'.split(' '));

/** What is done to something beside what its verb says: whoever wants to buy wants it put into the cart. */
function byObject(words: ReadonlySet<string>): readonly Action[] {
  if ((words.has('cart') || words.has('basket')) && [...words].some((word) => FILLING.has(word)))
    return ['trade', 'pay'];
  const makes = [...words].some((word) => MAKING.has(word));
  for (const word of words) {
    const done = BOOKED.has(word) ? BOOKING : makes ? OBJECTS.get(word) : undefined;
    if (done !== undefined) return done;
  }
  return NONE;
}

const BOOKING: readonly Action[] = ['book'];
const BOOKED = new Set('event meeting appointment invite'.split(' '));
/** What is done by making it: whoever wants to exchange something wants an exchange created. */
const OBJECTS: ReadonlyMap<string, readonly Action[]> = new Map([
  ['exchange', ['trade']],
  ['order', ['trade']],
  ['purchase', ['trade']],
  ['refund', ['pay']],
  ['payment', ['pay']],
  ['reservation', BOOKING],
  ['booking', BOOKING],
  ['visit', BOOKING],
  ['reminder', ['message', 'book']],
  ['reply', ['message']],
  ['comment', ['publish', 'message']],
]);
const MAKING = new Set('create make add submit start process register'.split(' '));

/** Who may do what is a matter of its own, whatever verb it is changed by: to add a collaborator is not to add an issue. */
const RIGHTS: readonly Action[] = ['share', 'secure'];
const RIGHTS_WORDS = new Set(
  'collaborator collaborators protection permission permissions visibility acl iam role roles'.split(' '),
);

/** Whether a tool of this name changes who may do what. */
export function givesRights(name: string): boolean {
  for (const word of wordsOf(name)) if (RIGHTS_WORDS.has(word)) return true;
  return false;
}

/** Whether a tool of this name has somebody told of what happens from now on. */
export function subscribes(name: string): boolean {
  const words = wordsOf(name);
  return words.has('webhook') || words.has('webhooks');
}

/** Whether a tool of this name keeps something that the agent is told again in later sessions. */
export const keepsForLater = memoized((name): boolean => {
  let own = false;
  let keeps = false;
  for (const word of wordsOf(name)) {
    own ||= MEMORY_WORDS.has(word);
    keeps ||= KEEPING.has(word);
  }
  return own && keeps;
});
const MEMORY_WORDS = new Set('memory memories remember preference preferences'.split(' '));
const KEEPING = new Set('save store add write update create set append remember upsert put'.split(' '));

/** Whether a tool of this name answers in a conversation that is there already. */
export const answers = memoized((name): boolean => [...wordsOf(name)].some((word) => ANSWERING.has(word)));
const ANSWERING = new Set('reply respond answer'.split(' '));

/** To leave the rest to a person is what a careful agent does, whatever a text says of it. */
function handsOver(words: ReadonlySet<string>): boolean {
  let toPerson = false;
  let handing = false;
  for (const word of words) {
    toPerson ||= PERSON_WORDS.has(word);
    handing ||= HANDING_OVER.has(word);
  }
  return toPerson && handing;
}

/** Whether the name of a tool says neither that it reads, nor what it does, nor that it is the agent's own. */
export const isUnclear = memoized((name): boolean => {
  const words = wordsOf(name);
  for (const word of words) if (READING.has(word) || ACTING.has(word)) return false;
  return !isOwn(words);
});

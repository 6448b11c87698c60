import { actionsAsked, actionsNamed, consents, delegates } from './actions.ts';
import { exactPart, type Fingerprint, fingerprint, isSpread, VALUE_SYMBOLS_MIN } from './fingerprint.ts';
import { type KeyedHash, keyedHash } from './keyed-hash.ts';
import type { FlowMatch } from './match.ts';
import {
  type FlowEffect,
  type FlowLabel,
  type FlowOrigin,
  type FlowSource,
  HOMES_MAX,
  WORDS_OF_FIELDS_MAX,
  WORDS_OF_ORDERS_MAX,
  WORDS_OF_PROSE_MAX,
  WORDS_OF_USER_MAX,
  WORDS_OFFERED_MAX,
} from './memory.ts';
import { filesOfWish } from './named-files.ts';
import { spelledTokens, wordsOfOrder } from './order-words.ts';
import { calledIn, outputLeaves } from './prose.ts';
import type { SourceFacts } from './sources.ts';
import { symbolsOf } from './symbols.ts';
import { tellingTokens } from './tokens.ts';
import type { Action } from './wanted-action.ts';
import { hashWords, NO_WORDS, type WordHashes } from './word-hashes.ts';

/** A value to remember: of a detection, or of a source that a policy labels. */
export interface SensitiveValue {
  label: FlowLabel;
  /** The kind of the detection: `secret.github_token`, `pii.iban`. */
  kind: string;
  value: string;
  /** A policy asked for it, which knows what is ordinary: for the value of a finding, or for a whole text. */
  byPolicy?: 'finding' | 'text';
  /** Hosts that it may go to: the first `HOMES_MAX` count. */
  homes?: readonly string[];
  /** Names of the file that it was read from: see `fileNames`. */
  files?: WordHashes;
}

/** Values of one event that are remembered. */
export const VALUES_MAX = 32;

/** What to remember of `values`, seen at `origin`. Values that would be met by chance are left out. */
export function remember(values: readonly SensitiveValue[], origin: FlowOrigin, key: Uint8Array): FlowEffect[] {
  const groups = new Map<string, { source: FlowSource; prints: Fingerprint[] }>();
  let valuesCount = 0;
  for (const value of values) {
    if (valuesCount >= VALUES_MAX) break;
    if (!isRememberable(value)) continue;
    const print = fingerprint(value.value, key);
    if (print === undefined) continue;
    const { label, kind, homes = [], files = NO_WORDS } = value;
    const hosts = homes.length === 0 ? {} : { homes: hashWords(homes, keyedHash(key), HOMES_MAX) };
    const name = `${label} ${kind} ${hosts.homes}`;
    const group = groups.get(name);
    if (group?.prints.some((other) => exactPart(other) === exactPart(print))) continue;
    valuesCount++;
    if (group === undefined)
      groups.set(name, {
        source: { ...origin, label, kind, ...hosts, ...(files === NO_WORDS ? {} : { files }) },
        prints: [print],
      });
    else group.prints.push(print);
  }
  return [...groups.values()].map((group) => ({ kind: 'flow.remember', ...group }));
}

/** Kinds of personal data that calls pass on as a matter of course: an address is there to be written to. */
const ORDINARY_KINDS =
  /(?:^|[._])(?:e?_?mail|email_address|phone|phone_number|person|name|url|ip|ip_address|uuid|date|location|domain)(?:$|[._])/;

/** Stand-ins that files and documents show in place of a secret. */
const PLACEHOLDER =
  /^(?:.{0,8}(?:your|example|sample|dummy|placeholder|changeme|redacted|replace|insert|todo|fixme|xxxx|\*{4,}|\.{3,}|<|\{\{|\$\{)|(?:test|fake|mock|none|null|undefined|password|passwd|secret|default|localhost)[\d_.-]{0,6}$)/i;

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Symbols below which a value of letters alone may be a word. */
const WORD_SYMBOLS_MAX = 14;
const SPREAD_MIN = 4;

/** Whether `value` is long and varied enough that meeting it again is no accident. */
export function isRememberable({ label, kind, value, byPolicy }: SensitiveValue): boolean {
  if (label !== 'secret' && byPolicy === undefined && (ORDINARY_KINDS.test(kind) || UUID.test(value))) return false;
  if (PLACEHOLDER.test(value.slice(0, 64))) return false;
  const symbols = symbolsOf(value.slice(0, 512));
  if (symbols.length < VALUE_SYMBOLS_MIN || !isSpread(symbols, SPREAD_MIN)) return false;
  if (isSequence(symbols)) return false;
  if (byPolicy === 'finding') return true;
  const digits = symbols.filter((symbol) => symbol >= 26 && symbol < 36).length;
  const mixedCase = /[a-z].{0,64}[A-Z].{0,64}[a-z]/s.test(value.slice(0, 64));
  return digits > 0 || mixedCase || symbols.length > WORD_SYMBOLS_MAX;
}

/** Whether at least half of `symbols` go up or down by one, or stay: `12345678`, `abcdef`, `aaaa1111`. */
function isSequence(symbols: Uint8Array): boolean {
  let steps = 0;
  for (let at = 1; at < symbols.length; at++) {
    if (Math.abs((symbols[at] as number) - (symbols[at - 1] as number)) <= 1) steps++;
  }
  return steps * 2 >= symbols.length - 1;
}

/** What a user's message adds: what it asks for and whom it names. `addresses`: the user's own, from the envelope. */
export function noteUserMessage(text: string, addresses: readonly string[], key: Uint8Array): FlowEffect[] {
  const named = tellingTokens(`${addresses.join(' ')}\n${text}`, WORDS_OF_USER_MAX);
  const tokens = new Set([...calledIn(text), ...named, ...spelledTokens(text)]);
  const words = hashWords(tokens, keyedHash(key), WORDS_OF_USER_MAX);
  const asked: FlowEffect = {
    kind: 'flow.words',
    from: 'user',
    words,
    actions: [...actionsAsked(text)],
    ...filesOfWish(text, key),
    ...(delegates(text) ? { delegated: true } : {}),
  };
  return consents(text) ? [{ kind: 'flow.consent' }, asked] : [asked];
}

/** What an agent's message adds: what the user would agree to by a yes. */
export function noteAgentMessage(text: string, key: Uint8Array): FlowEffect[] {
  const words = hashWords(tellingTokens(text, WORDS_OFFERED_MAX), keyedHash(key), WORDS_OFFERED_MAX);
  const { files } = filesOfWish(text, key);
  const offer: FlowEffect = { kind: 'flow.offer', words, actions: [...actionsNamed(text)] };
  return [files === undefined ? offer : { ...offer, files }];
}

/** Texts, and code units of them, of one result that are read for words. */
const TEXTS_MAX = 256;
const RESULT_CHARS_MAX = 65_536;
/** Names of things to call that are kept of one result: prose about code has many. */
const CALLS_OF_PROSE_MAX = 16;

/** What a tool's result adds: whom its fields and its prose name, what its prose speaks of, and what it is. */
export function noteToolResult(
  texts: readonly string[],
  source: SourceFacts,
  origin: FlowOrigin,
  key: Uint8Array,
): FlowEffect[] {
  const fields = new Set<string>();
  const prose = new Set<string>();
  const actions = new Set<Action>();
  const calls = new Set<string>();
  let room = RESULT_CHARS_MAX;
  for (const text of texts.slice(0, TEXTS_MAX)) {
    if (room <= 0) break;
    for (const leaf of outputLeaves(text.slice(0, room))) {
      const [into, countMax] = leaf.prose ? [prose, WORDS_OF_PROSE_MAX] : [fields, WORDS_OF_FIELDS_MAX];
      for (const token of tellingTokens(leaf.text, countMax)) if (into.size < countMax) into.add(token);
      if (!leaf.prose) continue;
      for (const action of actionsNamed(leaf.text)) actions.add(action);
      for (const called of calledIn(leaf.text)) if (calls.size < CALLS_OF_PROSE_MAX) calls.add(called);
    }
    room -= text.length;
  }
  return [
    ...seenEffects(source, actions.size > 0 || calls.size > 0, origin),
    ...wordEffects(fields, { prose: new Set([...calls, ...prose]), actions: [...actions] }, keyedHash(key)),
  ];
}

/** What a result adds that gives orders: what it names beside each. */
export function noteOrders(
  orders: readonly { text: string; start: number; end: number }[],
  key: Uint8Array,
): FlowEffect[] {
  const tokens = orders.slice(0, ORDERS_MAX).flatMap(({ text, start, end }) => [...wordsOfOrder(text, start, end)]);
  const words = hashWords(tokens, keyedHash(key), WORDS_OF_ORDERS_MAX);
  return words === NO_WORDS ? [] : [{ kind: 'flow.words', from: 'order', words, actions: [] }];
}

/** Orders of one result that are read. */
const ORDERS_MAX = 8;

function seenEffects(source: SourceFacts, prose: boolean, origin: FlowOrigin): FlowEffect[] {
  const effects: FlowEffect[] = [];
  if (source.private !== undefined) effects.push({ kind: 'flow.saw', what: 'private', origin });
  if (source.untrusted !== undefined || prose) effects.push({ kind: 'flow.saw', what: 'untrusted', origin });
  return effects;
}

function wordEffects(
  fields: ReadonlySet<string>,
  { prose, actions }: { prose: ReadonlySet<string>; actions: readonly Action[] },
  hash: KeyedHash,
): FlowEffect[] {
  const effects: FlowEffect[] = [];
  const fieldWords = hashWords(fields, hash, WORDS_OF_FIELDS_MAX);
  const proseWords = hashWords(prose, hash, WORDS_OF_PROSE_MAX);
  if (fieldWords !== NO_WORDS) effects.push({ kind: 'flow.words', from: 'field', words: fieldWords, actions: [] });
  if (proseWords !== NO_WORDS || actions.length > 0) {
    effects.push({ kind: 'flow.words', from: 'prose', words: proseWords, actions });
  }
  return effects;
}

/** What a call that was let out adds: the pieces that are now gone, so that the rest of a value is known as its rest. */
export function noteSent(matches: readonly FlowMatch[], turn: number): FlowEffect[] {
  const pieces = matches.filter(({ mask }) => mask !== 0).map(({ print, mask }) => ({ print, mask }));
  return pieces.length === 0 ? [] : [{ kind: 'flow.sent', turn, pieces }];
}

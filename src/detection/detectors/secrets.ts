import { AhoCorasick } from '../../lib/aho-corasick.ts';
import type { Allowance } from '../cuts.ts';
import type { ReadText } from '../texts/text.ts';
import type { Detection, Detector, DetectorInput } from './detector.ts';
import { assignments } from './secrets/assignments.ts';
import { AI_FORMATS } from './secrets/formats-ai.ts';
import { CLOUD_FORMATS } from './secrets/formats-cloud.ts';
import { CODE_FORMATS } from './secrets/formats-code.ts';
import { COMMERCE_FORMATS } from './secrets/formats-commerce.ts';
import { MESSAGING_FORMATS } from './secrets/formats-messaging.ts';
import { OPERATIONS_FORMATS } from './secrets/formats-operations.ts';
import { PLATFORM_FORMATS } from './secrets/formats-platforms.ts';
import { credentialsInUse } from './secrets/in-use.ts';
import { keptAccess } from './secrets/kept-access.ts';
import { keyMaterial } from './secrets/key-material.ts';
import { secretManifests } from './secrets/manifests.ts';
import { strengthOf } from './secrets/names.ts';
import { type Probe, Scan, type Seen, startsWord } from './secrets/seen.ts';
import type { TokenFormat } from './secrets/token-format.ts';
import { foreignPasswords, toldPasswords } from './secrets/told.ts';
import { judgeValue } from './secrets/value-judgement.ts';
import { wholeSecret } from './secrets/whole.ts';

/** Secrets that one event may report. More say nothing new. */
const SECRETS_MAX = 64;
/** Secrets in one text after which it is read no further: more than are reported, since some overlap. */
const SEEN_MAX = 4 * SECRETS_MAX;

/** The formats of secrets that are known by a fixed piece of text. */
export const TOKEN_FORMATS: readonly TokenFormat[] = [
  ...CLOUD_FORMATS,
  ...CODE_FORMATS,
  ...AI_FORMATS,
  ...MESSAGING_FORMATS,
  ...COMMERCE_FORMATS,
  ...OPERATIONS_FORMATS,
  ...PLATFORM_FORMATS,
];

const PROBES: readonly Probe[] = [
  ...TOKEN_FORMATS.map(probeOf),
  ...keyMaterial(),
  ...credentialsInUse(),
  ...keptAccess(),
  ...toldPasswords(),
  secretManifests(),
  assignments(),
];

/** Each mark once, with the probes that wait for it. */
const probesOfMark = new Map<string, number[]>();
for (const [index, probe] of PROBES.entries()) {
  for (const mark of new Set(probe.marks.map((mark) => mark.toLowerCase()))) {
    const probes = probesOfMark.get(mark);
    if (probes === undefined) probesOfMark.set(mark, [index]);
    else probes.push(index);
  }
}
const MARKS = [...probesOfMark.keys()];
const PROBES_OF = [...probesOfMark.values()];
const WORDS_ONLY = PROBES_OF.map((probes) => probes.every((index) => PROBES[index]?.wordsOnly === true));
const MARK_CHARS = Uint8Array.from(MARKS, (mark) => mark.length);
const room = new Int32Array(PROBES.length);
const automaton = new AhoCorasick(MARKS, { ignoreCase: true });

/**
 * Credentials in what is said, sent and returned: by the formats that vendors publish, by the notations that hold
 * passwords, and by names whose value looks generated. One automaton finds the places; each pattern looks only there.
 */
export const secrets: Detector = {
  id: 'secrets',
  version: 5,
  status: 'stable',
  title: 'Credentials: keys and tokens of vendors, private keys, passwords, and values that a name calls secret.',
  kinds: ['secret.*'],
  hasValues: true,
  falsePositives: [
    'Test and sample keys that do not say so.',
    'Hashes and identifiers under a name that ends in key, token or auth.',
    'Passwords of local databases in examples.',
  ],
  detect(input) {
    const found: Detection[] = [];
    for (const text of input.texts) {
      if (input.allowance.over('secrets')) break;
      secretsOf(text, found, input);
    }
    return found;
  },
};

function secretsOf(text: ReadText, found: Detection[], { allowance }: DetectorInput): void {
  let known: Set<string> | undefined;
  for (const reading of text.readings) {
    const seen = secretsIn(reading.text, reading.encodings.length === 0 ? text.source.key : '', allowance);
    if (seen.length === 0) continue;
    known ??= new Set();
    for (const one of seen) {
      if (found.length >= SECRETS_MAX) return allowance.cut('secrets', `count ${SECRETS_MAX}`);
      if (known.has(one.value)) continue;
      known.add(one.value);
      found.push({
        kind: `secret.${one.what}`,
        severity: one.severity,
        confidence: one.confidence,
        what: `carries ${one.title}`,
        place: text.source.place,
        ...reading.locate(one.start, one.end),
        value: one.value,
      });
    }
  }
}

/** The secrets in `text`, the value of a property called `key`, in document order. Of overlapping ones the surest. */
export function secretsIn(text: string, key: string, allowance: Allowance): Seen[] {
  const scan = new Scan(text, room);
  automaton.scan(text, (mark, end) => {
    const start = end - (MARK_CHARS[mark] as number);
    if (scan.seen.length >= SEEN_MAX || (WORDS_ONLY[mark] === true && !startsWord(text, start))) return;
    for (const index of PROBES_OF[mark] as number[]) {
      const probe = PROBES[index] as Probe;
      if (probe.wordsOnly !== true || WORDS_ONLY[mark] === true || startsWord(text, start))
        scan.ask(probe, index, start, end);
    }
  });
  foreignPasswords(scan, SEEN_MAX);
  if (scan.seen.length >= SEEN_MAX) allowance.cut('secrets', `items ${SEEN_MAX}`);
  if (scan.seen.length === 0) wholeSecret(scan);
  if (scan.seen.length === 0) namedByKey(scan, key);
  return scan.seen.length < 2 ? scan.seen : withoutOverlaps(scan.seen);
}

const NAMED_VALUE_CHARS_MAX = 256;

/** A property whose name says that its value is a secret: `{"password": "…"}` of a tool's input. */
function namedByKey(scan: Scan, key: string): void {
  const { text } = scan;
  if (key === '' || text.length > NAMED_VALUE_CHARS_MAX) return;
  const strength = strengthOf(key);
  if (strength === undefined || strength === 'weak') return;
  const confidence = judgeValue(text, strength, 'quoted');
  if (confidence === 0) return;
  const what = strength === 'password' ? 'password' : 'generic';
  const title = strength === 'password' ? 'a password' : 'a key or token';
  scan.add({ what, title, severity: 'high', confidence, start: 0, value: text });
}

function withoutOverlaps(seen: readonly Seen[]): Seen[] {
  const kept: Seen[] = [];
  for (const one of [...seen].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const before = kept.at(-1);
    if (before === undefined || one.start >= before.end) kept.push(one);
    else if (one.confidence > before.confidence) kept[kept.length - 1] = one;
  }
  return kept;
}

function probeOf(format: TokenFormat): Probe {
  const marks = format.marks;
  const bounded = /^\w/.test(marks[0] as string);
  return {
    marks,
    wordsOnly: bounded && format.lead === undefined,
    look(scan, start) {
      // A mark stands behind its lead, not behind itself: else a run of one character is walked back at each of its places.
      if (format.lead !== undefined && scan.text.charCodeAt(start - 1) === scan.text.charCodeAt(start)) return;
      const from = format.lead === undefined ? start : leadStart(scan.text, start, format.lead);
      if (bounded && format.lead !== undefined && !startsWord(scan.text, from)) return;
      format.pattern.lastIndex = from;
      const match = format.pattern.exec(scan.text);
      if (match === null) return;
      scan.skipTo(from + match[0].length);
      const value = match[1] ?? match[0];
      const confidence = format.judge(value);
      if (confidence === 0) return;
      const { what, title, severity } = format;
      scan.add({ what, title, severity, confidence, start: from + match[0].lastIndexOf(value), value });
    },
  };
}

function leadStart(text: string, at: number, { chars, charsMax }: NonNullable<TokenFormat['lead']>): number {
  const least = Math.max(0, at - charsMax);
  while (at > least && chars[text.charCodeAt(at - 1)] === 1) at--;
  return at;
}

import type { Allowance } from '../cuts.ts';
import type { ReadText } from '../texts/text.ts';
import type { Detection, Detector, DetectorInput } from './detector.ts';
import { documentsIn } from './pii/mrz.ts';
import { type SeenPii, Walk } from './pii/walk.ts';

/** Personal data that one event may report. More say nothing new. */
const PII_MAX = 64;

/**
 * Personal data that can be told by its form: numbers with check digits, by their shape and their check, and where the
 * shape says little, by the words near it. Names of people and places are out of its reach.
 */
export const pii: Detector = {
  id: 'pii',
  version: 4,
  status: 'stable',
  title:
    'Personal data: payment cards, bank accounts, national numbers, telephone numbers, addresses of mail and network.',
  kinds: ['pii.*'],
  hasValues: true,
  falsePositives: [
    'Other numbers that happen to have the right check digit: about one in ten of the same length.',
    'Numbers in tests and manuals.',
    'Version numbers of four parts, as IP addresses.',
  ],
  detect(input) {
    const found: Detection[] = [];
    for (const text of input.texts) {
      if (input.allowance.over('pii')) break;
      piiOf(text, found, input);
    }
    return found;
  },
};

function piiOf(text: ReadText, found: Detection[], { allowance }: DetectorInput): void {
  let known: Set<string> | undefined;
  for (const reading of text.readings) {
    const seen = piiIn(reading.text, reading.encodings.length === 0 ? text.source.key : '', allowance);
    if (seen.length === 0) continue;
    known ??= new Set();
    for (const one of seen) {
      const value = reading.text.slice(one.start, one.end);
      if (known.has(value)) continue;
      if (found.length >= PII_MAX) return allowance.cut('pii', `count ${PII_MAX}`);
      known.add(value);
      found.push({
        kind: `pii.${one.what}`,
        severity: one.severity,
        confidence: one.confidence,
        what: `carries ${one.title}`,
        place: text.source.place,
        ...reading.locate(one.start, one.end),
        value,
      });
    }
  }
}

const HOLDS_ANY = /[0-9@]/;
const NOTHING: readonly SeenPii[] = [];

/** The personal data in `text`, the value of a property called `key`: identity documents, then the rest in document order. */
export function piiIn(text: string, key: string, allowance: Allowance): readonly SeenPii[] {
  if (!HOLDS_ANY.test(text)) return NOTHING;
  const documents = documentsIn(text);
  const seen = new Walk(text, key, allowance).seen();
  return documents.length === 0 ? seen : [...documents, ...seen];
}

import { NO_HIDDEN } from '../texts/fold.ts';
import { hiddenRuns } from '../texts/hidden-chars.ts';
import type { HiddenCounts, ReadText } from '../texts/text.ts';
import type { Detection, Detector } from './detector.ts';
import { reorderedText } from './hidden-unicode/bidi.ts';
import { lookAlikes, styledLetters } from './hidden-unicode/disguised-letters.ts';
import { encodedMessages } from './hidden-unicode/encoded-message.ts';
import { invisibleText } from './hidden-unicode/invisible.ts';
import type { Sighting } from './hidden-unicode/sighting.ts';
import { terminalControls } from './hidden-unicode/terminal-controls.ts';

/** Runs of invisible characters in one text that are looked at; a text with more has long been told. */
const RUNS_MAX = 1_024;

/**
 * Text that says something else to a program or a model than to who looks at it (Unicode UTS #39 and UTR #36). Ordinary
 * writing of any script, emoji and flags are none of it.
 */
export const hiddenUnicode: Detector = {
  id: 'unicode',
  version: 1,
  status: 'stable',
  title: 'Finds text that is hidden from readers, reordered, or disguised as other text by Unicode characters.',
  kinds: ['unicode.*'],
  falsePositives: [
    'words copied from pages that let long ones break by zero-width spaces (low)',
    'names in bold mathematical letters, as in social media (medium)',
    'tables of confusable characters, and tests of software that handles them',
  ],
  detect({ texts, allowance }) {
    const found: Detection[] = [];
    for (const read of texts) {
      if (read.readings.length > 1)
        found.push(...encodedMessages(read).map((one) => ({ place: read.source.place, ...one })));
      // The counts of a plain text are all the same object: most texts end here.
      if (read.hidden === NO_HIDDEN) continue;
      if (allowance.over('unicode')) break;
      const { place } = read.source;
      for (const sighting of sightings(read)) found.push({ place, ...sighting });
    }
    return found;
  },
};

function sightings({ source, hidden, readings }: ReadText): Sighting[] {
  const { text } = source;
  const isExact = source.source === 'tool_input' ? EXACT_KEYS.has(source.key) : source.key === 'name';
  const found: Sighting[] = [];
  if (hasInvisible(hidden)) {
    const runs = hiddenRuns(text, RUNS_MAX);
    found.push(...invisibleText(text, runs, isExact));
    if (hidden.bidi > 0) found.push(...reorderedText(text, runs));
    if (hidden.control > 0) found.push(...terminalControls(text, runs, source.source));
  }
  if (LOOK_ALIKE_BLOCKS.test(text)) found.push(...lookAlikes(text, isExact));
  if (readings[0]?.text !== text) found.push(...styledLetters(text));
  return found;
}

function hasInvisible({ zeroWidth, bidi, tag, variationSelector, control }: HiddenCounts): boolean {
  return zeroWidth + bidi + tag + variationSelector + control > 0;
}

/** Greek, Cyrillic, Armenian, Cherokee, Coptic, Lisu. */
const LOOK_ALIKE_BLOCKS = /[\u0370-\u058f\u13a0-\u13ff\u2c80-\u2cff\ua4d0-\ua4ff]/;

/** Properties whose value is compared or run letter by letter, so that one disguised letter is enough. */
const EXACT_KEYS: ReadonlySet<string> = new Set(
  (
    'command cmd commands script shell path filepath file filename directory cwd url uri href link host hostname domain ' +
    'server address to cc bcc recipient recipients email branch repo repository package packages name toolname user ' +
    'username account'
  ).split(' '),
);

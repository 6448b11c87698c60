import type { Place } from '../../src/detection/facts/input.ts';
import { normalizeKey } from '../../src/detection/facts/input.ts';
import type { HiddenCounts, ReadText, TextSource } from '../../src/detection/texts/text.ts';

const NOTHING_HIDDEN: HiddenCounts = {
  zeroWidth: 0,
  bidi: 0,
  tag: 0,
  variationSelector: 0,
  homoglyph: 0,
  control: 0,
};

/** `text` with the one reading of it as it stands, as the value of a property called `name`. */
export function plainText(text: string, source: TextSource = 'tool_output', name = 'text'): ReadText {
  const place: Place = { name, parent: undefined };
  return {
    source: { place, key: normalizeKey(name), text, source },
    readings: [{ text, encodings: [], locate: (start, end) => ({ start, end }) }],
    hidden: NOTHING_HIDDEN,
  };
}

import type { HiddenCounts, ReadText } from '../texts/text.ts';
import type { PolicyInput } from './facts-surface.ts';
import { POLICY_LIMITS } from './limits.ts';

/** Readings that policies see, and UTF-16 code units of all of them together. */
const READINGS_MAX = 256;
const READINGS_CHARS_MAX = 262_144;

/** The texts of an event, as policies see them. */
export function textFacts(texts: readonly ReadText[]): PolicyInput['text'] {
  const total = (name: keyof HiddenCounts): number => texts.reduce((sum, { hidden }) => sum + hidden[name], 0);
  const hidden = {
    zeroWidth: total('zeroWidth'),
    bidi: total('bidi'),
    tag: total('tag'),
    variationSelector: total('variationSelector'),
    homoglyph: total('homoglyph'),
    control: total('control'),
  };
  let readings: readonly string[] | undefined;
  return {
    length: texts.reduce((sum, { source }) => sum + source.text.length, 0),
    get readings() {
      readings ??= readingsOf(texts);
      return readings;
    },
    encodings: [...new Set(texts.flatMap((text) => text.readings.flatMap(({ encodings }) => encodings)))],
    hidden: Object.values(hidden).reduce((sum, count) => sum + count, 0),
    ...hidden,
  };
}

function readingsOf(texts: readonly ReadText[]): string[] {
  const found: string[] = [];
  let charsLeft = READINGS_CHARS_MAX;
  for (const { text } of texts.flatMap(({ readings }) => readings)) {
    if (found.length >= READINGS_MAX || charsLeft <= 0) break;
    const cut = text.slice(0, Math.min(POLICY_LIMITS.matchCharsMax, charsLeft));
    found.push(cut);
    charsLeft -= cut.length;
  }
  return found;
}

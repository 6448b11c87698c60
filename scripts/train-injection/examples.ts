import { unlimited } from '../../src/detection/budget.ts';
import { Allowance } from '../../src/detection/cuts.ts';
import { Features } from '../../src/detection/detectors/injection/features.ts';
import { hiddenRangesOf, isHidden } from '../../src/detection/detectors/injection/hidden-ranges.ts';
import { pieceSigns } from '../../src/detection/detectors/injection/piece-signs.ts';
import { piecesOf } from '../../src/detection/detectors/injection/pieces.ts';
import { saysNothing } from '../../src/detection/detectors/injection/scorer.ts';
import { Tokens } from '../../src/detection/detectors/injection/tokens.ts';
import { FULL_LIMITS } from '../../src/detection/limits.ts';
import { readText } from '../../src/detection/texts/read-text.ts';
import type { Sample } from './sample.ts';

/** One segment as what the scorer sees of it. */
export interface Piece {
  start: number;
  buckets: Uint32Array;
  /** Bits of `SIGN`. */
  signs: number;
  /** It is too short for the detector to score it. */
  saysNothing: boolean;
  /** 1 attack, 0 harmless, -1 part of an attack text of which it is not known which part attacks. */
  label: -1 | 0 | 1;
  /** The same for pieces that are alike in every feature. */
  key: number;
}

export interface Example {
  sample: Sample;
  pieces: Piece[];
}

const SEGMENTS_MAX = 400;
const SOURCES = { user: 'user', output: 'tool_output', description: 'tool_description' } as const;
const tokens = new Tokens();
const features = new Features();

/** `sample` cut into pieces, each with its features; of every reading that the pipeline would make of it. */
export function exampleOf(sample: Sample): Example {
  const { text, head } = sample;
  const source = SOURCES[head];
  const place = { name: 'text', parent: undefined };
  const { readings } = readText({ place, key: 'text', text, source }, FULL_LIMITS, new Allowance(unlimited));
  const pieces = readings.flatMap((reading, index) =>
    index > 0 && sample.hot !== undefined ? [] : trainingPieces(reading.text, sample),
  );
  return { sample, pieces };
}

function trainingPieces(text: string, { hot, label }: Sample): Piece[] {
  const from = hot === undefined ? -1 : text.indexOf(hot);
  const to = from + (hot?.length ?? 0);
  const hidden = hiddenRangesOf(text);
  return piecesOf(text, SEGMENTS_MAX, () => {}).map(({ start, end }): Piece => {
    tokens.read(text, start, end);
    const signs = pieceSigns(tokens, text, start, end, isHidden(hidden, start, end));
    features.read(tokens, text, start, end);
    const buckets = features.bucket.slice(0, features.count);
    const overlap = Math.min(end, to) - Math.max(start, from);
    const isHot = overlap >= 24 || overlap >= (to - from) * 0.6;
    return {
      start,
      buckets,
      signs,
      saysNothing: saysNothing(tokens, signs),
      label: label === 0 ? 0 : hot === undefined ? -1 : isHot ? 1 : 0,
      key: keyOf(buckets) ^ signs,
    };
  });
}

function keyOf(buckets: Uint32Array): number {
  let key = buckets.length;
  for (const bucket of buckets) key = Math.imul(key ^ bucket, 0x01000193);
  return key;
}

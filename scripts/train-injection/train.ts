import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SCORE_UNIT } from '../../src/detection/detectors/injection/scorer.ts';
import { SIGN } from '../../src/detection/detectors/injection/signs.ts';
import { corpusSamples, packageSamples } from './corpus.ts';
import { type Calibration, calibrate, heldOutScores, type Row, rowsOf, shareAbove } from './evaluate.ts';
import { exampleOf } from './examples.ts';
import { generated } from './generate.ts';
import { type Model, quantized, train } from './model.ts';
import type { Sample } from './sample.ts';
import { writtenSamples } from './written.ts';

/**
 * Learns the weights of the injection scorer and writes them to `weights.ts`. Deterministic: the same corpus, installed
 * packages and seed give the same file. Prints what models that have not seen a source make of it. With `--head user` (or another) it
 * learns that one alone, and leaves the others as they stand.
 */
const { values: options } = parseArgs({
  options: {
    corpus: { type: 'string' },
    modules: { type: 'string', default: 'node_modules' },
    seed: { type: 'string', default: '7' },
    head: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  },
});
if (options.corpus === undefined) throw new Error('say where the corpus is: --corpus DIR');

/**
 * Logits from which a text is flagged, and is as good as certain: the lowest at which sources that were only looked at, and
 * never learned from, stay near the stated shares of false alarms (docs/models/injection-scorer.md). Held-out folds say
 * little of that, since a fold takes away half of the templates that teach what is harmless.
 */
const THRESHOLDS = {
  user: { flagged: 2.3125, sure: 4.59375 },
  output: { flagged: 2.96875, sure: 5.25 },
  description: { flagged: 1.9375, sure: 4 },
} as const;

const HEADS = ['user', 'output', 'description'] as const;
const PERMILLE_FROM = -8;
const PERMILLE_COUNT = 161;

const WEIGHTS_FILE = fileURLToPath(new URL('../../src/detection/detectors/injection/weights.ts', import.meta.url));

const known: readonly string[] = HEADS;
if (options.head !== undefined && !known.includes(options.head))
  throw new Error(`--head is one of ${HEADS.join(', ')}`);
const seed = Number(options.seed);
const samples: Sample[] = [
  ...corpusSamples(options.corpus),
  ...packageSamples(options.modules),
  ...generated(seed),
  ...writtenSamples(),
];
const examples = samples.map(exampleOf);
const parts = HEADS.map((head) => {
  if (options.head !== undefined && options.head !== head) return standing(head);
  const mine = examples.filter(({ sample }) => sample.head === head);
  const rows = rowsOf(heldOutScores(mine, seed));
  const { flagged, sure } = THRESHOLDS[head];
  const calibration = calibrate(rows);
  print(head, rows, { flagged, sure });
  return `  ${head}: ${literal(train(mine, seed), calibration, { flagged, sure })},`;
});
if (!options['dry-run']) {
  writeFileSync(
    WEIGHTS_FILE,
    `${preamble()}\nexport const HEADS: Readonly<Record<HeadName, HeadWeights>> = {\n${parts.join('\n')}\n};\n`,
  );
}

/** The head as it is in the file. */
function standing(head: string): string {
  const written = new RegExp(`^  ${head}: \\{$[^]*?^  \\},$`, 'm').exec(readFileSync(WEIGHTS_FILE, 'utf8'));
  if (written === null) throw new Error(`there is no ${head} in ${WEIGHTS_FILE}: learn all of them`);
  return written[0];
}

interface Thresholds {
  flagged: number;
  sure: number;
}

function print(head: string, rows: readonly Row[], { flagged, sure }: Thresholds): void {
  console.log(`\n${head}: flagged from ${flagged.toFixed(2)}, sure from ${sure.toFixed(2)} (logits)\n`);
  console.log(`| source, held out | texts | flagged | sure |\n|---|---:|---:|---:|`);
  for (const { source, label, hard, scores } of rows) {
    const what = `${label === 1 ? 'attack' : 'harmless'}${hard ? ', hard' : ''}: ${source}`;
    const percent = (threshold: number): string => `${(100 * shareAbove(scores, threshold)).toFixed(1)} %`;
    console.log(`| ${what} | ${scores.length} | ${percent(flagged)} | ${percent(sure)} |`);
  }
}

/** One head as TypeScript. */
function literal(model: Model, { slope, offset }: Calibration, { flagged, sure }: Thresholds): string {
  const { steps, step } = quantized(model);
  const bytes = Buffer.from(steps.buffer);
  const units = (logits: number): number => Math.round(logits * SCORE_UNIT);
  const permille = Array.from({ length: PERMILLE_COUNT }, (_, index) =>
    Math.round(1000 / (1 + Math.exp(-(slope * (PERMILLE_FROM + index / 8) + offset)))),
  );
  return `{
    step: ${(step * SCORE_UNIT).toPrecision(8)},
    bias: ${units(model.bias)},
    flagged: ${units(flagged)},
    sure: ${units(sure)},
    // ${Object.keys(SIGN).join(', ')}
    signs: [${[...model.signs].map(units).join(', ')}],
    permille: [${permille.join(', ')}],
    weights:
      '${bytes.toString('base64')}',
  }`;
}

function preamble(): string {
  return `// Written by scripts/train-injection/train.ts: do not edit. See docs/models/injection-scorer.md.

/** For what users say, for what tools give back, and for how tools describe themselves. */
export type HeadName = 'user' | 'output' | 'description';

export interface HeadWeights {
  /** What one step of a weight is, in 1/256 of a logit; and the rest in that unit. */
  step: number;
  bias: number;
  /** Scores from which a text is flagged, and from which it is as good as certain. */
  flagged: number;
  sure: number;
  /** Weights of the signs, by bit. */
  signs: readonly number[];
  /** Probability of an attack in thousandths, at each eighth of a logit from -8. */
  permille: readonly number[];
  /** One signed byte for each bucket, in base64. */
  weights: string;
}
`;
}

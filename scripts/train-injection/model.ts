import { ChanceAllowance } from '../../src/detection/detectors/injection/chance.ts';
import { BUCKETS } from '../../src/detection/detectors/injection/features.ts';
import { RestOfText, SCORE_UNIT, SMOOTHING } from '../../src/detection/detectors/injection/scorer.ts';
import { SIGN_BITS } from '../../src/detection/detectors/injection/signs.ts';
import type { Example, Piece } from './examples.ts';
import { randomOf } from './random.ts';

/** What rows that are used a second time, as something else, count. */
const ALSO_WEIGHT = 1;
/** Passes over the examples, in the rounds that only guess and in the last one: what is known should be found again. */
const EPOCHS_FIRST = 6;
const EPOCHS = 30;
/** The last of them, over which the weights are averaged. */
const AVERAGED = 3;
const RATE = 0.6;
/** Features that are left out each time a piece is seen, so that no word alone decides. */
const DROPPED = 0.6;
const SIGN_RATE = 0.1;
const DECAY = 1e-4;
/** Rounds in which it is guessed anew which part of an attack text attacks. */
const ROUNDS = 3;
/** Models of the last round, each with another order and other features left out: their mean is steadier than any. */
const BAGS = 3;

interface Item {
  piece: Piece;
  label: 0 | 1;
  weight: number;
}

export interface Model {
  weights: Float64Array;
  /** Of each sign. */
  signs: Float64Array;
  bias: number;
}

/**
 * Logistic regression on the pieces of `examples`. Of an attack text only some piece attacks: all are taken for it
 * first, then those that the last model finds worst.
 */
export function train(examples: readonly Example[], seed: number): Model {
  let model: Model | undefined;
  for (let round = 0; round < ROUNDS - 1; round++) model = fit(itemsOf(examples, model), seed + round, EPOCHS_FIRST);
  const mean: Model = { weights: new Float64Array(BUCKETS), signs: new Float64Array(SIGN_BITS), bias: 0 };
  const items = itemsOf(examples, model);
  for (let bag = 0; bag < BAGS; bag++) addTo(mean, fit(items, seed + ROUNDS + bag, EPOCHS), 1 / BAGS);
  return mean;
}

/** How far a piece of an attack text may be from its worst to count as attacking too. */
const MARGIN = 1.5;

function itemsOf(examples: readonly Example[], model: Model | undefined): Item[] {
  const bySource = new Map<string, Map<number, Item>>();
  for (const { sample, pieces } of examples) {
    const scores = model === undefined ? [] : pieces.map((piece) => logit(model, piece));
    const worst = scores.length === 0 ? 0 : Math.max(...scores);
    const source = `${sample.source} ${sample.label} ${sample.hard === true}`;
    const items = bySource.get(source) ?? new Map<number, Item>();
    bySource.set(source, items);
    for (const [index, piece] of pieces.entries()) {
      if (
        piece.label === -1 &&
        model !== undefined &&
        (scores[index] as number) < Math.min(worst, 4) - MARGIN &&
        worst !== scores[index]
      )
        continue;
      const label = piece.label === 0 ? 0 : 1;
      // In the first round the parts of a long text share what one text counts.
      const weight = piece.label === -1 && model === undefined ? 1 / Math.sqrt(pieces.length) : 1;
      items.set(piece.key, { piece, label, weight: weight * (sample.weak === true ? 0.3 : 1) });
    }
  }
  // Each source counts by the root of what is different in it, so that a large one does not drown the others.
  const all: Item[] = [];
  const total = { 0: 0, 1: 0 };
  for (const [source, items] of bySource) {
    const sum = [...items.values()].reduce((so, item) => so + item.weight, 0);
    for (const item of items.values()) {
      item.weight /= sum ** 0.5 / (source.includes(' as ') ? ALSO_WEIGHT : 1);
      total[item.label] += item.weight;
      all.push(item);
    }
  }
  const mean = (total[0] + total[1]) / 2;
  for (const item of all) item.weight *= (mean / total[item.label]) * (all.length / (2 * mean));
  return all;
}

function fit(items: Item[], seed: number, epochs: number): Model {
  const weights = new Float64Array(BUCKETS);
  const squares = new Float64Array(BUCKETS).fill(1);
  const signWeights = new Float64Array(SIGN_BITS);
  const model: Model = { weights, signs: signWeights, bias: 0 };
  const random = randomOf(seed);
  const kept: number[] = [];
  const sums: Model = { weights: new Float64Array(BUCKETS), signs: new Float64Array(SIGN_BITS), bias: 0 };
  for (let epoch = 0; epoch < epochs; epoch++) {
    random.shuffle(items);
    for (const { piece, label, weight } of items) {
      const { buckets } = piece;
      kept.length = 0;
      for (const bucket of buckets) if (random.next() >= DROPPED) kept.push(bucket);
      const scale = scaleOf(buckets.length) / (1 - DROPPED);
      let sum = 0;
      for (const bucket of kept) sum += weights[bucket] as number;
      const error =
        (1 / (1 + Math.exp(-(sum * scale + model.bias + signed(model, piece.signs)))) - label) * Math.min(weight, 8);
      for (const bucket of kept) {
        const gradient = error * scale + DECAY * (weights[bucket] as number);
        squares[bucket] = (squares[bucket] as number) + gradient * gradient;
        weights[bucket] = (weights[bucket] as number) - (RATE * gradient) / Math.sqrt(squares[bucket] ?? 1);
      }
      model.bias -= 0.002 * error;
      for (let bit = 0; bit < SIGN_BITS; bit++) {
        if ((piece.signs & (1 << bit)) !== 0) signWeights[bit] = (signWeights[bit] as number) - SIGN_RATE * error;
      }
    }
    // The mean over the last passes: a single one depends on its order.
    if (epoch >= epochs - AVERAGED) addTo(sums, model, 1 / AVERAGED);
  }
  return sums;
}

/** Adds `part` of `model` to `sums`. */
function addTo(sums: Model, model: Model, part: number): void {
  for (const [index, weight] of model.weights.entries())
    sums.weights[index] = (sums.weights[index] as number) + weight * part;
  for (const [bit, weight] of model.signs.entries()) sums.signs[bit] = (sums.signs[bit] as number) + weight * part;
  sums.bias += model.bias * part;
}

/** The share of weights that may be cut off at the largest step: a few are far larger than all others. */
const CLIPPED = 0.0005;
const STEPS = 127;

/** `model` with its weights as whole steps of eight bits, and what a step is. */
export function quantized(model: Model): { steps: Int8Array; step: number } {
  const sizes = model.weights.map(Math.abs).sort();
  const step = (sizes[Math.floor(sizes.length * (1 - CLIPPED))] as number) / STEPS;
  const steps = Int8Array.from(model.weights, (weight) => Math.max(-STEPS, Math.min(STEPS, Math.round(weight / step))));
  return { steps, step };
}

/** `model` as it is once it was quantized. */
export function coarse(model: Model): Model {
  const { steps, step } = quantized(model);
  return { ...model, weights: Float64Array.from(steps, (count) => count * step) };
}

/** What a sum over `count` features is multiplied by: long segments have more of them. */
export function scaleOf(count: number): number {
  return 1 / Math.sqrt(count + SMOOTHING);
}

export function logit(model: Model, { buckets, signs }: Piece): number {
  let sum = 0;
  for (const bucket of buckets) sum += model.weights[bucket] as number;
  return sum * scaleOf(buckets.length) + model.bias + signed(model, signs);
}

function signed(model: Model, signs: number): number {
  let sum = 0;
  for (let bit = 0; bit < SIGN_BITS; bit++) if ((signs & (1 << bit)) !== 0) sum += model.signs[bit] as number;
  return sum;
}

/** The score of a text, as the detector sums it up, in logits. */
export function scoreOf(model: Model, { sample, pieces }: Example): number {
  const { head } = sample;
  const rest = new RestOfText();
  const scored = pieces
    .filter(({ saysNothing }) => !saysNothing)
    .map((piece) => ({ start: piece.start, signs: piece.signs, score: Math.round(logit(model, piece) * SCORE_UNIT) }));
  const chance = new ChanceAllowance(head, pieces.length, scored);
  let worst = { own: LOGIT_MIN * SCORE_UNIT, score: LOGIT_MIN * SCORE_UNIT };
  for (const piece of scored) {
    rest.add(piece.score);
    const score = piece.score - chance.of(piece);
    if (score > worst.score) worst = { own: piece.score, score };
  }
  return (worst.score + rest.besides(head, worst.own)) / SCORE_UNIT;
}

/** Of a text that says nothing. */
const LOGIT_MIN = -20;

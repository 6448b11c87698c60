import type { Example } from './examples.ts';
import { coarse, scoreOf, train } from './model.ts';
import type { Sample } from './sample.ts';

/**
 * Sources by the fold in which they are held out; those that share wording or maker are held out together. Templates of
 * our own are held out too, each line in one fold.
 */
const FOLDS: readonly (readonly string[])[] = [
  ['injecagent', 'user_bfcl', 'readme_a', 'code_a', 'types_a'],
  ['bipia', 'user_agentbench', 'user_sql_eval', 'shell'],
  ['purplellama', 'user_self_instruct', 'toolemu', 'garak_ctx'],
  ['agt', 'user_frr', 'tldr', 'pii'],
  ['jailbreak', 'secrets', 'tool_defs'],
  ['garak_prompts', 'injecagent_clean', 'readme_b', 'code_b', 'types_b'],
];

export interface Scored {
  sample: Sample;
  score: number;
}

/** The score of each example by a model that has seen nothing of its source. */
export function heldOutScores(examples: readonly Example[], seed: number): Scored[] {
  const scored: Scored[] = [];
  for (let fold = 0; fold < FOLDS.length; fold++) {
    const heldOut = examples.filter(({ sample }) => foldOf(sample) === fold);
    if (heldOut.length === 0) continue;
    const known = phrasesOf(heldOut);
    const seen = examples.filter(({ sample }) => foldOf(sample) !== fold && !repeats(sample, known));
    const model = coarse(train(seen, seed));
    for (const example of heldOut) scored.push({ sample: example.sample, score: scoreOf(model, example) });
  }
  return scored;
}

/** Words in a row by which a text of ours is taken to repeat one that is held out. */
const PHRASE_WORDS = 5;

/** Every run of words in held-out texts that are not ours. */
function phrasesOf(heldOut: readonly Example[]): ReadonlySet<string> {
  const phrases = new Set<string>();
  for (const { sample } of heldOut) {
    if (!sample.group.startsWith('made_')) for (const phrase of phrasesIn(sample.text)) phrases.add(phrase);
  }
  return phrases;
}

/** Our templates were written by people who had read the corpus: what repeats its wording is no unseen model's to learn. */
function repeats({ group, text, hot }: Sample, known: ReadonlySet<string>): boolean {
  return group.startsWith('made_') && phrasesIn(hot ?? text).some((phrase) => known.has(phrase));
}

function phrasesIn(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}']+/gu) ?? [];
  return words.slice(PHRASE_WORDS - 1).map((_, index) => words.slice(index, index + PHRASE_WORDS).join(' '));
}

function foldOf({ group, template }: Sample): number {
  const fold = FOLDS.findIndex((groups) => groups.includes(group));
  if (fold >= 0) return fold;
  if (!group.startsWith('made_')) throw new Error(`source in no fold: ${group}`);
  let hash = 7;
  for (const char of template) hash = Math.imul(hash ^ (char.codePointAt(0) as number), 0x01000193);
  return (hash >>> 3) % FOLDS.length;
}

export interface Row {
  source: string;
  label: 0 | 1;
  hard: boolean;
  scores: number[];
}

/** The scores by source, without those whose label is weak. */
export function rowsOf(scored: readonly Scored[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { sample, score } of scored) {
    if (sample.weak === true) continue;
    const key = `${sample.label} ${sample.source} ${sample.hard === true}`;
    const row = rows.get(key) ?? { source: sample.source, label: sample.label, hard: sample.hard === true, scores: [] };
    rows.set(key, row);
    row.scores.push(score);
  }
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

export function shareAbove(scores: readonly number[], threshold: number): number {
  return scores.filter((score) => score >= threshold).length / scores.length;
}

export interface Calibration {
  slope: number;
  offset: number;
}

/** Platt's scaling on held-out scores, each source counting the same and both labels half: P(attack) by the score. */
export function calibrate(rows: readonly Row[]): Calibration {
  let slope = 1;
  let offset = 0;
  const counts = { 0: rows.filter((row) => row.label === 0).length, 1: rows.filter((row) => row.label === 1).length };
  for (let round = 0; round < 4_000; round++) {
    let slopeGradient = 0;
    let offsetGradient = 0;
    for (const { label, scores } of rows) {
      for (const score of scores) {
        const clipped = Math.max(-12, Math.min(12, score));
        const error = (1 / (1 + Math.exp(-(slope * clipped + offset))) - label) / (scores.length * counts[label]);
        slopeGradient += error * clipped;
        offsetGradient += error;
      }
    }
    slope -= 0.1 * slopeGradient;
    offset -= 0.3 * offsetGradient;
  }
  return { slope, offset };
}

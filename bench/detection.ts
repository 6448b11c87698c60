import { createReadStream, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OFFLINE_FILE } from '../src/bundles.ts';
import { columns } from '../src/cli/demo/columns.ts';
import { offlineStart } from '../src/cli/inspect.ts';
import { linesOf } from '../src/cli/json-lines.ts';
import { inspectOffline } from '../src/inspection/offline.ts';
import { type InspectedEvent, isFlagged, type LabelledRow, templateOf } from './support/labelled-row.ts';
import { describeMachine } from './support/machine.ts';
import { progress } from './support/report.ts';

/**
 * How much does the built-in policy set find, and how often is it wrong? Runs every file of a labelled corpus through
 * `gatehouse inspect`'s own code. Rates are over distinct templates, since rows of one source are near-copies of each
 * other, with Wilson's 95 % interval.
 */

const USAGE = 'usage: npm run bench:detection -- --corpus DIR [--policies DIR] [--only TEXT] [--misses N]';

/** How often rows of one label were flagged, by template. */
class Rate {
  readonly #templates = new Map<string, { rows: number; flagged: number }>();
  rows = 0;

  add(template: string, flagged: boolean): void {
    this.rows++;
    const known = this.#templates.get(template) ?? { rows: 0, flagged: 0 };
    known.rows++;
    if (flagged) known.flagged++;
    this.#templates.set(template, known);
  }

  get templates(): number {
    return this.#templates.size;
  }

  /** Mean over templates of the share of their rows. */
  get share(): number {
    let sum = 0;
    for (const { rows, flagged } of this.#templates.values()) sum += flagged / rows;
    return sum / Math.max(1, this.#templates.size);
  }

  toString(): string {
    if (this.rows === 0) return '';
    const [low, high] = wilson(this.share, this.templates);
    return `${percent(this.share)} (${percent(low)}–${percent(high)})`;
  }
}

/** Wilson's score interval at 95 %: E. B. Wilson, J. Amer. Statist. Assoc. 22 (1927) 209. */
function wilson(share: number, count: number): [low: number, high: number] {
  const z = 1.959964;
  const middle = share + (z * z) / (2 * count);
  const spread = z * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count));
  const scale = 1 + (z * z) / count;
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

interface Outcome {
  file: string;
  category: string;
  attacks: Rate;
  benign: Rate;
  hard: Rate;
  misses: string[];
}

async function measure(file: string, path: string, policies: string | undefined): Promise<Outcome[]> {
  const rows: LabelledRow[] = [];
  async function* lines(): AsyncGenerator<string> {
    for await (const line of linesOf(createReadStream(path))) {
      if (line === '') continue;
      rows.push(JSON.parse(line) as LabelledRow);
      yield line;
    }
  }
  const outcomes = new Map<string, Outcome>();
  let at = 0;
  const options = { file: OFFLINE_FILE, threads: availableParallelism(), start: offlineStart(policies) };
  for await (const { lines: results } of inspectOffline(lines(), options)) {
    for (const result of results) {
      const row = rows[at++] as LabelledRow;
      if (row.weak_label) continue;
      const { events = [] } = JSON.parse(result) as { events?: InspectedEvent[] };
      const outcome = outcomes.get(row.category) ?? newOutcome(file, row.category);
      outcomes.set(row.category, outcome);
      count(outcome, row, isFlagged(row, events));
    }
  }
  return [...outcomes.values()];
}

function newOutcome(file: string, category: string): Outcome {
  return { file, category, attacks: new Rate(), benign: new Rate(), hard: new Rate(), misses: [] };
}

function count(outcome: Outcome, row: LabelledRow, flagged: boolean): void {
  const template = templateOf(row);
  // What an attack did that did not succeed tells nothing of whether its harmful call would have been stopped.
  if (row.label === 'attack' && row.outcome !== undefined && row.outcome !== 'attack_succeeded') return;
  const rate = row.label === 'attack' ? outcome.attacks : row.hard ? outcome.hard : outcome.benign;
  rate.add(template, flagged);
  if (flagged !== (row.label === 'attack')) outcome.misses.push(row.id);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      corpus: { type: 'string' },
      policies: { type: 'string' },
      only: { type: 'string' },
      misses: { type: 'string' },
    },
  });
  if (values.corpus === undefined) throw new Error(USAGE);
  const files = readdirSync(values.corpus).filter((name) => name.endsWith('.jsonl.gz'));
  const outcomes: Outcome[] = [];
  for (const file of files.filter((name) => name.includes(values.only ?? ''))) {
    progress(file);
    outcomes.push(...(await measure(file.replace('.jsonl.gz', ''), join(values.corpus, file), values.policies)));
  }
  process.stdout.write(`${describeMachine().join('\n')}\n\n${tableOf(outcomes)}\n\n${meansOf(outcomes)}\n`);
  for (const { file, misses } of outcomes) {
    for (const id of misses.slice(0, Number(values.misses ?? 0))) process.stdout.write(`${file}  ${id}\n`);
  }
}

function tableOf(outcomes: readonly Outcome[]): string {
  const head = ['file', 'category', 'rows', 'templates', 'recall', 'false positives', 'of look-alikes'];
  const rows = outcomes.map(({ file, category, attacks, benign, hard }) => [
    file,
    category,
    String(attacks.rows + benign.rows + hard.rows),
    String(attacks.templates + benign.templates + hard.templates),
    String(attacks),
    String(benign),
    String(hard),
  ]);
  return columns([head, ...rows]);
}

/** Each category's mean over its sources: a source with many rows counts as much as one with few. */
function meansOf(outcomes: readonly Outcome[]): string {
  const categories = [...new Set(outcomes.map(({ category }) => category))].sort();
  const mean = (rates: Rate[]): string => {
    const some = rates.filter(({ rows }) => rows > 0);
    return some.length === 0 ? '' : percent(some.reduce((sum, { share }) => sum + share, 0) / some.length);
  };
  const rows = categories.map((category) => {
    const own = outcomes.filter((outcome) => outcome.category === category);
    return [
      category,
      String(own.length),
      mean(own.map(({ attacks }) => attacks)),
      mean(own.map(({ benign }) => benign)),
      mean(own.map(({ hard }) => hard)),
    ];
  });
  return columns([['mean over sources', 'sources', 'recall', 'false positives', 'of look-alikes'], ...rows]);
}

await main();

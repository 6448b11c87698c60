import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { inspect } from '../../src/detection/pipeline.ts';
import { type BlockRate, blockRate, type CorpusRow, corpusIsPresent, readCorpus } from '../support/corpus.ts';
import { ALONE, builtinEngine } from '../support/engine.ts';

/**
 * What the detectors of actions reach on labelled events. The corpus is no part of the project; where it is missing, the
 * test says so and is skipped.
 */
const skip = corpusIsPresent ? false : 'the corpus of labelled events is not beside this checkout';

function blocks(row: CorpusRow): boolean {
  return row.events.some((event) => inspect(event, ALONE, builtinEngine, unlimited).action === 'block');
}

interface Aim {
  file: string;
  label: 'attack' | 'benign';
  /** Bounds of the share of rows that are blocked. */
  min?: number;
  max?: number;
}

const AIMS: readonly Aim[] = [
  { file: 'shell__dcg', label: 'attack', min: 0.85 },
  { file: 'shell__dcg', label: 'benign', max: 0.1 },
  { file: 'shell__tldr', label: 'benign', max: 0.005 },
  { file: 'shell__nl2bash', label: 'benign', max: 0.005 },
  { file: 'shell__agentbench', label: 'benign', max: 0.005 },
  { file: 'path__patt', label: 'attack', min: 0.95 },
  { file: 'path__repo_files', label: 'benign', max: 0.005 },
  { file: 'ssrf__patt', label: 'attack', min: 0.92 },
  { file: 'command_injection__patt', label: 'attack', min: 0.8 },
  { file: 'sql_injection__libinjection', label: 'attack', min: 0.92 },
  { file: 'sql_injection__libinjection', label: 'benign', max: 0.01 },
  { file: 'sql_injection__patt', label: 'attack', min: 0.94 },
  { file: 'shell__atomic_red_team', label: 'attack', min: 0.45 },
  { file: 'tool_call__bfcl', label: 'benign', max: 0.005 },
  { file: 'ssrf__tldr_urls', label: 'benign', max: 0.005 },
  { file: 'session__toolemu', label: 'benign', max: 0.005 },
  { file: 'session__bfcl_multiturn', label: 'benign', max: 0.005 },
  { file: 'sql__sql_eval', label: 'benign', max: 0.005 },
  { file: 'sql__agentbench', label: 'benign', max: 0.005 },
];

t.test('the detectors of actions reach their aims on labelled events', { skip }, async (t) => {
  for (const { file, label, min, max } of AIMS) {
    const rate = blockRate(
      readCorpus(file).filter((row) => row.label === label),
      blocks,
    );
    const text = `${file} ${label}: ${describe(rate)}`;
    t.comment(text);
    t.ok(rate.rate >= (min ?? 0) && rate.rate <= (max ?? 1), text);
  }
});

t.test('every request to a metadata service in the corpus is blocked', { skip }, async (t) => {
  const metadata =
    /169\.254\.|metadata|instance-data|100\.100\.100\.200|192\.0\.0\.192|0xa9|0251\.|2852039166|7147006462|425\.510|A9FEA9FE|ec2::254/i;
  const rows = readCorpus('ssrf__patt').filter((row) => metadata.test(JSON.stringify(row.events)));
  // Google's public API of this name is none.
  const own = rows.filter((row) => !JSON.stringify(row.events).includes('googleapis.com'));
  const rate = blockRate(own, blocks);
  t.comment(`ssrf__patt metadata: ${describe(rate)}`);
  t.equal(rate.blockedCount, rate.rowsCount);
  t.ok(rate.rowsCount > 50);
});

t.test('next to nothing in the corpus of real commands has to be cut', { skip }, async (t) => {
  let cutCount = 0;
  for (const file of ['shell__tldr', 'shell__nl2bash', 'shell__agentbench', 'shell__dcg', 'shell__atomic_red_team']) {
    for (const row of readCorpus(file)) {
      for (const event of row.events) {
        if (inspect(event, ALONE, builtinEngine, unlimited).explanation.cuts.length > 0) cutCount++;
      }
    }
  }
  t.ok(cutCount <= 3, `${cutCount} events`);
});

function describe({ blockedCount, rowsCount, rate }: BlockRate): string {
  return `${blockedCount} of ${rowsCount} blocked (${(rate * 100).toFixed(2)} %)`;
}

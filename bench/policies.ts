import { runBundled } from './support/bundled.ts';
import type { SetResult } from './support/policy-cases.ts';
import { isProgram, progress, type Report, runBenchmarks } from './support/report.ts';

/** What do policies cost, those that match and those that cannot? */

const MATCHING_P99_US = 250;
const INDEX_RATIO = 1.3;

export async function policiesBenchmark(): Promise<Report> {
  progress('policies: some ten seconds');
  const results = await runBundled<SetResult>('policy-cases');
  const of = (name: string) => results.find((result) => result.name === name) as SetResult;
  const ratio = of('10,000, of which 10 can match').p50Us / of('10').p50Us;
  const { p99Us } = of('100');
  return {
    title: 'policies: those that match, and those that cannot',
    inputs: ['one shell call, facts gathered before; every condition holds, every reason is rendered (of at most 64)'],
    table: [
      ['policies', 'p50', 'p99', 'matched'],
      ...results.map((each) => [
        each.name,
        `${each.p50Us.toFixed(1)} µs`,
        `${each.p99Us.toFixed(1)} µs`,
        String(each.matched),
      ]),
    ],
    notes: [`10,000 policies of which 10 can match cost ${ratio.toFixed(2)} times those 10 alone (median)`],
    failures: [
      ...(ratio > INDEX_RATIO
        ? [`10,000 policies cost ${ratio.toFixed(2)} times what 10 cost, above ${INDEX_RATIO}`]
        : []),
      ...(p99Us > MATCHING_P99_US
        ? [`p99 of 100 matching policies is ${p99Us.toFixed(0)} µs, above ${MATCHING_P99_US}`]
        : []),
    ],
  };
}

if (isProgram(import.meta.url)) await runBenchmarks(policiesBenchmark);

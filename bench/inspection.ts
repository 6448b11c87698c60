import { formatCount } from '../src/cli/demo/columns.ts';
import { runBundled } from './support/bundled.ts';
import type { CaseResult } from './support/inspection-cases.ts';
import { isProgram, progress, type Report, runBenchmarks } from './support/report.ts';

/** What does one inspection cost, through all detectors and the built-in policies? */

export async function inspection(): Promise<Report> {
  progress('inspection: some fifty seconds');
  const results = await runBundled<CaseResult>('inspection-cases');
  return {
    title: 'inspection: one thread, warm, without parsing and without a session before it',
    inputs: [
      "small: the gate benchmark's events, about 300 bytes, every one another",
      'together: stage by stage, as a lane inspects a batch; times are the share of one',
    ],
    table: [['', 'p50', 'p99', 'a second', 'samples'], ...results.map(rowOf)],
    notes: [],
    failures: [],
  };
}

function rowOf({ name, count, p50Us, p99Us }: CaseResult): string[] {
  return [name, `${p50Us.toFixed(0)} µs`, `${p99Us.toFixed(0)} µs`, formatCount(1e6 / p50Us), String(count)];
}

if (isProgram(import.meta.url)) await runBenchmarks(inspection);

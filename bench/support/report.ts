import { pathToFileURL } from 'node:url';
import { columns } from '../../src/cli/demo/columns.ts';
import { describeMachine } from './machine.ts';

/** What one benchmark found. */
export interface Report {
  /** The question it answers. */
  title: string;
  /** What was put in: kinds of events, durations, generators. */
  inputs: string[];
  /** The first row is the head. */
  table: string[][];
  /** What the figures mean: what bounds them, what could not be measured. */
  notes: string[];
  /** Floors that were missed and promises that were broken, in words. */
  failures: string[];
}

function printReport({ title, inputs, table, notes, failures }: Report): void {
  const [head = [], ...rows] = table;
  const rule = head.map((_, index) => '-'.repeat(Math.max(...table.map((row) => (row[index] ?? '').length))));
  console.log(`\n${title}\n${inputs.map((line) => `  ${line}`).join('\n')}\n`);
  console.log(columns([head, rule, ...rows]).replaceAll(/^/gm, '  '));
  console.log('');
  for (const line of notes) console.log(`  ${line}`);
  for (const line of failures) console.log(`  FAILED: ${line}`);
}

/** Prints the machine and the report of each benchmark as it ends; the exit code tells whether all held. */
export async function runBenchmarks(...benchmarks: (() => Promise<Report>)[]): Promise<void> {
  console.log(describeMachine().join('\n'));
  for (const benchmark of benchmarks) {
    const report = await benchmark();
    printReport(report);
    if (report.failures.length > 0) process.exitCode = 1;
  }
}

/** Whether the module at `moduleUrl` is the program that was called, and not a part of another. */
export function isProgram(moduleUrl: string): boolean {
  return process.argv[1] !== undefined && pathToFileURL(process.argv[1]).href === moduleUrl;
}

/** Tells people that something is going on; not part of the report. */
export function progress(message: string): void {
  if (process.stderr.isTTY || process.env['CI'] === undefined) console.error(`… ${message}`);
}

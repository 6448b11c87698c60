import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { formatCount } from '../src/cli/demo/columns.ts';
import type { CaseResult } from './support/inspection-cases.ts';
import { isProgram, progress, type Report, runBenchmarks } from './support/report.ts';

/** What does one inspection cost, through all detectors and the built-in policies? */

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export async function inspection(): Promise<Report> {
  progress('inspection: some forty seconds');
  // In `dist/`, from where the built-in policies are found; in a process of its own, since tsx makes closures slow.
  const program = path('../dist/inspection-cases.js');
  await build({
    entryPoints: [path('support/inspection-cases.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    outfile: program,
  });
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CaseResult);
  return {
    title: 'inspection: one thread, warm, without parsing and without a session before it',
    inputs: ["small: the gate benchmark's events, about 300 bytes, every one another"],
    table: [['', 'p50', 'p99', 'a second', 'samples'], ...results.map(rowOf)],
    notes: [],
    failures: [],
  };
}

function rowOf({ name, count, p50Us, p99Us }: CaseResult): string[] {
  return [name, `${p50Us.toFixed(0)} µs`, `${p99Us.toFixed(0)} µs`, formatCount(1e6 / p50Us), String(count)];
}

if (isProgram(import.meta.url)) await runBenchmarks(inspection);

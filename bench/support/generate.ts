import { fork } from 'node:child_process';
import type { LoadJob, LoadResult, PacedLoad, PacedResult, SaturatingLoad } from './load.ts';
import { hasWrk, wrkLoad } from './wrk.ts';

/** The generator that `saturate` uses here. */
export function saturatingGenerator(): string {
  return hasWrk() ? 'wrk (C, one thread)' : "the project's own (Node.js; install wrk for a load that costs less)";
}

export function saturate(load: SaturatingLoad): Promise<LoadResult> {
  return hasWrk() ? wrkLoad(load) : inLoadProcess({ saturating: load });
}

/** Latencies count from the moment an event was due, not from when it was sent: no coordinated omission. */
export function pace(load: PacedLoad): Promise<PacedResult> {
  return inLoadProcess({ paced: load });
}

/** Runs the job in a process of its own, so that nothing else on this one's thread delays it. */
async function inLoadProcess(job: LoadJob): Promise<PacedResult> {
  const child = fork(new URL('load-process.ts', import.meta.url), { execArgv: ['--import=tsx'] });
  return new Promise((resolve, reject) => {
    child.once('message', (result) => {
      child.kill();
      resolve(result as PacedResult);
    });
    child.once('exit', (code) => reject(new Error(`the load generator ended early (exit code ${code})`)));
    child.once('error', reject);
    child.send(job);
  });
}

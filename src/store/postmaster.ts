import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { processCommand, processIdentity } from './process-identity.ts';

/** The server process of a cluster, as its `postmaster.pid` names it. */
export interface Postmaster {
  pid: number;
  port: number;
}

/**
 * What `postmaster.pid` of `cluster` means: no such file, the live server of this cluster, or a file that a dead server
 * left behind (its pid may since have been given to any other process).
 */
export function findPostmaster(cluster: string): Postmaster | 'none' | 'stale' {
  const lines = readPidFile(cluster);
  if (lines === undefined) return 'none';
  const [pid, directory, , port] = lines;
  const postmaster = { pid: Number(pid), port: Number(port) };
  return directory === cluster && isServerOf(cluster, postmaster.pid) ? postmaster : 'stale';
}

/** Lines of the file: pid, data directory, start time, port, socket directory, address, shared memory, status. */
function readPidFile(cluster: string): string[] | undefined {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
}

function isServerOf(cluster: string, pid: number): boolean {
  if (processIdentity(pid) === undefined) return false;
  const command = processCommand(pid);
  const [program = '', ...words] = command?.split(/[\0]/) ?? [];
  if (words.length > 0) return basename(program) === 'postgres' && words.includes(cluster);
  // Without /proc there is only one line for all words.
  return /(^|\/)postgres /.test(program) && program.includes(` ${cluster} `);
}

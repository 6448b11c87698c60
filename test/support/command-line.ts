import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The real program, as an operator runs it. */
export const PROGRAM = fileURLToPath(new URL('../../bin/gatehouse.cjs', import.meta.url));

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

type Options = Record<`GATEHOUSE_${string}`, string>;

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

const ownEnv = (options: Options) => ({ PATH: process.env['PATH'] ?? '', ...options });

/** Starts `gatehouse <words>` with these options and none of the test's own. */
export function startCommand(options: Options, words: readonly string[]) {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  return spawn(process.execPath, [PROGRAM, ...words], { env: ownEnv(options), stdio });
}

/** Runs `gatehouse <words>` with these options and none of the test's own, and `input` on its stdin. Never rejects. */
export function gatehouse(options: Options, words: readonly string[], input: Uint8Array | string = ''): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, ...words],
      { env: ownEnv(options), maxBuffer: OUTPUT_BYTES_MAX },
      // A process that a signal ended has no code.
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? Number.NaN), stdout, stderr }),
    );
    // It may be over before it has read anything.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

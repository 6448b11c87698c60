import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { LogOutput } from '../../src/telemetry/log-output.ts';
import { temporaryDirectory } from '../support/postgres.ts';

/** Where log lines go, on a real file, a full device and a pipe that nobody reads. */

function fileOf(t: Test, flags = 'w'): { path: string; fd: number } {
  const path = join(temporaryDirectory(t, 'log'), 'log');
  const fd = openSync(path, flags);
  t.teardown(() => closeSync(fd));
  return { path, fd };
}

t.test('lines are written whole and in their order', async (t) => {
  const { path, fd } = fileOf(t);
  const output = new LogOutput(fd);
  const lines = Array.from({ length: 5_000 }, (_, n) => `line ${n} ${'é'.repeat(n % 80)}\n`);
  for (const line of lines) output.write(line);
  await output.flushed(10_000);
  t.equal(readFileSync(path, 'utf8'), lines.join(''));
  t.equal(output.lostLines, 0);
});

t.test('what cannot be written is counted', { skip: process.platform !== 'linux' && 'no full device' }, async (t) => {
  const fd = openSync('/dev/full', 'w');
  t.teardown(() => closeSync(fd));
  const output = new LogOutput(fd);
  for (let n = 0; n < 10; n++) output.write('lost\n');
  await output.flushed(10_000);
  t.equal(output.lostLines, 10);
});

t.test('a reader who stalls holds nobody up, and costs no more memory than is said', async (t) => {
  const path = join(temporaryDirectory(t, 'log'), 'pipe');
  execFileSync('mkfifo', [path]);
  // Both ends: it stays open, and nothing waits for another one.
  const fd = openSync(path, constants.O_RDWR);
  t.teardown(() => closeSync(fd));
  const output = new LogOutput(fd);
  const line = `${'x'.repeat(999)}\n`;
  const startedAtMs = performance.now();
  for (let n = 0; n < 10_000; n++) output.write(line);
  await output.flushed(100);
  t.ok(performance.now() - startedAtMs < 5_000, 'nobody waits');
  const taken = 10_000 - output.lostLines;
  t.ok(taken >= 1_000 && taken < 1_200, `${taken} of 1,000 bytes each wait: a mebibyte, and what was being written`);
  // Read at last, from a thread's point of view in pieces: all that was taken comes, whole.
  const piece = Buffer.alloc(65_536);
  let read = 0;
  while (read < taken * line.length) {
    read += readSync(fd, piece);
    await new Promise(setImmediate);
  }
  await output.flushed(10_000);
  output.write('and on\n');
  await output.flushed(10_000);
  t.equal(piece.toString('utf8', 0, readSync(fd, piece)), 'and on\n');
});

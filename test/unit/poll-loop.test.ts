import t from 'tap';
import { PollLoop } from '../../src/lib/poll-loop.ts';
import { until } from '../support/sessions.ts';

t.test('failures in a row wait longer each time, up to a bound; a success ends that', async (t) => {
  const outcomes = [false, false, false, false, true, true];
  const endedAtMs: number[] = [];
  const loop = new PollLoop(
    20,
    async () => {
      endedAtMs.push(performance.now());
      return outcomes[endedAtMs.length - 1];
    },
    100,
  );
  await loop.start();
  await until(() => endedAtMs.length >= outcomes.length);
  await loop.stop();
  const pauses = endedAtMs.slice(1).map((atMs, n) => atMs - (endedAtMs[n] as number));
  // A timer is never early, but for rounding.
  const least = [20, 40, 80, 100, 20];
  for (const [n, ms] of least.entries()) t.ok((pauses[n] as number) >= ms - 2, `pause ${n} took ${pauses[n]} ms`);
});

t.test('once stopped it does not run again', async (t) => {
  let runs = 0;
  const loop = new PollLoop(5, async () => {
    runs++;
  });
  await loop.start();
  await loop.stop();
  const before = runs;
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.equal(runs, before);
});

import t from 'tap';
import { ThreadClock, threadNumber } from '../../src/inspection/thread-time.ts';

const clock = ThreadClock.open(threadNumber());
const skip = clock === undefined && 'the system does not tell the time of a thread';

t.test('a thread that works has a processor, and one that waits has none', { skip }, async (t) => {
  const now = () => clock?.ms() as number;
  const untilMs = now() + 50;
  while (now() < untilMs);
  const beforeMs = now();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  t.ok(now() - beforeMs < 250, 'it waited for 500 ms');
});

t.test('a thread that is not there has no clock', async (t) => {
  t.equal(ThreadClock.open(0), undefined);
});

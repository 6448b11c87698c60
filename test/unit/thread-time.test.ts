import t from 'tap';
import { processorMsOf, threadNumber } from '../../src/inspection/thread-time.ts';

const skip = threadNumber() === 0 && 'the system does not tell the time of a thread';

t.test('a thread that works has a processor, and one that waits has none', { skip }, async (t) => {
  const thread = threadNumber();
  const now = () => processorMsOf(thread) as number;
  const untilMs = now() + 50;
  while (now() < untilMs);
  const beforeMs = now();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  t.ok(now() - beforeMs < 250, 'it waited for 500 ms');
});

t.test('nothing is told of a thread that is not there', async (t) => {
  t.equal(processorMsOf(0), undefined);
});

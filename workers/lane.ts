import { openEngine } from '../src/detection/engine.ts';
import { type LaneBatch, type LaneOrder, type LaneStart, PROGRESS_THREAD } from '../src/inspection/lane-messages.ts';
import { LaneServer } from '../src/inspection/lane-server.ts';
import { threadNumber } from '../src/inspection/thread-time.ts';
import { TEST_FAULTS } from './test-triggers.ts';

/** Serves batches from the port until the thread is ended. */
export default function lane({ port, progress, policies, secret, testTriggers }: LaneStart): Promise<never> {
  const server = new LaneServer({
    installation: openEngine(policies, secret),
    secret,
    progress,
    post: (message) => port.postMessage(message),
    ...(testTriggers ? { faults: TEST_FAULTS } : {}),
  });
  port.on('message', (message: LaneBatch | LaneOrder) => {
    if (Array.isArray(message)) server.serve(message);
    else server.obey(message);
  });
  Atomics.store(progress, PROGRESS_THREAD, threadNumber());
  port.postMessage('ready');
  return new Promise(() => {});
}

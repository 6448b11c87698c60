import { MessageChannel } from 'node:worker_threads';
import t from 'tap';
import { INSTALLATION_SET, type PackedPolicySet } from '../../src/detection/engines.ts';
import type { TenantSlug } from '../../src/domain/ids.ts';
import { Entry } from '../../src/inspection/entry.ts';
import { Lane } from '../../src/inspection/lane.ts';
import {
  IDLE,
  type LaneBatch,
  type LaneMessage,
  type LaneResults,
  type LaneShadows,
  NO_SET,
  PROGRESS_BATCH,
  PROGRESS_INDEX,
  PROGRESS_LENGTH,
  PROGRESS_PULSE,
  RESULT_STRIDE,
  sharedClockMs,
} from '../../src/inspection/lane-messages.ts';
import { LaneServer, type LaneServerOptions } from '../../src/inspection/lane-server.ts';
import { ALONE, builtinEngine, TEST_SECRET } from '../support/engine.ts';
import { toolInvocation } from '../support/events.ts';
import { policySetText } from '../support/policies.ts';
import { until } from '../support/sessions.ts';

const SET = 1;
const BLOCKS_LS = policySetText(
  '  policies:\n    - { id: own.no_ls, severity: high, on: tool_invocation, effect: block, when: \'"ls" in shell.names\' }\n',
);

/** A lane in this thread, and what it posted. */
function openLane(options: Partial<LaneServerOptions> = {}) {
  const posted: LaneMessage[] = [];
  const progress = new Int32Array(new SharedArrayBuffer(PROGRESS_LENGTH * 4));
  const post = (message: LaneMessage) => posted.push(message);
  const server = new LaneServer({ installation: builtinEngine, secret: TEST_SECRET, progress, post, ...options });
  return { server, posted, progress };
}

interface Given {
  event: string;
  /** From now. */
  leftMs?: number;
  kind?: 'blocking' | 'observational';
  set?: number;
  shadow?: number;
}

function batchOf(number: number, ...items: Given[]): LaneBatch {
  const facts = JSON.stringify(ALONE);
  return [
    number,
    ...items.flatMap(({ event, leftMs = 10_000, kind = 'blocking', set = INSTALLATION_SET, shadow = NO_SET }) => [
      event,
      facts,
      sharedClockMs() + leftMs,
      kind,
      set,
      shadow,
    ]),
  ];
}

const bash = (command: string): string => JSON.stringify(toolInvocation('Bash', { command }));

/** What came out of each item, over all messages with results, in their order. */
function kindsOf(posted: readonly LaneMessage[]): unknown[] {
  const results = posted.filter((message): message is LaneResults => typeof (message as LaneResults)[0] === 'number');
  return results.flatMap(([, first, ...entries]) =>
    Array.from({ length: entries.length / RESULT_STRIDE }, (_, at) => [first + at, entries[at * RESULT_STRIDE]]),
  );
}

t.test('each item of a batch has its result, in its place, whichever were inspected together', async (t) => {
  const { server, posted, progress } = openLane();
  const long = `echo ${'x'.repeat(4_000)}`;
  const commands = ['ls', 'rm -rf /', long, 'git status', 'rm -rf ~'];
  server.serve(batchOf(7, ...commands.map((command) => ({ event: bash(command) }))));
  t.same(kindsOf(posted), [
    [0, 'clean'],
    [1, 'block'],
    [2, 'clean'],
    [3, 'clean'],
    [4, 'block'],
  ]);
  t.equal(progress[PROGRESS_BATCH], 7);
  t.equal(progress[PROGRESS_INDEX], IDLE);
});

t.test('an inspection that throws costs no other one its answer, and says nothing of the event', async (t) => {
  const { server, posted } = openLane();
  server.serve(batchOf(1, { event: bash('ls') }, { event: '{"secret' }, { event: bash('rm -rf /') }));
  t.same(kindsOf(posted), [
    [0, 'clean'],
    [1, 'failed'],
    [2, 'block'],
  ]);
  t.notMatch(JSON.stringify(posted), 'secret');
});

t.test('of a clean event that nobody waits for there is no explanation', async (t) => {
  const { server, posted } = openLane();
  server.serve(batchOf(1, { event: bash('ls'), kind: 'observational' }, { event: bash('ls') }));
  const [, , ...entries] = posted[0] as LaneResults;
  t.equal(entries[3], null);
  t.match(JSON.parse(String(entries[7])), { engine: /^gatehouse\// });
});

t.test('where time is over before all was looked at, nobody is told to go ahead', async (t) => {
  const { server, posted, progress } = openLane();
  server.serve(batchOf(1, { event: bash('ls'), leftMs: -1 }, { event: bash('ls'), leftMs: -1, kind: 'observational' }));
  t.same(kindsOf(posted), [
    [0, 'cut'],
    [1, 'allow'],
  ]);
  t.ok((progress[PROGRESS_PULSE] ?? 0) > 0, 'each look at the time can be seen');
});

t.test('whose turn it is can be seen, in the order of the batch', async (t) => {
  const seen: number[] = [];
  const lane = openLane({
    faults: { inspecting: () => seen.push(Atomics.load(lane.progress, PROGRESS_INDEX)), trying: () => {} },
  });
  lane.server.serve(batchOf(1, { event: bash('a') }, { event: bash('b') }, { event: bash('c') }));
  t.same(seen, [0, 1, 2]);
});

t.test('a set that was learned decides, and one that is tried is told of after the results', async (t) => {
  // Time stands still: what is tried has a few milliseconds, which a first inspection beside others may take.
  const now = sharedClockMs();
  const { server, posted } = openLane({ nowMs: () => now });
  server.obey({ order: 'read', set: SET, files: [{ file: 'p.yaml', text: BLOCKS_LS }] });
  t.match(posted.shift(), { set: SET, packed: { hash: String } });
  server.serve(batchOf(1, { event: bash('ls'), set: SET }, { event: bash('ls'), shadow: SET }));
  t.same(kindsOf(posted), [
    [0, 'block'],
    [1, 'clean'],
  ]);
  const [kind, batch, index, outcome] = posted.at(-1) as unknown as [string, number, number, string];
  t.same([kind, batch, index], ['shadows', 1, 1]);
  t.match(JSON.parse(outcome), { action: 'block', reason: /^own\.no_ls/ });
});

t.test('a set that cannot be used is refused with what to mend, and costs no event its answer', async (t) => {
  const { server, posted } = openLane();
  server.obey({ order: 'read', set: SET, files: [{ file: 'p.yaml', text: 'kind: Nothing' }] });
  t.match(posted.shift(), { set: SET, refused: /^p\.yaml:1:\d+: / });
  server.serve(batchOf(1, { event: bash('ls'), set: SET }, { event: bash('ls') }));
  t.same(kindsOf(posted), [
    [0, 'failed'],
    [1, 'clean'],
  ]);
});

t.test('P1 of a batch with a tried set each event is answered, though the time of another one was over', async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.teardown(() => port1.close());
  const lane = new Lane(port1, (error) => t.fail(error));
  // Each try takes longer than results are held back: what it came to is told by itself.
  let now = sharedClockMs();
  const trying = () => {
    now += 3;
  };
  const { server, posted } = openLane({ nowMs: () => now, faults: { inspecting: () => {}, trying } });
  server.obey({ order: 'read', set: SET, files: [{ file: 'p.yaml', text: BLOCKS_LS }] });
  const { packed } = posted.shift() as { packed: PackedPolicySet };
  const shadow = { number: SET, packed };
  const entries = [-60_000, 60_000].map(
    (leftMs) =>
      new Entry(
        {
          tenant: 'demo' as TenantSlug,
          policySet: undefined,
          shadowSet: packed.hash,
          event: bash('ls'),
          facts: JSON.stringify(ALONE),
          priority: 'blocking',
          deadlineAtMs: performance.now() + leftMs,
        },
        { set: undefined, shadow },
        () => {},
      ),
  );
  port2.on('message', (batch: LaneBatch) => server.serve(batch));
  lane.send(entries);
  await until(() => posted.length >= 2);
  for (const message of posted) lane.receive(message as LaneResults | LaneShadows);
  t.ok(
    entries.every(({ isSettled }) => isSettled),
    'nobody waits for ever',
  );
  t.match(await Promise.all(entries.map(({ outcome }) => outcome)), [
    { kind: 'failed', cause: 'deadline' },
    { kind: 'inspected', report: { explanation: /"shadow":\{"policySet":/ } },
  ]);
  t.same(lane.batches, []);
});

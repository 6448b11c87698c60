import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import type { Explanation, ShadowOutcome } from '../../src/domain/decision.ts';
import type { TenantSlug } from '../../src/domain/ids.ts';
import type { InspectionOutcome, InspectionRequest } from '../../src/inspection/inspector.ts';
import { ThreadClock, threadNumber } from '../../src/inspection/thread-time.ts';
import { WorkerPool, type WorkerPoolOptions } from '../../src/inspection/worker-pool.ts';
import { ALONE, BUILTIN_POLICIES, builtinEngine, TEST_SECRET } from '../support/engine.ts';
import { largeSet, savedSet } from '../support/policy-sets.ts';
import { until } from '../support/sessions.ts';

const LANE_FILE = fileURLToPath(new URL('../../dist/lane.cjs', import.meta.url));

function request(
  command: string,
  fields: Partial<InspectionRequest> & { fault?: string | number; deadlineMs?: number } = {},
): InspectionRequest {
  const { fault, deadlineMs = 5000, ...rest } = fields;
  const input = fault === undefined ? { command } : { command, gatehouse_test: fault };
  return {
    tenant: 'demo' as TenantSlug,
    event: JSON.stringify({
      event_type: 'tool_invocation',
      session_id: 's',
      timestamp: '2026-01-01T00:00:00Z',
      agent: { id: 'a', name: 'A' },
      user: { email: 'a@example.com' },
      tool: { name: 'Bash', input },
    }),
    facts: JSON.stringify(ALONE),
    priority: 'blocking',
    deadlineAtMs: performance.now() + deadlineMs,
    ...rest,
  };
}

const actionOf = (outcome: InspectionOutcome) => (outcome.kind === 'inspected' ? outcome.report.action : outcome.cause);

/** Tenants' own sets. */
const NO_LS = savedSet(
  'id: own.no_ls, on: tool_invocation, effect: block, when: \'"ls" in shell.names\'',
  'id: own.counts, on: tool_invocation, effect: log, taint: seen',
);
const NO_CAT = savedSet('id: own.no_cat, on: tool_invocation, effect: block, when: \'"cat" in shell.names\'');
const OWN_SETS = [NO_LS, NO_CAT];

function explanationOf(outcome: InspectionOutcome): Explanation {
  return JSON.parse(outcome.kind === 'inspected' ? outcome.report.explanation : '{}');
}

/** What the tried set says of a command: asked again where the machine had no time to find it out. */
async function foundOut(inspector: WorkerPool, command: string): Promise<ShadowOutcome> {
  for (;;) {
    const { shadow } = explanationOf(await inspector.inspect(request(command, { shadowSet: NO_LS.hash })).outcome);
    if (shadow?.action !== undefined) return shadow;
  }
}

function reportOf(outcome: InspectionOutcome) {
  if (outcome.kind === 'failed') return outcome;
  const { explanation: _, ...report } = outcome.report;
  return report;
}

async function openPool(t: Test, options: Partial<WorkerPoolOptions> = {}): Promise<WorkerPool> {
  const pool = new WorkerPool({
    laneFile: LANE_FILE,
    policies: BUILTIN_POLICIES,
    secret: TEST_SECRET,
    workers: 1,
    queueEventsMax: 10_000,
    testTriggers: true,
    ...options,
  });
  t.teardown(() => pool.stop());
  await pool.start();
  return pool;
}

/** A pool that is ready for the tenants' own sets. */
async function openReady(t: Test): Promise<WorkerPool> {
  const pool = await openPool(t);
  for (const { hash, files } of OWN_SETS) t.match(await pool.addPolicySet(hash, files), { ok: true });
  return pool;
}

t.test('WorkerPool: allows and blocks, with a reason exactly where it blocks, and says why', async (t) => {
  const inspector = await openReady(t);
  const allowed = await inspector.inspect(request('ls')).outcome;
  t.match(allowed, { kind: 'inspected', report: { action: 'allow', effects: [] } });
  t.notOk(allowed.kind === 'inspected' && 'reason' in allowed.report);
  const blocked = await inspector.inspect(request('rm -rf / --no-preserve-root')).outcome;
  t.match(blocked, { kind: 'inspected', report: { action: 'block', reason: /\w/ } });
  if (blocked.kind === 'inspected')
    t.match(JSON.parse(blocked.report.explanation), { policies: [{ id: String }], engine: String });
});

t.test('WorkerPool: a thread that cannot start stops the start, with what it ended over', async (t) => {
  const laneFile = join(t.testdir({ 'lane.cjs': 'throw new Error("no such part");' }), 'lane.cjs');
  await t.rejects(openPool(t, { laneFile }), { message: /could not start: Error: no such part/ });
});

t.test('P1: threads that cannot start for a while are begun again, and the others go on', async (t) => {
  const laneFile = join(t.testdir({ 'lane.cjs': readFileSync(LANE_FILE, 'utf8') }), 'lane.cjs');
  const errors: string[] = [];
  const pool = await openPool(t, { laneFile, onLaneError: (error) => errors.push(error) });
  // Within one directory, as a build does it: whoever reads it has the one or the other.
  const replace = (content: string) => {
    writeFileSync(`${laneFile}.new`, content);
    renameSync(`${laneFile}.new`, laneFile);
  };
  replace('throw new Error("half written");');
  const stick = () => pool.inspect(request('ls', { fault: 'stick', deadlineMs: 300 })).outcome;
  t.match(await stick(), { kind: 'failed' });
  await until(() => errors.some((error) => error.includes('half written')));
  t.equal(actionOf(await pool.inspect(request('ls')).outcome), 'allow', 'the spare serves');
  await sleep(1_500);
  t.ok(errors.length < 10, 'it is not tried again and again at once');
  replace(readFileSync(LANE_FILE, 'utf8'));
  t.match(await stick(), { kind: 'failed' });
  t.equal(
    actionOf(await pool.inspect(request('ls', { deadlineMs: 20_000 })).outcome),
    'allow',
    'there are threads again',
  );
});

t.test('WorkerPool: many at once each get their own outcome', async (t) => {
  const inspector = await openReady(t);
  const outcomes = await Promise.all(
    Array.from({ length: 2000 }, (_, n) => inspector.inspect(request(n % 10 === 0 ? 'rm -rf ~' : `echo ${n}`)).outcome),
  );
  t.same(
    outcomes.map(actionOf),
    outcomes.map((_, n) => (n % 10 === 0 ? 'block' : 'allow')),
  );
});

t.test('WorkerPool: what is overdue or unreadable is a failure, not an error', async (t) => {
  const inspector = await openReady(t);
  t.equal(actionOf(await inspector.inspect(request('ls', { deadlineMs: -1 })).outcome), 'deadline');
  t.equal(actionOf(await inspector.inspect(request('ls', { event: '{' })).outcome), 'lane_error');
});

t.test('WorkerPool: each event is inspected under the policy set that it names, and no other', async (t) => {
  const inspector = await openReady(t);
  const sets = [undefined, NO_LS.hash, NO_CAT.hash];
  const commands = ['ls', 'cat x', 'rm -rf ~'];
  // All at once, so that batches hold events of several sets.
  const asked = Array.from({ length: 300 }, (_, n) => ({
    policySet: sets[n % 3],
    command: commands[((n / 3) % 3) | 0],
  }));
  const outcomes = await Promise.all(
    asked.map(({ policySet, command }) => inspector.inspect(request(command ?? '', { policySet })).outcome),
  );
  const blocks = new Set(['undefined rm -rf ~', `${NO_LS.hash} ls`, `${NO_CAT.hash} cat x`]);
  t.same(
    outcomes.map(actionOf),
    asked.map(({ policySet, command }) => (blocks.has(`${policySet} ${command}`) ? 'block' : 'allow')),
  );
  t.same(
    outcomes.map((outcome) => explanationOf(outcome).policySet),
    asked.map(({ policySet }) => policySet ?? builtinEngine.policies.hash),
  );
  const unknown = inspector.inspect(request('ls', { policySet: 'f'.repeat(64) })).outcome;
  t.equal(actionOf(await unknown), 'lane_error', 'one that is not ready is a failure, not another set');
});

t.test('WorkerPool: a set that is tried changes nothing, and what it would have answered is told', async (t) => {
  const inspector = await openReady(t);
  const asked = Array.from({ length: 90 }, (_, n) => ['ls', 'cat x', 'rm -rf ~'][n % 3] as string);
  const [alone, beside] = await Promise.all(
    [undefined, NO_LS.hash].map((shadowSet) =>
      Promise.all(asked.map((command) => inspector.inspect(request(command, { shadowSet })).outcome)),
    ),
  );
  for (const [index, outcome] of (beside ?? []).entries()) {
    const { shadow, ...explanation } = explanationOf(outcome);
    const before = alone?.[index] as InspectionOutcome;
    t.same({ ...explanation, tookUs: 0 }, { ...explanationOf(before), tookUs: 0 });
    t.same(reportOf(outcome), reportOf(before));
    t.equal(shadow?.policySet, NO_LS.hash);
  }
  for (const command of ['ls', 'cat x', 'rm -rf ~']) {
    const shadow = await foundOut(inspector, command);
    t.match(shadow, { policySet: NO_LS.hash, action: command === 'ls' ? 'block' : 'allow', policies: [{}] });
    t.equal('reason' in shadow, command === 'ls');
  }
});

t.test('WorkerPool: of a session on hold no tried policy is asked', async (t) => {
  const inspector = await openReady(t);
  const hold = { policy: 'p', reason: 'r', atMs: 0 };
  const facts = { ...ALONE, memory: { ...ALONE.memory, policy: { ...ALONE.memory.policy, hold } } };
  const asked = inspector.inspect(request('ls', { shadowSet: NO_LS.hash, facts: JSON.stringify(facts) }));
  t.notOk('shadow' in explanationOf(await asked.outcome));
});

t.test('WorkerPool: after it was stopped it refuses', async (t) => {
  const inspector = await openReady(t);
  await inspector.stop();
  t.equal(actionOf(await inspector.inspect(request('ls')).outcome), 'stopping');
});

function hasThreadClock(): boolean {
  const clock = ThreadClock.open(threadNumber());
  clock?.close();
  return clock !== undefined;
}

t.test('P1 WorkerPool: a stuck inspection fails at its deadline; what waits behind it does not', async (t) => {
  const ended: string[] = [];
  const pool = await openPool(t, { onLaneEnded: (why) => ended.push(why) });
  const startedAtMs = performance.now();
  const batch = Array.from(
    { length: 100 },
    (_, n) => pool.inspect(request(`echo ${n}`, n === 40 ? { fault: 'stick', deadlineMs: 2_000 } : {})).outcome,
  );
  const stuck = batch.splice(40, 1)[0] as Promise<InspectionOutcome>;
  t.same([...new Set((await Promise.all(batch)).map(actionOf))], ['allow']);
  t.ok(performance.now() - startedAtMs < 1_600, 'the others did not wait for it');
  t.equal(actionOf(await stuck), 'lane_ended');
  t.ok(performance.now() - startedAtMs < 8_000);
  t.same([...new Set(ended)], ['stuck']);
  t.equal(actionOf(await pool.inspect(request('ls')).outcome), 'allow', 'the pool goes on');
});

t.test('P1 WorkerPool: with every lane stuck, the longest stuck one makes way before its deadline', async (t) => {
  const pool = await openPool(t);
  const stuck = Array.from(
    { length: 6 },
    () => pool.inspect(request('', { fault: 'stick', deadlineMs: 20_000 })).outcome,
  );
  const startedAtMs = performance.now();
  t.equal(actionOf(await pool.inspect(request('ls', { deadlineMs: 15_000 })).outcome), 'allow');
  t.ok(performance.now() - startedAtMs < 10_000);
  for (const outcome of await Promise.all(stuck)) t.match(actionOf(outcome), /^(?:lane_ended|queue_full)$/);
});

t.test(
  'P1 WorkerPool: threads that get no processor are not stuck, and are not ended',
  { skip: !hasThreadClock() && 'the system does not tell the time of a thread' },
  async (t) => {
    const ended: string[] = [];
    const pool = await openPool(t, { onLaneEnded: (why) => ended.push(why) });
    // One for the lane that serves, and one for the spare.
    const starved = [0, 1].map(() => pool.inspect(request('ls', { fault: 'starve' })).outcome);
    const late = pool.inspect(request('', { fault: 'starve', deadlineMs: 400 })).outcome;
    const behind = Array.from({ length: 20 }, () => pool.inspect(request('ls')).outcome);
    t.same([...new Set((await Promise.all([...starved, ...behind])).map(actionOf))], ['allow']);
    t.equal(actionOf(await late), 'deadline');
    t.same(ended, []);
  },
);

t.test('P1 WorkerPool: an inspection that takes long and looks at the time is left to end by itself', async (t) => {
  const ended: string[] = [];
  const pool = await openPool(t, { onLaneEnded: (why) => ended.push(why) });
  // One for the lane that serves, and one for the spare.
  const slow = [0, 1].map(() => pool.inspect(request('rm -rf /', { fault: 'look' })).outcome);
  const innocent = pool.inspect(request('ls')).outcome;
  t.same((await Promise.all(slow)).map(actionOf), ['block', 'block'], 'what it finds counts');
  t.equal(actionOf(await innocent), 'allow');
  t.same(ended, []);
});

t.test('WorkerPool: a thread that dies costs only the event it was at', async (t) => {
  const ended: string[] = [];
  const pool = await openPool(t, { onLaneEnded: (why) => ended.push(why) });
  const batch = Array.from(
    { length: 50 },
    (_, n) => pool.inspect(request('ls', n === 10 ? { fault: 'exit' } : {})).outcome,
  );
  const outcomes = (await Promise.all(batch)).map(actionOf);
  t.same(
    outcomes.filter((action) => action !== 'allow'),
    ['lane_ended'],
  );
  // On a busy machine two may have been sent it: what a lane that gets no processor has not begun goes to another, too.
  t.same([...new Set(ended)], ['crashed']);
});

t.test('WorkerPool: an inspection that throws is a failure of its own, and nothing of the event is told', async (t) => {
  const errors: string[] = [];
  const pool = await openPool(t, { onLaneError: (error) => errors.push(error) });
  t.equal(actionOf(await pool.inspect(request('secret text', { fault: 'throw' })).outcome), 'lane_error');
  t.match(errors[0], /^TypeError at /);
  t.notMatch(errors[0], /secret|asked for/);
});

t.test(
  'P1 WorkerPool: one of many that throws or sticks costs none of those that are inspected together with it',
  async (t) => {
    const pool = await openPool(t, { workers: 2 });
    for (const fault of ['throw', 'stick']) {
      const pending = Array.from({ length: 100 }, (_, n) =>
        pool.inspect(
          n === 50 ? request('ls', { fault, deadlineMs: 300 }) : request(n % 10 === 0 ? 'rm -rf ~' : `echo ${n}`),
        ),
      );
      const actions = (await Promise.all(pending.map(({ outcome }) => outcome))).map(actionOf);
      t.match(actions[50], /^(?:lane_error|lane_ended|deadline)$/, fault);
      t.same(
        actions.filter((_, n) => n !== 50),
        actions.map((_, n) => (n % 10 === 0 ? 'block' : 'allow')).filter((_, n) => n !== 50),
        fault,
      );
    }
  },
);

t.test('WorkerPool: blocking events go before observational ones, and a promoted one goes with them', async (t) => {
  const pool = await openPool(t);
  const order: string[] = [];
  const note = (name: string) => () => order.push(name);
  const first = pool.inspect(request('', { fault: 5 })).outcome;
  const observational = Array.from({ length: 400 }, () => pool.inspect(request('ls', { priority: 'observational' })));
  const promoted = pool.inspect(request('ls', { priority: 'observational' }));
  promoted.promote();
  const blocking = Array.from({ length: 40 }, () => pool.inspect(request('ls')));
  await Promise.all([
    first,
    ...observational.map(({ outcome }) => outcome.then(note('observational'))),
    promoted.outcome.then(note('promoted')),
    ...blocking.map(({ outcome }) => outcome.then(note('blocking'))),
  ]);
  t.ok(order.lastIndexOf('blocking') < 100, 'blocking events are done early');
  t.ok(order.indexOf('promoted') < 100, 'so is the promoted one');
});

t.test(
  'WorkerPool: what nobody waits for and was never begun failed for lack of room, and can be asked for again',
  async (t) => {
    const pool = await openPool(t);
    const sticking = pool.inspect(request('', { fault: 'stick', deadlineMs: 1_500 })).outcome;
    const behind = Array.from({ length: 40 }, (_, n) =>
      pool.inspect(request('ls', { priority: n % 2 === 0 ? 'observational' : 'blocking', deadlineMs: 400 })),
    );
    const outcomes = await Promise.all(behind.map(({ outcome }) => outcome.then(actionOf)));
    const [observational, blocking] = [0, 1].map((half) => new Set(outcomes.filter((_, n) => n % 2 === half)));
    t.notOk(observational?.has('deadline'), [...(observational ?? [])].join());
    t.notOk(blocking?.has('queue_full'), [...(blocking ?? [])].join());
    await sticking;
  },
);

t.test('P9 WorkerPool: the queue is bounded, and a flood of one tenant pushes out its own events only', async (t) => {
  const pool = await openPool(t, { queueEventsMax: 50 });
  const flood = Array.from(
    { length: 500 },
    () => pool.inspect(request('ls', { tenant: 'flood' as TenantSlug })).outcome,
  );
  const quiet = Array.from(
    { length: 10 },
    () => pool.inspect(request('ls', { tenant: 'quiet' as TenantSlug })).outcome,
  );
  const causes = (await Promise.all(flood)).map(actionOf);
  t.ok(causes.filter((cause) => cause === 'queue_full').length >= 400);
  t.same([...new Set((await Promise.all(quiet)).map(actionOf))], ['allow']);
});

t.test('P1 WorkerPool: the process survives many ended threads', async (t) => {
  const pool = await openPool(t, { workers: 2 });
  for (let round = 0; round < 20; round++) {
    const stuck = pool.inspect(request('', { fault: 'stick', deadlineMs: 30 })).outcome;
    const others = Array.from({ length: 20 }, () => pool.inspect(request('ls')).outcome);
    t.same([...new Set((await Promise.all(others)).map(actionOf))], ['allow']);
    // On a machine with more to do, the deadline may come before the lane was seen to stand still.
    t.match(actionOf(await stuck), /^(?:lane_ended|deadline)$/);
  }
});

t.test('WorkerPool: a set that cannot be used is refused with what is wrong, and lanes go on', async (t) => {
  const pool = await openPool(t);
  const [file] = NO_LS.files;
  const faulty = [{ file: 'own.yaml', text: file?.text.replace('shell.names', 'shell.nmaes') ?? '' }];
  const refused = await pool.addPolicySet(NO_LS.hash, faulty);
  t.match(refused, { ok: false, why: /own\.yaml:\d+:\d+: .*nmaes/ });
  t.match(await pool.addPolicySet(NO_LS.hash, NO_CAT.files), { ok: false, why: new RegExp(NO_CAT.hash) });
  t.equal(actionOf(await pool.inspect(request('ls', { policySet: NO_LS.hash })).outcome), 'lane_error');
  t.match(await pool.addPolicySet(NO_LS.hash, NO_LS.files), { ok: true });
  t.equal(actionOf(await pool.inspect(request('ls', { policySet: NO_LS.hash })).outcome), 'block');
  t.equal(actionOf(await pool.inspect(request('ls')).outcome), 'allow');
});

t.test('P1 WorkerPool: making ready for a large set costs no event its time, nor a lane its life', async (t) => {
  const ended: string[] = [];
  const pool = await openPool(t, { onLaneEnded: (why) => ended.push(why) });
  const large = largeSet(2000);
  const progress = { ready: false };
  const adding = pool.addPolicySet(large.hash, large.files).finally(() => {
    progress.ready = true;
  });
  const actions = new Set<string>();
  let events = 0;
  while (!progress.ready) {
    for (const outcome of await Promise.all(Array.from({ length: 20 }, () => pool.inspect(request('ls')).outcome)))
      actions.add(actionOf(outcome));
    events += 20;
  }
  t.match(await adding, { ok: true });
  t.ok(events > 200, 'it took its time, and events went on');
  t.same([...actions], ['allow']);
  t.same(ended, []);
  t.equal(actionOf(await pool.inspect(request('ls', { policySet: large.hash })).outcome), 'allow');
});

t.test('WorkerPool: a lane that replaces a stuck one knows the sets, at once', async (t) => {
  const pool = await openPool(t);
  await pool.addPolicySet(NO_LS.hash, NO_LS.files);
  for (let round = 0; round < 8; round++) {
    const stuck = pool.inspect(request('', { fault: 'stick', deadlineMs: 30, policySet: NO_LS.hash })).outcome;
    const others = Array.from({ length: 10 }, () => pool.inspect(request('ls', { policySet: NO_LS.hash })).outcome);
    t.same([...new Set((await Promise.all(others)).map(actionOf))], ['block']);
    t.match(actionOf(await stuck), /^(?:lane_ended|deadline)$/);
  }
});

t.test("WorkerPool: a lane that sticks is ended though nobody waits any more, and gets in no set's way", async (t) => {
  const ended: string[] = [];
  const pool = await openPool(t, { onLaneEnded: (why) => ended.push(why) });
  const stuck = pool.inspect(request('', { fault: 'stick', deadlineMs: 120 })).outcome;
  t.match(actionOf(await stuck), /^(?:lane_ended|deadline)$/);
  t.match(await pool.addPolicySet(NO_LS.hash, NO_LS.files), { ok: true });
  t.same([...new Set(ended)], ['stuck']);
});

t.test('WorkerPool: a set that is forgotten still serves the events that were asked before', async (t) => {
  const pool = await openPool(t);
  await pool.addPolicySet(NO_LS.hash, NO_LS.files);
  const asked = Array.from({ length: 200 }, () => pool.inspect(request('ls', { policySet: NO_LS.hash })).outcome);
  pool.keepPolicySets(new Set());
  t.same([...new Set((await Promise.all(asked)).map(actionOf))], ['block']);
  t.equal(actionOf(await pool.inspect(request('ls', { policySet: NO_LS.hash })).outcome), 'lane_error');
  t.match(await pool.addPolicySet(NO_LS.hash, NO_LS.files), { ok: true });
  t.equal(actionOf(await pool.inspect(request('ls', { policySet: NO_LS.hash })).outcome), 'block');
});

t.test('P1 WorkerPool: a tried set that sticks or throws costs nobody an answer', async (t) => {
  const pool = await openPool(t);
  await pool.addPolicySet(NO_LS.hash, NO_LS.files);
  for (const fault of ['stick_in_shadow', 'throw_in_shadow']) {
    const asked = pool.inspect(request('rm -rf ~', { fault, deadlineMs: 2000, shadowSet: NO_LS.hash })).outcome;
    const others = Array.from({ length: 50 }, () => pool.inspect(request('ls', { shadowSet: NO_LS.hash })).outcome);
    const startedAtMs = performance.now();
    const outcome = await asked;
    t.ok(performance.now() - startedAtMs < 1500, 'long before its deadline');
    t.equal(actionOf(outcome), 'block');
    t.same(explanationOf(outcome).shadow, { policySet: NO_LS.hash }, 'that it was not found out is told');
    t.same([...new Set((await Promise.all(others)).map(actionOf))], ['allow']);
  }
});

t.test(
  'P1 WorkerPool: a lane that has to compile for an event is not stuck, and costs no other event its time',
  async (t) => {
    const ended: string[] = [];
    const pool = await openPool(t, { onLaneEnded: (why) => ended.push(why) });
    const large = largeSet(2000);
    t.match(await pool.addPolicySet(large.hash, large.files), { ok: true });
    // Asked for before the set is forgotten, and sent afterwards: the lane is told of it anew.
    const late = pool.inspect(request('ls', { policySet: large.hash, deadlineMs: 40 })).outcome;
    const patient = pool.inspect(request('ls', { policySet: large.hash, deadlineMs: 20_000 })).outcome;
    pool.keepPolicySets(new Set());
    const others = Array.from({ length: 20 }, () => pool.inspect(request('ls', { deadlineMs: 5000 })).outcome);
    t.same([...new Set((await Promise.all(others)).map(actionOf))], ['allow']);
    t.match(actionOf(await late), /^(?:deadline|lane_ended|allow)$/, 'its own time may be over');
    t.equal(actionOf(await patient), 'allow');
    t.same(ended, []);
  },
);

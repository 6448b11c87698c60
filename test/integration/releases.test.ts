import t from 'tap';
import type { Effect } from '../../src/domain/decision.ts';
import type { TenantSlug } from '../../src/domain/ids.ts';
import type { JournalRecord } from '../../src/domain/record.ts';
import type { ReleaseOrder } from '../../src/session/items.ts';
import type { ReceivedEvent } from '../../src/session/received-event.ts';
import { newEventId } from '../support/event-ids.ts';
import { ALLOWED, openHouse, received, type SessionHouse, until } from '../support/sessions.ts';

/** What a person takes back: a hold, and taints. */

const HOLD = { kind: 'hold', policy: 'p', reason: 'wait for a person' };
const taint = (label: string) => ({ kind: 'taint', policy: 'p', label });
const withEffects = (...effects: object[]) =>
  ({
    kind: 'inspected',
    report: { action: 'allow', effects: effects as Effect[], explanation: '{}', clean: false },
  }) as const;

function release(house: SessionHouse, wanted: Partial<ReleaseOrder>, session = 's', tenant = 'demo') {
  const order = {
    id: newEventId(Date.now()),
    subject: 'ann',
    reason: 'looked at it',
    hold: false,
    taints: [],
    ...wanted,
  };
  return house.sessions.release(tenant as TenantSlug, received('', { session, tenant }).session, order);
}

async function actionOf(house: SessionHouse, event: ReceivedEvent): Promise<string> {
  const answer = await house.sessions.submit(event);
  return answer.kind === 'decision' && answer.decision.kind === 'decided' ? answer.decision.action : answer.kind;
}

const releases = ({ journal }: SessionHouse): JournalRecord[] =>
  journal
    .readAfter(0, 10_000)
    .map(({ record }) => record)
    .filter(({ kind }) => kind === 'release');

/** The labels that the inspection of the next event is told. */
async function labels(house: SessionHouse, session = 's'): Promise<string[]> {
  let told: string[] = [];
  house.inspector.auto = ({ facts }) => {
    told = JSON.parse(facts).memory.policy.taints.map(({ label }: { label: string }) => label);
    return ALLOWED;
  };
  await house.sessions.submit(received(`look ${Math.random()}`, { session }));
  return told;
}

/** Whether the next event is blocked by a hold of a policy, which needs no inspection. */
function held(house: SessionHouse): Promise<boolean> {
  house.inspector.auto = () => ({ kind: 'failed', cause: 'queue_full' });
  return actionOf(house, received(`look ${Math.random()}`)).then((action) => action === 'block');
}

t.test('a hold that came from a late block is released, by name and with a reason, and stays so', async (t) => {
  const house = await openHouse(t);
  await house.sessions.submit(received('slow', { deadlineMs: 60 }));
  (await until(() => house.inspector.held.filter(({ request }) => request.event.includes('slow'))[1])).block('bad');
  await until(() => house.told.lateBlocks.length === 1);
  house.inspector.auto = () => ALLOWED;
  t.equal(await actionOf(house, received('one')), 'block');
  t.same(await release(house, { hold: true }), { kind: 'released', hold: true, taints: [] });
  t.equal(await actionOf(house, received('two')), 'allow');
  t.match(releases(house), [{ kind: 'release', subject: 'ann', reason: 'looked at it', hold: true, taints: [] }]);
  t.equal(house.told.releases.length, 1);
  const after = await house.crash();
  after.inspector.auto = () => ALLOWED;
  t.equal(await actionOf(after, received('three')), 'allow', 'after a crash, too');
});

t.test('a hold and taints that policies set are released, those that are named and no others', async (t) => {
  const house = await openHouse(t, { sessions: { idleMs: 1 } });
  house.inspector.auto = () => withEffects(HOLD, taint('a'), taint('b'));
  await house.sessions.submit(received('x'));
  await until(() => house.sessions.activeCount === 0);
  t.same(await release(house, { taints: ['a', 'a', 'none'] }), { kind: 'released', hold: false, taints: ['a'] });
  t.ok(await held(house), 'the hold is still there');
  t.same(await release(house, { hold: true }), { kind: 'released', hold: true, taints: [] });
  t.strictSame(await labels(house), ['b']);
  house.inspector.auto = () => withEffects(taint('a'));
  await house.sessions.submit(received('again'));
  t.strictSame(await labels(house), ['b', 'a'], 'what a policy sets afterwards holds');
});

t.test('nothing is recorded where nothing was to be released, and no session is made up', async (t) => {
  const house = await openHouse(t);
  house.inspector.auto = () => ALLOWED;
  await house.sessions.submit(received('x'));
  t.same(await release(house, { hold: true, taints: ['a'] }), { kind: 'released', hold: false, taints: [] });
  t.same(await release(house, { hold: true }, 'other'), { kind: 'unknown_session' });
  t.same(
    await release(house, { hold: true }, 's', 'other'),
    { kind: 'unknown_session' },
    'P6: nor one of another tenant',
  );
  t.same(releases(house), []);
});

t.test(
  'a release takes its turn: what was received before it is released with it, what comes after is not',
  async (t) => {
    const house = await openHouse(t);
    await house.sessions.submit(received('before', { type: 'tool_result' }));
    const first = await house.inspector.next('before');
    const released = release(house, { taints: ['x'] });
    t.ok(first.promoted, 'it is waited for');
    await house.sessions.submit(received('after', { type: 'tool_result' }));
    first.finish(withEffects(taint('x')));
    t.same(await released, { kind: 'released', hold: false, taints: ['x'] });
    (await house.inspector.next('after')).finish(withEffects(taint('x')));
    t.strictSame(await labels(house), ['x']);
  },
);

t.test('P9: only so many releases wait, and none is left without an outcome', async (t) => {
  const house = await openHouse(t);
  await house.sessions.submit(received('busy', { type: 'tool_result' }));
  await house.inspector.next('busy');
  const outcomes = Array.from({ length: 18 }, () => release(house, { hold: true }));
  t.same(
    (await Promise.all(outcomes.slice(16))).map((outcome) => 'cause' in outcome && outcome.cause),
    ['mailbox_full', 'mailbox_full'],
  );
  await house.sessions.stop();
  t.same(await outcomes[0], { kind: 'failed', cause: 'stopping' });
});

t.test('a journal that does not take it leaves all as it was', async (t) => {
  const house = await openHouse(t);
  house.inspector.auto = () => withEffects(HOLD);
  await house.sessions.submit(received('x'));
  house.journal.append = () => {
    throw new Error('disk');
  };
  t.same(await release(house, { hold: true }), { kind: 'failed', cause: 'journal_error' });
  Reflect.deleteProperty(house.journal, 'append');
  t.ok(await held(house));
});

t.test("a taint that was released does not come back from a sub-agent's session, a newer one does", async (t) => {
  const house = await openHouse(t);
  house.inspector.auto = () => withEffects(taint('x'));
  await house.sessions.submit(received('p', { session: 's' }));
  await house.sessions.submit(received('c', { session: 'child', parent: 's' }));
  t.strictSame(await labels(house), ['x']);
  await new Promise((resolve) => setTimeout(resolve, 3));
  await release(house, { taints: ['x'] });
  house.inspector.auto = () => withEffects(taint('other'));
  await house.sessions.submit(received('c2', { session: 'child' }));
  t.strictSame(await labels(house), ['other']);
  await new Promise((resolve) => setTimeout(resolve, 3));
  house.inspector.auto = () => withEffects(taint('x'));
  await house.sessions.submit(received('c3', { session: 'child' }));
  t.strictSame(await labels(house), ['other', 'x']);
});

t.test('a release whose own work throws is answered, and the session is built anew', async (t) => {
  const house = await openHouse(t);
  house.inspector.auto = () => withEffects(HOLD);
  await house.sessions.submit(received('one'));
  const unreadable = new Proxy<string[]>([], {
    get() {
      throw new Error('made to fail');
    },
  });
  t.same(await release(house, { hold: true, taints: unreadable }), { kind: 'failed', cause: 'actor_error' });
  t.equal(house.told.crashes.length, 1);
  t.same(await release(house, { hold: true }), { kind: 'released', hold: true, taints: [] }, 'asked for again');
});

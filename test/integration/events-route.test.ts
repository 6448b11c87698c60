import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { OnFailure } from '../../src/domain/decision.ts';
import { EventIds } from '../../src/domain/event-ids.ts';
import type { TenantSlug } from '../../src/domain/ids.ts';
import { EVENTS_PATH, EventsRoute, type EventsRouteOptions } from '../../src/gateway/events-route.ts';
import { Gateway } from '../../src/gateway/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Deadlines } from '../../src/lib/deadlines.ts';
import type { Answer, ReceivedEvent } from '../../src/session/received-event.ts';
import { eventOf } from '../support/load.ts';
import { RawConnection, type Answer as Received } from '../support/raw-connection.ts';
import { until } from '../support/sessions.ts';

/** The event interface on a real server, with sessions that answer when the test says so. */

const DEADLINE_MS = 300;
const CONNECTIONS_MAX = 16;

const VERIFIED = {
  ok: true,
  principal: { tenant: 'demo' as TenantSlug, subject: 'test', scopes: ['events:write'] } as never,
} as const;

async function openRoute(
  t: Test,
  submit: (event: ReceivedEvent) => Promise<Answer>,
  onFailure: OnFailure = 'allow',
  authenticate: EventsRouteOptions['authenticate'] = () => VERIFIED,
) {
  const site = { baseUrl: 'http://127.0.0.1' };
  const statuses: number[] = [];
  const events = new EventsRoute({
    site,
    deadlineMs: DEADLINE_MS,
    bodyBytesMax: 1_000_000,
    clock: systemClock,
    ids: new EventIds(),
    deadlines: new Deadlines(() => systemClock.monotonic()),
    authenticate,
    findTenant: (slug) => ({ id: '00000000-0000-4000-8000-000000000000', slug, name: slug, onFailure }),
    submit,
    refuse: ({ tenant }, cause) => ({
      kind: 'decision',
      decision: { kind: 'undecided', cause, answered: tenant.onFailure === 'block' ? 'block' : 'fail_open' },
    }),
    observer: { answered: (status) => statuses.push(status), decided: () => {} },
  });
  let refused = 0;
  const gateway = new Gateway({
    site,
    events,
    pages: {},
    platform: { routes: [], onError: () => {}, proxyHops: 0 },
    connections: { max: CONNECTIONS_MAX, onRefused: () => refused++ },
  });
  const port = await gateway.listen('127.0.0.1', 0);
  const connection = new RawConnection(`http://127.0.0.1:${port}`);
  t.teardown(async () => {
    connection.close();
    await gateway.stop();
  });
  const send = (type: Parameters<typeof eventOf>[0]) => sendBody(connection, JSON.stringify(eventOf(type)));
  return { events, send, statuses, port, refusedCount: () => refused };
}
function sendBody(connection: RawConnection, body: string): Promise<Received> {
  const head = `POST ${EVENTS_PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return new Promise<Received>((resolve) => connection.send(head + body, resolve));
}

t.test('P1: an event that is not stored in time is answered 408, like any other', async (t) => {
  const { send, statuses } = await openRoute(t, () => new Promise(() => {}));
  const startedAtMs = performance.now();
  t.match(await send('tool_result'), { status: 408, body: /not stored before the deadline/ });
  t.ok(performance.now() - startedAtMs < DEADLINE_MS * 10);
  t.same(statuses, [408]);
});

t.test('P1: one that is stored after its 408 is answered once', async (t) => {
  let stored!: (answer: Answer) => void;
  const { events, send, statuses } = await openRoute(t, () => new Promise((resolve) => (stored = resolve)));
  t.match(await send('agent_message'), { status: 408 });
  stored({ kind: 'accepted' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.same(statuses, [408]);
  t.equal(events.underWay, 0);
});

t.test('P9: connections are bounded; those beyond are closed, and there is room again once others go', async (t) => {
  const { port, refusedCount } = await openRoute(t, () => Promise.resolve({ kind: 'accepted' }));
  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
      socket.once('error', reject);
    });
  // The route has one of its own.
  const taken = await Promise.all(Array.from({ length: CONNECTIONS_MAX - 1 }, open));
  const beyond = await open();
  await once(beyond, 'close');
  t.equal(refusedCount(), 1);
  const [first, ...others] = taken;
  first?.destroy();
  await sleep(100);
  const next = await open();
  next.write('GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n');
  const [answer] = (await once(next, 'data')) as [Buffer];
  t.match(answer.toString(), /^HTTP\/1.1 404 /);
  for (const socket of [next, ...others]) socket.destroy();
});

t.test('P7: while the service stops, each tenant is answered as it wants it where nothing is decided', async (t) => {
  for (const [onFailure, status, body] of [
    ['block', 200, /"action":"block"/],
    ['allow', 500, /stopping/],
  ] as const) {
    const { events, send } = await openRoute(t, () => Promise.reject(new Error('not to be asked')), onFailure);
    events.stop();
    t.match(await send('tool_invocation'), { status, body });
  }
});

t.test('P7: an event that fails is told of as what it was: undecided, or not stored', async (t) => {
  const failed = { kind: 'failed', cause: 'journal_full' } as const;
  const { send } = await openRoute(t, () => Promise.resolve(failed), 'allow');
  t.match(await send('tool_result'), { status: 500, body: /the event was not stored: the journal is full/ });
  const decision = { kind: 'undecided', cause: 'journal_full', answered: 'fail_open', reason: '' } as const;
  const undecided = await openRoute(t, () => Promise.resolve({ kind: 'decision', decision }), 'allow');
  t.match(await undecided.send('tool_invocation'), {
    status: 500,
    body: /no decision was reached: the journal is full/,
  });
});

t.test('P7: an event whose token is verified too late goes to its session, as answered', async (t) => {
  const taken: ReceivedEvent[] = [];
  const submit = (event: ReceivedEvent): Promise<Answer> => {
    taken.push(event);
    return Promise.resolve({ kind: 'accepted' });
  };
  const verifiedLate = () => sleep(DEADLINE_MS + 100).then(() => VERIFIED);
  const { send, statuses } = await openRoute(t, submit, 'block', verifiedLate);
  t.match(await send('tool_invocation'), { status: 408 });
  await until(() => taken.length === 1);
  t.match(taken, [{ answered: 'allow' }], 'whatever its tenant wants: who that is was not known');
  t.same(statuses, [408]);
});

t.test('P7: large bodies that are read too late go to their sessions, as answered', async (t) => {
  for (const [onFailure, status] of [
    ['degrade', 200],
    ['allow', 408],
  ] as const) {
    const taken: ReceivedEvent[] = [];
    const submit = (event: ReceivedEvent): Promise<Answer> => {
      taken.push(event);
      for (const untilMs = performance.now() + DEADLINE_MS; performance.now() < untilMs; );
      return Promise.resolve({ kind: 'decision', decision: { kind: 'decided', action: 'allow' } });
    };
    const { port } = await openRoute(t, submit, onFailure);
    const connections = Array.from({ length: 5 }, () => new RawConnection(`http://127.0.0.1:${port}`));
    t.teardown(() => {
      for (const connection of connections) connection.close();
    });
    const body = JSON.stringify({ ...eventOf('tool_invocation'), padding: 'x'.repeat(40_000) });
    const answers = await Promise.all(connections.map((connection) => sendBody(connection, body)));
    await until(() => taken.length === connections.length);
    const late = taken.filter(({ answered }) => answered !== undefined);
    t.ok(late.length > 0);
    t.same([...new Set(late.map(({ answered }) => answered))], [status === 200 ? 'block' : 'allow']);
    const statuses = answers.flatMap((answer) =>
      answer !== 'broken' && /deadline passed/.test(answer.body) ? [answer.status] : [],
    );
    t.same(statuses, Array(late.length).fill(status));
  }
});

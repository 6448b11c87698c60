import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { EventsRoute } from '../../src/gateway/events-route.ts';
import { Gateway } from '../../src/gateway/server.ts';
import { json, type Route } from '../../src/platform/http.ts';
import type { LiveEndpoint } from '../../src/platform/live.ts';

/** The platform interface on a real server, with routes that answer when the test says so. */

const BODY_BYTES = 60_000;

async function openRoutes(t: Test, bodies: { bytesMax: number; msMax: number }) {
  const served: string[] = [];
  const waiting: (() => void)[] = [];
  const post = (path: string, rest: Partial<Route> = {}): Route => ({
    method: 'POST',
    path,
    handle: ({ body }) => {
      served.push(path);
      return json({ bytes: body.length });
    },
    ...rest,
  });
  const waits = () => new Promise<ReturnType<typeof json>>((resolve) => waiting.push(() => resolve(json({}))));
  const site = { baseUrl: 'http://127.0.0.1' };
  const gateway = new Gateway({
    site,
    events: { handle: () => {}, stop: () => {}, underWay: 0 } as unknown as EventsRoute,
    pages: {},
    live: { path: '/live', protocol: 'test', messageBytesMax: 1000, stalledMsMax: 1000 } as LiveEndpoint,
    platform: {
      routes: [post('/open'), post('/own', { needs: 'caller' }), post('/waits', { handle: waits })],
      onError: (error) => t.fail(String(error)),
      proxyHops: 0,
      bodies,
    },
  });
  const port = await gateway.listen('127.0.0.1', 0);
  const sockets: Socket[] = [];
  t.teardown(async () => {
    for (const answer of waiting) answer();
    for (const socket of sockets) socket.destroy();
    await gateway.stop();
  });
  /** Sends `text` on a connection of its own. */
  const send = (text: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    const connection = { socket, received: '', isClosed: false };
    socket.setEncoding('latin1').on('data', (data) => {
      connection.received += data;
    });
    socket.on('close', () => {
      connection.isClosed = true;
    });
    socket.write(text);
    return connection;
  };
  return { send, served, waiting };
}

function head(path: string, bytes = BODY_BYTES, ...lines: string[]): string {
  return [`POST ${path} HTTP/1.1`, 'host: x', `content-length: ${bytes}`, ...lines, '', ''].join('\r\n');
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let waitedMs = 0; !isTrue() && waitedMs < 10_000; waitedMs += 5) await sleep(5);
}

const ROOM_FOR_TWO = { bytesMax: 2 * BODY_BYTES, msMax: 30_000 };

t.test('P9: a body that makes no haste gives its room to those that come', async (t) => {
  const { send } = await openRoutes(t, ROOM_FOR_TWO);
  const slow = [1, 2, 3].map(() => send(head('/open')));
  await until(() => slow.some(({ isClosed }) => isClosed));
  const [first, ...others] = slow.toSorted((a, b) => Number(b.isClosed) - Number(a.isClosed));
  t.match(first?.received, /^HTTP\/1.1 429 [\s\S]*retry-after: 1/i);
  t.same(
    others.map(({ isClosed }) => isClosed),
    [false, false],
  );
  const quick = send(head('/open') + 'x'.repeat(BODY_BYTES));
  await until(() => quick.received !== '');
  t.match(quick.received, /^HTTP\/1.1 200 [\s\S]*\{"bytes":60000\}$/);
});

t.test(
  'P9: what is here keeps its room until it is answered, though its sender left; who left before gives theirs back',
  async (t) => {
    const { send, waiting } = await openRoutes(t, ROOM_FOR_TWO);
    const gone = send(head('/waits'));
    await sleep(20);
    gone.socket.destroy();
    const kept = [1, 2].map(() => send(head('/waits') + 'x'.repeat(BODY_BYTES)));
    await until(() => waiting.length === 2);
    t.equal(waiting.length, 2);
    kept[0]?.socket.destroy();
    await sleep(20);
    const late = send(head('/open') + 'x'.repeat(BODY_BYTES));
    await until(() => late.isClosed);
    t.match(late.received, /^HTTP\/1.1 429 /);
    const small = send(head('/open', 0));
    await until(() => small.received !== '');
    t.match(small.received, /^HTTP\/1.1 200 /, 'who brings nothing needs no room');
    for (const answer of waiting) answer();
    await until(() => kept[1]?.received !== '');
    const again = send(head('/open') + 'x'.repeat(BODY_BYTES));
    await until(() => again.received !== '');
    t.match(again.received, /^HTTP\/1.1 200 /);
  },
);

t.test('P9: a body has a time in which it must be here', async (t) => {
  const { send, served } = await openRoutes(t, { bytesMax: BODY_BYTES, msMax: 100 });
  const slow = send(`${head('/open')}x`);
  await until(() => slow.isClosed);
  t.match(slow.received, /^HTTP\/1.1 408 [\s\S]*problems\/timeout/);
  t.same(served, []);
});

t.test('of who does not say who they are no body is read where that is asked', async (t) => {
  const { send, served } = await openRoutes(t, ROOM_FOR_TWO);
  const nobody = send(head('/own'));
  await until(() => nobody.received !== '');
  t.match(nobody.received, /^HTTP\/1.1 401 [\s\S]*problems\/unauthorized/);
  for (const line of ['authorization: Bearer x', 'cookie: session=x']) {
    const somebody = send(`${head('/own', 2, line)}{}`);
    await until(() => somebody.received !== '');
    t.match(somebody.received, /^HTTP\/1.1 200 /);
  }
  t.same(served, ['/own', '/own']);
});

t.test('a head that can be read in two ways ends the connection, at the address of sockets, too', async (t) => {
  const { send } = await openRoutes(t, ROOM_FOR_TWO);
  const upgrade = ['host: x', 'upgrade: websocket', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='];
  const doubtful = ['content-length: 0', 'content-length: 0'];
  const asked = send(['GET /live HTTP/1.1', ...upgrade, ...doubtful, '', ''].join('\r\n'));
  await until(() => asked.isClosed);
  t.match(asked.received, /^HTTP\/1.1 400 [\s\S]*only one Content-Length/);
  t.ok(asked.isClosed);
});

import { type AddressInfo, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { Gateway } from '../../src/gateway/server.ts';
import { guardedFetch, OutboundRefused } from '../../src/identity/guarded-fetch.ts';

/** Whatever a provider answers, whoever asks it gets an end; and so does a service that is to stop meanwhile. */

/** A server that answers each request with `raw`, and then closes the connection or does nothing. */
async function startRaw(t: Test, raw: string, end: 'closes' | 'stays'): Promise<{ url: string; gone: Promise<void> }> {
  const sockets = new Set<Socket>();
  let left = () => {};
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', left);
    socket.once('data', () => {
      socket.write(raw);
      if (end === 'closes') socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, gone };
}

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n';
const ask = guardedFetch({ privateNetworks: 'allow', timeoutMs: 300 });

const REFUSED: [string, string, 'closes' | 'stays', RegExp][] = [
  ['another protocol', SWITCHING, 'stays', /another protocol/],
  ['another protocol, and the end', SWITCHING, 'closes', /another protocol/],
  ['a status that HTTP does not know', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n', 'closes', /status 999/],
  ['a head without its body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n', 'stays', /in time/],
  ['nothing but announcements', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50), 'stays', /in time/],
  ['nothing', '', 'stays', /in time/],
];
for (const [name, raw, end, why] of REFUSED)
  t.test(`${name}: refused, and the connection is closed`, async (t) => {
    const { url, gone } = await startRaw(t, raw, end);
    const error: unknown = await ask(url).catch((thrown: unknown) => thrown);
    t.ok(error instanceof OutboundRefused, String(error));
    t.match((error as Error).message, why);
    await gone;
  });

t.test('the end instead of an answer, or within one: rejected', async (t) => {
  for (const raw of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab'])
    await t.rejects(ask((await startRaw(t, raw, 'closes')).url), raw);
});

t.test('whoever asks may give up, also before the question', async (t) => {
  const patient = guardedFetch({ privateNetworks: 'allow', timeoutMs: 600_000 });
  for (const raw of ['', SWITCHING]) {
    const { url } = await startRaw(t, raw, 'stays');
    await t.rejects(patient(url, { signal: AbortSignal.abort() }), raw);
  }
  const { url } = await startRaw(t, '', 'stays');
  const giveUp = new AbortController();
  const asked = patient(url, { signal: giveUp.signal });
  giveUp.abort();
  await t.rejects(asked);
});

t.test('a status that has no body is answered without one', async (t) => {
  const { url } = await startRaw(t, 'HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\nhi', 'closes');
  const answer = await ask(url);
  t.equal(answer.status, 205);
  t.equal(await answer.text(), '');
});

t.test('a request that never ends does not keep the service from stopping', async (t) => {
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const gateway = new Gateway({
    site: { baseUrl: 'http://127.0.0.1' },
    events: { handle: () => {}, stop: () => {}, underWay: 0 } as never,
    pages: {},
    platform: {
      routes: [
        {
          method: 'GET',
          path: '/stuck',
          summary: 'Never answers',
          handle: () => {
            asked();
            return new Promise(() => {});
          },
        },
      ],
      onError: () => {},
      proxyHops: 0,
    },
    stopMsMax: 50,
  });
  const port = await gateway.listen('127.0.0.1', 0);
  const stuck = fetch(`http://127.0.0.1:${port}/stuck`);
  await isAsked;
  await Promise.all([t.rejects(stuck), gateway.stop()]);
});

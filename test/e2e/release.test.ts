import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { EVENTS_PATH, eventOf } from '../support/load.ts';
import { temporaryDirectory } from '../support/postgres.ts';
import { startService } from '../support/service.ts';

/** A person releases a session of a running service, over HTTP and from the command line. */

const POLICIES = `
apiVersion: gatehouse/v1
kind: PolicySet
metadata: { name: gates }
spec:
  policies:
    - { id: gate.mark, on: tool_result, severity: low, when: 'text.readings.exists(r, r.contains("marked"))', taint: marked, reason: It is marked }
    - { id: gate.tainted, on: tool_invocation, severity: high, match: { taint: marked }, effect: block, reason: The session is marked }
    - { id: gate.hold, on: user_message, severity: high, when: 'text.readings.exists(r, r.contains("stop here"))', hold: true, effect: block, reason: Somebody has to look }
`;
const directory = temporaryDirectory(t, 'policies');
writeFileSync(join(directory, 'gates.yaml'), POLICIES);
const env = { GATEHOUSE_LOG_LEVEL: 'error', GATEHOUSE_WORKERS: '2', GATEHOUSE_POLICIES_DIR: directory };
const service = await startService({ env });
t.teardown(() => service.dispose());
const token = await service.token();

async function send(session: string, type: Parameters<typeof eventOf>[0], text: string): Promise<string | undefined> {
  const subject = type === 'user_message' ? { message: { content: text } } : undefined;
  const tool = { name: 'Bash', input: { command: 'ls', text }, output: { text } };
  const event = eventOf(type, { session_id: session, ...(subject ?? { tool }) });
  const answer = await fetch(service.url + EVENTS_PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
  if (answer.status !== 200) return undefined;
  return ((await answer.json()) as { response: { action: string } }).response.action;
}

const post = (body: unknown, bearer: string, type = 'application/json') =>
  fetch(`${service.url}/v1/sessions/release`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

async function lines(kind: string, count: number): Promise<Record<string, unknown>[]> {
  for (;;) {
    const found = (await service.gatehouse('export', kind)).split('\n').filter((line) => line !== '');
    if (found.length >= count) return found.map((line) => JSON.parse(line));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

t.test(
  'a taint and a hold end when a person says so; all of it is recorded, exported, and computed again',
  async (t) => {
    await send('s', 'tool_result', 'marked');
    t.equal(await send('s', 'tool_invocation', 'one'), 'block');
    const byCommand = (...args: string[]) =>
      service.gatehouse('release', '--session', 's', '--url', service.url, ...args);
    t.equal(await byCommand('--taint', 'marked', '--reason', 'it was a test'), 'released: taint marked\n');
    t.equal(await send('s', 'tool_invocation', 'two'), 'allow');
    t.equal(await send('s', 'user_message', 'stop here'), 'block');
    t.equal(await send('s', 'tool_invocation', 'three'), 'block', 'on hold');
    const scope = (await service.gatehouse('token', '--scope', 'sessions:release', '--subject', 'ann')).trim();
    const answer = await post({ session_id: 's', reason: 'looked at it' }, scope);
    t.equal(answer.status, 200);
    t.same(await answer.json(), { released: { hold: true, taints: [] } });
    t.equal(await send('s', 'tool_invocation', 'four'), 'allow');
    t.equal(await byCommand('--reason', 'again'), 'there was nothing to release\n');

    const released = await lines('releases', 2);
    t.match(released, [
      { tenant: 'demo', sessionId: 's', subject: /^cli:/, reason: 'it was a test', hold: false, taints: ['marked'] },
      { tenant: 'demo', sessionId: 's', subject: 'ann', reason: 'looked at it', hold: true, taints: [] },
    ]);
    const ids = (await lines('decisions', 5)).map(({ id }) => String(id));
    t.equal(await service.gatehouse('verify', ...ids), ids.map((id) => `${id} equal\n`).join(''));
    t.match(
      await service.gatehouse('policy', 'backtest', '--policy', directory, '--since', '1h'),
      /decisions +5\nnewly blocked +0\nnewly allowed +0\nunchanged +5\n/,
      'a replay knows of them, too',
    );
    t.equal(await service.metric('gatehouse_releases_total'), 2);
  },
);

t.test('only a token of its own scope may, and what cannot be done is a problem that says why', async (t) => {
  const scope = (await service.gatehouse('token', '--scope', 'sessions:release')).trim();
  const cases: [body: unknown, bearer: string, status: number, detail: RegExp][] = [
    [{ session_id: 's', reason: 'r' }, token, 401, /lacks the scope sessions:release/],
    [{ session_id: 's', reason: 'r' }, 'no-token', 401, /./],
    [{ session_id: 'never seen', reason: 'r' }, scope, 404, /nothing is remembered/],
    [{ session_id: 's' }, scope, 400, /\/reason must be present/],
    [{ session_id: 's', reason: ' ' }, scope, 400, /\/reason/],
    [{ session_id: 's', reason: 'r', taint: 'x' }, scope, 400, /./],
    ['{', scope, 400, /JSON/],
    [{ session_id: 's', reason: 'r'.repeat(70_000) }, scope, 400, /larger than 65536 bytes/],
  ];
  for (const [body, bearer, status, detail] of cases) {
    const answer = await post(body, bearer);
    t.equal(answer.headers.get('content-type'), 'application/problem+json');
    t.match(await answer.json(), { status, detail });
  }
  t.equal((await fetch(`${service.url}/v1/sessions/release`)).status, 405);
  t.equal((await post(eventOf('session_start'), scope)).status, 400);
  const asEvent = await fetch(service.url + EVENTS_PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${scope}`, 'content-type': 'application/json' },
    body: JSON.stringify(eventOf('session_start')),
  });
  t.equal(asEvent.status, 401, 'nor may it send events');
  await t.rejects(service.gatehouse('release', '--session', 's'), { code: 2, stderr: /--reason/ });
  await t.rejects(service.gatehouse('release', '--session', 'never seen', '--reason', 'r', '--url', service.url), {
    code: 1,
    stderr: /nothing is remembered of this session/,
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import t, { type Test } from 'tap';
import { PROBLEMS } from '../../src/domain/problem.ts';
import { EVENTS_PATH } from '../../src/gateway/events-route.ts';
import { ADVISORY_LOCKS } from '../../src/store/advisory-locks.ts';
import { lastUrl } from '../../src/store/embedded-postgres.ts';
import { processesIn, type Service, startService } from '../support/service.ts';
import { until } from '../support/sessions.ts';

/** The wire contract, over real sockets against the real program. */

/** Wide, so that what must be in time is so on a busy machine just after a start. */
const DEADLINE_MS = 4000;

let service: Service;
let token: string;

t.before(async () => {
  service = await startService({
    env: {
      GATEHOUSE_DEADLINE_MS: String(DEADLINE_MS),
      GATEHOUSE_WORKERS: '1',
      GATEHOUSE_TEST_TRIGGERS: 'on',
      GATEHOUSE_BODY_BYTES_MAX: '1048576',
    },
  });
  token = await service.token();
});
t.teardown(() => service.dispose());

let sent = 0;

/** A valid event, different from every other one. */
function event(type: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  const shapes: Record<string, object> = {
    tool_invocation: { tool: { name: 'Bash', input: { command: 'ls' } } },
    user_message: { message: { content: 'hello' } },
    tool_result: { tool: { name: 'Bash', input: { command: 'ls' }, output: { stdout: 'a' } } },
    agent_message: { message: { content: 'hello' } },
  };
  return {
    event_type: type,
    session_id: 'gate',
    timestamp: '2026-01-01T00:00:00.000Z',
    agent: { id: 'agent-1', name: 'Agent' },
    user: { email: 'user@example.com' },
    n: sent++,
    ...shapes[type],
    ...fields,
  };
}

function post(body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(service.url + EVENTS_PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body,
  });
}

const postEvent = (value: unknown, headers?: Record<string, string>) => post(JSON.stringify(value), headers);

/** The answer, which says why where it is not, is part of the message. */
async function isTaken(t: Test, value: unknown, status: 200 | 202): Promise<void> {
  const answer = await postEvent(value);
  t.equal(answer.status, status, (await answer.text()) || 'nothing is told');
}

async function exported(kind: 'events' | 'decisions', session: string): Promise<Record<string, unknown>[]> {
  const text = await service.gatehouse('export', kind, '--session', session);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const bodyOf = (row: Record<string, unknown>) =>
  typeof row['body'] === 'string' ? row['body'] : JSON.stringify(row['event'] ?? row['body']);

async function isProblem(t: Test, answer: Response, slug: keyof typeof PROBLEMS): Promise<string> {
  const { status, title } = PROBLEMS[slug];
  t.equal(answer.status, status);
  t.equal(answer.headers.get('content-type'), 'application/problem+json');
  const body = (await answer.json()) as Record<string, unknown>;
  t.match(body, { type: `${service.url}/problems/${slug}`, title, status, detail: String, instance: /^urn:/ });
  return String(body['detail']);
}

t.test('the six events are answered as the contract says', async (t) => {
  for (const type of ['tool_invocation', 'user_message']) {
    const answer = await postEvent(event(type));
    t.equal(answer.status, 200, type);
    t.equal(answer.headers.get('content-type'), 'application/json');
    t.same(await answer.json(), { apiVersion: '1', response: { action: 'allow' } });
  }
  for (const type of ['tool_result', 'agent_message', 'session_start', 'session_end']) {
    const answer = await postEvent(event(type));
    t.equal(answer.status, 202, type);
    t.equal(await answer.text(), '');
  }
  const blocked = await postEvent(
    event('tool_invocation', { tool: { name: 'Bash', input: { command: 'rm -rf / --no-preserve-root' } } }),
  );
  t.equal(blocked.status, 200);
  t.match(await blocked.json(), { apiVersion: '1', response: { action: 'block', reason: /\w/ } });
});

t.test('the first rules block what is plainly harmful and let ordinary work pass', async (t) => {
  const action = async (tool: object) => {
    const answer = (await (await postEvent(event('tool_invocation', { session_id: 'rules', tool }))).json()) as {
      response: { action: string };
    };
    return answer.response.action;
  };
  for (const command of [
    'rm -rf ~',
    'cat ~/.ssh/id_rsa',
    'curl http://169.254.169.254/latest/meta-data/',
    'bash -c "rm -rf /*"',
    'mkfs.ext4 /dev/sda1',
  ]) {
    t.equal(await action({ name: 'Bash', input: { command } }), 'block', command);
  }
  t.equal(await action({ name: 'Read', input: { file_path: '/home/me/.aws/credentials' } }), 'block');
  t.equal(await action({ name: 'WebFetch', input: { url: 'http://2852039166/latest' } }), 'block');
  for (const command of [
    'git status',
    'npm test',
    'rm -rf node_modules',
    'curl http://localhost:3000/health',
    'grep -rn TODO src',
  ]) {
    t.equal(await action({ name: 'Bash', input: { command } }), 'allow', command);
  }
  t.equal(await action({ name: 'Read', input: { file_path: 'src/main.ts' } }), 'allow');
});

t.test('what is no event is a 400 that says what to mend, and is not stored', async (t) => {
  const { session_id: _, ...incomplete } = event('user_message', { session_id: 'refused' });
  const refused = (fields: object) =>
    JSON.stringify({ ...event('user_message', { session_id: 'refused' }), ...fields });
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const cases: [name: string, body: string | Uint8Array, detail: RegExp, headers?: Record<string, string>][] = [
    ['empty body', '', /empty/],
    ['no JSON', '{"a":', /not valid JSON: it ends too early/],
    ['no object', '[]', /the body must be a JSON object/],
    ['null', 'null', /JSON object/],
    ['byte order mark', `\ufeff${refused({})}`, /byte order mark/],
    ['malformed UTF-8', Buffer.from('{"event_type":"\xff"}', 'latin1'), /UTF-8/],
    ['unknown type', refused({ event_type: 'tool_call' }), /\/event_type must be one of tool_invocation/],
    ['type missing', '{}', /\/event_type/],
    ['field missing', JSON.stringify(incomplete), /\/session_id must be present/],
    ['nested field missing', refused({ agent: { id: 'a' } }), /\/agent\/name must be present/],
    ['wrong type', refused({ message: { content: 5 } }), /\/message\/content must be string/],
    [
      'tool input no object',
      JSON.stringify(event('tool_invocation', { tool: { name: 't', input: [] } })),
      /\/tool\/input/,
    ],
    [
      'tool input null',
      JSON.stringify(event('tool_invocation', { tool: { name: 't', input: null } })),
      /\/tool\/input/,
    ],
    ['tool output missing', JSON.stringify(event('tool_result', { tool: { name: 't', input: {} } })), /\/tool\/output/],
    [
      'date that does not exist',
      refused({ timestamp: '2026-02-30T00:00:00Z' }),
      /\/timestamp must be an RFC 3339 date-time/,
    ],
    ['date without offset', refused({ timestamp: '2026-02-03T00:00:00' }), /\/timestamp/],
    ['no address', refused({ user: { email: 'nobody' } }), /\/user\/email must be an e-mail address/],
    ['identifier too long', refused({ agent: { id: 'x'.repeat(2000), name: '' } }), /\/agent\/id/],
    ['nested too deep', refused({ deep: JSON.parse(nested(70)) }), /nested deeper than 64/],
    ['__proto__ key', refused({}).replace('{', '{"__proto__":{"a":1},'), /__proto__/],
    ['escaped __proto__ key', refused({}).replace('{', '{"\\u005f_proto__":{"a":1},'), /__proto__/],
    ['wrong content type', refused({}), /Content-Type must be application\/json/, { 'content-type': 'text/plain' }],
    ['body over the limit', refused({ message: { content: 'x'.repeat(1024 * 1024) } }), /larger than 1048576 bytes/],
  ];
  for (const [name, body, detail, headers] of cases) {
    await t.test(name, async (t) => t.match(await isProblem(t, await post(body, headers), 'invalid-request'), detail));
  }
  t.notMatch(
    await isProblem(t, await post(refused({ user: { email: 'sk-secret-value' } })), 'invalid-request'),
    /sk-secret/,
    'no echo',
  );
  await postEvent(event('user_message', { session_id: 'refused', message: { content: 'the only one' } }));
  t.equal((await waitForExport('refused', 1)).length, 1);
});

/** Rows of a session, once at least `count` have arrived in the database. */
async function waitForExport(session: string, count: number): Promise<Record<string, unknown>[]> {
  for (let tries = 0; ; tries++) {
    const rows = await exported('events', session);
    if (rows.length >= count || tries > 60) return rows;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

t.test('what the contract does not forbid is accepted and kept', async (t) => {
  const accepted: [string, Record<string, unknown>][] = [
    ['extra fields', { extra: { a: [1, null] }, agent: { id: 'a', name: 'n', version: '1' } }],
    ['empty strings', { session_id: 'odd', agent: { id: '', name: '' }, message: { content: '' } }],
    ['lower-case date', { timestamp: '2026-01-01t00:00:00.123456789+05:30' }],
    ['leap second', { timestamp: '2016-12-31T23:59:60Z' }],
    ['year 0000', { timestamp: '0000-01-01T00:00:00Z' }],
    ['international address', { user: { email: 'jürgen@bücher.example' } }],
    ['depth 60', { deep: JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`) }],
  ];
  for (const [name, fields] of accepted) t.equal((await postEvent(event('user_message', fields))).status, 200, name);
  t.equal((await postEvent(event('user_message'), { 'content-type': 'application/json; charset=utf-8' })).status, 200);
  t.equal((await postEvent(event('user_message'), { 'content-type': 'Application/JSON' })).status, 200);
});

t.test(
  'NUL, lone surrogates and naughty strings are accepted anywhere, decided, and stored as they came',
  async (t) => {
    const odd = [
      '\u0000',
      'a\u0000b',
      '\ud800',
      'x\udfff',
      '\ufffd',
      '\u202e',
      '\uffff',
      '😀',
      '\\u0000',
      '%00',
      ...naughtyStrings(),
    ];
    const bodies = odd
      .flatMap((text) => [
        JSON.stringify(event('user_message', { session_id: 'naughty', message: { content: text } })),
        JSON.stringify(
          event('tool_invocation', {
            session_id: 'naughty',
            agent: { id: text, name: text },
            tool: { name: text, input: { [text]: text } },
          }),
        ),
      ])
      .filter((body) => !body.includes('__proto__'));
    const refused: string[] = [];
    // A few at a time: they are one session's, which takes its events in turn.
    for (let at = 0; at < bodies.length; at += 16) {
      const batch = await Promise.all(bodies.slice(at, at + 16).map((body) => post(body)));
      for (const answer of batch) if (answer.status !== 200) refused.push(await answer.text());
    }
    t.same(refused, []);
    for (const text of ['\u0000', '\ud800'])
      t.equal((await postEvent(event('tool_result', { session_id: `odd ${text}` }))).status, 202);
    const stored = new Set((await waitForExport('naughty', bodies.length)).map(bodyOf));
    t.same(bodies.filter((body) => !stored.has(body)).length, 0, 'each body is stored');
  },
);

function naughtyStrings(): string[] {
  const file = new URL('../../../shared/vectors/blns/blns.json', import.meta.url);
  if (!existsSync(file)) return [];
  return JSON.parse(readFileSync(file, 'utf8')) as string[];
}

const suite = new URL('../../../shared/vectors/JSONTestSuite/test_parsing/', import.meta.url);
t.test(
  'JSON parsing test suite: no text makes it fail',
  { skip: existsSync(suite) ? false : 'the vectors are not beside this checkout' },
  async (t) => {
    for (const name of readdirSync(suite)) {
      const bytes = readFileSync(join(fileURLToPath(suite), name));
      t.equal((await post(bytes)).status, 400, `${name} is no event`);
      const around = JSON.stringify(event('tool_invocation', { session_id: 'json' })).split('"ls"') as [string, string];
      const body = Buffer.concat([Buffer.from(around[0]), bytes, Buffer.from(around[1])]);
      const { status } = await post(body);
      if (name.startsWith('y_')) t.equal(status, 200, name);
      else t.ok(status === 400 || status === 200, `${name}: ${status}`);
    }
  },
);

t.test('a request without a good token is a 401 that says so', async (t) => {
  const cases: [string, Record<string, string>][] = [
    ['none', { authorization: '' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['garbage', { authorization: 'Bearer garbage' }],
    ['signature changed', { authorization: `Bearer ${token.slice(0, -4)}AAAA` }],
  ];
  for (const [name, headers] of cases) {
    await t.test(name, async (t) => {
      const answer = await postEvent(event('user_message'), headers);
      await isProblem(t, answer, 'unauthorized');
      t.match(answer.headers.get('www-authenticate'), /^Bearer/);
    });
  }
  await isProblem(
    t,
    await fetch(service.url + EVENTS_PATH, {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'application/json' },
    }),
    'unauthorized',
  );
});

t.test('every token is in the list, the one that a start shows too', async (t) => {
  const listed = async () => service.gatehouse('token', 'list');
  t.ok(await until(async () => /\tactive\t\S+\t"first-steps"\tevents:write$/m.test(await listed())));
  t.match(await listed(), /\tactive\t\S+\t"test"\tevents:write$/m);
});

t.test('a revoked token is refused within a second, though it was in use', async (t) => {
  const revoked = await service.token('demo', 'to be revoked');
  const use = () => postEvent(event('user_message'), { authorization: `Bearer ${revoked}` });
  t.equal((await use()).status, 200);
  await service.gatehouse('token', 'revoke', revoked);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await isProblem(t, await use(), 'unauthorized');
  t.equal((await postEvent(event('user_message'))).status, 200, 'other tokens go on');
});

t.test('other methods are 405, other paths 404', async (t) => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const answer = await fetch(service.url + EVENTS_PATH, { method });
    t.equal(answer.headers.get('allow'), 'POST', method);
    await isProblem(t, answer, 'method-not-allowed');
  }
  t.equal((await fetch(service.url + EVENTS_PATH, { method: 'HEAD' })).status, 405);
  for (const path of ['/v2', '/v1', `${EVENTS_PATH}/`, '/nothing?a=b'])
    await isProblem(t, await fetch(service.url + path), 'not-found');
});

t.test('the correlation id is echoed if it is fit, else one is made', async (t) => {
  const idFor = async (given?: string) =>
    (await postEvent(event('user_message'), given === undefined ? {} : { 'x-correlation-id': given })).headers.get(
      'x-correlation-id',
    );
  t.equal(await idFor('trace-42.a/b'), 'trace-42.a/b');
  for (const unfit of [undefined, '', ' ', 'a b', '<script>', 'x'.repeat(200), 'é'])
    t.match(await idFor(unfit), /^[\da-f-]{36}$/);
  t.equal((await post('{', { 'x-correlation-id': 'on-errors-too' })).headers.get('x-correlation-id'), 'on-errors-too');
  await postEvent(event('user_message', { session_id: 'traced' }), {
    'x-correlation-id': 'kept',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  });
  const [row] = await waitForExport('traced', 1);
  t.match(JSON.stringify(row), /"kept"/);
});

t.test('framing that two parsers could read in two ways ends the connection, and nothing behind it runs', async (t) => {
  const body = JSON.stringify(event('user_message', { session_id: 'smuggled' }));
  const head = (...lines: string[]) =>
    `POST ${EVENTS_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
  const good = head(`Authorization: Bearer ${token}`, `Content-Length: ${body.length}`) + body;
  const auth = `Authorization: Bearer ${token}`;
  const cases: [string, string][] = [
    ['chunked', `${head(auth, 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
    ['chunked and length', `${head(auth, 'Transfer-Encoding: chunked', 'Content-Length: 4')}0\r\n\r\n`],
    ['identity', head(auth, 'Transfer-Encoding: identity', `Content-Length: ${body.length}`) + body],
    ['two lengths', head(auth, `Content-Length: ${body.length}`, `Content-Length: ${body.length}`) + body],
    ['two different lengths', head(auth, 'Content-Length: 0', `Content-Length: ${body.length}`) + body],
    ['no length', head(auth) + body],
    ['signed length', head(auth, `Content-Length: +${body.length}`) + body],
    ['two authorizations', head(auth, 'Authorization: Bearer x', `Content-Length: ${body.length}`) + body],
    ['two content types', head(auth, 'Content-Type: text/plain', `Content-Length: ${body.length}`) + body],
  ];
  for (const [name, request] of cases) {
    const alone = await raw(request);
    t.match(alone, /^HTTP\/1.1 400 /, `${name}: refused`);
    t.notMatch(await raw(request + good), / 200 OK/, `${name}: nothing behind it runs`);
  }
  t.match(await raw(good), /^HTTP\/1.1 200 OK/);
  t.equal((await waitForExport('smuggled', 1)).length, 1);
});

/** Writes bytes to the service and returns all that comes back until it closes, or is silent for a while. */
function raw(request: string, silentMs = 300): Promise<string> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.setTimeout(silentMs, () => socket.destroy());
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
}

t.test('a body that comes in pieces is read whole, cut inside a character too', async (t) => {
  const body = Buffer.from(
    JSON.stringify(event('user_message', { session_id: 'pieces', message: { content: 'é😀'.repeat(50) } })),
  );
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${EVENTS_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  for (let at = 0; at < body.length; at += 37) {
    socket.write(body.subarray(at, at + 37));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  socket.destroy();
  t.match(answer, /^HTTP\/1.1 200 OK/);
  t.equal(bodyOf((await waitForExport('pieces', 1))[0] ?? {}), body.toString());
});

t.test('P5: events are ordered as their session took them, whichever request began first', async (t) => {
  const named = (content: string) => event('user_message', { session_id: 'slow body', message: { content } });
  const body = Buffer.from(JSON.stringify(named('began first')));
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  socket.write(
    `POST ${EVENTS_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, 10));
  // Answered, so that the service has had the head of the other one for long.
  t.equal((await postEvent(named('was whole first'))).status, 200);
  socket.write(body.subarray(10));
  t.match(await answered, /^HTTP\/1.1 200 OK/);
  const rows = await waitForExport('slow body', 2);
  const contents = rows
    .toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))
    .map((row) => JSON.parse(bodyOf(row)).message.content);
  t.same(contents, ['was whole first', 'began first']);
});

t.test('a body over the limit is refused to who has sent it, too', async (t) => {
  const { hostname, port } = new URL(service.url);
  /** The answer to who announces and sends that much, and hears nothing before. */
  const answerTo = (announced: number, sentBytes: number) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname).on('error', reject).pause();
      socket.write(
        `POST ${EVENTS_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${announced}\r\n\r\n`,
      );
      socket.setEncoding('latin1').on('data', resolve);
      setTimeout(() => socket.write(Buffer.alloc(sentBytes, 'x')), 50);
      setTimeout(() => socket.resume(), 150);
    });
  const refused = /^HTTP\/1.1 400 [\s\S]*the body is larger than 1048576 bytes/;
  t.match(await answerTo(2_000_000, 2_000_000), refused);
  t.match(await answerTo(2_000_000, 10), refused, 'at the deadline: it was no failure of the service');
  const farTooLarge = `POST ${EVENTS_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n`;
  t.match(await raw(farTooLarge), refused, 'far over the limit: at once');
});

t.test('P1: a body that does not come is a 408 at the deadline', async (t) => {
  const startedAtMs = performance.now();
  const answer = await raw(
    `POST ${EVENTS_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{`,
    2 * DEADLINE_MS,
  );
  t.match(answer, /^HTTP\/1.1 408 [\s\S]*problems\/timeout/);
  t.ok(performance.now() - startedAtMs < 2 * DEADLINE_MS);
});

t.test('P1: a tenant that wants its answers sooner gets them sooner', async (t) => {
  await service.gatehouse('tenants', 'add', 'hasty');
  t.match(await service.gatehouse('token', '--tenant', 'hasty'), /^[\w-]+\.[\w-]+\.[\w-]+\n$/, 'known at once');
  await service.gatehouse('tenants', 'set', 'hasty', '--deadline-ms', '100');
  for (const bad of ['49', String(DEADLINE_MS + 1), '1e2'])
    await t.rejects(
      service.gatehouse('tenants', 'set', 'hasty', '--deadline-ms', bad),
      new RegExp(`from 50 to ${DEADLINE_MS}`),
    );
  const hasty = await service.token('hasty');
  await until(
    async () => (await postEvent(event('user_message'), { authorization: `Bearer ${hasty}` })).status === 200,
  );
  const unfinished = (bearer: string) =>
    raw(
      `POST ${EVENTS_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${bearer}\r\nContent-Length: 100\r\n\r\n{`,
      2 * DEADLINE_MS,
    );
  const order: string[] = [];
  const note = (name: string, answer: string) => order.push(`${name} ${/ (\d+) /.exec(answer)?.[1]}`);
  await Promise.all([
    unfinished(token).then((answer) => note('others', answer)),
    unfinished(hasty).then((answer) => note('hasty', answer)),
  ]);
  t.same(order, ['hasty 408', 'others 408']);
});

const stuck = (session: string) =>
  event('tool_invocation', { session_id: session, tool: { name: 'x', input: { gatehouse_test: 'stick' } } });

t.test('P1: an inspection that never yields costs only its own event its answer', async (t) => {
  const startedAtMs = performance.now();
  const sticking = postEvent(stuck('stuck-1')).then(async (answer) => ({
    answer,
    tookMs: performance.now() - startedAtMs,
  }));
  const others: Promise<number>[] = [];
  for (let n = 0; n < 60; n++) {
    others.push(postEvent(event('user_message', { session_id: `beside-${n % 10}` })).then(({ status }) => status));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  t.same([...new Set(await Promise.all(others))], [200], 'no other event is late');
  const { answer, tookMs } = await sticking;
  t.ok(answer.status === 408 || answer.status === 500, `status ${answer.status}`);
  t.ok(tookMs < 2 * DEADLINE_MS, `answered after ${Math.round(tookMs)} ms`);
  const [row] = await untilRows('decisions', 'stuck-1');
  t.match(JSON.stringify(row), /lane_ended|deadline/, 'P7: recorded with its cause');
  t.ok((await service.metric('gatehouse_undecided_total')) >= 1, 'P7: counted');
  t.ok((await service.metric('gatehouse_lanes_ended_total')) >= 1);
});

async function untilRows(kind: 'events' | 'decisions', session: string): Promise<Record<string, unknown>[]> {
  for (let tries = 0; ; tries++) {
    const rows = await exported(kind, session);
    if (rows.length > 0 || tries > 60) return rows;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

t.test('P1: an inspection that throws or ends its thread is a 500, recorded, and the service goes on', async (t) => {
  for (const fault of ['throw', 'exit']) {
    const answer = await postEvent(
      event('tool_invocation', { session_id: fault, tool: { name: 'x', input: { gatehouse_test: fault } } }),
    );
    await isProblem(t, answer, 'internal-error');
  }
  t.equal((await postEvent(event('user_message'))).status, 200);
});

const notLinux = process.platform === 'linux' ? false : 'needs priorities of single threads, as Linux has them';

t.test(
  'answers go first: the threads that collect and the projector yield, those that answer do not',
  { skip: notLinux },
  async (t) => {
    const tasks = `/proc/${service.pid}/task`;
    const niceOf = (thread: string): number => {
      const stat = readFileSync(`${tasks}/${thread}/stat`, 'latin1');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    };
    const threads = readdirSync(tasks);
    const count = (nice: number) => threads.filter((thread) => niceOf(thread) === nice).length;
    t.equal(niceOf(String(service.pid)), 0);
    t.ok(count(19) >= 1, 'threads of V8');
    t.equal(count(5), 1, 'the projector');
    t.ok(count(0) >= 3, 'the main thread, a lane and its spare');
  },
);

t.test('pages for people and machines', async (t) => {
  t.same(await (await fetch(`${service.url}/healthz`)).json(), { status: 'ok' });
  t.match(await (await fetch(`${service.url}/readyz`)).json(), { status: 'ready' });
  t.match(await (await fetch(`${service.url}/problems/timeout`)).text(), /<h1>Request Timeout<\/h1>/);
  t.match(await (await fetch(`${service.url}/.well-known/jwks.json`)).json(), {
    keys: [{ kty: 'OKP', crv: 'Ed25519' }],
  });
  t.match(await (await fetch(`${service.url}/policy-schema.json`)).json(), {
    properties: { spec: { type: 'object' } },
  });
  const openApi = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: Record<string, unknown> };
  t.ok(openApi.paths[EVENTS_PATH]);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  for (const name of [
    'decisions_total{action="allow"}',
    'answers_total{status="202"}',
    'answer_seconds_bucket',
    'journal_bytes',
    'projector_lag_records',
    'lanes_ended_total',
    'mailbox_overflows_total',
    'connections_refused_total',
    'inspections_waiting',
    'inspections_held_back 0',
    'surge 0',
  ]) {
    t.ok(metrics.includes(`gatehouse_${name}`), name);
  }
  t.notMatch(metrics, /demo|beside-/, 'no label names a tenant or a session');
});

t.test('P8: while PostgreSQL is down, decisions and 202s go on; everything arrives when it is back', async (t) => {
  const postmaster = Number(readFileSync(`${service.dataDir}/postgres/cluster/postmaster.pid`, 'utf8').split('\n')[0]);
  process.kill(postmaster, 'SIGQUIT');
  await until(() => !processesIn(`${service.dataDir}/postgres`).includes(postmaster));
  const statuses: number[] = [];
  for (let n = 0; n < 50; n++) {
    statuses.push((await postEvent(event('user_message', { session_id: 'outage' }))).status);
    statuses.push((await postEvent(event('tool_result', { session_id: 'outage' }))).status);
  }
  t.same(new Set(statuses), new Set([200, 202]));
  const lag = () => service.metric('gatehouse_projector_lag_records');
  for (let tries = 0; (await lag()) > 0 && tries < 200; tries++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  t.equal(await lag(), 0, 'the service starts its PostgreSQL again and carries over what it kept');
  t.equal((await exported('events', 'outage')).length, 100);
});

t.test('P8: a start does not wait for a database that is not ready', async (t) => {
  await service.kill9();
  const sql = postgres((await lastUrl(service.dataDir)) as string, { max: 1 });
  const lock = await sql.reserve();
  await lock`begin`;
  await lock`lock table tenants`;
  await lock`select pg_advisory_lock(${ADVISORY_LOCKS.migrate})`;
  try {
    await service.start();
    await isTaken(t, event('user_message', { session_id: 'early' }), 200);
    await isTaken(t, event('tool_result', { session_id: 'early' }), 202);
  } finally {
    await lock`commit`;
    await lock`select pg_advisory_unlock_all()`;
    lock.release();
    await sql.end();
  }
  t.equal((await waitForExport('early', 2)).length, 2);
});

t.test('P8: where PostgreSQL does not start at all, events are decided, and carried over once it does', async (t) => {
  await service.stop();
  const control = join(service.dataDir, 'postgres/cluster/global/pg_control');
  await rename(control, `${control}.away`);
  await service.start();
  await isTaken(t, event('user_message', { session_id: 'alone' }), 200);
  await isTaken(t, event('tool_result', { session_id: 'alone' }), 202);
  t.match(service.output, /PostgreSQL does not start: .*pg_control/, 'and told');
  await rename(`${control}.away`, control);
  t.equal((await waitForExport('alone', 2)).length, 2);
});

t.test('SIGTERM answers what is in flight and ends cleanly; nothing is left running', async (t) => {
  const inFlight = postEvent(
    event('tool_invocation', { session_id: 'last', tool: { name: 'x', input: { gatehouse_test: 150 } } }),
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  const stopped = service.stop();
  t.equal((await inFlight).status, 200);
  t.equal(await stopped, 0);
  t.same(processesIn(service.dataDir), [], 'PostgreSQL is stopped too');
  await service.start();
  t.equal((await waitForExport('last', 1)).length, 1);
});

t.test('a service that waits for its database stops, too', async (t) => {
  await service.kill9();
  const sql = postgres((await lastUrl(service.dataDir)) as string, { max: 1 });
  const lock = await sql.reserve();
  // Whoever migrates waits for it. It ends with PostgreSQL, and the wait fails then.
  await lock`select pg_advisory_lock(${ADVISORY_LOCKS.migrate})`;
  await service.start();
  t.equal(await service.stop(), 0);
  t.same(processesIn(service.dataDir), []);
  t.notMatch(service.output, /"level":"error"/);
  await sql.end({ timeout: 1 });
  await service.start();
});

t.test('a SIGTERM for npm start reaches the service: npm passes it on to its shell', async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const script = scripts['start']?.replace('npm run --silent build', 'true') ?? '';
  t.match(script, /^true && /, 'it builds, as the tests have done already');
  const started = await startService({ through: () => ['sh', '-c', script, 'sh'] });
  t.teardown(() => started.dispose());
  const words = readFileSync(`/proc/${started.pid}/cmdline`, 'utf8').split('\0');
  t.match(words, ['node', 'bin/gatehouse.cjs', 'start'], 'the shell has become the service');
  t.equal(await started.stop(), 0);
  t.same(processesIn(started.dataDir), []);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { corpusSessions } from '../../src/cli/demo/corpus.ts';
import { fleetSessions } from '../../src/cli/demo/fleet.ts';
import { LatencyHistogram } from '../../src/cli/demo/latency-histogram.ts';
import { replay } from '../../src/cli/demo/replay.ts';
import { SCENARIOS } from '../../src/cli/demo/scenarios.ts';
import type { Sender, SendOutcome } from '../../src/cli/demo/sender.ts';
import type { DemoSession } from '../../src/cli/demo/session.ts';
import { linesOf } from '../../src/cli/json-lines.ts';
import { parseEvent } from '../../src/domain/event.ts';

const ENVELOPE = { session_id: 's', timestamp: '2026-01-15T09:30:00.000Z' };

t.test('a percentile of the histogram is the exact one, at most 0.8 % too high', (t) => {
  const durations = fc.array(fc.integer({ min: 0, max: 10_000_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(durations, fc.integer({ min: 1, max: 100 }), (recorded, percent) => {
      const histogram = new LatencyHistogram();
      for (const duration of recorded) histogram.record(duration);
      const sorted = recorded.toSorted((a, b) => a - b);
      const exact = sorted[Math.max(1, Math.ceil((percent / 100) * sorted.length)) - 1] as number;
      const found = histogram.percentileUs(percent);
      return found >= exact && found <= exact * 1.008 && found <= histogram.maxUs;
    }),
  );
  t.equal(new LatencyHistogram().percentileUs(99), 0, 'nothing recorded');
  t.end();
});

t.test('every event of the demo fleet keeps the wire contract', (t) => {
  const labels = new Set<string>();
  const agents = new Set<string>();
  let taken = 0;
  for (const { label, agent, user, events } of fleetSessions()) {
    labels.add(label);
    agents.add(agent.name.replace(/ \d$/, ''));
    const faulty = events.filter((event) => !parseEvent({ ...event, ...ENVELOPE, agent, user }).ok);
    if (faulty.length > 0) t.same(faulty, []);
    if (++taken === 300) break;
  }
  t.same(labels, new Set(['benign', 'attack']));
  t.same(agents, new Set(SCENARIOS.map(({ agent }) => agent.name)));
  t.end();
});

t.test('a corpus is read from every file in turn, completed, and what is no event is left out', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-corpus-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const write = (name: string, rows: unknown[]) =>
    writeFileSync(join(directory, `${name}.jsonl.gz`), gzipSync(rows.map((row) => JSON.stringify(row)).join('\n')));
  write('shell', [
    { label: 'attack', event: { event_type: 'tool_invocation', tool: { name: 'Bash', input: { command: 'ls' } } } },
    { label: 'benign', event: { event_type: 'tool_result', tool: { name: 'Bash', input: 'ls', output: 'README' } } },
    { label: 'benign', event: { event_type: 'unheard_of' } },
    'no object',
  ]);
  write('talk', [
    {
      label: 'benign',
      session: [{ event_type: 'session_start' }, { event_type: 'user_message', message: { content: 'hi' } }],
    },
  ]);

  const sessions = await readAll(directory);

  t.same(
    sessions.map(({ agent, label }) => [agent.id, label]),
    [
      ['corpus-shell', 'attack'],
      ['corpus-talk', 'benign'],
      ['corpus-shell', 'benign'],
    ],
  );
  for (const { events, agent, user } of sessions) {
    for (const event of events) t.ok(parseEvent({ ...event, ...ENVELOPE, agent, user }).ok);
  }
  t.match(sessions[2]?.events, [{ tool: { input: { text: 'ls' }, output: { text: 'README' } } }]);
  writeFileSync(join(directory, 'broken.jsonl.gz'), gzipSync('{}').subarray(0, 12));
  await t.rejects(readAll(directory), { name: 'CorpusError', message: /broken\.jsonl\.gz cannot be read/ });
  await t.rejects(readAll(join(directory, 'none')), { name: 'CorpusError', message: /ENOENT/ });
  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  await t.rejects(readAll(directory), { name: 'CorpusError', message: /no \*\.jsonl\.gz file/ });
});

async function readAll(directory: string): Promise<DemoSession[]> {
  const sessions: DemoSession[] = [];
  for await (const session of corpusSessions(directory)) sessions.push(session);
  return sessions;
}

/** Answers every event by what `answer` makes of it, a little later. */
function fakeSender(answer: (event: Record<string, unknown>) => SendOutcome) {
  const sent: Record<string, unknown>[] = [];
  const sender: Sender = {
    send: async (event) => {
      sent.push(event as Record<string, unknown>);
      await new Promise((resolve) => setImmediate(resolve));
      return answer(event as Record<string, unknown>);
    },
    close: () => undefined,
  };
  return { sender, sent };
}

const SESSION: DemoSession = {
  label: 'attack',
  agent: { id: 'a', name: 'A' },
  user: { email: 'a@example.com' },
  events: [
    { event_type: 'user_message', message: { content: 'go' } },
    { event_type: 'tool_invocation', tool: { name: 'Bash', input: {} } },
    { event_type: 'tool_result', tool: { name: 'Bash', input: {}, output: {} } },
    { event_type: 'session_end' },
  ],
};
const FAST = { eventsMax: 1000, perSecond: 100_000, concurrency: 8 };

t.test('a replay keeps the order within each session', async (t) => {
  const { sender, sent } = fakeSender(() => ({ kind: 'accepted' }));
  await replay(
    Array.from({ length: 50 }, () => SESSION),
    sender,
    FAST,
  );
  const bySession = new Map<unknown, unknown[]>();
  for (const { session_id: id, event_type: type } of sent) bySession.set(id, [...(bySession.get(id) ?? []), type]);
  const inOrder = SESSION.events.map((event) => event.event_type);
  t.same(
    [...bySession.values()],
    Array.from({ length: 50 }, () => inOrder),
  );
});

t.test(
  'the result of a blocked call is not sent, and the summary says what was decided of which sessions',
  async (t) => {
    const { sender, sent } = fakeSender(({ event_type: type }) => {
      if (type === 'tool_invocation') return { kind: 'decided', action: 'block', reason: 'no' };
      if (type === 'user_message') return { kind: 'decided', action: 'allow' };
      return { kind: 'refused', status: 500, detail: 'broken' };
    });
    const summary = await replay([SESSION], sender, FAST);
    t.notOk(sent.some((event) => event['event_type'] === 'tool_result'));
    t.equal(summary.notRun, 1);
    t.match(summary.toString(), /blocked \(200\) +1 +benign sessions 0, attacks 1/);
    t.match(summary.toString(), /500 +1 +broken/);
  },
);

t.test('a replay ends at its number of events, in the middle of a session if need be', async (t) => {
  const { sender, sent } = fakeSender(() => ({ kind: 'accepted' }));
  const summary = await replay(fleetSessions(), sender, { ...FAST, eventsMax: 101 });
  t.equal(sent.length, 101);
  t.equal(summary.sent, 101);
});

t.test('a replay ends where its token is refused', async (t) => {
  const { sender, sent } = fakeSender(() => ({ kind: 'refused', status: 401, detail: 'unknown key' }));
  const summary = await replay(fleetSessions(), sender, FAST);
  t.ok(sent.length <= FAST.concurrency, 'no more than were under way');
  t.match(summary.toString(), /401 +\d+ +unknown key/);
});

t.test('P9: lines are read whole, gzip or not, wherever the chunks end, and none beyond the bound', async (t) => {
  const text = 'one\n\ntwo with é and 😀\nlast';
  const read = async (bytes: Buffer, size: number, options = {}): Promise<string[]> => {
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const lines: string[] = [];
    for await (const line of linesOf(chunks(), options)) lines.push(line);
    return lines;
  };
  for (const size of [1, 3, 7, 1_000]) {
    t.same(await read(Buffer.from(text), size), text.split('\n'));
    t.same(await read(gzipSync(text), size), text.split('\n'));
  }
  await t.rejects(read(Buffer.from('x'.repeat(100)), 10, { charsMax: 50 }), { name: 'LineTooLong' });
  const long = Buffer.from(`a\n${'x'.repeat(100)}\nb`);
  for (const size of [1, 7, 1_000])
    t.same(await read(long, size, { charsMax: 50, insteadOfLong: '?' }), ['a', '?', 'b'], 'or passed over');
  await t.rejects(read(gzipSync(text).subarray(0, 20), 5), 'a cut gzip file is an error, not an end');
  t.same(await read(Buffer.alloc(0), 1), []);
});

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import type { PolicyEffect } from '../../src/detection/policy/effects.ts';
import { applyEffects, type CallEffect, NO_MEMORY } from '../../src/detection/session-memory.ts';
import { IDENTIFIER_CHARS_MAX, parseEvent } from '../../src/domain/event.ts';
import { EventIds } from '../../src/domain/event-ids.ts';
import { EVENT_TYPES } from '../../src/domain/event-types.ts';
import { dateTimeMs, isEmailAddress, isRfc3339DateTime } from '../../src/domain/formats.ts';
import { agentSessionKey, eventIdFloor, eventIdTimeMs, isTenantSlug, type TenantSlug } from '../../src/domain/ids.ts';
import { JSON_DEPTH_MAX, parseBody } from '../../src/gateway/body.ts';
import { correlationIdOf, traceparentOf } from '../../src/gateway/head.ts';
import { decodeRecord, encodeRecord } from '../../src/journal/record-codec.ts';
import { dedupeKey } from '../../src/session/received-event.ts';
import { decodeState, encodeState, initialState, step } from '../../src/session/state.ts';
import { newEventId } from '../support/event-ids.ts';
import { decisionRecord, eventRecord } from '../support/records.ts';
import { cpuMsOf } from '../support/timing.ts';

const TAINTED: PolicyEffect[] = [{ kind: 'taint', policy: 'p', label: 'seen' }];

t.test('RFC 3339 date-times', async (t) => {
  const good = [
    '2026-01-31T23:59:59Z',
    '2024-02-29T00:00:00Z',
    '2000-02-29T00:00:00z',
    '2026-01-01t00:00:00.1+14:00',
    '2016-12-31T23:59:60Z',
    '2017-01-01T01:59:60+02:00',
    '0000-01-01T00:00:00-00:00',
    '2026-01-01T00:00:00.123456789123Z',
  ];
  const bad = [
    '',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:61Z',
    '2026-01-01T12:00:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+1:00',
    '2026-01-01T00:00:00Z[Europe/Paris]',
    '26-01-01T00:00:00Z',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.Z',
    `2026-01-01T00:00:00.${'1'.repeat(99)}Z`,
    '２０２６-01-01T00:00:00Z',
  ];
  for (const value of good) t.ok(isRfc3339DateTime(value), value);
  for (const value of bad) t.notOk(isRfc3339DateTime(value), value);
  for (const value of good) t.ok(Number.isFinite(dateTimeMs(value)), `${value} has a place in time`);
  t.equal(dateTimeMs('2016-12-31T23:59:60Z'), Date.UTC(2017, 0, 1));
});

t.test('e-mail addresses', async (t) => {
  const good = [
    'a@b',
    'a@b.co',
    "o'brien+tag@sub.example.com",
    'jürgen@bücher.example',
    '"a b"@example.com',
    'a@[127.0.0.1]',
    'a@[IPv6:::1]',
    String.raw`"a \" b"@example.com`,
    String.raw`"\\"@example.com`,
    `${'a'.repeat(64)}@example.com`,
  ];
  const bad = [
    '',
    'a',
    '@',
    'a@',
    '@b',
    'a@b@',
    'a b@c',
    '"a"b"@c',
    String.raw`"a\"@c`,
    '"a\\\u0000"@c',
    '.a@b',
    'a.@b',
    'a..b@c',
    'a@b..c',
    'a@-b',
    'a@b-',
    'a@[999.9.9.9]',
    'a@[IPv6:]',
    'a@b\u0000',
    'a\u0000@b',
    'a@b\n',
    '\ud800@b',
    `${'a'.repeat(65)}@b`,
    `a@${'b'.repeat(300)}`,
  ];
  for (const value of good) t.ok(isEmailAddress(value), value);
  for (const value of bad) t.notOk(isEmailAddress(value), JSON.stringify(value));
});

t.test('P1: the formats take linear time', async (t) => {
  for (const hostile of [
    'a'.repeat(1e6),
    `${'a.'.repeat(5e5)}@`,
    `"${'\\'.repeat(1e6)}`,
    `a@${'b.'.repeat(5e5)}`,
    '2'.repeat(1e6),
    `2026-01-01T00:00:00.${'0'.repeat(1e6)}`,
  ]) {
    const tookMs = cpuMsOf(() => {
      isEmailAddress(hostile);
      isRfc3339DateTime(hostile);
    });
    t.ok(tookMs < 500);
  }
});

t.test('event ids are UUIDv7 of their time, and sort by it', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 47 }), (atMs) => {
      const id = newEventId(atMs);
      return (
        /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id) &&
        eventIdTimeMs(id) === atMs &&
        eventIdFloor(atMs) <= id &&
        id < eventIdFloor(atMs + 1)
      );
    }),
    { seed: 7 },
  );
});

t.test('P5: event ids of one millisecond sort in the order in which they were made', async (t) => {
  for (const atMs of [1_700_000_000_000, 1_700_000_000_001]) {
    const ids = Array.from({ length: 2_000 }, () => newEventId(atMs));
    t.same(ids.toSorted(), ids);
    t.equal(new Set(ids).size, ids.length);
  }
});

t.test('P5: ids sort in the order in which they were made, though the clock is set back, or stands', async (t) => {
  const beginMs = Date.now() + 1_000_000;
  const times = [
    beginMs,
    beginMs + 1,
    beginMs - 3_000,
    beginMs - 2_999,
    ...Array.from({ length: 9_000 }, () => beginMs),
  ];
  const made = new EventIds();
  const ids = times.map((atMs) => made.next(atMs));
  t.same(ids.toSorted(), ids);
  t.equal(new Set(ids).size, ids.length);
  t.ok(
    eventIdTimeMs(ids.at(-1) as (typeof ids)[0]) < beginMs + 20,
    'time goes on by the ids that a millisecond has not',
  );
  t.equal(eventIdTimeMs(made.next(beginMs - 3_600_000)), beginMs - 3_600_000, 'a clock that was wrong is followed');
});

t.test('P6: session keys of different tenants or ids differ', async (t) => {
  const key = (tenant: string, id: string) => agentSessionKey(tenant as TenantSlug, id);
  const keys = [
    key('a', 'x'),
    key('b', 'x'),
    key('a', 'y'),
    key('ax', ''),
    key('a', '\ud800'),
    key('a', '\udfff'),
    key('a', '\ufffd'),
    key('a', '\u0000'),
  ];
  t.equal(new Set(keys).size, keys.length);
  t.equal(key('a', 'x'), key('a', 'x'));
  for (const bad of ['', 'A', '-a', 'a_b', 'a'.repeat(64), 'a\n']) t.notOk(isTenantSlug(bad), bad);
});

const valid = {
  session_id: 's',
  timestamp: '2026-01-01T00:00:00Z',
  agent: { id: 'a', name: 'n' },
  user: { email: 'a@b.co' },
};

t.test('the six shapes', async (t) => {
  const fields: Record<string, object> = {
    tool_invocation: { tool: { name: 't', input: {} } },
    user_message: { message: { content: '' } },
    tool_result: { tool: { name: 't', input: {}, output: {} } },
    agent_message: { message: { content: '' } },
    session_start: {},
    session_end: {},
  };
  for (const event_type of EVENT_TYPES) {
    t.ok(parseEvent({ ...valid, event_type, ...fields[event_type], extra: { kept: true } }).ok, event_type);
    for (const name of ['session_id', 'timestamp', 'agent', 'user', ...Object.keys(fields[event_type] ?? {})]) {
      const { [name]: _, ...incomplete } = { ...valid, event_type, ...fields[event_type] } as Record<string, unknown>;
      t.match(parseEvent(incomplete), { ok: false, faults: [{ pointer: `/${name}`, expected: 'be present' }] });
    }
  }
  t.notOk(parseEvent({ ...valid, event_type: 'session_end', session_id: 'x'.repeat(IDENTIFIER_CHARS_MAX + 1) }).ok);
  t.notOk(parseEvent({ ...valid, event_type: '__proto__' }).ok);
  t.notOk(parseEvent({ ...valid, event_type: 'constructor' }).ok);
});

t.test('parseEvent never throws, and its faults hold no content', async () => {
  fc.assert(
    fc.property(fc.anything(), fc.constantFrom(...EVENT_TYPES), (value, event_type) => {
      const parsed = parseEvent(typeof value === 'object' && value !== null ? { ...value, event_type } : value);
      return parsed.ok || (parsed.faults.length > 0 && parsed.faults.length <= 4);
    }),
    { seed: 11 },
  );
});

t.test('bodies', async (t) => {
  const nested = (depth: number) => Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  t.ok(parseBody(nested(JSON_DEPTH_MAX)).ok);
  t.notOk(parseBody(nested(JSON_DEPTH_MAX + 1)).ok);
  t.notOk(parseBody(nested(500_000)).ok, 'deep enough to end a recursive parser');
  t.ok(parseBody(Buffer.from('{"constructor":{"prototype":1}}')).ok);
  for (const bad of ['{"a":{"__proto__":1}}', '[[{"__proto__":1}]]', '{"__pro\\u0074o__":1}'])
    t.notOk(parseBody(Buffer.from(bad)).ok, bad);
  t.notMatch(JSON.stringify(parseBody(Buffer.from('{"password":"hunter2"'))), /hunter2/);
});

t.test('correlation ids and trace contexts', async (t) => {
  t.equal(correlationIdOf('a-B_1.2:3/4+5=6@7'), 'a-B_1.2:3/4+5=6@7');
  for (const unfit of ['', '-a', 'a b', 'a\nb', 'é', '<a>', 'a'.repeat(129)])
    t.match(correlationIdOf(unfit), /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
  const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  t.equal(traceparentOf(good), good);
  for (const bad of [
    '',
    '00-x',
    good.toUpperCase(),
    good.replace('4bf92f3577b34da6a3ce929d0e0e4736', '0'.repeat(32)),
    `ff${good.slice(2)}`,
  ])
    t.equal(traceparentOf(bad), undefined);
});

t.test('records survive their bytes', async () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string({ unit: 'binary' }), (body, text) => {
      const record = decisionRecord(
        { kind: 'decided', action: 'block', reason: text },
        { body, explanation: JSON.stringify({ text }), subject: text, correlationId: text, traceparent: text },
      );
      const decoded = decodeRecord(encodeRecord(record)) as typeof record;
      return isDeepStrictEqual({ ...decoded, body: [...decoded.body] }, { ...record, body: [...body] });
    }),
    { seed: 13 },
  );
});

t.test('P2: two bodies that differ in a byte are two events', async (t) => {
  t.not(dedupeKey(Buffer.from('{"a":1}')), dedupeKey(Buffer.from('{"a":2}')));
  t.equal(dedupeKey(Buffer.from('{"a":1}')), dedupeKey(Buffer.from('{"a":1}')));
  t.equal(dedupeKey(Buffer.from('')).length, 16);
});

t.test('P4: the fold does not depend on where it is interrupted by a snapshot, nor on records seen twice', async () => {
  const record = fc.constantFrom('event', 'allow', 'block', 'undecided', 'end', 'again');
  fc.assert(
    fc.property(fc.array(record, { maxLength: 400 }), fc.nat(400), (kinds, cut) => {
      const stored = kinds.map((kind, index) => ({ seq: index + 1, record: recordOf(kind, index) }));
      const whole = stored.reduce(step, initialState());
      const before = stored.slice(0, cut).reduce(step, initialState());
      const resumed = stored.slice(Math.max(0, cut - 5)).reduce(step, decodeState(encodeState(before)));
      return isDeepStrictEqual(whole, resumed) && whole.recent.size <= 256 && whole.pending.length <= 400;
    }),
    { seed: 17, numRuns: 200 },
  );
});

t.test('a snapshot of the version before is read; of another one, refused', async (t) => {
  const effects: CallEffect[] = [{ kind: 'call', tool: 'Bash', toolKind: 'shell' }];
  const record = decisionRecord({ kind: 'decided', action: 'allow' }, { effects });
  const state = step(initialState(), { seq: 1, record });
  t.same(state.memory.open, [['Bash', 1]]);
  const written = JSON.parse(Buffer.from(encodeState(state)).toString());
  const before = { ...written, version: 2, memory: { ...written.memory, open: { Bash: 1 } } };
  t.same(decodeState(Buffer.from(JSON.stringify(before))), state);
  t.throws(() => decodeState(Buffer.from(JSON.stringify({ ...written, version: 1 }))));
});

t.test('coverage: the tools of a session are counted by name, the least recently called forgotten first', async (t) => {
  const call = (tool: string): CallEffect => ({ kind: 'call', tool, toolKind: 'other' });
  const result = (tool: string): CallEffect => ({ kind: 'result', tool });
  const names = Array.from({ length: 64 }, (_, index) => `${index}`);
  const full = applyEffects(NO_MEMORY, names.map(call), 0);
  const { open } = applyEffects(full, [call('5'), result('0'), call('one more')], 0);
  t.equal(open.length, 64);
  // "1" was the least recently called: "0" has had a result since.
  t.same(open.slice(0, 2), [
    ['2', 1],
    ['3', 1],
  ]);
  t.same(open.slice(-3), [
    ['5', 2],
    ['0', 0],
    ['one more', 1],
  ]);
});

function recordOf(kind: string, index: number) {
  const fields = { event: newEventId(index), dedupe: `d${index}`, atMs: index };
  switch (kind) {
    case 'event':
      return eventRecord(fields);
    case 'end':
      return eventRecord({ ...fields, eventType: 'session_end' });
    case 'again':
      return decisionRecord({ kind: 'decided', action: 'allow' }, { ...fields, dedupe: 'same' });
    case 'undecided':
      return decisionRecord({ kind: 'undecided', cause: 'deadline', answered: 'fail_open' }, fields);
    default:
      return decisionRecord(
        { kind: 'decided', action: kind as 'allow' | 'block', reason: 'r' },
        { ...fields, effects: kind === 'block' ? TAINTED : [] },
      );
  }
}

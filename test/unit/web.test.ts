import fc from 'fast-check';
import t from 'tap';
import { heldReason } from '../../src/detection/policy/state.ts';
import type { EventId } from '../../src/domain/ids.ts';
import { lateHoldReason } from '../../src/session/standing.ts';
import { readSides, writeSides } from '../../web/src/pages/policies/versions.ts';
import { eventTexts, foldedPart, prettyJson, summaryOf } from '../../web/src/text/event-text.ts';
import {
  DAYS,
  readFilter,
  SEVERITIES,
  STATUSES,
  VERDICTS,
  variablesOf,
  writeFilter,
} from '../../web/src/text/finding-filter.ts';
import { flowsOf, pointsOf } from '../../web/src/text/flows.ts';
import { axisTimes, change, count, duration, localTime, rate, share, span } from '../../web/src/text/format.ts';
import { type HeldList, holdPage, showWaiting, waiting, withNewest, withOlder } from '../../web/src/text/held-list.ts';
import { pieces, readable } from '../../web/src/text/hidden-characters.ts';
import { tellsHold } from '../../web/src/text/holds.ts';
import { leavesGap, mergeRows, ROWS_MAX } from '../../web/src/text/merge-decisions.ts';
import { mergeEntries } from '../../web/src/text/merge-entries.ts';
import { withNewest as withNewestRows, withOlder as withOlderRows } from '../../web/src/text/read-list.ts';
import { comparedWith, hourOf, stretchOf, TIME_RANGES, totals } from '../../web/src/text/statistics.ts';

/** The dashboard's pure parts. */

t.test('characters that are not seen are named', (t) => {
  t.equal(readable('a\u202eb\0c\u200bd\u{e0041}e\ud800f'), 'a‹U+202E›b‹U+0000›c‹U+200B›d‹U+E0041›e‹U+D800›f');
  t.equal(readable('plain\ttext\nof lines\r\nand 👍🏽 emoji'), 'plain\ttext\nof lines\nand 👍🏽 emoji');
  t.equal(readable('lonely\rreturn'), 'lonely‹U+000D›return');
  t.end();
});

t.test('marks cover what they say, overlapping or out of bounds', (t) => {
  const marked = (text: string, ...marks: { start: number; end: number }[]) =>
    pieces(text, marks)
      .map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))
      .join('');
  t.equal(marked('rm -rf ~ now', { start: 0, end: 8 }), '[rm -rf ~] now');
  t.equal(marked('abcdef', { start: 3, end: 99 }, { start: -5, end: 1 }), '[a]bc[def]');
  t.equal(marked('abcdef', { start: 1, end: 4 }, { start: 2, end: 3 }, { start: 3, end: 5 }), 'a[bcd][e]f');
  t.equal(marked('abc', { start: 2, end: 2 }, { start: 5, end: 9 }), 'abc');
  t.end();
});

t.test('whatever the text and the marks, nothing is lost and nothing unseen is left', (t) => {
  const mark = fc.record({ start: fc.integer({ min: -3, max: 40 }), end: fc.integer({ min: -3, max: 40 }) });
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.array(mark, { maxLength: 5 }), (text, marks) => {
      const found = pieces(text, marks);
      const plain = found.filter(({ isHidden }) => !isHidden).map((piece) => piece.text);
      const places = found.map(({ at }) => at);
      return (
        plain.every((part) => text.includes(part) && !/[\0\u200b-\u200f\u202a-\u202e\u2066-\u2069]/.test(part)) &&
        new Set(places).size === places.length &&
        places.every((at, index) => index === 0 || at > (places[index - 1] as number))
      );
    }),
  );
  t.end();
});

t.test('the texts of an event are found by the pointers that findings use', (t) => {
  const body = JSON.stringify({
    event_type: 'tool_invocation',
    agent: { id: 'a' },
    tool: { name: 'Bash', input: { 'a/b~c': ['x', { y: 1 }], none: {} } },
  });
  t.same(eventTexts(body), {
    texts: [
      { pointer: '/tool/name', label: 'tool › name', text: 'Bash' },
      { pointer: '/tool/input/a~1b~0c/0', label: 'tool › input › a/b~c › 0', text: 'x' },
      { pointer: '/tool/input/a~1b~0c/1/y', label: 'tool › input › a/b~c › 1 › y', text: '1' },
      { pointer: '/tool/input/none', label: 'tool › input › none', text: '{}' },
    ],
    isCut: false,
  });
  for (const text of ['', 'no json', '[]', 'null', '7']) t.equal(eventTexts(text), undefined, text);
  const many = eventTexts(JSON.stringify({ list: Array.from({ length: 5_000 }, (_, n) => n) }));
  t.equal(many?.texts.length, 300);
  t.ok(many?.isCut);
  t.ok(eventTexts(`{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}`), 'depth is bounded');
  t.equal(summaryOf(body), 'x');
  t.equal(summaryOf(JSON.stringify({ message: { content: `a\n  b ${'c'.repeat(500)}` } })).length, 141);
  t.equal(prettyJson('{"a":1}'), '{\n  "a": 1\n}');
  t.equal(prettyJson('{broken'), '{broken');
  t.end();
});

t.test('long texts are folded, around what is marked', (t) => {
  t.equal(foldedPart('short'), undefined);
  t.equal(foldedPart('a\n'.repeat(14)), undefined);
  t.same(foldedPart('a\n'.repeat(100)), { start: 0, end: 28 });
  t.same(foldedPart('a'.repeat(5_000)), { start: 0, end: 1_200 });
  t.same(foldedPart('a'.repeat(5_000), 4_000), { start: 3_800, end: 5_000 });
  t.same(foldedPart('a'.repeat(5_000), 100), { start: 0, end: 1_200 });
  t.end();
});

t.test('numbers and times are written for people', (t) => {
  t.same([12, 850, 1_234, 45_678, 1_500_000].map(duration), ['12 µs', '850 µs', '1.2 ms', '45.7 ms', '1.5 s']);
  t.equal(count(1_234_567), '1,234,567');
  t.same(rate(7_200, 3_600), { value: '2', unit: 'per second' });
  t.same(rate(42, 3_600), { value: '0.7', unit: 'per minute' });
  t.same(rate(0, 0), { value: '0', unit: 'per minute' });
  t.same(
    [share(0, 0), share(0, 5), share(1, 3), share(1, 5_000), share(1, 50)],
    ['–', '0 %', '33 %', '< 0.1 %', '2.0 %'],
  );
  t.same(
    [0, 59_000, 61_000, 3_700_000, 90_000_000].map((ms) => span(0, ms)),
    ['0 s', '59 s', '1 min 1 s', '1 h 1 min', '1 d 1 h'],
  );
  const now = new Date(2026, 4, 3, 12, 0, 0);
  t.match(localTime(new Date(2026, 4, 3, 9, 8, 7), now), /^09:08:07$/);
  t.equal(localTime(new Date(2026, 4, 3, 0, 8, 7), now), '00:08:07', 'the first hour of a day is no 24th');
  t.match(localTime(new Date(2026, 4, 2, 9, 8, 7), now), /2.*09:08:07/);
  t.match(localTime(new Date(2025, 4, 2, 9, 8, 7), now), /2025.*09:08:07/);
  const marks = (step: number) => [0, 1, 2].map((n) => new Date(2026, 4, 2, 23, 30).getTime() / 1000 + n * step);
  t.match(axisTimes(marks(1200), 1200), [/^23:30\n.*2/, /^23:50$/, /^00:10\n.*3$/], 'the day where it is another');
  t.match(axisTimes(marks(15), 15), [/^23:30:00\n/, /^23:30:15$/, /^23:30:30$/]);
  t.match(axisTimes(marks(86_400), 86_400), [/^\D*2\D*$/, /^\D*3\D*$/, /^\D*4\D*$/], 'days alone');
  t.end();
});

t.test('stretches of a statistic are added up', (t) => {
  const bucket = { from: '', decisions: 0, blocked: 0, undecided: 0, failedOpen: 0, p50Us: null, p99Us: null };
  t.same(totals([]), { decisions: 0, blocked: 0, undecided: 0, failedOpen: 0 });
  t.same(
    totals([
      { ...bucket, decisions: 10, blocked: 1, p50Us: 100, p99Us: 900 },
      bucket,
      { ...bucket, decisions: 90, failedOpen: 2, undecided: 3, p50Us: 50, p99Us: 200 },
    ]),
    { decisions: 100, blocked: 1, failedOpen: 2, undecided: 3 },
    'percentiles of stretches say nothing about their sum',
  );
  t.equal(hourOf('2026-01-02T03:59:59.999Z'), '2026-01-02T03:00:00.000Z');
  t.equal(hourOf('2026-01-02T03:00:00.000Z'), '2026-01-02T03:00:00.000Z');
  for (const range of TIME_RANGES) {
    const { since, until } = stretchOf(range, 1_800_000_123_456);
    const seconds = (Date.parse(until) - Date.parse(since)) / 1000;
    t.ok(seconds <= range.seconds && seconds > range.seconds - range.bucketSeconds, range.name);
    t.equal(Date.parse(since) % (range.bucketSeconds * 1000), 0, 'no stretch is counted in part');
    t.ok(range.seconds / range.bucketSeconds <= 1_000);
  }
  t.end();
});

t.test('the live list holds each decision once, newest first, and tells of gaps', (t) => {
  const row = (n: number) => ({ id: String(n).padStart(6, '0') });
  t.same(mergeRows([row(3), row(1)], [row(4), row(3), row(2)]), [4, 3, 2, 1].map(row));
  const many = Array.from({ length: ROWS_MAX + 50 }, (_, n) => row(n));
  t.equal(mergeRows(many, []).length, ROWS_MAX);
  t.same(mergeRows(many, [])[0], row(ROWS_MAX + 49));
  t.ok(leavesGap([row(1)], [row(9)], true));
  t.notOk(leavesGap([row(1)], [row(9), row(1)], true));
  t.notOk(leavesGap([row(1)], [row(9)], false));
  t.notOk(leavesGap([], [row(9)], true));
  t.end();
});

t.test('in a list that is worked on, what is new waits, and nothing moves', (t) => {
  const rows = (...ids: string[]) => ids.map((id) => ({ id }));
  const page = (hasNextPage: boolean, ...ids: string[]) => ({
    rows: rows(...ids),
    hasNextPage,
    endCursor: ids.at(-1) ?? null,
  });
  const ids = (held: HeldList<{ id: string }>) => held.shown.map(({ id }) => id);
  const none = { count: 0, isMore: false };
  const first = holdPage(page(true, 'd.0', 'c.1'));
  t.same(waiting(first), none);
  const later = withNewest(first, page(true, 'd.10', 'd.0'));
  t.same(ids(later), ['d.0', 'c.1']);
  t.same(waiting(later), { count: 1, isMore: false });
  t.same(ids(showWaiting(later)), ['d.10', 'd.0', 'c.1'], 'by number within an event');
  t.same(ids(showWaiting(withOlder(later, page(false, 'c.0', 'b.0')))), ['d.10', 'd.0', 'c.1', 'c.0', 'b.0']);
  const flooded = withNewest(first, page(true, 'f.0', 'e.0'));
  t.same(waiting(flooded), { count: 2, isMore: true });
  t.same(ids(showWaiting(flooded)), ['f.0', 'e.0'], 'there may be more between');
  t.equal(showWaiting(flooded).endCursor, 'e.0');
  const closed = withNewest(first, page(true, 'c.1', 'b.0'));
  t.same(waiting(closed), none, 'what is older is not new');
  t.same(ids(closed), ['d.0', 'c.1'], 'what somebody closed stays until the list is read anew');
  t.same(ids(showWaiting(withNewest(first, page(true, 'e.0', 'c.1')))), ['e.0', 'c.1']);
  const whole = withNewest(holdPage(page(false, 'd.0')), page(false, 'd.0', 'a.0'));
  t.same(waiting(whole), { count: 1, isMore: false }, 'one that came late, in a list that was whole');
  t.same(ids(withNewest(holdPage(page(false)), page(false, 'a.0'))), ['a.0'], 'an empty list takes it at once');
  t.end();
});

t.test('an address says which findings are looked at, and nothing else is taken from it', (t) => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  const key = fc.constantFrom('', '11111111-1111-4111-8111-111111111111');
  const filters = fc.record({
    severities: fc.subarray([...SEVERITIES]),
    status: fc.constantFrom(...STATUSES),
    days: fc.constantFrom(...DAYS),
    verdict: fc.option(fc.constantFrom(...VERDICTS), { nil: undefined }),
    search: text,
    kind: text,
    policy: text,
    assignee: key,
    agent: key,
    session: key,
  });
  fc.assert(
    fc.property(filters, (filter) => {
      const wellFormed = { ...filter };
      for (const name of ['search', 'kind', 'policy'] as const) wellFormed[name] = filter[name].toWellFormed();
      t.same(readFilter(new URLSearchParams(writeFilter(filter))), wellFormed);
    }),
    { numRuns: 50 },
  );
  t.equal(
    writeFilter(readFilter(new URLSearchParams('status=odd&days=3&verdict=x&agent=me&severity=loud&other=1'))),
    '',
  );
  t.match(variablesOf(readFilter(new URLSearchParams('severity=low&days=1&search=+a+')), 86_400_000), {
    severities: ['LOW'],
    status: 'OPEN',
    since: '1970-01-01T00:00:00.000Z',
    search: 'a',
    kind: null,
  });
  t.end();
});

t.test('a change is told in words', (t) => {
  t.equal(change(110, 100), '+10 %');
  t.equal(change(50, 100), '−50 %');
  t.equal(change(1_001, 1_000), '+< 1 %');
  t.equal(change(5, 0), 'new');
  t.equal(change(0, 0), 'the same');
  t.equal(change(null, 1), '–');
  t.equal(change(Number.NaN, 1), '–');
  t.same(
    TIME_RANGES.map((range) => comparedWith(range).seconds / 86_400),
    [1, 1, 1, 7, 30],
  );
  t.end();
});

t.test('a story takes what is new where it belongs, and each entry once', async (t) => {
  const entry = (id: string, text = '') => ({ id, text });
  const known = [entry('b'), entry('d')];
  const ids = (entries: { id: string }[]) => entries.map(({ id }) => id).join('');
  t.equal(ids(mergeEntries(known, [entry('e'), entry('c')], 'first', false)), 'bcde', 'at the end of the story');
  t.equal(ids(mergeEntries(known, [entry('e')], 'first', true)), 'bd', 'not behind a gap');
  t.same(mergeEntries(known, [entry('d', 'more')], 'first', true), [entry('b'), entry('d', 'more')]);
  t.equal(ids(mergeEntries(known.toReversed(), [entry('a'), entry('e')], 'newest', true)), 'edb', 'nothing older');
  t.equal(ids(mergeEntries([], [entry('a')], 'newest', false)), 'a');
});

t.test('a list is read without holes, whatever comes in front meanwhile', async (t) => {
  const list = (from: number, to: number) => ({
    rows: Array.from({ length: from - to + 1 }, (_, n) => from - n),
    next: to === 1 ? null : String(to),
  });
  const own = (row: number) => row;
  t.same(withNewestRows(list(0, 1), list(5, 3), own), list(5, 3));
  t.same(withNewestRows(list(5, 1), list(7, 5), own), list(7, 1));
  t.same(withNewestRows(list(5, 2), list(7, 3), own), list(7, 2), 'what moved out of the newest part stays');
  t.same(withNewestRows(list(5, 1), list(9, 7), own), list(9, 7), 'what lies behind a hole goes');
  t.same(
    withNewestRows(list(5, 2), { rows: [5, 3], next: '3' }, own),
    { rows: [5, 3, 2], next: '2' },
    'so does what is no more',
  );
  t.same(withNewestRows(list(5, 2), { rows: [], next: null }, own), { rows: [], next: null });
  t.same(withOlderRows(list(9, 7), list(6, 4), '7'), list(9, 4));
  t.same(withOlderRows(list(9, 7), list(4, 3), '5'), list(9, 7), 'read for another list');
  t.same(withOlderRows(list(9, 7), { rows: [], next: null }, '7'), { ...list(9, 7), next: null });
});

t.test('flows are told once each, with the most of it that would have left', async (t) => {
  const flow = (eventId: string, coverage: number) => ({
    eventId,
    toolName: 'Read',
    label: 'secret',
    encoding: 'base64',
    coverage,
  });
  const entry = (id: string, flows: ReturnType<typeof flow>[]) => ({
    id,
    eventAt: '',
    toolName: 'Bash',
    decision: { explanation: { flows } },
  });
  const entries = [
    { ...entry('a', []), decision: null },
    entry('c', [flow('a', 0.4), flow('a', 0.9)]),
    entry('b', [flow('z', 1)]),
  ];
  const flows = flowsOf(entries);
  t.match(flows, [
    { from: 'z', to: 'b', coverage: 1 },
    { from: 'a', fromTool: 'Read', to: 'c', toTool: 'Bash', coverage: 0.9 },
  ]);
  t.same(pointsOf(flows, entries), [
    { id: 'a', tool: 'Read', isLoaded: true },
    { id: 'b', tool: 'Bash', isLoaded: true },
    { id: 'c', tool: 'Bash', isLoaded: true },
    { id: 'z', tool: 'Read', isLoaded: false },
  ]);
});

t.test('a block by a hold is told from a block by a policy', (t) => {
  const reason = heldReason({ policy: 'gate.hold', reason: 'Somebody has to look', atMs: 0 });
  t.ok(tellsHold(lateHoldReason({ reason: 'It went through', event: 'e' as EventId })));
  t.ok(tellsHold(reason, 'gate.hold'));
  t.ok(tellsHold(reason));
  t.notOk(tellsHold(reason, 'other'));
  t.notOk(tellsHold('Somebody has to look', 'gate.hold'));
  t.notOk(tellsHold('it says: this session is on hold: no'), 'an id has no spaces');
  t.end();
});

t.test('an address says which versions are compared', (t) => {
  for (const sides of [
    { from: 1, to: 2 },
    { from: null, to: 2 },
    { from: 3, to: null },
  ])
    t.same(readSides(writeSides(sides)), sides);
  t.equal(readSides(''), undefined);
  t.equal(readSides('?from=1'), undefined);
  t.same(readSides('?from=x&to=-1'), { from: null, to: null });
  t.end();
});

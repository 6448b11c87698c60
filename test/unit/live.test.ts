import fc from 'fast-check';
import t from 'tap';
import { SOCKET_LIMITS } from '../../src/graphql/live/limits.ts';
import { LiveReadings } from '../../src/graphql/live/live-readings.ts';
import { comparePositions, type Position, readCursor, writeCursor } from '../../src/graphql/live/position.ts';
import { Ring } from '../../src/graphql/live/ring.ts';
import { placesOf, type Slot, take } from '../../src/graphql/live/slots.ts';
import { SocketsByOwner } from '../../src/graphql/live/sockets-by-owner.ts';
import { Pace } from '../../src/lib/pace.ts';
import { FeedRowsBuilder } from '../../src/store/feed-rows.ts';
import { decisionRecord, eventRecord, TENANT } from '../support/records.ts';

const START: Position = { seq: 1, taken: 0 };
const batchesOf = (sizes: readonly number[]) =>
  sizes.map((size, index) => ({ seq: index + 1, ids: Array.from({ length: size }, (_, n) => `${index + 1}/${n}`) }));
const slotsOf = (sizes: readonly number[], chars = 1): Slot<string>[] =>
  placesOf(batchesOf(sizes), START, 10_000).map(({ id, at, next }) => ({ at, next, item: id, chars }));
const sizes = fc.array(fc.nat({ max: 6 }), { maxLength: 12 });

t.test('cursors are read as they were written, and nothing else is', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e14 }), fc.nat({ max: 999_999 }), (seq, taken) =>
      t.same(readCursor(writeCursor({ seq, taken })), { seq, taken }),
    ),
    { numRuns: 20 },
  );
  for (const text of ['', '1', '0.0', '1.-1', '1.0 ', '01.0', '1e3.0', '9999999999999999.0'])
    t.equal(readCursor(text), undefined);
});

t.test('taken in parts of any size, everything that is wanted comes once and in order', async (t) => {
  fc.assert(
    fc.property(
      sizes,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 20 }),
      (of, itemsMax, charsMax, limit) => {
        const batches = batchesOf(of);
        const end = { seq: of.length + 1, taken: 0 };
        const wanted = (id: string) => !id.endsWith('/1');
        const seen: string[] = [];
        for (let position = START; comparePositions(position, end) < 0; ) {
          const places = placesOf(batches, position, limit);
          const last = places.at(-1);
          const behind = places.length < limit ? end : (last?.next ?? end);
          const slots = places.map(({ id, at, next }) => ({ at, next, item: id, chars: 1 }));
          const taken = take(slots, behind, { accepts: wanted, itemsMax, charsMax });
          if (comparePositions(taken.position, position) <= 0) return false;
          if (taken.items.length > itemsMax) return false;
          seen.push(...taken.items);
          position = taken.position;
        }
        return (
          seen.join() ===
          batches
            .flatMap(({ ids }) => ids)
            .filter(wanted)
            .join()
        );
      },
    ),
  );
  t.pass();
});

t.test('a ring keeps its bounds, forgets the oldest, and counts what it forgot', async (t) => {
  fc.assert(
    fc.property(
      sizes,
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 0, max: 12 }),
      (of, slotsMax, charsMax, allMax) => {
        const memory = { chars: 0, charsMax: allMax };
        const ring = new Ring<string>(START, memory, { slotsMax, charsMax });
        let count = 0;
        for (const { seq, ids } of batchesOf(of)) {
          const slots = slotsOf(of).filter(({ at }) => at.seq === seq);
          count += ids.length;
          ring.push(slots, { seq: seq + 1, taken: 0 });
          const kept = ring.slotsFrom(ring.start);
          if (kept.length > Math.min(slotsMax, charsMax, allMax) || memory.chars !== kept.length) return false;
          if (ring.forgotten + kept.length !== count || ring.countTo(ring.end) !== count) return false;
        }
        ring.close();
        ring.push(slotsOf([3]), { seq: 99, taken: 0 });
        return memory.chars === 0;
      },
    ),
  );
  const ring = new Ring<string>(START, { chars: 0, charsMax: 99 }, { slotsMax: 99, charsMax: 99 });
  ring.push(slotsOf([2, 0, 2]), { seq: 4, taken: 0 });
  ring.trim({ seq: 3, taken: 1 });
  t.same(
    ring.slotsFrom(ring.start).map(({ item }) => item),
    ['3/1'],
  );
  t.notOk(ring.has({ seq: 3, taken: 0 }));
  t.ok(ring.has({ seq: 3, taken: 1 }));
});

t.test('nobody has too many sockets', async (t) => {
  const counts = new SocketsByOwner({ ...SOCKET_LIMITS, socketsMax: 4, socketsOfOneMax: 2, unknownMax: 3 });
  const stranger = (network: string) => counts.take({ caller: undefined, network });
  const first = stranger('a');
  t.ok(first && stranger('a'));
  t.equal(stranger('a'), undefined, 'of one network');
  t.ok(stranger('b'));
  t.equal(stranger('c'), undefined, 'of all who did not say who they are');
  first?.release();
  first?.release();
  t.ok(stranger('a'));
  const token = { kind: 'token' as const, tokenId: 't', subject: 's', tenantId: 'x', permissions: [], expiresAt: 0 };
  t.ok(counts.take({ caller: token, network: 'a' }));
  t.equal(counts.take({ caller: token, network: 'a' }), undefined, 'of all');
  const few = new SocketsByOwner({ ...SOCKET_LIMITS, socketsOfTenantMax: 2 });
  const ofTenant = (tenantId: string, tokenId: string) =>
    few.take({ caller: { ...token, tenantId, tokenId }, network: 'a' });
  const held = ofTenant('x', '1');
  t.ok(held && ofTenant('x', '2'));
  t.equal(ofTenant('x', '3'), undefined, 'of the tokens of one tenant');
  t.ok(ofTenant('y', '4'), 'and another tenant has its own');
  held?.release();
  t.ok(ofTenant('x', '3'));
});

t.test('work is done in order, one piece at a time, and a failure is its own', async (t) => {
  const pace = new Pace({ sliceMs: 0, rest: 0 });
  const done: number[] = [];
  const works = [1, 2, 3].map((n) =>
    pace.run(async () => {
      await Promise.resolve();
      if (n === 2) throw new Error('no');
      done.push(n);
      return n;
    }),
  );
  t.same(await Promise.allSettled(works).then((all) => all.map(({ status }) => status)), [
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  t.same(done, [1, 3]);
});

t.test('a batch tells of each event once, and of sessions that people released', async (t) => {
  const builder = new FeedRowsBuilder();
  const decided = decisionRecord({ kind: 'decided', action: 'allow' });
  const { session, event } = decided;
  const seen = eventRecord();
  const about = { tenant: TENANT, session, event, atMs: 0 };
  builder.add({ kind: 'inspection', ...about, effects: [] });
  builder.add(decided);
  builder.add({ kind: 'unanswered', ...about, cause: 'deadline', answered: 'fail_open' });
  builder.add(seen);
  builder.add({ kind: 'joined', ...about, child: session });
  builder.add({ kind: 'release', ...about, subject: 's', reason: 'r', hold: true, taints: [] });
  t.same(builder.finish().get(TENANT), [
    { session, id: event, isDecision: true },
    { session: seen.session, id: seen.event, isDecision: false },
    { session, id: null, isDecision: false },
  ]);
});

t.test('what is read again and again is read once for all, told when it is news, and over with the last', async (t) => {
  const readings = new LiveReadings();
  // Whoever watches keeps no process alive.
  const awake = setInterval(() => {}, 1_000);
  t.teardown(() => clearInterval(awake));
  const values = [1, 1, 2, 3];
  let reads = 0;
  const reading = {
    key: 'one',
    read: async () => {
      reads++;
      if (reads === 3) throw new Error('the database is away');
      return values[Math.min(reads, values.length) - 1] ?? 0;
    },
    isNews: (now: number, before: number) => now !== before,
    isLast: (now: number) => now === 3,
  };
  const told = async () => {
    const all: number[] = [];
    for await (const { value } of readings.watch(reading)) all.push(value);
    return all;
  };
  const abandoned = readings.watch({ ...reading, key: 'another', read: () => Promise.resolve(0) });
  await abandoned.next();
  const waiting = abandoned.next();
  t.same(await Promise.all([told(), told()]), [
    [1, 3],
    [1, 3],
  ]);
  t.equal(reads, 4, 'what could not be read was read again');
  readings.stop();
  t.match(await waiting, { done: true });
});

import fc from 'fast-check';
import t from 'tap';
import { Bag } from '../../src/lib/bag.ts';
import { Deadlines, takeOff } from '../../src/lib/deadlines.ts';
import { errorPlace } from '../../src/lib/error-text.ts';
import { FairQueue } from '../../src/lib/fair-queue.ts';
import { BUCKETS, bucketOf, quantileUs } from '../../src/lib/log-histogram.ts';
import { parsedUrl } from '../../src/lib/parsed-url.ts';
import { beginStart, StartedParts } from '../../src/lib/started-parts.ts';
import { Surge } from '../../src/lib/surge.ts';
import { TimeShare } from '../../src/lib/time-share.ts';
import { ManualClock } from '../support/manual-clock.ts';

interface Job {
  owner: string;
  n: number;
}

const never = () => false;

t.test('P9 FairQueue: never holds more than its bound, loses nothing else, and keeps each owner in order', async () => {
  const push = fc.record({ kind: fc.constant('push' as const), owner: fc.constantFrom('a', 'b', 'c') });
  const other = fc.record({ kind: fc.constantFrom('take' as const, 'putBack' as const) });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.oneof(push, other), { maxLength: 200 }),
      (itemsMax, steps) => {
        const queue = new FairQueue<Job>(itemsMax, ({ owner }) => owner);
        const waiting = new Set<Job>();
        let n = 0;
        let last: Job | undefined;
        for (const step of steps) {
          if (step.kind === 'push') {
            const job = { owner: step.owner, n: n++ };
            waiting.add(job);
            const displaced = queue.push(job);
            if (displaced !== undefined) waiting.delete(displaced);
            if (queue.length > Math.max(itemsMax, waiting.size)) return false;
          } else if (step.kind === 'take') {
            last = queue.take(never);
            if ((last === undefined) !== (waiting.size === 0)) return false;
            if (last === undefined) continue;
            if ([...waiting].some((job) => job.owner === last?.owner && job.n < last.n)) return false;
            waiting.delete(last);
          } else if (last !== undefined && !waiting.has(last)) {
            queue.unshift(last);
            waiting.add(last);
          }
        }
        const rest = new Set<Job>();
        for (let job = queue.take(never); job !== undefined; job = queue.take(never)) rest.add(job);
        return rest.size === waiting.size && [...rest].every((job) => waiting.has(job));
      },
    ),
    { seed: 20_260_101, numRuns: 500 },
  );
});

/** Lets owners ask for work of 3 ms all the time, one after the other, and returns what each was given. */
function flooded(share: TimeShare, clock: ManualClock, owners: readonly string[], forMs: number): number[] {
  const workedMs = owners.map(() => 0);
  for (const endsAtMs = clock.monotonic() + forMs; clock.monotonic() < endsAtMs; clock.advance(1))
    for (const [index, owner] of owners.entries())
      share.run(owner, () => {
        clock.advance(3);
        workedMs[index] = (workedMs[index] ?? 0) + 3;
        return true;
      });
  return workedMs;
}

t.test('P1 TimeShare: however much work is asked for, it gets no more than its share of the time', async (t) => {
  const clock = new ManualClock();
  const share = new TimeShare(() => clock.monotonic(), { share: 0.2, mostMs: 100 });
  const [alone = 0] = flooded(share, clock, ['a'], 10_000);
  t.ok(alone > 1_500 && alone < 1_800, `${alone} of 10,000 ms: most of it goes to one that is alone`);
  const owners = ['a', 'b', 'c', 'd'];
  const worked = flooded(share, clock, owners, 10_000);
  const sum = worked.reduce((all, each) => all + each, 0);
  t.ok(sum > 1_800 && sum < 2_150, `${sum} of 10,000 ms`);
  for (const each of worked) t.ok(each > sum / 5 && each < sum / 3, `each its part: ${each} of ${sum} ms`);
  clock.advance(60_000);
  let savedMs = 0;
  const work = () => {
    clock.advance(3);
    savedMs += 3;
    return true;
  };
  while (share.run('a', work) !== undefined);
  t.ok(savedMs >= 80 && savedMs < 120, `what was not used is saved up to the most: ${savedMs} ms`);
  clock.advance(10_000);
  t.throws(() =>
    share.run('a', () => {
      throw new Error('fails');
    }),
  );
  t.ok(share.run('a', () => true));
});

t.test('P1 TimeShare: however many owners ask for all of it, one that asks for little is not refused', async (t) => {
  const clock = new ManualClock();
  const share = new TimeShare(() => clock.monotonic(), { share: 0.2, mostMs: 100 });
  for (const floods of [['a'], ['a', 'b', 'c']]) {
    flooded(share, clock, floods, 20_000);
    for (let n = 0; n < 20; n++) {
      t.ok(
        share.run('quiet', () => clock.advance(1) ?? true),
        `beside ${floods.length}`,
      );
      flooded(share, clock, floods, 200);
    }
  }
});

t.test(
  'P1 TimeShare: who took more than a part makes up for it, however long it waits and whoever asks meanwhile',
  async (t) => {
    const clock = new ManualClock();
    const share = new TimeShare(() => clock.monotonic(), { share: 0.2, mostMs: 100 });
    share.run('long', () => clock.advance(900));
    clock.advance(4_200);
    share.run('other', () => {});
    t.equal(
      share.run('long', () => 'run'),
      undefined,
    );
    clock.advance(4_000);
    t.equal(
      share.run('long', () => 'run'),
      'run',
    );
  },
);

t.test('P9 TimeShare: only so many owners are remembered', async (t) => {
  const clock = new ManualClock();
  const share = new TimeShare(() => clock.monotonic(), { share: 0.2, mostMs: 100, ownersMax: 2 });
  const spend = () => {
    clock.advance(200);
    return true;
  };
  t.ok(share.run('a', spend));
  clock.advance(400);
  t.equal(share.run('a', spend), undefined, 'it has taken too much');
  for (const other of ['b', 'c']) share.run(other, () => true);
  t.ok(
    share.run('a', () => true),
    'and is forgotten for others',
  );
});

t.test('FairQueue: owners are served in turn, whoever has the most', async (t) => {
  const queue = new FairQueue<Job>(100, ({ owner }) => owner);
  for (let n = 0; n < 50; n++) queue.push({ owner: 'flood', n });
  for (let n = 0; n < 3; n++) queue.push({ owner: 'quiet', n });
  const served = Array.from({ length: 6 }, () => queue.take(never)?.owner);
  t.same(served, ['flood', 'quiet', 'flood', 'quiet', 'flood', 'quiet']);
});

t.test('FairQueue: a full queue takes from the longest; its owner is refused, others get in', async (t) => {
  const queue = new FairQueue<Job>(10, ({ owner }) => owner);
  for (let n = 0; n < 10; n++) t.equal(queue.push({ owner: 'flood', n }), undefined);
  const own = { owner: 'flood', n: 10 };
  t.equal(queue.push(own), own, 'the flood itself finds no room');
  t.same(queue.push({ owner: 'quiet', n: 0 }), { owner: 'flood', n: 0 }, 'its oldest makes room for another');
  t.equal(queue.length, 10);
});

t.test('FairQueue: under overload the newest goes first', async (t) => {
  const queue = new FairQueue<Job>(10, ({ owner }) => owner);
  for (let n = 0; n < 3; n++) queue.push({ owner: 'a', n });
  t.equal(queue.take(() => true)?.n, 2);
  t.equal(queue.take(never)?.n, 0);
  t.same(
    [...queue.drop(() => true)].map(({ n }) => n),
    [1],
  );
  t.equal(queue.length, 0);
});

t.test('StartedParts: stops in reverse order, all of them, once, and tells what failed or hung', async (t) => {
  const parts = new StartedParts();
  const stopped: string[] = [];
  const part = (name: string, outcome: () => unknown) => () => {
    stopped.push(name);
    return outcome();
  };
  parts.add(
    'first',
    part('first', () => undefined),
  );
  parts.add(
    'second',
    part('second', () => Promise.reject(new Error('broken'))),
  );
  parts.add(
    'third',
    part('third', () => new Promise(() => {})),
    50,
  );
  const burst = () => {
    throw new Error('burst');
  };
  parts.add('fourth', part('fourth', burst));
  const told =
    'not stopped as it should be: fourth (Error: burst), third (Error: it was still stopping after 0.05 s), second (Error: broken)';
  await t.rejects(parts.stop(), { message: told });
  await t.rejects(parts.stop(), { message: told });
  t.same(stopped, ['fourth', 'third', 'second', 'first']);
});

t.test('StartedParts: what is still being started when a stop begins is stopped, and gets no further', async (t) => {
  const parts = new StartedParts();
  const stopped: string[] = [];
  parts.add('early', () => stopped.push('early'));
  const stopping = parts.stop();
  t.throws(() => parts.add('late', () => stopped.push('late')), { name: 'StartInterrupted' });
  t.throws(() => parts.addWatch('late watch', () => stopped.push('late watch')), { name: 'StartInterrupted' });
  await stopping;
  t.same(stopped.toSorted(), ['early', 'late', 'late watch']);
});

t.test('beginStart: what made a start fail is known while the rest is stopped; a stop makes no failure', async (t) => {
  const fault = new Error('the port is taken');
  const parts = new StartedParts();
  let goOn = () => {};
  parts.add('slow', () => new Promise<void>((resolve) => (goOn = resolve)));
  const start = beginStart(
    parts,
    () => Promise.reject(fault),
    (error) => t.fail(error.message),
  );
  t.equal(start.failure(), undefined);
  await new Promise(setImmediate);
  t.same(start.failure(), { error: fault }, 'a stop that is asked for now does not hide it');
  const stopped = start.stop();
  goOn();
  await stopped;
  await t.rejects(start.started, fault);

  const others = new StartedParts();
  const starting = new Promise(setImmediate);
  const interrupted = beginStart(
    others,
    () => starting.then(() => others.add('late', () => {})),
    (error) => t.fail(error.message),
  );
  await interrupted.stop();
  await t.rejects(interrupted.started, { name: 'StartInterrupted' });
  t.equal(interrupted.failure(), undefined);
});

t.test('StartedParts: what watches is stopped at once and before all else', async (t) => {
  const parts = new StartedParts();
  const order: string[] = [];
  const slow = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push(`${name} ends`);
  };
  parts.addWatch('one', slow('one'));
  parts.add('part', slow('part'));
  parts.addWatch('two', slow('two'));
  await parts.stop();
  t.same(order, ['one begins', 'two begins', 'one ends', 'two ends', 'part begins', 'part ends']);
});

t.test('ManualClock moves only when it is told to', async (t) => {
  const clock = new ManualClock(1000);
  clock.advance(5);
  t.equal(clock.now(), 1005);
  t.equal(clock.monotonic(), 5);
});

t.test('Bag: holds what was put in and not taken out, each once', async () => {
  const step = fc.record({ put: fc.boolean(), item: fc.nat(5) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const bag = new Bag<number>();
      const model = new Set<number>();
      for (const { put, item } of steps) {
        if (put) bag.add(item);
        else bag.delete(item);
        if (put) model.add(item);
        else model.delete(item);
        if (bag.size !== model.size || [...bag].some((held) => !model.has(held))) return false;
      }
      return [0, 1, 2, 3, 4, 5].every((item) => (bag.find((held) => held === item) !== undefined) === model.has(item));
    }),
    { seed: 20_260_102, numRuns: 300 },
  );
});

t.test('Surge: begins where the thread stays busy, and ends where it is calm', (t) => {
  const surge = new Surge(() => 0, 10);
  const note = (busyShare: number, samples: number) => {
    for (let n = 0; n < samples; n++) surge.note(busyShare);
    return surge.isOn;
  };
  t.notOk(note(0.3, 40));
  t.notOk(note(1, 2), 'a collection is no surge');
  t.ok(note(1, 12), 'more than it can take is one');
  t.ok(note(0.6, 40), 'it goes on while there is no calm');
  t.notOk(note(0.2, 12));
  t.end();
});

t.test('P9 Surge: what it holds back goes on after it, at its time at the latest, or when it is hurried', (t) => {
  let nowMs = 0;
  const surge = new Surge(() => nowMs, 4);
  const went: string[] = [];
  const hold = (name: string, untilMs: number) => surge.holdBack(untilMs, () => went.push(name));
  const note = (busyShare: number) => {
    for (let n = 0; n < 40; n++) surge.note(busyShare);
  };
  t.equal(hold('calm', 100), undefined, 'without a surge nothing is');
  note(1);
  t.equal(hold('over', 0), undefined, 'nor what has waited');
  const hurry = hold('hurried', 100);
  for (const name of ['a', 'b', 'c']) t.type(hold(name, name === 'c' ? 5_000 : 200), 'function');
  t.equal(surge.heldCount, 4);
  t.equal(hold('too many', 200), undefined);
  hurry?.();
  hurry?.();
  t.same(went, ['hurried']);
  nowMs = 300;
  surge.note(1);
  t.same(went, ['hurried', 'a', 'b'], 'their time is over, though the surge is not');
  note(0);
  t.same(went, ['hurried', 'a', 'b', 'c']);
  note(1);
  hold('stopped', 9_000);
  surge.stop();
  t.same([surge.heldCount, surge.isOn, went.includes('stopped')], [0, false, false]);
  t.end();
});

t.test('Deadlines: what a callback adds for a moment that is over is called, too', async (t) => {
  const deadlines = new Deadlines(() => performance.now());
  // A deadline does not keep the process alive by itself.
  const awake = setInterval(() => {}, 1000);
  const called = await new Promise((resolve) => {
    deadlines.add(0, () => deadlines.add(0, () => resolve('called')));
  });
  clearInterval(awake);
  t.equal(called, 'called');
});

t.test('Deadlines: each is called once, not early, in order, and not after it was taken off', async (t) => {
  const deadlines = new Deadlines(() => performance.now());
  const startedAt = performance.now();
  const called: { due: number; at: number }[] = [];
  const all = [90, 30, 60, 30, 0, -50, 120].map((ms) =>
    deadlines.add(startedAt + ms, () => called.push({ due: ms, at: performance.now() - startedAt })),
  );
  takeOff(all[2]);
  takeOff(all[6]);
  await new Promise((resolve) => setTimeout(resolve, 400));
  t.same(
    called.map(({ due }) => due).toSorted((a, b) => a - b),
    [-50, 0, 30, 30, 90],
  );
  t.same(
    called.slice(-3).map(({ due }) => due),
    [30, 30, 90],
  );
  for (const { due, at } of called) t.ok(at >= due, `due at ${due} ms, called at ${at} ms`);
});

t.test('Deadlines: after the clock jumped, what is due is called and the rest waits', async (t) => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(() => clock.monotonic());
  const called: string[] = [];
  deadlines.add(1_000, () => called.push('day'));
  deadlines.add(86_400_000_000, () => called.push('years'));
  clock.advance(86_400_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.same(called, ['day']);
  clock.advance(86_400_000_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.same(called, ['day', 'years']);
});

t.test('a quantile read from buckets is at most a tenth off', (t) => {
  t.equal(quantileUs([], 0.5), undefined);
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 32, max: 2_000_000 }), { minLength: 1, maxLength: 200 }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (values, share) => {
        const counts = Array.from({ length: BUCKETS }, () => 0);
        for (const value of values) counts[bucketOf(value)] = (counts[bucketOf(value)] ?? 0) + 1;
        const exact = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)] as number;
        const read = quantileUs(counts, share) as number;
        return Math.abs(read / exact - 1) < 0.1;
      },
    ),
  );
  t.equal(bucketOf(0), 0);
  t.equal(bucketOf(Number.MAX_SAFE_INTEGER), BUCKETS - 1);
  t.end();
});

t.test('the place of an error holds nothing of its message', async (t) => {
  const place = errorPlace(new TypeError('secret\n    at secret (place.ts:1:2)'), 2);
  t.match(place, /^TypeError at .*lib\.test\.ts/);
  t.notMatch(place, 'secret');
  t.notMatch(errorPlace('secret'), 'secret');
});

t.test('a URL is read alike however often the code that reads it has run', async (t) => {
  const hosts = new Set<string | undefined>();
  // Compiled by then, what Node 20 offers as `URL.canParse` refuses one-byte text beyond ASCII.
  for (let round = 0; round < 50_000; round++) hosts.add(parsedUrl('http://\u00fc/')?.hostname);
  for (let round = 0; round < 50_000; round++) hosts.add(parsedUrl('/a', 'http://\u00fc/')?.hostname);
  t.same([...hosts], ['xn--tda']);
  t.equal(parsedUrl('http://\u00fc:port/'), undefined);
  t.equal(parsedUrl('http://[1/'), undefined);
  t.equal(parsedUrl('/a', 'http://h/')?.href, 'http://h/a');
});

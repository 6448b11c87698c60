import * as fc from 'fast-check';
import t from 'tap';
import { readClaims } from '../../src/identity/claims.ts';
import { AUTHORIZATION_CHARS_MAX, readAuthorization } from '../../src/identity/compact-token.ts';
import { Lru } from '../../src/lib/lru.ts';
import { Turns } from '../../src/lib/turns.ts';
import { cpuMsOf } from '../support/timing.ts';

t.test('P9 an LRU never exceeds its bounds, keeps the newer half, and returns what was stored last', async (t) => {
  const operation = fc.record({
    kind: fc.constantFrom('set', 'get', 'delete'),
    key: fc.integer({ min: 0, max: 30 }).map(String),
    bytes: fc.integer({ min: 0, max: 60 }),
  });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 300 }), (operations) => {
      const lru = new Lru<number>({ entriesMax: 10, bytesMax: 100 });
      const stored = new Map<string, { value: number; bytes: number }>();
      for (const [value, { kind, key, bytes }] of operations.entries()) {
        if (kind === 'set') {
          lru.set(key, value, bytes);
          stored.set(key, { value, bytes });
          if (lru.get(key) !== (bytes > 50 ? undefined : value)) return false;
        } else if (kind === 'delete') {
          lru.delete(key);
          stored.delete(key);
        } else if (![undefined, stored.get(key)?.value].includes(lru.get(key))) return false;
        if (lru.size > 10 || lru.bytes > 100) return false;
      }
      for (const key of stored.keys()) lru.delete(key);
      return lru.size === 0 && lru.bytes === 0;
    }),
  );
  const lru = new Lru<number>({ entriesMax: 100, bytesMax: 1e9 });
  lru.set('used', 1, 1);
  const lost: number[] = [];
  for (let index = 0; index < 1000; index++) {
    lru.set(`new${index}`, index, 1);
    if (lru.get('used') === undefined || (index >= 20 && lru.get(`new${index - 20}`) === undefined)) lost.push(index);
  }
  t.strictSame(lost, [], 'what is used, and what is new, is kept');
  lru.clear();
  t.strictSame([lru.size, lru.bytes, lru.get('used')], [0, 0, undefined]);
});

t.test(
  'P9 turns: no more at once than allowed, in order, the surplus turned away, failures pass the turn on',
  async (t) => {
    const turns = new Turns(2, 3);
    const order: number[] = [];
    const open: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const work = (id: number) => async () => {
      running += 1;
      most = Math.max(most, running);
      order.push(id);
      await new Promise<void>((resolve) => open.push(resolve));
      running -= 1;
      if (id === 1) throw new Error('failed');
      return id;
    };
    const results = [0, 1, 2, 3, 4, 5].map((id) => turns.run(work(id)));
    t.equal(results[5], undefined, 'two run, three wait, the sixth is turned away');
    const settled = Promise.allSettled(results.filter((result) => result !== undefined));
    for (let finished = 0; finished < 5; ) {
      const finish = open.shift();
      finish?.();
      if (finish !== undefined) finished += 1;
      await new Promise(setImmediate);
    }
    t.strictSame(order, [0, 1, 2, 3, 4]);
    t.equal(most, 2);
    t.match(await settled, [{ value: 0 }, { status: 'rejected' }, { value: 2 }, { value: 3 }, { value: 4 }]);
    t.ok(
      turns.run(async () => 6),
      'and the turns are free again',
    );
  },
);

t.test('reading an Authorization header never throws, and never repeats what it read', async () => {
  const part = fc.oneof(
    fc.base64String(),
    fc.string({ unit: 'binary' }),
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
  );
  const header = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(part, { maxLength: 6 }).map((parts) => `Bearer ${parts.join('.')}`),
  );
  fc.assert(
    fc.property(header, (value) => {
      const read = readAuthorization(value);
      return read.ok || (!read.detail.includes('\n') && (value.length < 24 || !read.detail.includes(value.slice(7))));
    }),
    { numRuns: 2000 },
  );
});

t.test('P9 no Authorization header costs more than its length', async (t) => {
  const nested = `${'['.repeat(AUTHORIZATION_CHARS_MAX / 2)}${']'.repeat(AUTHORIZATION_CHARS_MAX / 4)}`;
  const hostile = [
    `Bearer ${' '.repeat(AUTHORIZATION_CHARS_MAX - 10)}`,
    `Bearer ${'='.repeat(AUTHORIZATION_CHARS_MAX - 10)}`,
    `Bearer ${'a='.repeat(AUTHORIZATION_CHARS_MAX / 2 - 10)}`,
    `Bearer ${'.'.repeat(AUTHORIZATION_CHARS_MAX - 10)}`,
    `Bearer ${Buffer.from(nested)
      .toString('base64url')
      .slice(0, AUTHORIZATION_CHARS_MAX - 20)}.e30.AA`,
    'a'.repeat(10_000_000),
  ];
  for (const value of hostile) {
    t.equal(readAuthorization(value).ok, false);
    t.ok(cpuMsOf(() => readAuthorization(value)) < 250, value.slice(0, 20));
  }
});

t.test('claims of any shape are read or refused, never thrown at', async () => {
  const names = fc.constantFrom('sub', 'jti', 'tenant', 'scope', 'exp', 'nbf', 'iat', 'aud');
  const good = { aud: 'a', sub: 's', jti: 'j', tenant: 'demo', scope: 'events:write', exp: 2, nbf: 1, iat: 1 };
  fc.assert(
    fc.property(fc.dictionary(names, fc.anything()), (changed) => {
      const read = readClaims({ ...good, ...changed });
      return read.ok
        ? typeof read.principal.subject === 'string' && read.notBefore >= 0
        : read.detail.startsWith('the claim "');
    }),
  );
});

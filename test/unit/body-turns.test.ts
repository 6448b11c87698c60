import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import type { TenantSlug } from '../../src/domain/ids.ts';
import { BodyTurns } from '../../src/gateway/body-turns.ts';

const FLOODING = 'flooding' as TenantSlug;
const OTHER = 'other' as TenantSlug;
const LARGE = 1_000_000;
const SMALL = 300;

/** What is read, in order, and in which turn of the event loop. */
function open() {
  const turns = new BodyTurns();
  const read: string[] = [];
  const refused: string[] = [];
  const send = (tenant: TenantSlug, name: string, bytes: number): void => {
    if (turns.begins(bytes)) read.push(name);
    else turns.wait({ tenant, bytes, read: () => read.push(name), refuse: () => refused.push(name) });
  };
  return { send, read, refused };
}

t.test('small bodies are read at once, and so is a large one', async (t) => {
  const { send, read } = open();
  send(FLOODING, 'a', SMALL);
  send(FLOODING, 'b', LARGE);
  send(OTHER, 'c', SMALL);
  t.same(read, ['a', 'b', 'c']);
});

t.test(
  'large bodies are read one in a turn, the tenants one after the other; nothing small waits for them',
  async (t) => {
    const { send, read } = open();
    for (const name of ['f1', 'f2', 'f3', 'f4']) send(FLOODING, name, LARGE);
    send(OTHER, 'large', LARGE);
    send(OTHER, 'small', SMALL);
    send(FLOODING, 'small too', SMALL);
    t.same(read.splice(0), ['f1', 'small', 'small too']);
    for (const now of [['f2'], ['large'], ['f3'], ['f4'], []]) {
      await nextTurn();
      t.same(read.splice(0), now);
    }
  },
);

t.test('P9: so are the bytes of what waits', async (t) => {
  const { send, read, refused } = open();
  send(OTHER, 'first', LARGE);
  send(OTHER, 'other', LARGE);
  for (let n = 0; n < 20; n++) send(FLOODING, `f${n}`, 32 * LARGE);
  t.same(
    refused,
    Array.from({ length: 16 }, (_, n) => `f${n}`),
    'four of them fit',
  );
  for (let turn = 0; turn < 7; turn++) await nextTurn();
  t.same(read.toSorted(), ['f16', 'f17', 'f18', 'f19', 'first', 'other']);
  for (let n = 20; n < 25; n++) send(FLOODING, `f${n}`, 32 * LARGE);
  t.equal(refused.length, 16, 'what was read counts no more');
});

t.test('P9: of bytes the one with the most loses its own, however many others there are', async (t) => {
  const { send, refused } = open();
  send(OTHER, 'first', LARGE);
  for (let n = 0; n < 100; n++) send(OTHER, `o${n}`, 40_000);
  for (let n = 0; n < 10; n++) send(FLOODING, `f${n}`, 32 * LARGE);
  t.same(refused, ['f0', 'f1', 'f2', 'f3', 'f4', 'f5']);
});

t.test('P9: what waits is bounded, and who floods is refused', async (t) => {
  const { send, refused } = open();
  send(OTHER, 'first', 40_000);
  send(OTHER, 'other', 40_000);
  for (let n = 0; n < 300; n++) send(FLOODING, `f${n}`, 40_000);
  t.equal(refused.length, 300 + 1 - 256);
  t.ok(refused.every((name) => name.startsWith('f')));
});

import t from 'tap';
import { Patience } from '../../src/lib/patience.ts';

const never = new Promise(() => {});

t.test('what is done in time is waited for, with its failure', async (t) => {
  const patience = new Patience(10_000);
  t.ok(await patience.outlasts(Promise.resolve('x')));
  await t.rejects(patience.outlasts(Promise.reject(new Error('no'))), { message: 'no' });
  t.notOk(patience.isEndless);
});

t.test('one long wait uses it up for all that follow; what is done already is done all the same', async (t) => {
  const patience = new Patience(20);
  t.notOk(await patience.outlasts(never));
  const startedAtMs = performance.now();
  t.notOk(await patience.outlasts(never));
  t.ok(performance.now() - startedAtMs < 5_000, 'it does not begin anew');
  t.ok(await patience.outlasts(Promise.resolve()));
});

t.test('a failure that comes too late disturbs nobody', async (t) => {
  const patience = new Patience(0);
  let fail: (error: Error) => void = () => {};
  const late = new Promise((_, reject) => {
    fail = reject;
  });
  t.notOk(await patience.outlasts(late));
  fail(new Error('late'));
  await new Promise((resolve) => setTimeout(resolve, 10));
});

t.test('without end', async (t) => {
  const patience = new Patience(Number.POSITIVE_INFINITY);
  t.ok(patience.isEndless);
  t.ok(await patience.outlasts(new Promise((resolve) => setTimeout(resolve, 20))));
});

import t from 'tap';
import { errorLine } from '../../src/lib/error-text.ts';
import { Following } from '../../src/lib/following.ts';
import { until } from '../support/sessions.ts';

t.test('whoever follows a source tells once that it fails, and again only after it worked', async (t) => {
  const problems: string[] = [];
  let outcome: () => Promise<void> = () => Promise.reject(new Error('connection refused'));
  let looks = 0;
  const following = new Following({
    what: 'tenants',
    everyMs: 1,
    look: () => {
      looks += 1;
      return outcome();
    },
  });
  t.teardown(() => following.stop());
  const looksAgain = async () => {
    const enough = looks + 2;
    await until(() => looks >= enough);
  };
  await following.start((problem) => problems.push(problem));
  await looksAgain();
  t.same(problems, ['tenants are not up to date: connection refused']);
  outcome = () => Promise.resolve();
  await looksAgain();
  const cause = new Error('relation is gone');
  const query = Object.assign(new Error('Failed query: select … params: hush', { cause }), {
    query: 'select',
    params: ['hush'],
  });
  outcome = () => Promise.reject(query);
  await looksAgain();
  t.same(problems.slice(1), ['tenants are not up to date: relation is gone'], 'without the values of a statement');
});

t.test('what went wrong is one line, and never none', async (t) => {
  const refused = Object.assign(new Error('connect ECONNREFUSED ::1:5432'), { code: 'ECONNREFUSED' });
  t.equal(errorLine(new AggregateError([refused, refused])), 'connect ECONNREFUSED ::1:5432');
  t.equal(errorLine(new Error('first\nsecond')), 'first');
  t.equal(errorLine(new TypeError('')), 'TypeError');
  t.equal(errorLine('thrown'), 'thrown');
});

import t from 'tap';
import { RetentionClock } from '../../src/store/retention-clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { silentLog } from '../support/silent-log.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function open(newestMs: number | undefined) {
  const clock = new ManualClock(1_780_000_000_000);
  const warnings: object[] = [];
  const retention = new RetentionClock(clock, { ...silentLog, warn: (fields) => warnings.push(fields) });
  return { clock, warnings, now: () => retention.now(async () => newestMs) };
}

t.test('stored events are removed by the clock, as long as it goes as it should', async (t) => {
  for (const newest of [undefined, 1_780_000_000_000 - 6 * DAY_MS, 1_780_000_000_000 + DAY_MS]) {
    const { clock, warnings, now } = open(newest);
    for (let hours = 0; hours < 50; hours++) {
      t.equal(await now(), clock.now());
      clock.advance(HOUR_MS);
    }
    t.same(warnings, []);
  }
});

t.test('a start with a clock far ahead of what is stored removes nothing for a day, and says so', async (t) => {
  const { clock, warnings, now } = open(1_780_000_000_000 - 200 * DAY_MS);
  for (let hours = 0; hours < 24; hours++) {
    t.equal(await now(), undefined);
    clock.advance(HOUR_MS);
  }
  t.equal(await now(), clock.now(), 'it lasted: it is right');
  t.same(warnings, [{ daysAhead: 200 }]);
});

t.test(
  'a clock that is set ahead while the service runs is doubted too; one that is set back removes less',
  async (t) => {
    const { clock, now } = open(undefined);
    t.equal(await now(), clock.now());
    clock.setWall(clock.now() + 400 * DAY_MS);
    clock.advance(HOUR_MS);
    t.equal(await now(), undefined);
    clock.setWall(clock.now() - 400 * DAY_MS);
    clock.advance(DAY_MS);
    t.equal(await now(), clock.now());
  },
);

import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { LmdbJournal } from '../../src/journal/lmdb-journal.ts';
import { MendableError } from '../../src/lib/mendable-error.ts';
import { temporaryDirectory } from '../support/postgres.ts';
import { eventRecord } from '../support/records.ts';

const OPTIONS = { bytesMax: 64 * 1024 * 1024, relaxed: false };
const RECORDS = 300;

/** A journal as it lies on disk after a while. */
async function written(t: Test): Promise<{ path: string; file: string }> {
  const path = temporaryDirectory(t, 'lmdb');
  const journal = new LmdbJournal({ path, ...OPTIONS });
  for (let n = 0; n < RECORDS; n++) await journal.append(eventRecord(), 'disk').durable;
  await journal.close();
  return { path, file: join(path, 'data.mdb') };
}

/** What opening says. A damaged file that is opened all the same would end this process. */
async function opening(path: string): Promise<unknown> {
  try {
    const journal = new LmdbJournal({ path, ...OPTIONS });
    const { head } = journal;
    await journal.close();
    return head;
  } catch (error) {
    return error;
  }
}

const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
  'a text': (file) => writeFileSync(file, 'no journal at all\n'.repeat(1_000)),
  'a few bytes': (file) => writeFileSync(file, 'x'),
  'zeros at its begin': (file) => overwrite(file, 0, 8_192),
  'zeros in its second page': (file) => overwrite(file, 4_096, 8_192),
  'its first two pages alone': (file) => truncateSync(file, 8_192),
  'a tenth of it': (file) => truncateSync(file, Math.floor(statSync(file).size / 10)),
};

function overwrite(file: string, from: number, to: number): void {
  writeFileSync(file, readFileSync(file).fill(0, from, to));
}

for (const [name, damage] of Object.entries(DAMAGES))
  t.test(`a journal's file that is ${name} is told in one line, and ends nothing`, async (t) => {
    const { path, file } = await written(t);
    damage(file);
    const told = await opening(path);
    t.ok(told instanceof MendableError, String(told));
    t.match((told as Error).message, /is damaged \(.*\): restore it from a backup/);
  });

t.test('a whole journal is opened, and so is an empty file, which a kill at its making leaves', async (t) => {
  const { path, file } = await written(t);
  t.equal(await opening(path), RECORDS);
  rmSync(file);
  writeFileSync(file, '');
  t.equal(await opening(path), 0);
});

t.test('a directory in place of the lock is told of', async (t) => {
  const { path } = await written(t);
  rmSync(join(path, 'lock.mdb'));
  mkdirSync(join(path, 'lock.mdb'));
  t.match(await opening(path), { message: /lock\.mdb is a directory/ });
});

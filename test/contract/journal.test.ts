import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { agentSessionKey } from '../../src/domain/ids.ts';
import type { JournalRecord } from '../../src/domain/record.ts';
import { type Journal, JournalFull } from '../../src/journal/journal.ts';
import { outcomeOf } from '../../src/journal/lmdb-chunks.ts';
import { LmdbJournal } from '../../src/journal/lmdb-journal.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { decisionRecord, eventRecord, TENANT } from '../support/records.ts';

const BYTES_MAX = 16 * 1024 * 1024;

/** Every implementation of the port keeps these. `open` gives a fresh, empty journal. */
function contract(name: string, open: (t: Test, bytesMax?: number) => Journal): void {
  t.test(`${name}: records come back in order, byte for byte`, async (t) => {
    const journal = open(t);
    const body = Buffer.from([0x7b, 0x22, 0xc3, 0xa9, 0x22, 0x3a, 0x31, 0x7d]);
    const records: JournalRecord[] = [
      eventRecord({ body, traceparent: '00-a-b-01' }),
      decisionRecord(
        { kind: 'decided', action: 'block', reason: 'é \u0000 \ud800' },
        { explanation: '{"policies":[]}' },
      ),
      {
        kind: 'inspection',
        tenant: TENANT,
        session: agentSessionKey(TENANT, 's'),
        event: eventRecord().event,
        atMs: 1,
        effects: [],
      },
    ];
    const appended = records.map((record) => journal.append(record, 'disk'));
    await Promise.all(appended.map(({ durable }) => durable));
    t.same(
      appended.map(({ seq }) => seq),
      [1, 2, 3],
    );
    t.equal(journal.head, 3);
    const stored = journal.readAfter(0, 10);
    t.same(
      stored.map(({ seq }) => seq),
      [1, 2, 3],
    );
    for (const [index, { record }] of stored.entries()) t.same(plain(record), plain(records[index] as JournalRecord));
    t.same(plain(journal.read(2) as JournalRecord), plain(records[1] as JournalRecord));
    t.same(
      journal.readAfter(1, 1).map(({ seq }) => seq),
      [2],
    );
    t.equal(journal.read(4), undefined);
  });

  t.test(`${name}: a record leaves once it is both folded and projected`, async (t) => {
    const journal = open(t);
    for (let turn = 0; turn < 25; turn++)
      await Promise.all(Array.from({ length: 100 }, () => journal.append(eventRecord(), 'disk').durable));
    journal.markProjected(2400);
    await settle();
    t.equal(journal.readAfter(0, 1)[0]?.seq, 1, 'projected only: it stays');
    journal.markFolded(2300);
    await until(() => journal.readAfter(0, 1)[0]?.seq === 2301);
    t.equal(journal.foldedUpTo, 2300);
    journal.markFolded(2200);
    t.equal(journal.foldedUpTo, 2300, 'marks never go back');
    t.equal(journal.head, 2500, 'positions are not used twice');
  });

  t.test(
    `P2 ${name}: nothing counts as folded that is not there: its number may be given to another record`,
    async (t) => {
      const journal = open(t);
      await journal.append(eventRecord(), 'disk').durable;
      journal.markFolded(5);
      t.equal(journal.foldedUpTo, 1);
      await journal.append(eventRecord(), 'disk').durable;
      journal.markFolded(2);
      t.equal(journal.foldedUpTo, 2);
    },
  );

  t.test(`${name}: snapshots are read back, replaced, told of in turn, and dropped`, async (t) => {
    const journal = open(t);
    const [a, b] = [agentSessionKey(TENANT, 'a'), agentSessionKey(TENANT, 'b')];
    t.equal(journal.readSnapshot(a), undefined);
    await journal.writeSnapshot(a, { seq: 7, lastAtMs: 1000, state: Buffer.from('one') });
    await journal.writeSnapshot(a, { seq: 9, lastAtMs: 2000, state: Buffer.from('two') });
    await journal.writeSnapshot(b, { seq: 8, lastAtMs: 9000, state: Buffer.from('other') });
    const snapshot = journal.readSnapshot(a);
    t.equal(snapshot?.seq, 9);
    t.equal(Buffer.from(snapshot?.state ?? []).toString(), 'two');
    t.equal(journal.snapshotCount, 2);
    const told = [...journal.nextSnapshots(1), ...journal.nextSnapshots(1)];
    t.same(
      told.toSorted((one, other) => one.lastAtMs - other.lastAtMs),
      [
        { key: a, lastAtMs: 2000 },
        { key: b, lastAtMs: 9000 },
      ],
    );
    await until(() => journal.nextSnapshots(3).length === 2);
    journal.dropSnapshots([a]);
    await until(() => journal.readSnapshot(a) === undefined);
    t.ok(journal.readSnapshot(b));
    t.equal(journal.snapshotCount, 1);
  });

  t.test(
    `P9 ${name}: a full journal refuses events first, then decisions, and takes them again when there is room`,
    async (t) => {
      const journal = open(t, 1024 * 1024);
      const big = Buffer.alloc(10_000, 120);
      const fill = (record: () => JournalRecord) => {
        for (let count = 0; count < 1000; count++) {
          try {
            last = journal.append(record(), 'disk').durable;
          } catch (error) {
            t.ok(error instanceof JournalFull);
            return count;
          }
        }
        return t.fail('the journal has no bound');
      };
      let last: Promise<void> = Promise.resolve();
      fill(() => eventRecord({ body: big }));
      const decision = () => decisionRecord({ kind: 'decided', action: 'allow' }, { body: big });
      t.ok(Number(fill(decision)) >= 3, 'room is kept for decisions');
      await last;
      t.ok(journal.bytes <= journal.bytesMax);
      journal.markFolded(journal.head);
      journal.markProjected(journal.head);
      await until(() => journal.bytes < journal.bytesMax / 2);
      await journal.append(eventRecord({ body: big }), 'disk').durable;
    },
  );
}

function plain(record: JournalRecord): object {
  return 'body' in record ? { ...record, body: Buffer.from(record.body).toString('hex') } : record;
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    if (tries > 5000) throw new Error('the condition never came true');
    await settle();
  }
}

const temporary = (t: Test) => {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-journal-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

const openLmdb =
  (relaxed: boolean) =>
  (t: Test, bytesMax = BYTES_MAX) => {
    const path = temporary(t);
    const journal = new LmdbJournal({ path, bytesMax, relaxed });
    t.teardown(() => journal.close());
    return journal;
  };

contract('MemoryJournal', (_, bytesMax = BYTES_MAX) => new MemoryJournal({ bytesMax }));
contract('LmdbJournal', openLmdb(false));
contract('LmdbJournal, relaxed', openLmdb(true));

t.test(
  'LmdbJournal: positions, marks and identity survive a restart, also when all but the newest record have left',
  async (t) => {
    const path = temporary(t);
    const options = { path, bytesMax: BYTES_MAX, relaxed: false };
    const first = new LmdbJournal(options);
    const { id } = first;
    for (let n = 0; n < 5; n++) await first.append(eventRecord(), 'disk').durable;
    const newest = first.read(5)?.event;
    first.markFolded(5);
    first.markProjected(5);
    await until(() => first.readAfter(0, 1)[0]?.seq === 5);
    await first.close();
    const second = new LmdbJournal(options);
    t.teardown(() => second.close());
    t.equal(second.id, id);
    t.equal(second.head, 5);
    t.equal(second.foldedUpTo, 5);
    t.equal(second.read(5)?.event, newest, 'how far time had got is known');
    t.equal(second.append(eventRecord(), 'disk').seq, 6);
  },
);

t.test(
  'LmdbJournal: where the disk is full, nothing is written, and it goes on by itself once there is space',
  async (t) => {
    const disk = smallDisk(t);
    if (disk === undefined) {
      t.plan(0, 'no disk can be mounted here: a full one is not tried');
      return;
    }
    const journal = new LmdbJournal({ path: join(disk, 'journal'), bytesMax: BYTES_MAX, relaxed: false });
    t.teardown(() => journal.close());
    const session = agentSessionKey(TENANT, 'a');
    const snapshot = { seq: 1, lastAtMs: 1, state: Buffer.from('one') };
    const append = () => journal.append(eventRecord({ body: Buffer.alloc(20_000, 120) }), 'disk').durable;
    await append();
    await journal.writeSnapshot(session, snapshot);
    t.notOk(journal.full);
    t.throws(() => writeFileSync(join(disk, 'rest'), Buffer.alloc(DISK_BYTES)), { code: 'ENOSPC' });
    await until(() => journal.full);
    t.throws(append, { name: 'JournalFull' });
    t.throws(() => journal.append(decisionRecord({ kind: 'decided', action: 'allow' }), 'disk'), {
      name: 'JournalFull',
    });
    t.equal(journal.head, 1);
    await t.rejects(journal.writeSnapshot(session, snapshot), { name: 'JournalFull' });
    journal.dropSnapshots([session]);
    journal.markProjected(1);
    journal.markFolded(1);
    await settle();
    t.equal(journal.readAfter(0, 1)[0]?.seq, 1, 'to remove it takes room, too');
    rmSync(join(disk, 'rest'));
    await until(() => !journal.full);
    await append();
    journal.markFolded(2);
    journal.markProjected(2);
    await until(() => journal.readAfter(0, 1)[0]?.seq === 2);
    t.ok(journal.readSnapshot(session), 'nor was the snapshot removed');
    journal.dropSnapshots([session]);
    await until(() => journal.readSnapshot(session) === undefined);
  },
);

t.test('P2 LmdbJournal: a record on its way to the disk does not count as folded', async (t) => {
  const journal = openLmdb(false)(t);
  const { seq, durable } = journal.append(eventRecord(), 'disk');
  journal.markFolded(seq);
  t.equal(journal.foldedUpTo, 0);
  await durable;
  journal.markFolded(seq);
  t.equal(journal.foldedUpTo, seq);
});

t.test('LmdbJournal: a commit that fails is told once, and no rejection is left over', async (t) => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  t.teardown(() => process.off('unhandledRejection', note));
  const failed = () => Object.assign(new Error('failed'), { commitError: Promise.reject(new Error('no space')) });
  await t.rejects(outcomeOf(Promise.reject(failed())), /failed/);
  await settle();
  t.same(unhandled, []);
});

const DISK_BYTES = 96 * 1024 * 1024;

/** A disk that is soon full; undefined where none can be mounted. */
function smallDisk(t: Test): string | undefined {
  const path = join(temporary(t), 'disk');
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'gatehouse-test', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  t.teardown(() => execFileSync('umount', ['--lazy', path]));
  return path;
}

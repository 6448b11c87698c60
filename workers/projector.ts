import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { LmdbJournalView } from '../src/journal/lmdb-journal-view.ts';
import { systemClock } from '../src/lib/clock.ts';
import { isOn } from '../src/lib/surge.ts';
import { Projector } from '../src/projector/projector.ts';
import type { ProjectorReport, ProjectorStart, ProjectorStop } from '../src/projector/projector-messages.ts';
import { openDatabase } from '../src/store/database.ts';
import { ProjectionStore } from '../src/store/projection.ts';
import { createLogger } from '../src/telemetry/logger.ts';

/** The thread that carries the journal into the database: see `ProjectorThread`. */

const CONNECTIONS = 1;
const REPORT_MS = 100;
/**
 * Nice value: where processors are short, answers go first and rows wait in the journal. More than this makes who watches wait
 * for seconds, and brings answers nothing that `bench/live.ts` can see.
 */
const NICE = 5;

// On Linux this is of the calling thread alone; elsewhere it would be of the whole process.
if (process.platform === 'linux') setPriority(0, NICE);

const start = workerData as ProjectorStart;
let projected: number | undefined;
const fed = new Set<string>();
const journal = new LmdbJournalView(start.journal, (seq) => {
  projected = seq;
  report();
});
const projector = new Projector({
  journal,
  openStore: () => new ProjectionStore(openDatabase(start.databaseUrl, CONNECTIONS), journal.id, noteFed),
  clock: systemClock,
  log: createLogger(start.logLevel, { write: (line) => parentPort?.postMessage(line) }),
  retentionDays: start.retentionDays,
  givesWay: () => isOn(start.surge),
});

function noteFed(tenantIds: readonly string[]): void {
  for (const tenantId of tenantIds) fed.add(tenantId);
}

function report(): void {
  const message: ProjectorReport = { state: projector.state, projected, counts: projector.counts, fed: [...fed] };
  fed.clear();
  parentPort?.postMessage(message);
}

const reporting = setInterval(report, REPORT_MS);
parentPort?.once('message', ({ head, drainMs }: ProjectorStop) => {
  journal.expect(head);
  void projector
    .stop(drainMs)
    .then(() => journal.close())
    .then(() => {
      clearInterval(reporting);
      report();
    });
});
projector.start();

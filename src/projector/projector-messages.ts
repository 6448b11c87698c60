import type { Seq } from '../journal/journal.ts';
import type { LmdbJournalOptions } from '../journal/lmdb-chunks.ts';
import type { ProjectorCounts, ProjectorState } from './projector.ts';

/** What passes between the process and the projector's thread. */

/** What the thread is given when it starts. */
export interface ProjectorStart {
  journal: LmdbJournalOptions & { id: string };
  databaseUrl: string;
  /** Days that events and decisions are kept in the database. */
  retentionDays: number;
  logLevel: string;
  /** Of the surge that the thread gives way to. */
  surge: Int32Array;
}

/** To the thread: carry what there is up to `head`, within `drainMs`, and end. */
export interface ProjectorStop {
  head: Seq;
  drainMs: number;
}

/** From the thread: a line for the log, as it is written. */
export type ProjectorLogLine = string;

/** From the thread, after each change. */
export interface ProjectorReport {
  state: ProjectorState;
  /** Up to where records are in the database; undefined until it was asked. */
  projected: Seq | undefined;
  counts: ProjectorCounts;
  /** Tenants who can see something new since the last report. */
  fed: string[];
}

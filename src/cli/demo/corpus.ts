import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_TYPES } from '../../domain/event-types.ts';
import { subjectOf } from '../../domain/offline-row.ts';
import { linesOf } from '../json-lines.ts';
import type { DemoEvent, DemoSession } from './session.ts';

/** A corpus cannot be read; the message says which part, and why. */
export class CorpusError extends Error {
  override readonly name = 'CorpusError';
}

/**
 * Reads a corpus of labelled events: files `*.jsonl.gz`, each line `{label, source, event}` or `{label, source, session}`.
 * Takes one line of each file in turn, so that any number of sessions shows every kind. Lines that hold no event are
 * left out.
 *
 * @throws {CorpusError} if `directory` cannot be read or holds no such file.
 */
export async function* corpusSessions(directory: string): AsyncGenerator<DemoSession> {
  let open = corpusFiles(directory).map((file) => readRows(join(directory, file), file.replace(/\.jsonl\.gz$/, '')));
  while (open.length > 0) {
    const ended = new Set<AsyncGenerator<DemoSession>>();
    for (const rows of open) {
      const next = await rows.next();
      if (next.done) ended.add(rows);
      else yield next.value;
    }
    open = open.filter((rows) => !ended.has(rows));
  }
}

async function* readRows(path: string, name: string): AsyncGenerator<DemoSession> {
  try {
    for await (const line of linesOf(createReadStream(path))) {
      const session = sessionOf(parsed(line), name);
      if (session !== undefined) yield session;
    }
  } catch (error) {
    throw new CorpusError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function corpusFiles(directory: string): string[] {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    throw new CorpusError(`the corpus cannot be read: ${(error as Error).message}`);
  }
  const files = names.filter((name) => name.endsWith('.jsonl.gz'));
  if (files.length === 0) throw new CorpusError(`no *.jsonl.gz file in ${directory}; name the directory of a corpus`);
  return files;
}

function parsed(line: string): CorpusRow {
  try {
    const row: unknown = JSON.parse(line);
    return typeof row === 'object' && row !== null ? row : {};
  } catch {
    return {};
  }
}

interface CorpusRow {
  label?: string;
  event?: unknown;
  session?: unknown;
}

function sessionOf(row: CorpusRow, name: string): DemoSession | undefined {
  const given = Array.isArray(row.session) ? (row.session as unknown[]) : [row.event];
  const events = given.map(completed).filter((event) => event !== undefined);
  if (events.length === 0) return undefined;
  return {
    label: row.label === 'attack' ? 'attack' : 'benign',
    agent: { id: `corpus-${name}`, name: `Replay of ${name}` },
    user: { email: 'replay@example.com' },
    events,
  };
}

/** Adds what the contract requires and a source may lack. */
function completed(given: unknown): DemoEvent | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const event = given as Record<string, unknown>;
  const eventType = EVENT_TYPES.find((type) => type === event['event_type']);
  return eventType === undefined ? undefined : { ...event, event_type: eventType, ...subjectOf(eventType, event) };
}

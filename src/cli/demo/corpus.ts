import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { EVENT_TYPES, type EventType } from '../../domain/event-types.ts';
import { unreachable } from '../../lib/assert.ts';
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
    for await (const line of linesOf(path)) {
      const session = sessionOf(parsed(line), name);
      if (session !== undefined) yield session;
    }
  } catch (error) {
    throw new CorpusError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  // An error of either stream ends the loop below by destroying the second one.
  const text = pipeline(createReadStream(path), createGunzip(), () => undefined).setEncoding('utf8');
  let rest = '';
  for await (const chunk of text as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
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
    return asObject(JSON.parse(line));
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

/** Adds what the contract requires and a source may lack: inputs and outputs are objects, texts are strings. */
function completed(given: unknown): DemoEvent | undefined {
  const event = asObject(given);
  const eventType = EVENT_TYPES.find((type) => type === event['event_type']);
  if (eventType === undefined) return undefined;
  return { ...event, event_type: eventType, ...subject(eventType, event) };
}

function subject(eventType: EventType, event: Record<string, unknown>): Record<string, unknown> {
  const [tool, message] = [asObject(event['tool']), asObject(event['message'])];
  const called = { ...tool, name: asText(tool['name']), input: asObject(tool['input']) };
  switch (eventType) {
    case 'tool_invocation':
      return { tool: called };
    case 'tool_result':
      return { tool: { ...called, output: asObject(tool['output']) } };
    case 'user_message':
    case 'agent_message':
      return { message: { ...message, content: asText(message['content']) } };
    case 'session_start':
    case 'session_end':
      return {};
    default:
      return unreachable(eventType);
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

/** `value` where it is an object; else an object that holds it. */
function asObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  return value === undefined || value === null ? {} : { text: value };
}

import type { EventType } from '../../src/domain/event-types.ts';
import { type Answer, RawConnection } from './raw-connection.ts';

/** Events that are told apart afterwards, and a record of how each was answered. */

export const EVENTS_PATH = '/v1/generic-webhook/hooks/events';

/** An event as JSON value, with every required field; `fields` adds to it or replaces. */
export function eventOf(eventType: EventType, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    event_type: eventType,
    session_id: 'session-1',
    timestamp: '2026-01-15T09:30:00.000Z',
    agent: { id: 'agent-1', name: 'Test agent' },
    user: { email: 'dev@example.com' },
    ...SUBJECTS[eventType],
    ...fields,
  };
}

const SUBJECTS: Record<EventType, Record<string, unknown>> = {
  tool_invocation: { tool: { name: 'Bash', input: { command: 'ls' } } },
  user_message: { message: { content: 'List the files, please.' } },
  tool_result: { tool: { name: 'Bash', input: { command: 'ls' }, output: { stdout: 'README.md' } } },
  agent_message: { message: { content: 'There is one file.' } },
  session_start: {},
  session_end: {},
};

/** One event of a ledger. */
export interface LedgerEntry {
  /** Found in the event's text, and in no other's. */
  marker: string;
  body: string;
  blocking: boolean;
  /** What was decided, `accepted` for a 202; absent as long as no answer promised that the event is kept. */
  acknowledged?: 'accepted' | 'allow' | 'block';
  /** The service said that it could not decide (408 or 500): final for a sensor, which goes on without a decision. */
  undecided: boolean;
  /** What was answered instead of an acknowledgement: status and the Problem's detail. */
  refusals: string[];
}

/** What a session consists of, over and over; one in 24 events is to be blocked. */
const ORDER: readonly EventType[] = [
  'user_message',
  'tool_invocation',
  'tool_result',
  'agent_message',
  'tool_invocation',
  'tool_result',
];

/** Makes events that differ, and remembers which of them were acknowledged. */
export class Ledger {
  /** In the marker of each of its events. */
  readonly run: string;
  readonly entries: LedgerEntry[] = [];
  readonly #sessions: number;

  /** `run` must differ between ledgers that meet in one data directory. */
  constructor(run: string, sessions = 200) {
    this.run = run;
    this.#sessions = sessions;
  }

  /** The next new event. */
  next(): LedgerEntry {
    const serial = this.entries.length;
    const marker = `${this.run}-${String(serial).padStart(8, '0')}-end`;
    const eventType = ORDER[serial % ORDER.length] as EventType;
    const session = `${this.run}-session-${Math.floor(serial / ORDER.length) % this.#sessions}`;
    const entry: LedgerEntry = {
      marker,
      body: JSON.stringify(eventOf(eventType, { session_id: session, ...marked(eventType, marker, serial) })),
      blocking: eventType === 'tool_invocation' || eventType === 'user_message',
      undecided: false,
      refusals: [],
    };
    this.entries.push(entry);
    return entry;
  }

  /** Events of which the sensor does not know what became of them, or knows that they were not taken. */
  get open(): LedgerEntry[] {
    return this.entries.filter((entry) => entry.acknowledged === undefined && !entry.undecided);
  }

  get acknowledged(): LedgerEntry[] {
    return this.entries.filter((entry) => entry.acknowledged !== undefined);
  }
}

function marked(eventType: EventType, marker: string, serial: number): Record<string, unknown> {
  if (eventType === 'user_message' || eventType === 'agent_message') return { message: { content: `note ${marker}` } };
  const command = serial % 8 === 4 ? `rm -rf / # ${marker}` : `grep -rn ${marker} src`;
  return { tool: { name: 'Bash', input: { command }, ...(eventType === 'tool_result' ? { output: { marker } } : {}) } };
}

/** Notes what an answer promises, and throws for an answer that contradicts an earlier one to the same event. */
function note(entry: LedgerEntry, answer: Answer): void {
  if (answer === 'broken') return;
  const promised = promiseOf(answer, entry.blocking);
  if (promised === undefined) refuse(entry, answer);
  else if (entry.acknowledged === undefined) entry.acknowledged = promised;
  else if (entry.acknowledged !== promised) {
    throw new Error(`${entry.marker} was answered ${entry.acknowledged} and then ${promised}`);
  }
}

function refuse(entry: LedgerEntry, { status, body }: Exclude<Answer, 'broken'>): void {
  const detail = /"detail":"([^"]*)"/.exec(body)?.[1] ?? '';
  entry.refusals.push(`${status} ${detail}`);
  entry.undecided ||= entry.blocking && (status === 408 || status === 500);
}

function promiseOf({ status, body }: Exclude<Answer, 'broken'>, blocking: boolean): LedgerEntry['acknowledged'] {
  if (!blocking) return status === 202 ? 'accepted' : undefined;
  if (status !== 200) return undefined;
  return (JSON.parse(body) as { response: { action: 'allow' | 'block' } }).response.action;
}

export interface LedgerLoad {
  url: string;
  token: string;
  /** Requests in flight at once. */
  connections: number;
  /** The next event to send, undefined when there is none any more. */
  next: () => LedgerEntry | undefined;
}

/** A ledger's load under way. */
export interface RunningLoad {
  /** Settles when no event is left, when a connection breaks (the service was killed), or after `stop`. */
  done: Promise<void>;
  /** Sends nothing new; what is in flight still gets its answer. */
  stop(): void;
}

/** Sends what `next` gives, over some connections, and notes every answer in its entry. */
export function startLoad({ url, token, connections, next }: LedgerLoad): RunningLoad {
  let stopped = false;
  const head = `POST ${EVENTS_PATH} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${token}\r\n`;
  const drive = async () => {
    const connection = new RawConnection(url);
    for (let entry = next(); entry !== undefined; entry = stopped ? undefined : next()) {
      const answer = await send(connection, head, entry);
      note(entry, answer);
      if (answer === 'broken') stopped = true;
    }
    connection.close();
  };
  const done = Promise.all(Array.from({ length: connections }, drive)).then(() => undefined);
  const stop = () => {
    stopped = true;
  };
  return { done, stop };
}

function send(connection: RawConnection, head: string, entry: LedgerEntry): Promise<Answer> {
  const rest = `Content-Type: application/json\r\nContent-Length: ${entry.body.length}\r\n\r\n${entry.body}`;
  return new Promise((resolve) => connection.send(head + rest, resolve));
}

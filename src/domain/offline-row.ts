import type { AgentEvent } from './event.ts';
import { EVENT_TYPES, type EventType } from './event-types.ts';
import { isRfc3339DateTime } from './formats.ts';

/** A row of offline inspection: one event, or the events of one session. */
export interface OfflineRow {
  id: unknown;
  events: AgentEvent[];
}

export type ParsedRow = { ok: true; row: OfflineRow } | { ok: false; id: unknown; error: string };

/** Stands for a row that was too long to be read. */
export const LONG_ROW = '\0';

/**
 * Reads a row `{"id", "event": {…}}` or `{"id", "session": [{…}, …]}`. What the contract demands and the row lacks is
 * filled in: a recorded corpus has texts and calls, but seldom senders and times.
 */
export function parseRow(line: string): ParsedRow {
  if (line === LONG_ROW) return { ok: false, id: null, error: 'the row is too long to be read; split it' };
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch {
    return { ok: false, id: null, error: 'the row is not valid JSON' };
  }
  if (!isObject(given)) return { ok: false, id: null, error: 'the row must be a JSON object' };
  const id = given['id'] ?? null;
  const { event, session } = given;
  if ((event === undefined) === (session === undefined))
    return { ok: false, id, error: 'the row must have either "event" or "session"' };
  const list: unknown[] = Array.isArray(session) ? session : [event ?? session];
  const events: AgentEvent[] = [];
  for (const [index, each] of list.entries()) {
    const filled = fillIn(each, typeof id === 'string' ? id : JSON.stringify(id), index);
    if (typeof filled === 'string')
      return { ok: false, id, error: session === undefined ? filled : `event ${index}: ${filled}` };
    events.push(filled);
  }
  return { ok: true, row: { id, events } };
}

const START_MS = Date.UTC(2026, 0, 1);
/** Between two events without a time. */
const STEP_MS = 1_000;

/** The event, or why it is none. */
function fillIn(given: unknown, session: string, index: number): AgentEvent | string {
  if (!isObject(given)) return 'an event must be a JSON object';
  const eventType = EVENT_TYPES.find((type) => type === given['event_type']);
  if (eventType === undefined) return `event_type must be one of ${EVENT_TYPES.join(', ')}`;
  const timestamp = new Date(START_MS + index * STEP_MS).toISOString();
  const { session_id, timestamp: at, agent, user } = given;
  const envelope = {
    ...filled({ session_id, timestamp: dateTimeOf(at) }, { session_id: session, timestamp }),
    agent: isObject(agent ?? {}) ? filled(agent, { id: 'offline', name: 'offline' }) : agent,
    user: isObject(user ?? {}) ? filled(user, { email: 'offline@example.com' }) : user,
  };
  return faultOf(envelope) ?? ({ ...given, ...envelope, ...subjectOf(eventType, given) } as unknown as AgentEvent);
}

/** `given`, with what it lacks or has as null from `defaults`. */
function filled(given: unknown, defaults: Record<string, string>): Record<string, unknown> {
  const fields = { ...(given as object | null | undefined) } as Record<string, unknown>;
  for (const [name, value] of Object.entries(defaults)) fields[name] ??= value;
  return fields;
}

/** A date-time that lacks no more than its zone, which is then UTC, or its `T`: what was recorded elsewhere is written so. */
function dateTimeOf(given: unknown): unknown {
  const [, date, time, zone = 'Z'] = (typeof given === 'string' && LOOSE_DATE_TIME.exec(given)) || [];
  if (date === undefined || time === undefined) return given;
  return `${date}T${time.length === 5 ? `${time}:00` : time}${zone}`;
}

const LOOSE_DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)([Zz]|[+-]\d\d:\d\d)?$/;

/** What is wrong with an envelope, if anything. */
function faultOf({ session_id, timestamp, agent, user }: Record<string, unknown>): string | undefined {
  if (typeof session_id !== 'string') return 'session_id must be a string';
  if (typeof timestamp !== 'string' || !isRfc3339DateTime(timestamp)) return 'timestamp must be an RFC 3339 date-time';
  if (!isObject(agent)) return 'agent must be an object';
  if (typeof agent['id'] !== 'string' || typeof agent['name'] !== 'string')
    return 'agent.id and agent.name must be strings';
  if (!isObject(user) || typeof user['email'] !== 'string') return 'user must be an object with an email';
  return undefined;
}

/** What an event of `eventType` is about, as the contract demands it: texts are strings, inputs and outputs objects. */
export function subjectOf(eventType: EventType, given: Record<string, unknown>): Record<string, unknown> {
  if (eventType === 'user_message' || eventType === 'agent_message') {
    const message = isObject(given['message']) ? given['message'] : { content: given['message'] };
    const { content } = message;
    return { message: { ...message, content: typeof content === 'string' ? content : textOf(content) } };
  }
  if (eventType !== 'tool_invocation' && eventType !== 'tool_result') return {};
  const tool = isObject(given['tool']) ? given['tool'] : {};
  const called = { ...tool, name: textOf(tool['name']), input: asObject(tool['input']) };
  return { tool: eventType === 'tool_result' ? { ...called, output: asObject(tool['output']) } : called };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

/** `value` where it is an object; else an object that holds it. */
function asObject(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  return value === undefined || value === null ? {} : { text: value };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

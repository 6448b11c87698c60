import { EVENT_TYPES, type EventType } from '../../domain/event-types.ts';
import type { PolicyTestDocument } from './document.ts';
import type { DocumentPath } from './faults.ts';
import { closest, nearest } from './spelling.ts';

/** The events of a test, with their envelopes filled in; still to be checked as any event from outside. */
export interface TestEvents {
  given: Record<string, unknown>[];
  event: Record<string, unknown>;
}

/** What is wrong with an event of a test. */
export interface TestEventProblem {
  /** From the test. */
  path: DocumentPath;
  /** The problem is the last name of `path`, not the value behind it. */
  atName: boolean;
  problem: string;
}

/** When a test's first event happens. The ones after it follow a second apart; a timestamp of their own goes first. */
const START_MS = 1_767_225_600_000;
const STEP_MS = 1_000;

/**
 * The events of `test`, complete. An event may be written as `tool_invocation: { tool: { name, input } }`, or without
 * the inner name: `tool_invocation: { name, input }`; `user_message: text` and `agent_message: text` stand for a
 * message. What the envelope lacks is filled in, one session for all. Returns what is wrong with an event instead
 * where its type is not told.
 */
export function testEvents(
  test: PolicyTestDocument,
): { ok: true; events: TestEvents } | ({ ok: false } & TestEventProblem) {
  const complete: Record<string, unknown>[] = [];
  for (const [index, { path, written }] of writtenEvents(test).entries()) {
    const types = typesOf(written);
    const [type] = types;
    if (type === undefined || types.length > 1) return { ok: false, ...typeProblem(written, path, types) };
    complete.push({ ...envelope(index), ...bodyOf(written, type), event_type: type });
  }
  const event = complete.pop() as Record<string, unknown>;
  return { ok: true, events: { given: complete, event } };
}

/** The events of `test` as they stand there, and where, in the order in which they happen. */
export function writtenEvents(test: PolicyTestDocument): { path: DocumentPath; written: Record<string, unknown> }[] {
  const given = (test.given ?? []).map((written, index) => ({ path: ['given', index], written }));
  return [...given, { path: ['event'], written: test.event }];
}

/**
 * Where the author of `written` wrote what stands at `steps` in the complete event, in whichever form; what is not there is
 * looked for further up.
 */
export function writtenPath(written: Readonly<Record<string, unknown>>, steps: readonly string[]): DocumentPath {
  const [type = ''] = typesOf(written);
  const places = [steps, [type, ...steps], [type, ...steps.slice(1)]].map((path) => existing(written, path));
  return places.reduce((best, path) => (path.length > best.length ? path : best));
}

function existing(written: unknown, path: readonly string[]): readonly string[] {
  let value = written;
  for (const [index, step] of path.entries()) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return path.slice(0, index);
    value = value[step];
  }
  return path;
}

/** When the event of that place in a test is received. */
export function testTimeMs(index: number, event: Record<string, unknown>): number {
  const written = typeof event['timestamp'] === 'string' ? Date.parse(event['timestamp']) : Number.NaN;
  return Number.isNaN(written) ? START_MS + index * STEP_MS : written;
}

/** The types that the event tells: one, if it is right. */
function typesOf(event: Readonly<Record<string, unknown>>): EventType[] {
  return EVENT_TYPES.filter((type) => event['event_type'] === type || Object.hasOwn(event, type));
}

function typeProblem(
  event: Readonly<Record<string, unknown>>,
  path: DocumentPath,
  types: readonly EventType[],
): TestEventProblem {
  if (types.length > 1) {
    const last = types.filter((type) => Object.hasOwn(event, type)).at(-1) as EventType;
    const problem = `an event has one type, and this is ${types.join(' and ')}: make it several events`;
    return { path: [...path, last], atName: true, problem };
  }
  if (Object.hasOwn(event, 'event_type')) {
    const told = String(event['event_type']);
    const problem = `${JSON.stringify(told.slice(0, 64))} is no event type${closest(told, EVENT_TYPES)}`;
    return { path: [...path, 'event_type'], atName: false, problem };
  }
  for (const name of Object.keys(event)) {
    if (nearest(name, EVENT_TYPES) === undefined) continue;
    const problem = `${JSON.stringify(name)} is no event type${closest(name, EVENT_TYPES)}`;
    return { path: [...path, name], atName: true, problem };
  }
  const problem = `this has no type: write event_type, or one of ${EVENT_TYPES.join(', ')} as its name`;
  return { path, atName: false, problem };
}

function envelope(index: number): Record<string, unknown> {
  return {
    session_id: 'test-session',
    timestamp: new Date(START_MS + index * STEP_MS).toISOString(),
    agent: { id: 'test-agent', name: 'Test agent' },
    user: { email: 'test@example.com' },
  };
}

/** The fields of `event`, the short forms written out. */
function bodyOf(event: Readonly<Record<string, unknown>>, type: EventType): Record<string, unknown> {
  const { [type]: short, ...fields } = event;
  const body = { ...fields, ...expanded(short, type) };
  for (const name of ['agent', 'user'] as const) {
    if (isObject(body[name])) body[name] = { ...(envelope(0)[name] as object), ...body[name] };
  }
  if (!isObject(body['tool'])) return body;
  const output = type === 'tool_result' ? { output: {} } : {};
  return { ...body, tool: { name: 'tool', input: {}, ...output, ...body['tool'] } };
}

function expanded(short: unknown, type: EventType): Record<string, unknown> {
  if (typeof short === 'string' && type.endsWith('_message')) return { message: { content: short } };
  if (!isObject(short)) return {};
  const { tool, message } = short;
  if (type.startsWith('tool_') && tool === undefined) {
    const { agent, user, session_id, timestamp, ...rest } = short;
    return { ...present({ agent, user, session_id, timestamp }), tool: rest };
  }
  return type.endsWith('_message') && message === undefined && typeof short['content'] === 'string'
    ? { ...short, message: { content: short['content'] } }
    : { ...short };
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

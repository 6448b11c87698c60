import { EVENT_TYPES, type EventType } from '../../domain/event-types.ts';
import type { PolicyTestDocument } from './document.ts';

/** The events of a test, with their envelopes filled in; still to be checked as any event from outside. */
export interface TestEvents {
  given: Record<string, unknown>[];
  event: Record<string, unknown>;
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
): { ok: true; events: TestEvents } | { ok: false; problem: string } {
  const written = [...(test.given ?? []), test.event];
  const complete: Record<string, unknown>[] = [];
  for (const [index, event] of written.entries()) {
    const type = typeOf(event);
    if (type === undefined) {
      const which = index < written.length - 1 ? `given[${index}]` : 'event';
      return {
        ok: false,
        problem: `${which} has no type: write event_type, or one of ${EVENT_TYPES.join(', ')} as its name`,
      };
    }
    complete.push({ ...envelope(index), ...bodyOf(event, type), event_type: type });
  }
  const event = complete.pop() as Record<string, unknown>;
  return { ok: true, events: { given: complete, event } };
}

/** When the event of that place in a test is received. */
export function testTimeMs(index: number, event: Record<string, unknown>): number {
  const written = typeof event['timestamp'] === 'string' ? Date.parse(event['timestamp']) : Number.NaN;
  return Number.isNaN(written) ? START_MS + index * STEP_MS : written;
}

function typeOf(event: Readonly<Record<string, unknown>>): EventType | undefined {
  return EVENT_TYPES.find((type) => event['event_type'] === type || Object.hasOwn(event, type));
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

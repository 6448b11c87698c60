import { type EventType, isBlocking } from '../../domain/event-types.ts';
import type { Narrowing } from './cel/compiled.ts';

const TOOL_EVENTS: ReadonlySet<EventType> = new Set<EventType>(['tool_invocation', 'tool_result']);

/** Whether some event of `types` has a tool. */
export function haveTool(types: readonly EventType[]): boolean {
  return types.some((type) => TOOL_EVENTS.has(type));
}

/** What is known of facts in conditions about events of `types` alone. */
export function narrowedFacts(types: readonly EventType[]): ReadonlyMap<string, Narrowing> {
  const narrowed = new Map<string, Narrowing>([['event.type', { type: { kind: 'string', oneOf: types } }]]);
  if (types.every(isBlocking)) narrowed.set('session.held', { warning: HELD_IN_VAIN });
  if (!types.includes('tool_invocation')) {
    const warning = `only tool calls carry something out: for ${types.join(' and ')} events there is never any`;
    for (const name of ['flow.matches', 'flow.top', 'flow.outbound']) narrowed.set(name, { warning });
  }
  if (haveTool(types)) return narrowed;
  const warning = `${types.join(' and ')} events have no tool: this is always empty`;
  for (const name of ['tool', 'shell', 'files', 'net', 'sql', 'code']) narrowed.set(name, { warning });
  return narrowed;
}

const HELD_IN_VAIN =
  'session.held is never true here: while a session is on hold, events that wait for an answer are blocked before any policy is asked';

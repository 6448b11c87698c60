/** The names of the six lifecycle events. Apart from their schemas, which threads that are sent checked events do not need. */

export const EVENT_TYPES = [
  'tool_invocation',
  'user_message',
  'tool_result',
  'agent_message',
  'session_start',
  'session_end',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Whether the sender of `eventType` waits for a decision. */
export function isBlocking(eventType: EventType): boolean {
  return eventType === 'tool_invocation' || eventType === 'user_message';
}

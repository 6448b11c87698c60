import type { EventType } from '../../domain/event-types.ts';

/** An event as a source has it: without the envelope, which the replay adds. */
export interface DemoEvent {
  event_type: EventType;
  [field: string]: unknown;
}

/** One run of an agent, to be sent in order. */
export interface DemoSession {
  /** What its source says about it; shown in the summary beside what was decided. */
  label: 'attack' | 'benign';
  agent: { id: string; name: string };
  user: { email: string };
  events: DemoEvent[];
}

/** Where sessions come from; ends when the source has no more. */
export type SessionSource = AsyncIterable<DemoSession> | Iterable<DemoSession>;

import { EventIds } from '../../src/domain/event-ids.ts';
import type { EventId } from '../../src/domain/ids.ts';

const ids = new EventIds();

/** A fresh id of the millisecond `atMs`. */
export function newEventId(atMs: number): EventId {
  return ids.at(atMs);
}

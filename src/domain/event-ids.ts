import { randomFillSync } from 'node:crypto';
import { type EventId, formatUuid } from './ids.ts';

const RANDOM_BYTES = 4096;
const SEQUENCE_MAX = 0xfff;
/** How far a clock may be set back without ids going back with it. More is the correction of a clock that was wrong. */
const STEP_BACK_MS_MAX = 60_000;

/**
 * Makes the ids of events, UUIDv7. Those of one millisecond sort in the order in which they were made, since the events of a session are told apart
 * by it: RFC 9562 §6.2, method 1, with a counter of 12 bits that begins anywhere in its lower half. The other 62 bits are random. One for a process.
 */
export class EventIds {
  readonly #random = Buffer.allocUnsafe(RANDOM_BYTES);
  #randomOffset = RANDOM_BYTES;
  #lastMs = -1;
  #sequence = 0;
  #newestMs = -1;

  /**
   * A fresh id that sorts behind all that were made, for what is received at `nowMs` (Unix milliseconds): where the clock was set back by a little,
   * and where one millisecond has no more ids, its time goes on from the newest one (RFC 9562 §6.2).
   */
  next(nowMs: number): EventId {
    if (nowMs >= this.#newestMs || this.#newestMs - nowMs > STEP_BACK_MS_MAX) this.#newestMs = nowMs;
    if (this.#newestMs === this.#lastMs && this.#sequence === SEQUENCE_MAX) this.#newestMs++;
    return this.at(this.#newestMs);
  }

  /** Lets ids sort behind those that an earlier process made, the newest of them at `atMs`, within the same bounds. */
  continueFrom(atMs: number): void {
    // Behind whatever that process made in its last millisecond.
    this.#newestMs = Math.max(this.#newestMs, atMs + 1);
  }

  /** A fresh id of the millisecond `atMs`, whichever were made before. Of more than 2,000 in a millisecond the order is lost. */
  at(atMs: number): EventId {
    if (this.#randomOffset + 16 > RANDOM_BYTES) {
      randomFillSync(this.#random);
      this.#randomOffset = 0;
    }
    const bytes = this.#random.subarray(this.#randomOffset, this.#randomOffset + 16);
    this.#randomOffset += 16;
    if (atMs !== this.#lastMs) this.#sequence = bytes.readUInt16BE(6) & (SEQUENCE_MAX >> 1);
    else if (this.#sequence < SEQUENCE_MAX) this.#sequence++;
    this.#lastMs = atMs;
    bytes.writeUIntBE(atMs, 0, 6);
    bytes.writeUInt16BE(this.#sequence, 6);
    return formatUuid(bytes, 7) as EventId;
  }
}

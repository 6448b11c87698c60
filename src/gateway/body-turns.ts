import type { TenantSlug } from '../domain/ids.ts';
import { FairQueue } from '../lib/fair-queue.ts';

/** A body that takes the thread for milliseconds to read: a mebibyte of small values takes some fifty. */
const LARGE_BYTES_MIN = 32_768;
/** Large bodies that may wait, of all tenants. */
const WAITING_MAX = 256;

/** A large body that waits to be read. */
export interface WaitingBody {
  tenant: TenantSlug;
  read(): void;
  /** There is no room for it to wait. */
  refuse(): void;
}

/**
 * Whose large body is read next: one in each turn of the event loop, the tenants one after the other, so that whoever floods the service with large ones
 * waits behind their own flood, and small bodies, and what others send, are read between two of them.
 */
export class BodyTurns {
  readonly #waiting = new FairQueue<WaitingBody>(WAITING_MAX, ({ tenant }) => tenant);
  /** A large body was read in this turn. */
  #isTaken = false;

  /** Whether a body of so many bytes may be read at once: a large one has this turn then. */
  begins(bytes: number): boolean {
    if (bytes < LARGE_BYTES_MIN) return true;
    if (this.#isTaken) return false;
    this.#endTurn();
    return true;
  }

  /** Lines up a body that may not. With too many waiting, a body of the tenant with the most is refused. */
  wait(body: WaitingBody): void {
    this.#waiting.push(body)?.refuse();
  }

  #endTurn(): void {
    this.#isTaken = true;
    setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    this.#isTaken = false;
    const next = this.#waiting.take(() => false);
    if (next === undefined) return;
    this.#endTurn();
    next.read();
  };
}

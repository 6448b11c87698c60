import type { TenantSlug } from '../domain/ids.ts';
import { FairQueue } from '../lib/fair-queue.ts';

/** A body that takes the thread for milliseconds to read: a mebibyte of small values takes some fifty. */
const LARGE_BYTES_MIN = 32_768;
/** Large bodies that may wait, of all tenants, and how long they may be together. */
const WAITING_MAX = 256;
const WAITING_BYTES_MAX = 128 * 1_048_576;

/** A large body that waits to be read. */
export interface WaitingBody {
  tenant: TenantSlug;
  bytes: number;
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
  #waitingBytes = 0;
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
    this.#waitingBytes += body.bytes;
    this.#refuse(this.#waiting.push(body));
    while (this.#waitingBytes > WAITING_BYTES_MAX && this.#waiting.length > 1)
      this.#refuse(this.#waiting.displace(({ bytes }) => bytes));
  }

  #refuse(body: WaitingBody | undefined): void {
    if (body === undefined) return;
    this.#waitingBytes -= body.bytes;
    body.refuse();
  }

  #endTurn(): void {
    this.#isTaken = true;
    setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    this.#isTaken = false;
    const next = this.#waiting.take(() => false);
    if (next === undefined) return;
    this.#waitingBytes -= next.bytes;
    this.#endTurn();
    next.read();
  };
}

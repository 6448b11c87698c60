import type { TenantSlug } from '../domain/ids.ts';
import { FairQueue } from '../lib/fair-queue.ts';

/** A body that takes the thread for milliseconds to read: a mebibyte of small values takes some fifty. */
const LARGE_BYTES_MIN = 32_768;
/** Bodies that may wait, of all tenants. */
const WAITING_MAX = 256;

/** What waits to be read. */
export interface WaitingBody {
  tenant: TenantSlug;
  bytes: number;
  read(): void;
  /** There is no room for it to wait. */
  refuse(): void;
}

/**
 * Whose body is read next: one large body in each turn of the event loop, the tenants one after the other, so that whoever floods the service with large ones
 * waits behind their own flood, and everybody else's are read between two of them. What a tenant sends is read in the order in which it came.
 */
export class BodyTurns {
  readonly #waiting = new FairQueue<WaitingBody>(WAITING_MAX, ({ tenant }) => tenant);
  readonly #counts = new Map<TenantSlug, number>();
  /** A large body was read in this turn. */
  #isTaken = false;

  /** Whether a body of `tenant` may be read at once: that is its turn then. */
  begins(tenant: TenantSlug, bytes: number): boolean {
    const isLarge = bytes >= LARGE_BYTES_MIN;
    if (this.#counts.has(tenant) || (isLarge && this.#isTaken)) return false;
    if (isLarge) this.#endTurn();
    return true;
  }

  /** Lines up a body that may not. With too many waiting, the tenant with the most loses its oldest. */
  wait(body: WaitingBody): void {
    this.#count(body.tenant, 1);
    const displaced = this.#waiting.push(body);
    if (displaced === undefined) return;
    this.#count(displaced.tenant, -1);
    displaced.refuse();
  }

  #endTurn(): void {
    this.#isTaken = true;
    setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    this.#isTaken = false;
    while (!this.#isTaken) {
      const next = this.#waiting.take(() => false);
      if (next === undefined) return;
      this.#count(next.tenant, -1);
      if (next.bytes >= LARGE_BYTES_MIN) this.#endTurn();
      next.read();
    }
  };

  #count(tenant: TenantSlug, change: 1 | -1): void {
    const count = (this.#counts.get(tenant) ?? 0) + change;
    if (count === 0) this.#counts.delete(tenant);
    else this.#counts.set(tenant, count);
  }
}

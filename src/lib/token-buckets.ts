import { Lru } from './lru.ts';

export interface TokenBucketOptions {
  /** How many at once. */
  burst: number;
  perMinute: number;
  keysMax?: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

const ENTRY_BYTES = 128;

/** How often something may be done, for each key of a bounded number: of more, the longest unused are forgotten. */
export class TokenBuckets {
  readonly #burst: number;
  readonly #perMs: number;
  readonly #buckets: Lru<Bucket>;

  constructor({ burst, perMinute, keysMax = 100_000 }: TokenBucketOptions) {
    this.#burst = burst;
    this.#perMs = perMinute / 60_000;
    this.#buckets = new Lru({ entriesMax: keysMax, bytesMax: keysMax * ENTRY_BYTES * 2 });
  }

  /** 0 if it may be done now, at `nowMs` of a clock that never goes back; else the seconds to wait. */
  take(key: string, nowMs: number): number {
    const known = this.#buckets.get(key);
    const refilled = known === undefined ? this.#burst : known.tokens + (nowMs - known.atMs) * this.#perMs;
    const tokens = Math.min(this.#burst, refilled);
    const granted = tokens >= 1;
    this.#buckets.set(key, { tokens: granted ? tokens - 1 : tokens, atMs: nowMs }, ENTRY_BYTES);
    return granted ? 0 : Math.ceil((1 - tokens) / this.#perMs / 1000);
  }
}

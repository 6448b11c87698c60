import { Lru } from './lru.ts';

export interface TokenBucketOptions {
  /** How many at once. */
  burst: number;
  /** One more may be done for each of so many milliseconds that passed. */
  everyMs: number;
  keysMax?: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

const BUCKET_BYTES = 128;
const KEYS_MAX = 50_000;
const KEY_CHARS_EXPECTED = 64;

/**
 * How often something may be done, for each key of a bounded number: of more, the longest unused begin anew. Times are of a clock
 * that never goes back.
 */
export class TokenBuckets {
  readonly #burst: number;
  readonly #everyMs: number;
  readonly #buckets: Lru<Bucket>;

  constructor({ burst, everyMs, keysMax = KEYS_MAX }: TokenBucketOptions) {
    this.#burst = burst;
    this.#everyMs = everyMs;
    this.#buckets = new Lru({ entriesMax: keysMax, bytesMax: keysMax * (BUCKET_BYTES + 2 * KEY_CHARS_EXPECTED) });
  }

  /** 0 if it may be done now, else the seconds to wait. Counts nothing. */
  wait(key: string, nowMs: number): number {
    const tokens = this.#tokens(key, nowMs);
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * this.#everyMs) / 1000);
  }

  /** Counts one and returns 0 if it may be done now; else the seconds to wait. */
  take(key: string, nowMs: number): number {
    const seconds = this.wait(key, nowMs);
    const tokens = this.#tokens(key, nowMs) - (seconds === 0 ? 1 : 0);
    this.#buckets.set(key, { tokens, atMs: nowMs }, BUCKET_BYTES + 2 * key.length);
    return seconds;
  }

  #tokens(key: string, nowMs: number): number {
    const known = this.#buckets.get(key);
    if (known === undefined) return this.#burst;
    return Math.min(this.#burst, known.tokens + (nowMs - known.atMs) / this.#everyMs);
  }
}

/** Takes one for each key if every one of them may be done now, and else none; the seconds to wait, 0 for none. */
export function takeAll(wanted: readonly (readonly [buckets: TokenBuckets, key: string])[], nowMs: number): number {
  const seconds = Math.max(0, ...wanted.map(([buckets, key]) => buckets.wait(key, nowMs)));
  if (seconds === 0) for (const [buckets, key] of wanted) buckets.take(key, nowMs);
  return seconds;
}

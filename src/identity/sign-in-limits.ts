import type { Clock } from '../lib/clock.ts';
import { Lru } from '../lib/lru.ts';
import { networkOf } from './network.ts';

/** `times` at once, and one more for each `everyMs` that passed. */
interface Rate {
  times: number;
  everyMs: number;
}

const MINUTE_MS = 60_000;

const RATES = {
  /** Links asked for one address, whether or not anybody has it. */
  asks_of_account: { times: 5, everyMs: 3 * MINUTE_MS },
  asks_of_network: { times: 30, everyMs: MINUTE_MS / 2 },
  /** Links tried that lead to one person. */
  tries_of_account: { times: 10, everyMs: MINUTE_MS },
  tries_of_network: { times: 30, everyMs: MINUTE_MS / 2 },
} as const satisfies Record<string, Rate>;

interface Bucket {
  left: number;
  /** When `left` was right, on the monotonic clock. */
  atMs: number;
}

/** Accounts and networks remembered. Whoever is forgotten begins anew; it takes as many others to be forgotten. */
const BUCKETS = { entriesMax: 50_000, bytesMax: 16 * 1024 * 1024 };
const BUCKET_BYTES = 100;

/**
 * How often links may be asked for and tried: for each account, so that nobody's mailbox is flooded, and for each network (IPv6
 * by /64), so that nobody tries many accounts. In this process alone, and forgotten with it.
 */
export class SignInLimits {
  readonly #clock: Clock;
  readonly #buckets = new Lru<Bucket>(BUCKETS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one request for a link. Seconds to wait where it is one too many, which is then not counted; else undefined. */
  ask(account: string, address: string): number | undefined {
    return this.#take([`asks_of_account ${account}`, `asks_of_network ${networkOf(address)}`]);
  }

  /** The same for a link that is opened; `account` is whose it is, where that is known. */
  try(account: string | undefined, address: string): number | undefined {
    const ofAccount = account === undefined ? [] : [`tries_of_account ${account}`];
    return this.#take([...ofAccount, `tries_of_network ${networkOf(address)}`]);
  }

  #take(keys: string[]): number | undefined {
    const buckets = keys.map((key) => ({ key, rate: rateOf(key), bucket: this.#filled(key) }));
    const waits = buckets.map(({ rate, bucket }) => (bucket.left >= 1 ? 0 : (1 - bucket.left) * rate.everyMs));
    const waitMs = Math.max(...waits);
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    for (const { key, bucket } of buckets) {
      const bytes = BUCKET_BYTES + 2 * key.length;
      this.#buckets.set(key, { ...bucket, left: bucket.left - 1 }, bytes);
    }
    return undefined;
  }

  #filled(key: string): Bucket {
    const atMs = this.#clock.monotonic();
    const { times, everyMs } = rateOf(key);
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return { left: times, atMs };
    return { left: Math.min(times, bucket.left + (atMs - bucket.atMs) / everyMs), atMs };
  }
}

function rateOf(key: string): Rate {
  return RATES[key.slice(0, key.indexOf(' ')) as keyof typeof RATES];
}

import type { Clock } from '../lib/clock.ts';
import { TokenBuckets, takeAll } from '../lib/token-buckets.ts';
import { networkOf } from './network.ts';

const MINUTE_MS = 60_000;

/**
 * How often links may be asked for and tried: for each account, so that nobody's mailbox is flooded, and for each network (IPv6
 * by /64), so that nobody tries many accounts. In this process alone, and forgotten with it.
 */
export class SignInLimits {
  readonly #clock: Clock;
  /** Links asked for one address, whether or not anybody has it. */
  readonly #asksOfAccount = new TokenBuckets({ burst: 5, everyMs: 3 * MINUTE_MS });
  readonly #asksOfNetwork = new TokenBuckets({ burst: 30, everyMs: MINUTE_MS / 2 });
  /** Links tried that lead to one person. */
  readonly #triesOfAccount = new TokenBuckets({ burst: 10, everyMs: MINUTE_MS });
  readonly #triesOfNetwork = new TokenBuckets({ burst: 30, everyMs: MINUTE_MS / 2 });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one request for a link. Seconds to wait where it is one too many, which is then not counted; else undefined. */
  ask(account: string, address: string): number | undefined {
    return this.#take([
      [this.#asksOfAccount, account],
      [this.#asksOfNetwork, networkOf(address)],
    ]);
  }

  /** The same for a link that is opened; `account` is whose it is, where that is known. */
  try(account: string | undefined, address: string): number | undefined {
    const ofNetwork = [this.#triesOfNetwork, networkOf(address)] as const;
    return this.#take(account === undefined ? [ofNetwork] : [[this.#triesOfAccount, account], ofNetwork]);
  }

  #take(wanted: Parameters<typeof takeAll>[0]): number | undefined {
    return takeAll(wanted, this.#clock.monotonic()) || undefined;
  }
}

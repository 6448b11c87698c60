import type { Clock } from '../lib/clock.ts';
import { TokenBuckets, takeAll } from '../lib/token-buckets.ts';

const MINUTE_MS = 60_000;

/**
 * How often people may be invited: by one inviter, and into one tenant, so that nobody makes this service mail strangers. In this
 * process alone, and forgotten with it.
 */
export class InvitationLimits {
  readonly #clock: Clock;
  readonly #ofInviter = new TokenBuckets({ burst: 20, everyMs: 3 * MINUTE_MS });
  readonly #ofTenant = new TokenBuckets({ burst: 50, everyMs: MINUTE_MS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one invitation. Seconds to wait where it is one too many, which is then not counted; else undefined. */
  take(tenantId: string, inviter: string): number | undefined {
    const wanted = [[this.#ofInviter, inviter] as const, [this.#ofTenant, tenantId] as const];
    return takeAll(wanted, this.#clock.monotonic()) || undefined;
  }
}

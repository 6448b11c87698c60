import type { Clock } from '../lib/clock.ts';
import { TokenBuckets, takeAll } from '../lib/token-buckets.ts';

const MINUTE_MS = 60_000;

/**
 * How often people may be invited: by one inviter, into one tenant, and at one address, so that nobody makes this service mail
 * strangers, or flood a mailbox. In this process alone, and forgotten with it.
 */
export class InvitationLimits {
  readonly #clock: Clock;
  readonly #ofInviter = new TokenBuckets({ burst: 20, everyMs: 3 * MINUTE_MS });
  readonly #ofTenant = new TokenBuckets({ burst: 50, everyMs: MINUTE_MS });
  /** From whatever tenant. */
  readonly #ofAddress = new TokenBuckets({ burst: 5, everyMs: 3 * MINUTE_MS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one invitation; `email` is canonical. Seconds to wait where it is one too many, which is then not counted; else undefined. */
  take({ tenantId, inviter, email }: { tenantId: string; inviter: string; email: string }): number | undefined {
    const wanted = [
      [this.#ofInviter, inviter] as const,
      [this.#ofTenant, tenantId] as const,
      [this.#ofAddress, email] as const,
    ];
    return takeAll(wanted, this.#clock.monotonic()) || undefined;
  }
}

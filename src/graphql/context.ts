import { admissionOf } from '../platform/admission.ts';
import type { Releases } from '../platform/agent-sessions.ts';
import type { Caller } from '../platform/caller.ts';
import type { PlatformOptions } from '../platform/platform.ts';
import type { PolicyContext } from '../platform/policy-context.ts';
import { bodiesBudget, sharingBodies } from '../store/event-rows.ts';
import { ranOutOfTime } from '../store/sql-errors.ts';
import type { TenantDatabase } from '../store/tenant-database.ts';
import { forbidden, type GraphqlContext, tookTooLong } from './builder.ts';
import type { LiveFeeds } from './live/live-feeds.ts';

/** What resolvers work with, whoever asks. */
export interface GraphqlServices {
  tenantDatabase: TenantDatabase;
  policies: PolicyContext;
  services: PlatformOptions;
  /** What can be watched: over sockets only. */
  live?: LiveFeeds;
  /** What people take back of sessions. Absent where no agents are watched. */
  releases?: Releases;
}

/** Timers count from the beginning of the turn of the event loop in which they were set: a wait may end this much before its time. */
const TIMER_EARLY_MS_MAX = 50;

/**
 * The context of one operation of `caller`, who asks from the network `address`. It reads until `readUntilMs`, as `performance.now()`
 * tells; a change that was begun is not broken off, and none begins later.
 */
export function contextOf(
  caller: Caller,
  address: string,
  { tenantDatabase, policies, services, live, releases }: GraphqlServices,
  readUntilMs?: number,
): GraphqlContext {
  const admissionTo = (tenantId: string) => admissionOf(tenantDatabase, { caller, tenantId, address });
  const until = readUntilMs === undefined ? {} : { untilMs: readUntilMs };
  const reading: TenantDatabase = {
    ...tenantDatabase,
    inTenant: (scope, work) => tenantDatabase.inTenant({ ...scope, ...until }, work),
  };
  // A socket's operation goes on for as long as somebody watches: each of its readings has its own.
  const bodies = readUntilMs === undefined ? undefined : bodiesBudget();
  return {
    ...(live === undefined ? {} : { live }),
    ...(releases === undefined ? {} : { releases }),
    policies,
    services,
    caller,
    address,
    async inTenant(tenantId, work) {
      try {
        return await admissionOf(reading, { caller, tenantId, address }).inTenant((tx) =>
          work(bodies === undefined ? tx : sharingBodies(tx, bodies)),
        );
      } catch (error) {
        const isOver = readUntilMs !== undefined && performance.now() >= readUntilMs - TIMER_EARLY_MS_MAX;
        throw isOver && ranOutOfTime(error) ? tookTooLong() : error;
      }
    },
    admit(tenantId, permission) {
      // Who asks was found out once, and may have lost the right meanwhile: no change begins long after.
      if (readUntilMs !== undefined && performance.now() >= readUntilMs) throw tookTooLong();
      const admission = admissionTo(tenantId);
      if (!admission.may(permission)) throw forbidden(`this needs the permission "${permission}" in the tenant`);
      return admission;
    },
  };
}

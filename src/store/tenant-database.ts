import { sql } from 'drizzle-orm';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { ConnectionPool, PoolRefused } from './connection-pool.ts';
import { clientOf } from './database.ts';

/** For whom a transaction is: row-level security shows it this tenant's rows, and those that others share with it. */
export interface TenantScope {
  tenantId: string;
  /** Who asks, where it is a person. */
  userId?: string;
  /** When to give up, as `performance.now()` tells: what begins later is refused, and a statement that runs then is ended. */
  untilMs?: number;
}

export type TenantTransaction = Parameters<Parameters<PostgresJsDatabase['transaction']>[0]>[0];

/**
 * The database as people's requests see it: only ever inside a transaction of one tenant, under a role that row-level
 * security binds (P6). There is no way to ask it without saying for whom.
 */
export interface TenantDatabase {
  inTenant<T>(scope: TenantScope, work: (tx: TenantTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The role of migration `row_security`. */
const ROLE = 'gatehouse_app';
const CONNECTIONS_MAX = 4;
/** What one tenant asks for is not what another one waits for. */
const TENANT_SHARE = 0.5;
/** What somebody asks for may not keep one of the few connections for longer. */
const STATEMENT_TIMEOUT_MS = 10_000;
const CLOSE_GRACE_SECONDS = 5;

/**
 * Opens the database at `url`, which must have been migrated. Does not connect yet, and never fails. A tenant has at most half of the
 * connections, and one at least; those that wait are served in turn.
 */
export function openTenantDatabase(url: string, connectionsMax = CONNECTIONS_MAX): TenantDatabase {
  const pool = new ConnectionPool({
    url,
    connectionsMax,
    ownerShare: TENANT_SHARE,
    connection: { role: ROLE, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    prepare: drizzle,
  });
  return {
    inTenant: async ({ tenantId, userId, untilMs = Number.POSITIVE_INFINITY }, work) => {
      const waitMs = leftUntil(untilMs);
      const db = drizzle(clientOf({ use: (run) => pool.use(run, { owner: tenantId, waitMs }) }));
      return db.transaction(async (tx) => {
        const timeout = String(leftUntil(untilMs));
        await tx.execute(
          sql`select set_config('app.tenant_id', ${tenantId}, true), set_config('app.user_id', ${userId ?? ''}, true),
            set_config('statement_timeout', ${timeout}, true)`,
        );
        return work(tx);
      });
    },
    close: () => pool.close(CLOSE_GRACE_SECONDS),
  };
}

/** Whole milliseconds that a statement may take, 1 at least. @throws {PoolRefused} when it is too late to begin one. */
function leftUntil(untilMs: number): number {
  const leftMs = untilMs - performance.now();
  if (leftMs <= 0) throw new PoolRefused('it is too late to ask the database');
  return Math.ceil(Math.min(STATEMENT_TIMEOUT_MS, leftMs));
}

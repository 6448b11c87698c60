import { sql } from 'drizzle-orm';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { ConnectionPool } from './connection-pool.ts';
import { clientOf } from './database.ts';

/** For whom a transaction is: row-level security shows it this tenant's rows, and those that others share with it. */
export interface TenantScope {
  tenantId: string;
  /** Who asks, where it is a person. */
  userId?: string;
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
/** What somebody asks for may not keep one of the few connections for longer. */
const STATEMENT_TIMEOUT_MS = 10_000;
const CLOSE_GRACE_SECONDS = 5;

/** Opens the database at `url`, which must have been migrated. Does not connect yet, and never fails. */
export function openTenantDatabase(url: string, connectionsMax = CONNECTIONS_MAX): TenantDatabase {
  const pool = new ConnectionPool({
    url,
    connectionsMax,
    connection: { role: ROLE, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    prepare: drizzle,
  });
  const db = drizzle(clientOf(pool));
  return {
    inTenant: ({ tenantId, userId }, work) =>
      db.transaction(async (tx) => {
        await tx.execute(
          sql`select set_config('app.tenant_id', ${tenantId}, true), set_config('app.user_id', ${userId ?? ''}, true)`,
        );
        return work(tx);
      }),
    close: () => pool.close(CLOSE_GRACE_SECONDS),
  };
}

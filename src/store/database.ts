import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { inTime } from '../lib/in-time.ts';
import { ConnectionPool } from './connection-pool.ts';

/** A PostgreSQL that Gatehouse uses. Connects when it is first asked, and again when a connection was lost. */
export interface Database {
  /**
   * For SQL of our own: lends one connection to `work`, which may use `sql.begin` on it. Nothing else runs on it
   * meanwhile. Rejects if the database cannot be reached.
   */
  withSql<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T>;
  /** For queries that Drizzle builds. On connections of its own: Drizzle turns off the parsers of those it uses. */
  readonly db: PostgresJsDatabase;
  /** Rejects if the database does not answer within some seconds. */
  ping(): Promise<void>;
  /** Lets running statements finish for at most `graceSeconds` (5), then ends the connections. */
  close(graceSeconds?: number): Promise<void>;
}

const CONNECTIONS_MAX = 4;
const CLOSE_GRACE_SECONDS = 5;
const PING_TIMEOUT_MS = 5_000;

/** Opens the database at `url`. Does not connect yet, and never fails. `connectionsMax` holds for each of both kinds. */
export function openDatabase(url: string, connectionsMax = CONNECTIONS_MAX): Database {
  const pool = new ConnectionPool({ url, connectionsMax });
  const drizzlePool = new ConnectionPool({ url, connectionsMax, prepare: drizzle });
  return {
    withSql: (work) => pool.use(work),
    db: drizzle(clientOf(drizzlePool)),
    ping: async () => {
      await inTime(
        pool.use((sql) => sql`select 1`),
        PING_TIMEOUT_MS,
        'the database does not answer',
      );
    },
    close: async (graceSeconds = CLOSE_GRACE_SECONDS) => {
      await Promise.all([pool.close(graceSeconds), drizzlePool.close(graceSeconds)]);
    },
  };
}

/** What Drizzle needs of a client: each query, and each transaction, borrows a connection. */
export function clientOf(pool: Pick<ConnectionPool, 'use'>): postgres.Sql {
  const client = {
    options: { parsers: {}, serializers: {} },
    unsafe(query: string, parameters: postgres.ParameterOrJSON<never>[]) {
      // Drizzle awaits the answer as rows, or asks it for `values()` at once.
      let asValues = false;
      const rows = Promise.resolve().then(async (): Promise<readonly unknown[]> => {
        return asValues ? [] : pool.use(async (sql) => sql.unsafe(query, parameters));
      });
      const values = () => {
        asValues = true;
        return pool.use(async (sql) => sql.unsafe(query, parameters).values());
      };
      return Object.assign(rows, { values });
    },
    begin: (work: (sql: postgres.Sql) => Promise<unknown>) => pool.use((sql) => sql.begin(work as never)),
  };
  return client as unknown as postgres.Sql;
}

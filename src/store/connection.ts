import { createConnection, Socket } from 'node:net';
import postgres from 'postgres';

/**
 * One connection to PostgreSQL that is never made anew: once it is lost, every statement on it fails.
 *
 * postgres.js is used in no other way, because its pool cannot be trusted when a connection is lost: it ends the process
 * with an error that nobody can catch, or sends the rest of a transaction over another connection, outside of any
 * transaction (porsager/postgres#1208, #1133, #1216). With one connection of one life, neither can happen.
 */
export interface Connection {
  readonly sql: postgres.Sql;
  readonly lost: boolean;
  /**
   * Calls `listener` a moment after the connection was lost: whatever still waits for it then waits in vain. Returns how
   * to take the listener off again.
   */
  onLost(listener: (reason: Error) => void): () => void;
  /** Lets a running statement finish for at most `graceSeconds`. */
  close(graceSeconds: number): Promise<void>;
}

export interface ConnectionOptions {
  /** 0 for none. */
  statementTimeoutMs?: number;
  lockTimeoutMs?: number;
  /** After so long without a word from the server the connection is lost. 0 for never. */
  silenceMsMax?: number;
  /** The role that statements run as, in place of the one that logs in. */
  role?: string;
}

const STATEMENT_TIMEOUT_MS = 30_000;
const LOCK_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_SECONDS = 5;
/** What the client needs to fail the statements it sent. One that it was about to send, it forgets. */
const LOST_GRACE_MS = 500;
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
/** A server ends whatever takes longer than the two above. One that says nothing for longer is frozen, or out of reach. */
const SILENCE_MS_MAX = 75_000;
/** Of a server that is gone nothing is heard, also where it may take as long as it likes. */
const KEEP_ALIVE_SECONDS = 30;

/** A connection to `url`, made with the first statement; if that fails, the statement does. */
export function connectOnce(url: string, wanted: ConnectionOptions = {}): Connection {
  const life = new ConnectionLife(wanted.silenceMsMax ?? SILENCE_MS_MAX);
  const options = {
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    // Neither may end a connection between two statements of a transaction.
    idle_timeout: 0,
    max_lifetime: null,
    keep_alive: KEEP_ALIVE_SECONDS,
    backoff: false,
    fetch_types: false,
    no_subscribe: true,
    onnotice: () => {},
    onclose: () => life.end(),
    socket: (target: SocketTarget) => life.openSocket(target),
    connection: {
      application_name: 'gatehouse',
      statement_timeout: wanted.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
      lock_timeout: wanted.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
      ...(wanted.role === undefined ? {} : { role: wanted.role }),
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    },
  };
  // The package's types do not know `socket`, which its code does.
  const sql = postgres(url, options as postgres.Options<Record<string, postgres.PostgresType>>);
  Object.assign(sql, { begin: (...args: unknown[]) => transaction(sql, args.at(-1) as TransactionWork) });
  return {
    sql,
    get lost() {
      return life.ended;
    },
    onLost: (listener) => life.onLost(listener),
    close: (graceSeconds) => sql.end({ timeout: graceSeconds }),
  };
}

interface SocketTarget {
  host: string[];
  port: number[];
  path?: string | false;
}

/** Hands out one socket, and no second one. */
class ConnectionLife {
  readonly #silenceMsMax: number;
  readonly #listeners = new Set<(reason: Error) => void>();
  #opened = false;
  #ended = false;

  constructor(silenceMsMax: number) {
    this.#silenceMsMax = silenceMsMax;
  }

  get ended(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
  }

  onLost(listener: (reason: Error) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  openSocket({ host, port, path }: SocketTarget): Socket {
    if (this.#opened) return this.#refuse();
    this.#opened = true;
    const address = { host: host[0] as string, port: port[0] as number };
    // The client reads these two from its sockets, for the name to ask for in TLS.
    const socket = path ? createConnection(path) : Object.assign(createConnection(address), address);
    socket.setTimeout(this.#silenceMsMax, () => {
      this.#ended = true;
      socket.destroy(new Error('the database did not answer'));
    });
    socket.once('close', () => {
      this.#ended = true;
      const reason = new Error('the connection to the database was lost');
      setTimeout(() => {
        for (const listener of this.#listeners) listener(reason);
      }, LOST_GRACE_MS).unref();
    });
    return socket;
  }

  /** A socket that fails: the client waits for ever where it is given none. */
  #refuse(): Socket {
    this.#ended = true;
    const socket = new Socket();
    setImmediate(() => socket.destroy(new Error('the connection to the database was lost')));
    return socket;
  }
}

type TransactionWork = (sql: postgres.Sql) => Promise<unknown>;

/** Takes the place of the client's `begin`, whose rollback over a lost connection would end the process. */
async function transaction(sql: postgres.Sql, work: TransactionWork): Promise<unknown> {
  await sql`begin`;
  let result: unknown;
  try {
    result = await work(sql);
  } catch (error) {
    // If it cannot be told, the connection is lost, and the transaction with it.
    await sql`rollback`.catch(() => {});
    throw error;
  }
  await sql`commit`;
  return result;
}

/** The SQLSTATE of an error that the database answered with; undefined for one that happened on the way. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.code : undefined;
}

/** Whether the database said that it ends the connection. */
export function endsConnection(error: unknown): boolean {
  return error instanceof postgres.PostgresError && (error.severity === 'FATAL' || error.severity === 'PANIC');
}

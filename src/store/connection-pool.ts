import type postgres from 'postgres';
import { assert } from '../lib/assert.ts';
import { type Connection, type ConnectionOptions, connectOnce, endsConnection } from './connection.ts';

/** The database cannot be asked now: too many wait already, or waited too long, or it is being closed. */
export class PoolRefused extends Error {
  override readonly name = 'PoolRefused';
}

const WAITING_MAX = 1000;
const WAIT_MS_MAX = 10_000;

interface Waiting {
  take(connection: Connection): void;
  refuse(reason: string): void;
}

export interface ConnectionPoolOptions {
  url: string;
  connectionsMax: number;
  /** Of each connection. */
  connection?: ConnectionOptions;
  /** Called with each new client. */
  prepare?: (sql: postgres.Sql) => void;
}

/** Lends connections, one borrower each at a time. One that was lost is replaced when the next is needed. */
export class ConnectionPool {
  readonly #url: string;
  readonly #connectionsMax: number;
  readonly #connection: ConnectionOptions | undefined;
  readonly #prepare: (sql: postgres.Sql) => void;
  readonly #idle: Connection[] = [];
  readonly #lent = new Set<Connection>();
  readonly #waiting = new Set<Waiting>();
  #closed = false;
  #allBack: () => void = () => {};

  constructor({ url, connectionsMax, connection, prepare }: ConnectionPoolOptions) {
    this.#url = url;
    this.#connectionsMax = connectionsMax;
    this.#connection = connection;
    this.#prepare = prepare ?? (() => {});
  }

  /** @throws {PoolRefused} where none can be had in time. */
  async use<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    const connection = await this.#borrow();
    try {
      const result = await untilLost(connection, work(connection.sql));
      this.#giveBack(connection, false);
      return result;
    } catch (error) {
      this.#giveBack(connection, endsConnection(error));
      throw error;
    }
  }

  /** Refuses new work, lets running work finish for at most `graceSeconds`, and ends all connections. */
  async close(graceSeconds: number): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting) waiting.refuse('the database is being closed');
    if (this.#lent.size > 0) await this.#returned(graceSeconds * 1000);
    await Promise.all([...this.#idle.splice(0), ...this.#lent].map((connection) => connection.close(0)));
  }

  #returned(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#allBack = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #borrow(): Connection | Promise<Connection> {
    if (this.#closed) throw new PoolRefused('the database is being closed');
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (!idle.lost) return this.#lend(idle);
    }
    if (this.#lent.size < this.#connectionsMax) return this.#lend(this.#open());
    if (this.#waiting.size >= WAITING_MAX) throw new PoolRefused(`${WAITING_MAX} others wait for the database`);
    return this.#wait();
  }

  #open(): Connection {
    const connection = connectOnce(this.#url, this.#connection);
    this.#prepare(connection.sql);
    return connection;
  }

  #lend(connection: Connection): Connection {
    this.#lent.add(connection);
    assert(this.#lent.size + this.#idle.length <= this.#connectionsMax, 'the pool keeps its bound');
    return connection;
  }

  #wait(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        act();
      };
      const waiting: Waiting = {
        take: (connection) => settle(() => resolve(connection)),
        refuse: (reason) => settle(() => reject(new PoolRefused(reason))),
      };
      const timer = setTimeout(() => waiting.refuse(`no connection was free for ${WAIT_MS_MAX} ms`), WAIT_MS_MAX);
      this.#waiting.add(waiting);
    });
  }

  #giveBack(connection: Connection, spent: boolean): void {
    this.#lent.delete(connection);
    if (this.#lent.size === 0) this.#allBack();
    const usable = !spent && !connection.lost && !this.#closed;
    if (!usable) void connection.close(0).catch(() => {});
    const [next] = this.#waiting;
    if (next === undefined) {
      if (usable) this.#idle.push(connection);
    } else if (!this.#closed) {
      next.take(this.#lend(usable ? connection : this.#open()));
    }
  }
}

/** The work's outcome, or a failure once its connection is lost and the client does not say so. */
function untilLost<T>(connection: Connection, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const takeOff = connection.onLost(reject);
    work.then(resolve, reject).finally(takeOff);
  });
}

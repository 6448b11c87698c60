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

/** Who borrows, and for how long they wait at most. */
export interface Borrower {
  /** Of all owners each is served in turn. */
  owner?: string;
  waitMs?: number;
}

export interface ConnectionPoolOptions {
  url: string;
  connectionsMax: number;
  /** How much of the pool one owner has at most, 0 to 1: of its connections (one at least), and of the places to wait. All unless given. */
  ownerShare?: number;
  /** Of each connection. */
  connection?: ConnectionOptions;
  /** Called with each new client. */
  prepare?: (sql: postgres.Sql) => void;
}

/**
 * Lends connections, one borrower each at a time. One that was lost is replaced when the next is needed. Owners that wait are served
 * in turn, and whoever asks for much waits for its own share alone.
 */
export class ConnectionPool {
  readonly #url: string;
  readonly #connectionsMax: number;
  /** Of one owner: connections, and places to wait. */
  readonly #ownerMax: { lent: number; waiting: number };
  readonly #connection: ConnectionOptions | undefined;
  readonly #prepare: (sql: postgres.Sql) => void;
  readonly #idle: Connection[] = [];
  /** By connection: its owner. */
  readonly #lent = new Map<Connection, string>();
  /** By owner, whose turn is next first. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #closed = false;
  #allBack: () => void = () => {};

  constructor({ url, connectionsMax, ownerShare = 1, connection, prepare }: ConnectionPoolOptions) {
    this.#url = url;
    this.#connectionsMax = connectionsMax;
    this.#ownerMax = {
      lent: Math.max(1, Math.floor(connectionsMax * ownerShare)),
      waiting: Math.floor(WAITING_MAX * ownerShare),
    };
    this.#connection = connection;
    this.#prepare = prepare ?? (() => {});
  }

  /** @throws {PoolRefused} where none can be had in time. */
  async use<T>(work: (sql: postgres.Sql) => Promise<T>, borrower: Borrower = {}): Promise<T> {
    const connection = await this.#borrow(borrower);
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
    for (const waiting of this.#waiting.values()) {
      for (const each of waiting) each.refuse('the database is being closed');
    }
    if (this.#lent.size > 0) await this.#returned(graceSeconds * 1000);
    await Promise.all([...this.#idle.splice(0), ...this.#lent.keys()].map((connection) => connection.close(0)));
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

  #borrow({ owner = '', waitMs = WAIT_MS_MAX }: Borrower): Connection | Promise<Connection> {
    if (this.#closed) throw new PoolRefused('the database is being closed');
    if (!this.#mayHave(owner)) return this.#wait(owner, waitMs);
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (!idle.lost) return this.#lend(idle, owner);
    }
    if (this.#lent.size < this.#connectionsMax) return this.#lend(this.#open(), owner);
    return this.#wait(owner, waitMs);
  }

  /** Whether the owner has less than its share. */
  #mayHave(owner: string): boolean {
    let held = 0;
    for (const each of this.#lent.values()) if (each === owner) held++;
    return held < this.#ownerMax.lent;
  }

  #open(): Connection {
    const connection = connectOnce(this.#url, this.#connection);
    this.#prepare(connection.sql);
    return connection;
  }

  #lend(connection: Connection, owner: string): Connection {
    this.#lent.set(connection, owner);
    assert(this.#lent.size + this.#idle.length <= this.#connectionsMax, 'the pool keeps its bound');
    return connection;
  }

  #wait(owner: string, waitMs: number): Promise<Connection> {
    const line = this.#waiting.get(owner) ?? new Set();
    if (line.size >= this.#ownerMax.waiting || this.#waitingCount() >= WAITING_MAX)
      throw new PoolRefused(`${line.size} others wait for the database`);
    this.#waiting.set(owner, line);
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        line.delete(waiting);
        if (line.size === 0) this.#waiting.delete(owner);
        act();
      };
      const waiting: Waiting = {
        take: (connection) => settle(() => resolve(connection)),
        refuse: (reason) => settle(() => reject(new PoolRefused(reason))),
      };
      const timer = setTimeout(() => waiting.refuse(`no connection was free for ${waitMs} ms`), waitMs);
      line.add(waiting);
    });
  }

  #waitingCount(): number {
    let count = 0;
    for (const { size } of this.#waiting.values()) count += size;
    return count;
  }

  #giveBack(connection: Connection, spent: boolean): void {
    this.#lent.delete(connection);
    if (this.#lent.size === 0) this.#allBack();
    const usable = !spent && !connection.lost && !this.#closed;
    if (!usable) void connection.close(0).catch(() => {});
    const next = this.#closed ? undefined : this.#next();
    if (next === undefined) {
      if (usable) this.#idle.push(connection);
    } else {
      next.waiting.take(this.#lend(usable ? connection : this.#open(), next.owner));
    }
  }

  /** The first of the owner whose turn it is, which goes to the end of the line. */
  #next(): { owner: string; waiting: Waiting } | undefined {
    for (const [owner, line] of this.#waiting) {
      const [waiting] = line;
      if (waiting === undefined || !this.#mayHave(owner)) continue;
      this.#waiting.delete(owner);
      if (line.size > 1) this.#waiting.set(owner, line);
      return { owner, waiting };
    }
    return undefined;
  }
}

/** The work's outcome, or a failure once its connection is lost and the client does not say so. */
function untilLost<T>(connection: Connection, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const takeOff = connection.onLost(reject);
    work.then(resolve, reject).finally(takeOff);
  });
}

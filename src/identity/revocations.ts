import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { Following } from '../lib/following.ts';
import { inTime } from '../lib/in-time.ts';
import { LEEWAY_SECONDS } from './claims.ts';
import { readRevocations, writeRevocations } from './revocation-file.ts';

/** One revoked token. `seq` increases in the order in which revocations become visible. */
export interface RevokedToken {
  seq: number;
  tokenId: string;
  /** When the token expires by itself, in Unix seconds. */
  expiresAtSeconds: number;
}

/** Where revocations are decided: the database. */
export interface RevocationSource {
  /** Up to `limit` revocations after `seq`, in order. Rejects while the source is out of reach. */
  listAfter(seq: number, limit: number): Promise<RevokedToken[]>;
}

export interface RevocationOptions {
  dataDir: string;
  source: RevocationSource;
  clock: Clock;
  /** Told in one line when the source or the file fails, and again only after it worked in between. */
  report: (problem: string) => void;
  pollMs?: number;
  revokedMax?: number;
}

/** Revoked tokens held at most: about 20 MB. At the bound new ones wait, loudly, until others have expired. */
const REVOKED_MAX = 100_000;
/** How soon a revocation is seen; it must be within a second everywhere. */
const POLL_MS = 300;
const PAGE_ENTRIES = 1000;
/** A connection that lost its other end may hang for a quarter of an hour: that is a failure much sooner. */
const SOURCE_TIMEOUT_MS = 5000;
const SILENT = 'the source did not answer';
/** Kept a little longer than the token lives, in case the clock is set back. */
const KEPT_AFTER_EXPIRY_SECONDS = 60 + LEEWAY_SECONDS;
const SWEEP_MS = 60_000;

/**
 * The ids of revoked tokens that have not expired.
 *
 * Follows the source by polling, which needs nothing but a connection. Whatever it learnt it keeps in memory and in
 * `<data dir>/revoked-tokens.json`, so that neither a source out of reach nor a restart meanwhile lets a revoked token in.
 */
export class Revocations {
  readonly #options: RevocationOptions;
  readonly #path: string;
  readonly #revokedMax: number;
  readonly #following: Following;
  readonly #expiry: Map<string, number>;
  readonly #listeners = new Set<(tokenId: string) => void>();
  /** The `seq` up to which the source was read. A restart reads all of it again: the file need not agree with it. */
  #readUpTo = 0;
  #sweptAtMs: number;
  #unsaved = false;

  private constructor(options: RevocationOptions, path: string, known: Map<string, number>) {
    this.#options = options;
    this.#path = path;
    this.#expiry = known;
    this.#revokedMax = options.revokedMax ?? REVOKED_MAX;
    const everyMs = options.pollMs ?? POLL_MS;
    this.#following = new Following({ what: 'revocations', everyMs, look: () => this.#look() });
    this.#sweptAtMs = options.clock.monotonic();
  }

  /**
   * Reads what was known before.
   *
   * @throws if the file is there but cannot be read: without it, and without the source, revoked tokens would pass.
   */
  static async open(options: RevocationOptions): Promise<Revocations> {
    const path = join(options.dataDir, 'revoked-tokens.json');
    const revocations = new Revocations(options, path, await readRevocations(path));
    revocations.#sweep();
    return revocations;
  }

  has(tokenId: string): boolean {
    return this.#expiry.has(tokenId);
  }

  /**
   * Calls `listener` with the id of each token that is found to be revoked from now on, wherever that was done, so that what it holds
   * open can be closed; returns how to stop it.
   */
  onRevoked(listener: (tokenId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get size(): number {
    return this.#expiry.size;
  }

  /** Follows the source until `stop`. Resolves after the first look at it, successful or not. */
  start(): Promise<void> {
    return this.#following.start(this.#options.report);
  }

  stop(): Promise<void> {
    return this.#following.stop();
  }

  async #look(): Promise<void> {
    if (this.#options.clock.monotonic() - this.#sweptAtMs >= SWEEP_MS) this.#sweep();
    // What was taken before the source failed is kept all the same; of two failures the source's is told.
    const [read] = await Promise.allSettled([this.#readOn()]);
    const [kept] = await Promise.allSettled([this.#keep()]);
    for (const step of [read, kept]) if (step.status === 'rejected') throw step.reason;
  }

  async #readOn(): Promise<void> {
    const { source } = this.#options;
    try {
      for (let more = true; more; ) {
        const page = await inTime(source.listAfter(this.#readUpTo, PAGE_ENTRIES), SOURCE_TIMEOUT_MS, SILENT);
        for (const revoked of page) this.#take(revoked);
        more = page.length === PAGE_ENTRIES;
      }
    } catch (error) {
      // The source may come back as another server that is a little behind: read all of it again then.
      if (!(error instanceof RevocationsFull)) this.#readUpTo = 0;
      throw error;
    }
  }

  #take({ seq, tokenId, expiresAtSeconds }: RevokedToken): void {
    if (!this.#isOver(expiresAtSeconds) && !this.#expiry.has(tokenId)) {
      if (this.#expiry.size >= this.#revokedMax) throw new RevocationsFull(this.#revokedMax);
      this.#expiry.set(tokenId, expiresAtSeconds);
      this.#unsaved = true;
      for (const listener of this.#listeners) listener(tokenId);
    }
    this.#readUpTo = seq;
  }

  async #keep(): Promise<void> {
    if (!this.#unsaved) return;
    await writeRevocations(this.#path, this.#expiry);
    this.#unsaved = false;
  }

  #sweep(): void {
    this.#sweptAtMs = this.#options.clock.monotonic();
    for (const [tokenId, expiresAtSeconds] of this.#expiry) {
      if (!this.#isOver(expiresAtSeconds)) continue;
      this.#expiry.delete(tokenId);
      this.#unsaved = true;
    }
  }

  /** Whether a token that expires then is refused for its age by now. */
  #isOver(expiresAtSeconds: number): boolean {
    return this.#options.clock.now() >= (expiresAtSeconds + KEPT_AFTER_EXPIRY_SECONDS) * 1000;
  }
}

class RevocationsFull extends Error {
  override readonly name = 'RevocationsFull';

  constructor(revokedMax: number) {
    super(
      `more than ${revokedMax} tokens are revoked, and further revocations have no effect; rotate and retire the signing key`,
    );
  }
}

import { readFileSync } from 'node:fs';
import type { TrustedIssuer } from '../domain/trusted-issuer.ts';
import type { Clock } from '../lib/clock.ts';
import { Following } from '../lib/following.ts';
import { Turns } from '../lib/turns.ts';
import type { Candidate } from './access-token-verifier.ts';
import { externalCandidate, headerFault, isFor, type LiveIssuer, readUnproven } from './external-token.ts';
import { replacePrivateFile } from './private-files.ts';
import { type FetchText, remoteKeys } from './remote-keys.ts';

/** Where trust is decided: the database. */
export interface IssuerSource {
  /** The oldest first: of several that a token could be meant for, the first has it. */
  listIssuers(): Promise<TrustedIssuer[]>;
}

export interface TrustedIssuersOptions {
  source: IssuerSource;
  /** Path of a copy, for a start while the database is down. */
  file: string;
  clock: Clock;
  /** In place of the network. */
  fetchText: FetchText;
}

const REFRESH_MS = 500;
/** Of each issuer, so that one that is slow keeps nobody else's tokens waiting. */
const CHECKS_MAX = 2;
const WAITING_MAX = 128;

const NOT_FOR_ANY = 'no tenant here takes tokens of this issuer with this audience and these claims';

interface Known {
  issuer: LiveIssuer;
  turns: Turns;
}

/** Whose tokens are taken beside our own, in memory. Follows the database within a second. */
export class TrustedIssuers {
  readonly #options: TrustedIssuersOptions;
  readonly #following = new Following({ what: 'trusted issuers', everyMs: REFRESH_MS, look: () => this.refresh() });
  #known = new Map<string, Known>();
  #byIssuer = new Map<string, Known[]>();
  #version = 0;
  #copy = '';

  constructor(options: TrustedIssuersOptions) {
    this.#options = options;
    this.#readCopy();
  }

  /** Changes whenever the set of issuers does. */
  get version(): number {
    return this.#version;
  }

  /**
   * What is to be checked of a token of one of the issuers, or what is wrong with it at first sight; undefined for a token
   * of anybody else.
   */
  read(text: string): Candidate | { detail: string } | undefined {
    if (this.#byIssuer.size === 0) return undefined;
    const token = readUnproven(text);
    const issuers = this.#byIssuer.get(token?.claims['iss'] as string);
    if (token === undefined || issuers === undefined) return undefined;
    const fault = headerFault(token);
    if (fault !== undefined) return { detail: fault };
    // The oldest that could be meant: what is added later takes nobody's tokens, and stops nobody's.
    const meant = issuers.find(({ issuer }) => isFor(token, issuer));
    if (meant === undefined) return { detail: NOT_FOR_ANY };
    return externalCandidate(token, meant.issuer, this.#options.clock, meant.turns);
  }

  /** Reads the database now. Rejects if it cannot be reached; what was known stays. */
  async refresh(): Promise<void> {
    const listed = await this.#options.source.listIssuers();
    const copy = JSON.stringify(listed, null, 2);
    if (copy === this.#copy) return;
    this.#replace(listed);
    await replacePrivateFile(this.#options.file, copy);
    this.#copy = copy;
  }

  /** Follows the database until `stop`. `report` is told in one line when that begins to fail. */
  follow(report: (problem: string) => void): Promise<void> {
    return this.#following.start(report);
  }

  stop(): Promise<void> {
    return this.#following.stop();
  }

  #replace(listed: readonly TrustedIssuer[]): void {
    const next = new Map(listed.map((row) => [row.id, this.#known.get(row.id) ?? this.#know(row)]));
    for (const [id, { issuer }] of this.#known) if (!next.has(id)) issuer.retired = true;
    this.#known = next;
    this.#byIssuer = new Map();
    for (const known of next.values()) {
      const { issuer } = known.issuer;
      this.#byIssuer.set(issuer, [...(this.#byIssuer.get(issuer) ?? []), known]);
    }
    this.#version += 1;
  }

  #know(row: TrustedIssuer): Known {
    const keys = remoteKeys(row.jwksUrl, this.#options.clock, this.#options.fetchText);
    return { issuer: { ...row, keys, retired: false }, turns: new Turns(CHECKS_MAX, WAITING_MAX) };
  }

  #readCopy(): void {
    try {
      const copy = readFileSync(this.#options.file, 'utf8');
      this.#replace(JSON.parse(copy) as TrustedIssuer[]);
      this.#copy = copy;
    } catch {
      // The first start, or a damaged copy: the database is asked, and the copy made anew.
      this.#copy = '';
    }
  }
}

import { createHash } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { Principal } from '../domain/principal.ts';
import { AUDIENCES, type TokenKind } from '../domain/scopes.ts';
import type { Clock } from '../lib/clock.ts';
import { Lru } from '../lib/lru.ts';
import { Turns } from '../lib/turns.ts';
import { LEEWAY_SECONDS, REQUIRED_CLAIMS, readClaims } from './claims.ts';
import { type CompactToken, isCanonical, readBearer, readCompactToken, TOKEN_TYPE } from './compact-token.ts';
import {
  describeFailure,
  expired,
  KEY_NOT_ACTIVE,
  lasting,
  MALFORMED_CLAIMS,
  notYetValid,
  REVOKED,
  type Refusal,
} from './refusal.ts';
import { TOKEN_ALGORITHM, type VerificationKey } from './signing-keys.ts';

export type Verified = { ok: true; principal: Principal } | Refused;

/**
 * `detail` says what to mend and never repeats the token. `busy`: so many unknown tokens are waiting for their
 * verification that this one was not looked at, so that it says nothing about the token.
 */
export interface Refused {
  ok: false;
  cause: 'invalid' | 'busy';
  detail: string;
}

/** What the verifier asks of the others. */
export interface VerifierPorts {
  keys: { readonly issuer: string; readonly version: number; find(kid: string): VerificationKey | undefined };
  revocations: { has(tokenId: string): boolean };
  clock: Clock;
  /** The interface whose tokens are taken: that of sensors unless given. */
  kind?: TokenKind;
  /** Tokens of other issuers that are taken too. */
  external?: {
    /** Changes whenever an answer of `read` may. */
    readonly version: number;
    /** What to check of a token of theirs, or what is wrong with it; undefined for a token that is not theirs. */
    read(text: string): Candidate | { detail: string } | undefined;
  };
}

/** A token whose form is right, and how the rest is found out. */
export interface Candidate {
  text: string;
  turns: Turns;
  check(): Promise<Checked>;
}

export interface VerifierBounds {
  /** Verified tokens remembered, and the bytes they take. */
  tokensMax: number;
  tokenBytesMax: number;
  /** Refused tokens remembered, by hash. */
  refusalsMax: number;
  /** Signatures checked at once: few, since the journal's writes wait for the same threads. */
  checksMax: number;
  /** Tokens waiting for their check; more are refused as `busy`. */
  waitingMax: number;
}

export const DEFAULT_BOUNDS: VerifierBounds = {
  tokensMax: 50_000,
  tokenBytesMax: 64 * 1024 * 1024,
  refusalsMax: 10_000,
  checksMax: 8,
  waitingMax: 4096,
};

/** A cached token beside its text: principal, two cache entries, map slots. */
const TOKEN_OVERHEAD_BYTES = 600;
const REFUSAL_BYTES = 400;

/**
 * How much of the end of a header is its index: a part of the signature. Hashing all of a header costs 0.6 µs, comparing
 * all of it once it is found next to nothing. A token that ends like another can only be forged, and takes no place.
 */
const INDEX_CHARS = 32;

interface Remembered {
  /** The whole header that brought the token. */
  authorization: string;
  token: VerifiedToken;
}

interface VerifiedToken {
  /** The same object for every use. */
  accepted: { ok: true; principal: Principal };
  /** The key or the issuer that vouches for it. */
  source: { readonly retired: boolean };
  /** What is said once that is retired. */
  whenRetired: string;
  /** Unix milliseconds, leeway included. */
  validFromMs: number;
  validUntilMs: number;
  /** When it is to be checked again as if it were new. */
  recheckAtMs: number;
}

/** `busy`: it could not be found out, which says nothing about the token. */
export type Checked = { ok: true; token: VerifiedToken } | { ok: false; refusal: Refusal; cause?: 'busy' };

/**
 * Verifies the bearer token of a request.
 *
 * A fleet reuses its tokens, so that verified ones are remembered by the header that brought them; what may change
 * afterwards (the clock, revocations, the key's retirement) is asked at every use. Refusals are remembered apart, by hash,
 * so that garbage can neither push out good tokens nor buy a signature check twice.
 */
export class AccessTokenVerifier {
  readonly #ports: VerifierPorts;
  readonly #verified: Lru<Remembered>;
  readonly #refusals: Lru<Refusal>;
  readonly #pending = new Map<string, Promise<Checked>>();
  readonly #turns: Turns;
  #refusalsVersion = '';

  constructor(ports: VerifierPorts, bounds: VerifierBounds = DEFAULT_BOUNDS) {
    this.#ports = ports;
    this.#verified = new Lru({ entriesMax: bounds.tokensMax, bytesMax: bounds.tokenBytesMax });
    this.#refusals = new Lru({ entriesMax: bounds.refusalsMax, bytesMax: bounds.refusalsMax * REFUSAL_BYTES });
    this.#turns = new Turns(bounds.checksMax, bounds.waitingMax);
  }

  /** How much is remembered and under way, for metrics. */
  get load(): { tokens: number; tokenBytes: number; refusals: number; pending: number } {
    return {
      tokens: this.#verified.size,
      tokenBytes: this.#verified.bytes,
      refusals: this.#refusals.size,
      pending: this.#pending.size,
    };
  }

  /**
   * Verifies the value of an `Authorization` header ('' for a missing one): at once for a token that is remembered, or
   * whose form is wrong; otherwise after its signature is checked. Never rejects for what a token holds.
   */
  verify(authorization: string): Verified | Promise<Verified> {
    const index = authorization.slice(-INDEX_CHARS);
    const known = this.#verified.get(index);
    if (known?.authorization !== authorization) return this.#verifyNew(authorization);
    const refusal = this.#objection(known.token);
    if (refusal === undefined) return known.token.accepted;
    if (refusal === RECHECK) return this.#recheck(index, known);
    this.#verified.delete(index);
    return invalid(refusal.detail);
  }

  /** Takes the token once more, and finds out meanwhile whether its issuer still vouches for it: no event waits for that. */
  #recheck(index: string, { authorization, token }: Remembered): Verified {
    token.recheckAtMs = this.#ports.clock.now() + RECHECK_RETRY_MS;
    void Promise.resolve(this.#verifyNew(authorization)).then((verified) => {
      if (!verified.ok && verified.cause === 'invalid') this.#verified.delete(index);
    });
    return token.accepted;
  }

  #verifyNew(authorization: string): Verified | Promise<Verified> {
    const bearer = readBearer(authorization);
    if (!bearer.ok) return invalid(bearer.detail);
    const candidate = this.#ports.external?.read(bearer.text) ?? this.#ownCandidate(bearer.text);
    if ('detail' in candidate) return invalid(candidate.detail);
    const digest = createHash('sha256').update(candidate.text).digest('base64url');
    const refusal = this.#refusal(digest);
    if (refusal !== undefined) return invalid(refusal.detail);
    const pending = this.#pending.get(digest) ?? this.#begin(digest, candidate);
    return pending === undefined ? BUSY : pending.then((checked) => this.#conclude(authorization, checked));
  }

  /** A token of our own, as far as its form and the name of its key say. */
  #ownCandidate(text: string): Candidate | { detail: string } {
    const read = readCompactToken(text);
    if (!read.ok) return read;
    const key = this.#ports.keys.find(read.token.kid);
    if (key === undefined) return { detail: KEY_NOT_ACTIVE };
    return { text, turns: this.#turns, check: () => this.#check(read.token, key) };
  }

  /** A remembered refusal. When the keys have changed, a token refused before may be good now. */
  #refusal(digest: string): Refusal | undefined {
    const version = `${this.#ports.keys.version}.${this.#ports.external?.version ?? 0}`;
    if (version !== this.#refusalsVersion) this.#refusals.clear();
    this.#refusalsVersion = version;
    const refusal = this.#refusals.get(digest);
    return refusal !== undefined && this.#ports.clock.now() < refusal.untilMs ? refusal : undefined;
  }

  #begin(digest: string, candidate: Candidate): Promise<Checked> | undefined {
    const started = candidate.turns.run(() => candidate.check());
    const pending = started
      ?.then((checked) => {
        if (!checked.ok && checked.cause !== 'busy') this.#refusals.set(digest, checked.refusal, REFUSAL_BYTES);
        return checked;
      })
      .finally(() => this.#pending.delete(digest));
    if (pending !== undefined) this.#pending.set(digest, pending);
    return pending;
  }

  #conclude(authorization: string, checked: Checked): Verified {
    if (!checked.ok) return { ok: false, cause: checked.cause ?? 'invalid', detail: checked.refusal.detail };
    const { token } = checked;
    const refusal = this.#objection(token);
    if (refusal !== undefined) return invalid(refusal.detail);
    const bytes = authorization.length + TOKEN_OVERHEAD_BYTES;
    this.#verified.set(authorization.slice(-INDEX_CHARS), { authorization, token }, bytes);
    return token.accepted;
  }

  /** What has come up against a verified token since its signature was checked. */
  #objection(token: VerifiedToken): Refusal | undefined {
    const nowMs = this.#ports.clock.now();
    const { tokenId, expiresAt } = token.accepted.principal;
    if (nowMs >= token.validUntilMs) return expired(expiresAt);
    if (nowMs < token.validFromMs) return notYetValid(token.validFromMs / 1000);
    if (token.source.retired) return lasting(token.whenRetired);
    if (this.#ports.revocations.has(tokenId)) return lasting(REVOKED);
    return nowMs >= token.recheckAtMs ? RECHECK : undefined;
  }

  async #check(token: CompactToken, key: VerificationKey): Promise<Checked> {
    try {
      const { payload } = await jwtVerify(token.text, key.publicKey, {
        algorithms: [TOKEN_ALGORITHM],
        typ: TOKEN_TYPE,
        issuer: this.#ports.keys.issuer,
        audience: AUDIENCES[this.#ports.kind ?? 'ingest'],
        requiredClaims: REQUIRED_CLAIMS,
        clockTolerance: LEEWAY_SECONDS,
        currentDate: new Date(this.#ports.clock.now()),
      });
      if (!isCanonical(token.payload, payload)) return { ok: false, refusal: lasting(MALFORMED_CLAIMS) };
      return accept(payload, key);
    } catch (error) {
      return { ok: false, refusal: describeFailure(error) };
    }
  }
}

/** How long until the next try where a token could not be checked again. */
const RECHECK_RETRY_MS = 60_000;

/** No reason to refuse: it is time to look at the token again. */
const RECHECK: Refusal = lasting('the token is to be checked again');

const BUSY: Refused = {
  ok: false,
  cause: 'busy',
  detail: 'too many new tokens are being verified; send the request again',
};

function invalid(detail: string): Refused {
  return { ok: false, cause: 'invalid', detail };
}

function accept(claims: Readonly<Record<string, unknown>>, key: VerificationKey): Checked {
  const read = readClaims(claims);
  if (!read.ok) return { ok: false, refusal: lasting(read.detail) };
  const { principal, notBefore } = read;
  const token: VerifiedToken = {
    accepted: Object.freeze({ ok: true, principal }),
    source: key,
    whenRetired: KEY_NOT_ACTIVE,
    validFromMs: (notBefore - LEEWAY_SECONDS) * 1000,
    validUntilMs: (principal.expiresAt + LEEWAY_SECONDS) * 1000,
    recheckAtMs: Number.POSITIVE_INFINITY,
  };
  return { ok: true, token };
}

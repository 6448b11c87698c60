import type { CryptoKey, JWK } from 'jose';
import { exportJWK, exportPKCS8, generateKeyPair, importJWK, importPKCS8 } from 'jose';
import { PollLoop } from '../lib/poll-loop.ts';
import { type KeyDirectory, type KeyFile, openKeyDirectory } from './key-directory.ts';
import { PrivateFileError } from './private-files.ts';

/** The one algorithm of our tokens: Ed25519 signatures, under their JOSE name (RFC 8037). */
export const TOKEN_ALGORITHM = 'EdDSA';

/** How often a running service looks for keys that were made or retired. */
const POLL_MS = 500;

/** A key that tokens may be verified with, until `retired`. */
export interface VerificationKey {
  readonly kid: string;
  readonly publicKey: CryptoKey;
  /** Turns true when the key leaves the directory, also for those who still hold it. */
  readonly retired: boolean;
}

interface LoadedKey extends VerificationKey {
  retired: boolean;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
  readonly identity: string;
}

type Report = (problem: string) => void;

/**
 * The signing keys of a data directory: the newest one signs, all active ones verify.
 *
 * The directory is the truth, so that the command line can make and retire keys under a running service; `watch` follows
 * it. A directory or a new file that cannot be read is reported, and keys known before stay in use.
 */
export class SigningKeys {
  readonly #directory: KeyDirectory;
  readonly #report: Report;
  readonly #loop = new PollLoop(POLL_MS, () => this.refresh());
  #keys = new Map<string, LoadedKey>();
  #listing = '';
  #lastProblem = '';
  #version = 0;

  private constructor(directory: KeyDirectory, report: Report) {
    this.#directory = directory;
    this.#report = report;
  }

  /**
   * Loads the keys of `dataDir`, and makes directory, issuer name and first key where they are missing.
   *
   * @param report is told, in one line, of each problem met while watching.
   * @throws {PrivateFileError} for a file that must not be used as it is.
   */
  static async open(dataDir: string, report: Report = () => {}): Promise<SigningKeys> {
    const directory = await openKeyDirectory(dataDir);
    if ((await directory.listActive()).length === 0) await directory.createNext(await generatePem(), true);
    const keys = new SigningKeys(directory, report);
    await keys.#load();
    return keys;
  }

  /** The name this installation issues tokens under: see `docs/decisions/0002-token-issuer.md`. */
  get issuer(): string {
    return this.#directory.issuer;
  }

  /** Changes whenever the set of keys does. */
  get version(): number {
    return this.#version;
  }

  /** The active key `kid`. */
  find(kid: string): VerificationKey | undefined {
    return this.#keys.get(kid);
  }

  /**
   * The key that signs new tokens.
   *
   * @throws {PrivateFileError} if every key was taken away while watching.
   */
  get signing(): { kid: string; privateKey: CryptoKey } {
    const [newest] = this.#keys.values();
    if (newest === undefined) throw new PrivateFileError('there is no active signing key; run: gatehouse keys rotate');
    return newest;
  }

  /** The public keys as a JWK Set (RFC 7517), newest first. */
  jwks(): { keys: JWK[] } {
    return { keys: [...this.#keys.values()].map((key) => key.jwk) };
  }

  /** Follows the directory until `stop`. */
  watch(): Promise<void> {
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Looks at the directory once. Never rejects. */
  async refresh(): Promise<void> {
    try {
      await this.#load((problem) => this.#reportOnce(problem));
    } catch (error) {
      this.#reportOnce((error as Error).message);
    }
  }

  /** Without `tolerate`, a bad file is an error; with it, the file is passed over and tried again the next time. */
  async #load(tolerate?: Report): Promise<void> {
    const files = await this.#directory.listActive();
    // A list of a few names with their file status costs some 50 µs and, unlike the directory's time stamp, cannot miss
    // a change made within the same tick of the clock.
    const listing = files.map((file) => file.version).join();
    if (listing === this.#listing) return;
    const next = new Map<string, LoadedKey>();
    let complete = true;
    for (const file of files) {
      try {
        const key = await this.#keyOf(file);
        if (key !== undefined) next.set(file.kid, key);
      } catch (error) {
        if (tolerate === undefined) throw error;
        tolerate((error as Error).message);
        complete = false;
      }
    }
    this.#replace(next);
    this.#listing = complete ? listing : '';
    if (complete) this.#lastProblem = '';
    if (next.size === 0)
      this.#reportOnce('there is no active signing key; every token is refused; run: gatehouse keys rotate');
  }

  /** The key of a file; one that is in use stays the same object, whatever became of its file's permissions. */
  async #keyOf(file: KeyFile): Promise<LoadedKey | undefined> {
    const known = this.#keys.get(file.kid);
    if (known?.identity === file.identity) return known;
    const pem = await this.#directory.read(file);
    return pem === undefined ? undefined : loadKey(file, pem);
  }

  #replace(next: Map<string, LoadedKey>): void {
    const kept = new Set(next.values());
    const gone = [...this.#keys.values()].filter((key) => !kept.has(key));
    if (gone.length === 0 && next.size === this.#keys.size) return;
    for (const key of gone) key.retired = true;
    this.#keys = next;
    this.#version += 1;
  }

  /** A problem is met again at every look; it is told once. */
  #reportOnce(problem: string): void {
    if (problem === this.#lastProblem) return;
    this.#lastProblem = problem;
    this.#report(problem);
  }
}

/** Makes a new key, which signs from now on. Returns its id. */
export async function rotateSigningKey(dataDir: string): Promise<string> {
  const directory = await openKeyDirectory(dataDir);
  const pem = await generatePem();
  for (;;) {
    const kid = await directory.createNext(pem);
    if (kid !== undefined) return kid;
  }
}

export type Retirement = 'retired' | 'unknown' | 'last';

/** Ends the acceptance of all tokens signed with `kid`. The last active key stays: make another one first. */
export async function retireSigningKey(dataDir: string, kid: string): Promise<Retirement> {
  const directory = await openKeyDirectory(dataDir);
  const active = await directory.listActive();
  if (!active.some((file) => file.kid === kid)) return 'unknown';
  if (active.length === 1) return 'last';
  return (await directory.retire(kid)) ? 'retired' : 'unknown';
}

async function generatePem(): Promise<string> {
  const { privateKey } = await generateKeyPair(TOKEN_ALGORITHM, { extractable: true });
  return `${(await exportPKCS8(privateKey)).trim()}\n`;
}

async function loadKey(file: KeyFile, pem: string): Promise<LoadedKey> {
  const exported = await publicJwk(pem).catch(() => {
    throw new PrivateFileError(`${file.path} is not an Ed25519 key in PKCS#8 PEM; move it away or restore it`);
  });
  const jwk = { ...exported, kid: file.kid, alg: TOKEN_ALGORITHM, use: 'sig' };
  const publicKey = (await importJWK(jwk, TOKEN_ALGORITHM)) as CryptoKey;
  const privateKey = await importPKCS8(pem, TOKEN_ALGORITHM);
  return { kid: file.kid, identity: file.identity, jwk, publicKey, privateKey, retired: false };
}

async function publicJwk(pem: string): Promise<JWK> {
  const { kty, crv, x } = await exportJWK(await importPKCS8(pem, TOKEN_ALGORITHM, { extractable: true }));
  if (kty !== 'OKP' || crv !== 'Ed25519' || x === undefined) throw new TypeError('not an Ed25519 key');
  return { kty, crv, x };
}

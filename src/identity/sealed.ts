import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createPrivateFile, openKeysDirectory, PrivateFileError, readPrivateFile } from './private-files.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = /^[0-9a-f]{64}$/;
const VERSION = 'v1.';

/**
 * Keeps secrets that must be read again (client secrets, what a sign-in under way needs) out of reach of whoever has the
 * database alone: AES-256-GCM under a key of this installation.
 */
export class Seal {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /**
   * `text`, readable again for `purpose` only: a sealed text that was moved to another place in the database does not open.
   * The nonce is random; each purpose has a key of its own, which keeps far below the 2³² texts of one key.
   */
  seal(purpose: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key(purpose), nonce);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
  }

  /** The text, or undefined where `sealed` was not sealed for `purpose` by this installation. */
  open(purpose: string, sealed: string): string | undefined {
    if (!sealed.startsWith(VERSION)) return undefined;
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#key(purpose), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }

  /** A hash of `text` to look it up by (HMAC-SHA-256): without the installation's secret nobody can tell of what. */
  mark(purpose: string, text: string): Uint8Array {
    return createHmac('sha256', this.#key(`mark ${purpose}`))
      .update(text)
      .digest();
  }

  #key(purpose: string): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.#secret, '', `gatehouse sealed ${purpose}`, KEY_BYTES));
  }
}

/**
 * The seal of a data directory, its secret in `<data dir>/keys/sealing`; made on first use. Without that file client secrets
 * have to be entered again.
 *
 * @throws {PrivateFileError}
 */
export async function openSeal(dataDir: string): Promise<Seal> {
  const directory = await openKeysDirectory(dataDir);
  const path = join(directory, 'sealing');
  await createPrivateFile(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`);
  const text = (await readPrivateFile(path, 256)).trim();
  if (!FORM.test(text)) throw new PrivateFileError(`${path} must hold 64 hexadecimal digits; restore it from a backup`);
  return new Seal(Buffer.from(text, 'hex'));
}

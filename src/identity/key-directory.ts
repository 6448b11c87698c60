import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  createPrivateFile,
  errorCode,
  openKeysDirectory,
  PrivateFileError,
  readPrivateFile,
  syncDirectory,
} from './private-files.ts';

/**
 * Signing keys as files: `<data dir>/keys/<kid>.pem` for active keys, `keys/retired/` for those no longer accepted, and
 * `keys/issuer`, the name that this installation issues tokens under.
 *
 * A key id is `<first 8 digits of the issuer's UUID>-<number>`; numbers only go up, so the newest key is known without
 * trusting a clock or a file time, and two processes that make the next key at once meet at the same name, where only
 * one can win. A key file is never rewritten.
 */

/** Active keys, at most; a further one is refused. */
export const ACTIVE_KEYS_MAX = 64;
/** An Ed25519 key in PKCS#8 PEM takes 119 bytes. */
const KEY_FILE_BYTES_MAX = 4096;
const KEY_ID = /^([0-9a-f]{8})-([1-9][0-9]{0,5})$/;
const ISSUER = /^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface KeyFile {
  kid: string;
  path: string;
  retired: boolean;
  createdAt: Date;
  /** Changes when another file takes this one's place. */
  identity: string;
  /** Also changes with the permissions. */
  version: string;
}

export function isKeyId(value: string): boolean {
  return KEY_ID.test(value);
}

/** Opens (and on first use makes) the key directory of a data directory. Safe in several processes at once. */
export async function openKeyDirectory(dataDir: string): Promise<KeyDirectory> {
  const path = await openKeysDirectory(dataDir);
  const issuerPath = join(path, 'issuer');
  const issuer = (await readIfThere(issuerPath)) ?? (await createIssuer(issuerPath));
  if (!ISSUER.test(issuer))
    throw new PrivateFileError(`${issuerPath} must hold one urn:uuid:…; restore it from a backup`);
  return new KeyDirectory(path, issuer);
}

/** The ids of the active keys of a data directory, of which nothing is made; undefined where it has none: others sign, then. */
export async function activeKeyIds(dataDir: string): Promise<ReadonlySet<string> | undefined> {
  const path = join(dataDir, 'keys');
  if ((await readIfThere(join(path, 'issuer'))) === undefined) return undefined;
  return new Set((await listKeyFiles(path, false)).map(({ kid }) => kid));
}

async function createIssuer(path: string): Promise<string> {
  const directory = dirname(path);
  const hasKeys = (await listKeyFiles(directory, false)).length > 0;
  // Another process may have made both meanwhile. Without a name of its own a key is left over: under a new one, no token counts.
  const made = hasKeys ? await readIfThere(path) : undefined;
  if (made !== undefined) return made;
  if (hasKeys)
    throw new PrivateFileError(
      `${path} is missing beside its keys; restore it from a backup, or move ${directory} away, which ends every token`,
    );
  await createPrivateFile(path, `urn:uuid:${randomUUID()}\n`);
  // Whoever created it: what stands there is the name.
  return (await readPrivateFile(path, 256)).trim();
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readPrivateFile(path, 256)).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export class KeyDirectory {
  readonly path: string;
  readonly issuer: string;

  constructor(path: string, issuer: string) {
    this.path = path;
    this.issuer = issuer;
  }

  /**
   * The active keys, newest first.
   *
   * @throws {PrivateFileError} for a `.pem` file whose name is no key id, and for more than `ACTIVE_KEYS_MAX`.
   */
  async listActive(): Promise<KeyFile[]> {
    const files = await listKeyFiles(this.path, false);
    if (files.length <= ACTIVE_KEYS_MAX) return files;
    throw new PrivateFileError(
      `${this.path} holds more than ${ACTIVE_KEYS_MAX} keys; retire old ones: gatehouse keys retire`,
    );
  }

  /** The retired keys, newest first. */
  listRetired(): Promise<KeyFile[]> {
    return listKeyFiles(join(this.path, 'retired'), true);
  }

  /** The text of a key file; undefined if it was moved away meanwhile. */
  async read(file: KeyFile): Promise<string | undefined> {
    try {
      return await readPrivateFile(file.path, KEY_FILE_BYTES_MAX);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /**
   * Stores `pem` as the next key, or with `unlessActive` only where there is none. Returns its id, or undefined if another
   * process was first.
   */
  async createNext(pem: string, unlessActive = false): Promise<string | undefined> {
    const [active, retired] = await Promise.all([this.listActive(), this.listRetired()]);
    if (unlessActive && active.length > 0) return undefined;
    if (active.length >= ACTIVE_KEYS_MAX) {
      throw new PrivateFileError(
        `there are ${ACTIVE_KEYS_MAX} active keys; retire old ones first: gatehouse keys retire`,
      );
    }
    const next = Math.max(0, ...[...active, ...retired].map((file) => keyNumber(file.kid))) + 1;
    const kid = `${this.issuer.slice('urn:uuid:'.length).slice(0, 8)}-${next}`;
    return (await createPrivateFile(join(this.path, `${kid}.pem`), pem)) ? kid : undefined;
  }

  /** Moves an active key to `retired/`. Returns false if there is none of that id. */
  async retire(kid: string): Promise<boolean> {
    const retired = join(this.path, 'retired');
    await mkdir(retired, { recursive: true, mode: 0o700 });
    try {
      await rename(join(this.path, `${kid}.pem`), join(retired, `${kid}.pem`));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
    await Promise.all([syncDirectory(this.path), syncDirectory(retired)]);
    return true;
  }
}

async function listKeyFiles(directory: string, retired: boolean): Promise<KeyFile[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (retired && errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const keyNames = names.filter((name) => name.endsWith('.pem') && !name.startsWith('.'));
  const files = await Promise.all(keyNames.map((name) => describeKeyFile(directory, name, retired)));
  return files.filter((file) => file !== undefined).toSorted(newestFirst);
}

async function describeKeyFile(directory: string, name: string, retired: boolean): Promise<KeyFile | undefined> {
  const path = join(directory, name);
  const kid = name.slice(0, -'.pem'.length);
  if (!isKeyId(kid)) {
    throw new PrivateFileError(`${path} is not named like a key (such as 0a1b2c3d-1.pem); rename it or move it away`);
  }
  try {
    const { ino, mtimeMs, mtime, size, mode } = await stat(path);
    const identity = `${ino}:${mtimeMs}:${size}`;
    return { kid, path, retired, createdAt: mtime, identity, version: `${kid}:${identity}:${mode}` };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function newestFirst(a: KeyFile, b: KeyFile): number {
  return keyNumber(b.kid) - keyNumber(a.kid) || (a.kid < b.kid ? -1 : 1);
}

function keyNumber(kid: string): number {
  return Number(KEY_ID.exec(kid)?.[2]);
}

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createPrivateFile, errorCode, openKeysDirectory, PrivateFileError, readPrivateFile } from './private-files.ts';

const SECRET_BYTES = 32;
const FORM = /^[0-9a-f]{64}$/;

/**
 * The secret under which values of events are remembered as fingerprints, in `<data dir>/keys/fingerprints`. Without it a
 * fingerprint says nothing, and with another one stored decisions cannot be computed again: it is made where `isNew`, before anything was received,
 * and never again.
 *
 * @throws {PrivateFileError}
 */
export async function installationSecret(dataDir: string, isNew: boolean): Promise<Uint8Array> {
  const directory = await openKeysDirectory(dataDir);
  const path = join(directory, 'fingerprints');
  if (isNew) await createPrivateFile(path, `${randomBytes(SECRET_BYTES).toString('hex')}\n`);
  const text = (await readSecret(path)).trim();
  if (!FORM.test(text)) throw new PrivateFileError(`${path} must hold 64 hexadecimal digits; restore it from a backup`);
  return Buffer.from(text, 'hex');
}

async function readSecret(path: string): Promise<string> {
  try {
    return await readPrivateFile(path, 256);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new PrivateFileError(
      `${path} is missing, by which sessions know again what they have seen; restore it from a backup. If it is lost, put 64 hexadecimal digits ` +
        'there (openssl rand -hex 32, mode 0600): what was seen until now is not known again, and earlier decisions cannot be verified',
    );
  }
}

import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFile, makePrivateDirectory, PrivateFileError, readPrivateFile } from './private-files.ts';

const SECRET_BYTES = 32;
const FORM = /^[0-9a-f]{64}$/;

/**
 * The secret under which values of events are remembered as fingerprints, in `<data dir>/keys/fingerprints`; made on first
 * use. Without it a fingerprint says nothing, and with another one stored decisions cannot be computed again.
 *
 * @throws {PrivateFileError}
 */
export async function installationSecret(dataDir: string): Promise<Uint8Array> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const directory = join(dataDir, 'keys');
  await makePrivateDirectory(directory);
  const path = join(directory, 'fingerprints');
  await createPrivateFile(path, `${randomBytes(SECRET_BYTES).toString('hex')}\n`);
  const text = (await readPrivateFile(path, 256)).trim();
  if (!FORM.test(text)) throw new PrivateFileError(`${path} must hold 64 hexadecimal digits; restore it from a backup`);
  return Buffer.from(text, 'hex');
}

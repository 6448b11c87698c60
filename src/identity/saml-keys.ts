import { createPrivateKey, generateKeyPair, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPrivateFile, errorCode, openKeysDirectory, PrivateFileError, readPrivateFile } from './private-files.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

/** With what this installation signs its SAML requests, and what providers encrypt assertions for. Both in PEM. */
export interface SamlKeys {
  privateKey: string;
  certificate: string;
}

const KEY_BITS = 3072;
const YEARS = 20;
const FILE_BYTES_MAX = 16_384;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n?/;
const PRIVATE_KEY = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----\n?/;

/**
 * The SAML key of a data directory, in `<data dir>/keys/saml`; made on first use.
 *
 * @throws {PrivateFileError}
 */
export async function openSamlKeys(dataDir: string): Promise<SamlKeys> {
  const directory = await openKeysDirectory(dataDir);
  const path = join(directory, 'saml');
  const text = (await readIfThere(path)) ?? (await create(path));
  const privateKey = PRIVATE_KEY.exec(text)?.[0];
  const certificate = CERTIFICATE.exec(text)?.[0];
  if (privateKey === undefined || certificate === undefined || !belongTogether(privateKey, certificate))
    throw new PrivateFileError(`${path} must hold a private key and its certificate in PEM; restore it from a backup`);
  return { privateKey, certificate };
}

async function create(path: string): Promise<string> {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: KEY_BITS });
  const certificate = selfSignedCertificate(pair, { name: 'Gatehouse SAML', from: new Date(), years: YEARS });
  await createPrivateFile(path, `${pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()}${certificate}`);
  // Whoever created it: what stands there is the key.
  return readPrivateFile(path, FILE_BYTES_MAX);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readPrivateFile(path, FILE_BYTES_MAX);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function belongTogether(privateKey: string, certificate: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey));
  } catch {
    return false;
  }
}

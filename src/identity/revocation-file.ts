import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { errorCode, PrivateFileError, replacePrivateFile } from './private-files.ts';

/** The file that remembers revocations while the database is out of reach: `[token id, expiry in Unix seconds]` pairs. */
const RevocationFile = Compile(
  Type.Object({ version: Type.Literal(1), revoked: Type.Array(Type.Tuple([Type.String(), Type.Number()])) }),
);

/**
 * Reads the file, as token id → expiry. A missing file is an empty one.
 *
 * @throws {PrivateFileError} if it cannot be understood.
 */
export async function readRevocations(path: string): Promise<Map<string, number>> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (RevocationFile.Check(value)) return new Map(value.revoked);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Map();
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new PrivateFileError(`${path} is damaged; delete it: the database, which must run then, still knows them all`);
}

/** Replaces the file, durably. */
export async function writeRevocations(path: string, revoked: ReadonlyMap<string, number>): Promise<void> {
  await replacePrivateFile(path, `${JSON.stringify({ version: 1, revoked: [...revoked] })}\n`);
}

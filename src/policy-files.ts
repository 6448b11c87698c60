import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PolicySetError } from './detection/engine.ts';
import type { PolicyFile } from './domain/policies.ts';

/** The built-in policy set, found from `src/` as well as from a bundle in `dist/`. */
export const BUILTIN_POLICIES_DIR = fileURLToPath(new URL('../policies', import.meta.url));

const FILES_MAX = 10_000;

/**
 * The policy files at `path`: a YAML file, or a directory whose `*.yaml` and `*.yml` files are meant, by name.
 *
 * @throws {PolicySetError} if there is none, or one cannot be read.
 */
export function readPolicyFiles(path: string): PolicyFile[] {
  try {
    if (!statSync(path).isDirectory()) return [{ file: path, text: readFileSync(path, 'utf8') }];
    const names = readdirSync(path).filter((name) => /\.ya?ml$/.test(name));
    if (names.length === 0) throw new PolicySetError(`${path} holds no policy: put *.yaml files there`);
    if (names.length > FILES_MAX) throw new PolicySetError(`${path} holds more than ${FILES_MAX} files: join some`);
    return names
      .sort()
      .map((name) => ({ file: join(basename(path), name), text: readFileSync(join(path, name), 'utf8') }));
  } catch (error) {
    if (error instanceof PolicySetError) throw error;
    throw new PolicySetError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
}

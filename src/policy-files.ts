import { isUtf8 } from 'node:buffer';
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
  if (!reading(path, () => statSync(path)).isDirectory()) return [policyFile(path, path)];
  const names = reading(path, () => readdirSync(path)).filter((name) => /\.ya?ml$/.test(name));
  if (names.length === 0) throw new PolicySetError(`${path} holds no policy: put *.yaml files there`);
  if (names.length > FILES_MAX) throw new PolicySetError(`${path} holds more than ${FILES_MAX} files: join some`);
  return names.sort().map((name) => policyFile(join(path, name), join(basename(path), name)));
}

/** The file at `path`, told of as `file`. */
function policyFile(path: string, file: string): PolicyFile {
  const bytes = reading(path, () => readFileSync(path));
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { file, text };
  // What does not belong there was replaced by this; a text in UTF-16 is wrong from its first character.
  const before = text.slice(0, text.indexOf('\ufffd')).split('\n');
  const place = `${before.length}:${(before.at(-1) ?? '').length + 1}`;
  throw new PolicySetError(`${file}:${place}: this is not UTF-8: save the file as UTF-8`);
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new PolicySetError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
}

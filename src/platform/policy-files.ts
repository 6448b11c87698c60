import type { PolicyFile } from '../domain/policies.ts';
import { POLICY_FILES } from '../domain/policy-work.ts';
import { type Refusal, refuse } from './http.ts';

/** Names are shown, and are a part of what a download is called; they lead nowhere on this machine. */
const NAME = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*\.ya?ml$/;

/** Why `files` cannot be a set, whatever is in them; undefined if nothing stands against them. */
export function filesFault(files: readonly PolicyFile[]): Refusal | undefined {
  const { filesMax, bytesMax, nameCharsMax } = POLICY_FILES;
  if (files.length === 0 || files.length > filesMax)
    return refuse('invalid-request', `a policy set has 1 to ${filesMax} files`);
  const names = new Set<string>();
  let bytes = 0;
  for (const { file, text } of files) {
    if (file.length > nameCharsMax || !NAME.test(file))
      return refuse(
        'invalid-request',
        `a file is named like exfiltration.yaml, with letters, digits, ".", "_" and "-", at most ${nameCharsMax} characters`,
      );
    if (names.has(file)) return refuse('invalid-request', `two files are named ${file}`);
    names.add(file);
    bytes += Buffer.byteLength(text);
  }
  return bytes > bytesMax
    ? refuse('invalid-request', `the files have ${bytes} bytes together, more than ${bytesMax}`)
    : undefined;
}

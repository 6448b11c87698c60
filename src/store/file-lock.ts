import { randomBytes } from 'node:crypto';
import { link, lstat, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity } from './process-identity.ts';

/**
 * A lock between processes, as numbered files `<path>.<n>`. The highest number is the lock: whoever finds it released,
 * or its holder dead, links the next one, which only one process can. The highest file is never removed, only emptied
 * when it is released, so that nobody who looked away for a while can link a number that was already given up.
 */

export class LockTimeout extends Error {
  override readonly name = 'LockTimeout';
}

const POLL_MS = 50;
const RELEASED = '';
/** Of what follows the name in that of a temporary file: bytes, written as hexadecimal digits. */
const SUFFIX_BYTES = 6;
/** Nobody writes a file for so long, or waits with one for a lock. */
const LEFT_OVER_MS = 3_600_000;

/**
 * Runs `work` while holding the lock at `path`. The directory must exist and be writable.
 *
 * @throws {LockTimeout} if a live process still holds it after `timeoutMs`.
 * @throws the reason of `interrupted`, if that comes before the lock is had.
 */
export async function withFileLock<T>(
  path: string,
  timeoutMs: number,
  work: () => Promise<T>,
  interrupted?: AbortSignal,
): Promise<T> {
  const held = await acquire(path, performance.now() + timeoutMs, interrupted);
  try {
    await removeLeftOvers(path);
    return await work();
  } finally {
    // Works on a full disk too, where nothing could be written in its place. A process of another container may have taken it away.
    await truncate(held).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

/** Whether a live process of this machine holds the lock at `path`, as far as is seen from this container. */
export async function isLockHeld(path: string): Promise<boolean> {
  const highest = Math.max(0, ...(await generations(path)));
  return highest > 0 && isLiveOwner(await readOwner(path, highest).catch(() => RELEASED));
}

async function acquire(path: string, untilMs: number, interrupted: AbortSignal | undefined): Promise<string> {
  const mine = await writeTemporary(path, ownerLine(process.pid));
  try {
    for (;;) {
      interrupted?.throwIfAborted();
      const holder = await tryToHold(path, mine);
      if (holder.held !== undefined) return holder.held;
      if (performance.now() > untilMs) throw new LockTimeout(`process ${holder.by ?? '?'} holds ${path}`);
      await sleep(POLL_MS);
    }
  } finally {
    await rm(mine, { force: true });
  }
}

async function tryToHold(path: string, mine: string): Promise<{ held?: string; by?: string | undefined }> {
  const highest = Math.max(0, ...(await generations(path)));
  const owner = highest === 0 ? RELEASED : await readOwner(path, highest).catch(() => undefined);
  if (owner === undefined || isLiveOwner(owner)) return { by: owner?.split(' ')[0] };
  const next = `${path}.${highest + 1}`;
  try {
    await link(mine, next);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return {};
    throw error;
  }
  const others = await generations(path);
  if (Math.max(...others) > highest + 1) {
    await rm(next, { force: true });
    return {};
  }
  for (const older of others.filter((generation) => generation <= highest))
    await rm(`${path}.${older}`, { force: true });
  return { held: next };
}

function readOwner(path: string, generation: number): Promise<string> {
  return readFile(`${path}.${generation}`, 'utf8');
}

async function generations(path: string): Promise<number[]> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path));
  return names
    .filter((name) => name.startsWith(prefix) && /^\d{1,15}$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)));
}

/** Writes `text` to `path` so that a reader sees the old content or the new, whole. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await rename(await writeTemporary(path, text), path);
}

async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = join(dirname(path), `.${basename(path)}-${randomBytes(SUFFIX_BYTES).toString('hex')}`);
  await writeFile(temporary, text, { mode: 0o600, flush: true });
  return temporary;
}

/**
 * Removes what processes that were killed left of writing `path`, or of waiting for the lock there: old temporary files of no process that
 * lives. One of another container cannot be told from a dead one, but leaves none for an hour. Never rejects: they are in nobody's way.
 */
export async function removeLeftOvers(path: string): Promise<void> {
  const prefix = `.${basename(path)}-`;
  const names = await readdir(dirname(path)).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(prefix) || !/^[0-9a-f]+$/.test(name.slice(prefix.length))) continue;
    if (name.length === prefix.length + 2 * SUFFIX_BYTES)
      await removeLeftOver(join(dirname(path), name)).catch(() => {});
  }
}

async function removeLeftOver(file: string): Promise<void> {
  const found = await lstat(file);
  if (!found.isFile() || Date.now() - found.mtimeMs < LEFT_OVER_MS) return;
  if (!isLiveOwner(await readFile(file, 'utf8'))) await rm(file, { force: true });
}

/** Names a process in a file, so that `isLiveOwner` can tell it from a later one with the same id. */
export function ownerLine(pid: number): string {
  return `${pid} ${processIdentity(pid) ?? ''}`;
}

/** Whether the process that an `ownerLine` names is still there. */
export function isLiveOwner(line: string): boolean {
  const [pid = '', identity] = line.split(/ (.*)/s);
  return identity !== undefined && identity !== '' && processIdentity(Number(pid)) === identity;
}

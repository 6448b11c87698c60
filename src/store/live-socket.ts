import { randomBytes } from 'node:crypto';
import { openSync, realpathSync } from 'node:fs';
import { link, lstat, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { MendableError } from '../lib/mendable-error.ts';

/**
 * A socket in a directory that only a live process answers at, whichever container or namespace of this machine it runs in: ids of
 * processes mean nothing beyond their own. Not seen from other machines, so none may share the directory.
 */

/** The one of the service that runs in a data directory. */
export function serviceSocket(dataDir: string): string {
  return join(dataDir, 'service.sock');
}

/** The lock that the service holds beside it: tells of a process of the same container only. */
export function serviceLock(dataDir: string): string {
  return join(dataDir, 'service.lock');
}

const heldHere = new Set<string>();
/** A longer path is no address of a socket: Linux takes 107 bytes, macOS 103. */
const PATH_BYTES_MAX = 100;

/**
 * Listens at `path` until the process ends. False if another process does already.
 *
 * @throws {MendableError} where something is there that is no socket: whatever it is, it is not ours to take away.
 */
export async function holdLiveSocket(path: string): Promise<boolean> {
  const address = addressOf(path);
  if (address === undefined) return true;
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && !found.isSocket()) {
    const what = found.isDirectory()
      ? 'a directory'
      : found.isSymbolicLink()
        ? 'a symbolic link'
        : 'a file that is no socket';
    throw new MendableError(`${path} is ${what}, where the socket of this service belongs; move it away`);
  }
  if (await listens(address)) return noteHeld(path);
  // The file is one that is answered at, or what a dead process left. Only what is really dead makes room.
  const aside = join(dirname(path), `.${basename(path)}-${randomBytes(4).toString('hex')}`);
  await rename(path, aside).catch(() => {});
  if (await answers(addressOf(aside) as string)) {
    await link(aside, path).catch(() => {});
    await rm(aside, { force: true });
    return false;
  }
  await rm(aside, { force: true });
  return (await listens(address)) ? noteHeld(path) : false;
}

/** Whether a process other than this one listens at `path`. */
export async function isHeldElsewhere(path: string): Promise<boolean> {
  const address = addressOf(path);
  return address !== undefined && !heldHere.has(realName(path)) && answers(address);
}

function noteHeld(path: string): true {
  heldHere.add(realName(path));
  return true;
}

/** However the directory is named. */
function realName(path: string): string {
  return join(realpathSync(dirname(path)), basename(path));
}

/** Linux reaches a long path through its directory, held open; elsewhere there is no way, and no containers. */
function addressOf(path: string): string | undefined {
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX) return path;
  return process.platform === 'linux' ? join(`/proc/self/fd/${directoryOf(dirname(path))}`, basename(path)) : undefined;
}

const directories = new Map<string, number>();

function directoryOf(path: string): number {
  const open = directories.get(path) ?? openSync(path, 'r');
  directories.set(path, open);
  return open;
}

function listens(address: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server: Server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(address, () => {
      server.unref();
      resolve(true);
    });
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Refused or gone: nobody is there. A full line of waiting connections is somebody.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EAGAIN'));
  });
}

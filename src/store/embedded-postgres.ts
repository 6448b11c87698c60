import { randomBytes } from 'node:crypto';
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../lib/log.ts';
import { ClusterServer, connectionUrl, lastPort } from './cluster-server.ts';
import { createLauncher, EmbeddedPostgresError, locatePostgresBinaries } from './postgres-binaries.ts';
import { takeLease } from './server-leases.ts';

/**
 * The PostgreSQL that comes with Gatehouse, for those who bring none. Under `<data dir>/postgres/`:
 * `cluster/` (its files), `password` (of the role `gatehouse`), `port` (the last one), `users/` (one file for each
 * process that uses it). It runs in a process group of its own and outlives a process that was killed; the next one
 * adopts it. It is stopped by the last one that uses it.
 */
export interface EmbeddedPostgres {
  /** With the password in it. */
  url: string;
  /** Starts the server again, at the same address, if it has ended by itself. Call it now and then. */
  revive(): Promise<void>;
  /** Ends this use; stops the server unless another live process uses it. May be called twice. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The service's data directory. Made where it is missing. */
  dataDir: string;
  log: Log;
  /** At this port or not at all; undefined, or without it, at any. Asked before each try. */
  port?: () => number | undefined;
  /** Ends the wait for others that start or stop the server, before this one is at it. */
  interrupted?: AbortSignal;
}

/** Starts the embedded PostgreSQL, or adopts the one that is running, and waits until it answers. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = await prepareHome(options.dataDir);
  const binaries = await locatePostgresBinaries();
  const launcher = await createLauncher(binaries, home);
  const server = new ClusterServer(home, binaries, launcher, options.log);
  const start = async () => {
    const url = await server.start(options.port);
    const lease = await takeLease(home);
    let stopped: Promise<void> | undefined;
    return {
      url,
      revive: async () => {
        // At the same port: every connection that the process has, or will make, goes there.
        if (stopped === undefined && !server.giveWay())
          await server.withLock(() => server.start(() => Number(new URL(url).port)));
      },
      stop: () => {
        stopped ??= server
          .withLock(() => server.release(lease))
          .catch((error: unknown) => {
            // On a full disk no lock can be written, and the server must not be left behind for it.
            if (!isDiskFull(error)) throw error;
            return server.release(lease);
          });
        return stopped;
      },
    };
  };
  return server.withLock(start, options.interrupted);
}

/** Where an earlier start left the server of `dataDir`, which need not run; undefined where there is none, or it is not known. */
export async function lastUrl(dataDir: string): Promise<string | undefined> {
  const home = join(dataDir, 'postgres');
  const password = await readFile(join(home, 'password'), 'utf8').catch(() => undefined);
  const port = await lastPort(home);
  return password === undefined || port === undefined ? undefined : connectionUrl(port, password);
}

async function prepareHome(dataDir: string): Promise<string> {
  const home = join(dataDir, 'postgres');
  try {
    // Root's PostgreSQL runs as another user, which must be able to pass through here.
    await mkdir(home, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    await mkdir(join(home, 'users'), { recursive: true, mode: 0o700 });
    await rm(await touch(home));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new EmbeddedPostgresError(
      `cannot write ${home} (${code}); set GATEHOUSE_DATA_DIR to a directory this user may write`,
    );
  }
  const real = await realpath(home);
  // pg_ctl puts the path into a shell command.
  if (/["$`\\\n]/.test(real)) throw new EmbeddedPostgresError(`the data directory ${real} must hold none of " $ \` \\`);
  return real;
}

async function touch(directory: string): Promise<string> {
  const path = join(directory, `.probe-${randomBytes(6).toString('hex')}`);
  await writeFile(path, '');
  return path;
}

function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

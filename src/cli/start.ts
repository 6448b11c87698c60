import { closeSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../app.ts';
import { ConfigError, loadConfig } from '../config.ts';
import { makeDataDirectory } from '../identity/private-files.ts';
import type { Start } from '../lib/started-parts.ts';
import { LockTimeout, withFileLock } from '../store/file-lock.ts';
import { holdLiveSocket, serviceLock, serviceSocket } from '../store/live-socket.ts';
import { standardError } from '../telemetry/log-output.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { banner } from './banner.ts';
import { type Command, UsageError } from './command.ts';
import { onStopSignal } from './interruption.ts';

export const startCommand: Command = {
  usage: `usage: gatehouse start

Starts the service with the options in GATEHOUSE_* variables (see: gatehouse config). The first start creates the data
directory with the journal, the signing keys and an embedded PostgreSQL. SIGINT, SIGTERM and SIGHUP stop it: what is under way
is answered, and everything is on disk when it ends. A second signal ends it at once, which loses nothing that was acknowledged.`,
  async run(words) {
    if (words.length > 0)
      throw new UsageError('start takes no words: options are GATEHOUSE_* variables (see: gatehouse config)');
    const config = loadConfig();
    await makeDataDir(config.dataDir);
    try {
      // One process to a data directory: the journal has one writer.
      return await withFileLock(serviceLock(config.dataDir), 0, async () => {
        if (await holdLiveSocket(serviceSocket(config.dataDir))) return serve(config);
        throw new UsageError(
          `another gatehouse, perhaps in another container, runs in ${config.dataDir}; stop it, or set GATEHOUSE_DATA_DIR`,
        );
      });
    } catch (error) {
      if (!(error instanceof LockTimeout)) throw error;
      throw new UsageError(`another gatehouse runs in ${config.dataDir}; stop it, or set GATEHOUSE_DATA_DIR`);
    }
  },
};

async function makeDataDir(path: string): Promise<void> {
  await makeDataDirectory(path);
  await access(path, constants.W_OK).catch((error: Error) => {
    throw new ConfigError(`GATEHOUSE_DATA_DIR must be a directory that this user may write (${error.message})`);
  });
}

/** For what has still to be let go of once everything has stopped, or the start was given up: sockets, threads. */
const LINGER_MS_MAX = 2_000;
const LAST_LINES_MS_MAX = 1_000;

async function serve(config: ReturnType<typeof loadConfig>): Promise<number> {
  const logOutput = standardError();
  const log = createLogger(config.logLevel, logOutput);
  // Whoever read it may have gone: what is told there (the banner, links where no mail server is) is not worth ending for.
  process.stdout.on('error', () => {});
  const signalled = stopSignal();
  // Most of the program, which a start that cannot be does not wait for.
  const { startService } = await import('../app.ts');
  const start = startService(config, { log, logOutput });
  try {
    // A start may wait for a database without end: a signal ends that, too.
    const service = await Promise.race([start.started, signalled]);
    if (typeof service === 'object') await show(service, config.dataDir);
    const signal = await signalled;
    log.info({ signal }, 'stopping');
    if (signal === 'SIGHUP') process.once('exit', leaveTerminal);
    const exitCode = await stop(start, log);
    // The signal came while what had started of it was being stopped again.
    const failure = start.failure();
    if (failure !== undefined) throw failure.error;
    return exitCode;
  } catch (error) {
    await start.stop().catch(() => {});
    throw error;
  } finally {
    await logOutput.flushed(LAST_LINES_MS_MAX);
    // Whatever did not stop must not keep the process, nor its first half where the start failed.
    setTimeout(() => process.exit(), LINGER_MS_MAX).unref();
  }
}

async function show({ baseUrl, firstOwnerLink, mintDemoToken }: Service, dataDir: string): Promise<void> {
  const token = await mintDemoToken();
  process.stdout.write(banner({ baseUrl, token, keysDirectory: join(dataDir, 'keys'), firstOwnerLink }));
}

async function stop(start: Start<Service>, log: Logger): Promise<number> {
  try {
    await start.stop();
    log.info('stopped');
    return 0;
  } catch (error) {
    log.error({ error: (error as Error).message }, 'stopped, but not all of it; what was acknowledged is on disk');
    return 1;
  }
}

/** Node gives a terminal back as it found it, and aborts where that has gone meanwhile; what is closed it leaves alone. */
function leaveTerminal(): void {
  for (const descriptor of [0, 1, 2]) {
    try {
      closeSync(descriptor);
    } catch {
      // It is closed already.
    }
  }
}

/** Resolves at the first stop signal; a second one, later, ends the process. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    onStopSignal(resolve, () => 1);
  });
}

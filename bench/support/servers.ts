import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { processesIn, type Service, startService } from '../../test/support/service.ts';
import { bundle } from './bundled.ts';
import type { Measured } from './cpu-meter.ts';

/** A server under load. */
export interface Target extends Measured {
  url: string;
  token: string;
}

const READY = /listening on (http:\/\/\S+)/;
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Bundles and starts the bare server, as the service is. It is sent the service's token, and does not look at it. */
export async function startBare(token: string): Promise<{ target: Target; stop: () => Promise<void> }> {
  const program = path('../../dist/bench/bare-server.js');
  await bundle(path('../bare-server.ts'), program);
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await readyUrl(child);
  const target: Target = { url, pid: child.pid as number, databasePids: () => [], token };
  const stop = async () => {
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  };
  process.once('exit', () => child.kill());
  return { target, stop };
}

async function readyUrl(child: ChildProcess): Promise<string> {
  let output = '';
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    output += String(chunk);
    const url = READY.exec(output)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the bare server ended before it was ready');
}

/** Starts the service on a fresh data directory, which `stop` removes. */
export async function startGatehouse(env: Record<string, string> = {}): Promise<RunningGatehouse> {
  const service = await startService({
    env: { NODE_ENV: 'bench', GATEHOUSE_LOG_LEVEL: 'error', GATEHOUSE_DEADLINE_MS: '800', ...env },
  });
  const token = await service.token('demo', 'bench');
  const target = { url: service.url, pid: service.pid, databasePids: () => processesIn(service.dataDir), token };
  const stop = async () => {
    await service.stop();
    await service.dispose();
  };
  return { service, target, stop };
}

export interface RunningGatehouse {
  service: Service;
  target: Target;
  stop: () => Promise<void>;
}

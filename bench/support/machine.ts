import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { LatencyHistogram } from '../../src/cli/demo/latency-histogram.ts';

/** What the figures were measured on, as lines for people. */
export function describeMachine(): string[] {
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB`;
  return [
    `machine   ${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? 'an unknown processor'}, ${memory}`,
    `system    ${distribution()}, kernel ${release()}, Node.js ${process.version}`,
    `disk      ${diskLine()}`,
    `load      ${loadavg()[0]?.toFixed(2)} in the last minute; what else runs here makes every figure worse`,
  ];
}

function distribution(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform;
  } catch {
    return process.platform;
  }
}

const EXT4_MAGIC = 0xef53;
const TMPFS_MAGIC = 0x01021994;
const FLUSHES = 200;

/** The data directories are made under the temporary directory, so its disk is the one that counts. */
function diskLine(): string {
  const path = join(tmpdir(), `gatehouse-flush-${process.pid}`);
  const file = openSync(path, 'w');
  const latencies = new LatencyHistogram();
  const page = Buffer.alloc(4096, 1);
  for (let flush = 0; flush < FLUSHES; flush++) {
    const startedAt = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    latencies.record((performance.now() - startedAt) * 1000);
  }
  closeSync(file);
  rmSync(path);
  const { type } = statfsSync(tmpdir());
  const name =
    type === EXT4_MAGIC ? 'ext4' : type === TMPFS_MAGIC ? 'tmpfs: NOT A DISK, syncing costs nothing' : `type ${type}`;
  return `${name}; write and fdatasync of 4 KiB: p50 ${latencies.percentileUs(50)} µs, p99 ${latencies.percentileUs(99)} µs`;
}

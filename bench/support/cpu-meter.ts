import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second of `/proc/<pid>/stat` (USER_HZ), 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time used by a process between two readings. */
export interface CpuUse {
  /** Of all its threads, in microseconds. */
  processUs: number;
  /** Shares of one core, 0 to 1: of the main thread and of the busiest other threads. */
  mainShare: number;
  otherShares: number[];
  /** Of its database's processes together. */
  databaseShare: number;
}

/** User and system time of a process or thread, in ticks; 0 once it has ended. */
function readTicks(path: string): number {
  try {
    const text = readFileSync(path, 'latin1');
    // The name may hold spaces and parentheses, so fields count from the last ")": state is the first, utime the twelfth.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}

function readThreads(pid: number): Map<string, number> {
  return new Map(readdirSync(`/proc/${pid}/task`).map((tid) => [tid, readTicks(`/proc/${pid}/task/${tid}/stat`)]));
}

/** What is measured: a process, and the processes of its database (asked for at each reading, since they come and go). */
export interface Measured {
  pid: number;
  databasePids: () => number[];
}

/** Starts to measure; the returned function ends it. Linux only. */
export function measureCpu({ pid, databasePids }: Measured): () => CpuUse {
  const startedAt = performance.now();
  const readDatabase = () => new Map(databasePids().map((each) => [each, readTicks(`/proc/${each}/stat`)]));
  const before = { process: readTicks(`/proc/${pid}/stat`), threads: readThreads(pid), database: readDatabase() };
  return () => {
    const seconds = (performance.now() - startedAt) / 1000;
    const share = (ticks: number) => ticks / TICKS_PER_SECOND / seconds;
    const threads = [...readThreads(pid)].map(([tid, ticks]) => ({
      tid,
      ticks: ticks - (before.threads.get(tid) ?? 0),
    }));
    const others = threads.filter(({ tid }) => tid !== String(pid)).sort((a, b) => b.ticks - a.ticks);
    const database = [...readDatabase()].map(([each, ticks]) => ticks - (before.database.get(each) ?? 0));
    return {
      processUs: (readTicks(`/proc/${pid}/stat`) - before.process) * (1e6 / TICKS_PER_SECOND),
      mainShare: share(threads.find(({ tid }) => tid === String(pid))?.ticks ?? 0),
      otherShares: others.slice(0, 3).map(({ ticks }) => share(ticks)),
      databaseShare: share(database.reduce((sum, ticks) => sum + ticks, 0)),
    };
  };
}

/** Ticks of all processors together: of all kinds, busy ones, and those that the host gave to others (proc(5), /proc/stat). */
function readMachineTicks(): { all: number; busy: number; stolen: number } {
  const [, ...fields] = (readFileSync('/proc/stat', 'latin1').split('\n', 1)[0] as string).split(/ +/);
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, stolen = 0] = fields.map(Number);
  const busy = user + nice + system + irq + softIrq;
  return { all: busy + idle + ioWait + stolen, busy, stolen };
}

const LOOK_MS = 500;

/**
 * Waits until the process and its database use less than a twentieth of a core for half a second: the work that an
 * earlier round left behind (projection, collection) must not be charged to the next. Gives up after `secondsMax`.
 *
 * Resolves to what everything else on the machine used meanwhile, in cores: what the next round will have to share with.
 */
export async function settled(measured: Measured, secondsMax = 180): Promise<number> {
  const giveUpAt = performance.now() + secondsMax * 1000;
  for (;;) {
    const end = measureCpu(measured);
    const machineBefore = readMachineTicks().busy;
    const startedAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const seconds = (performance.now() - startedAt) / 1000;
    const machine = (readMachineTicks().busy - machineBefore) / TICKS_PER_SECOND / seconds;
    const { processUs, databaseShare } = end();
    const own = processUs / 1e6 / seconds + databaseShare;
    if (own < 0.05 || performance.now() > giveUpAt) return Math.max(0, machine - own);
  }
}

/** Starts to measure what the host of a virtual machine takes from it; the returned function ends it. Share of all cores, 0 to 1. */
export function measureStolen(): () => number {
  const before = readMachineTicks();
  return () => {
    const after = readMachineTicks();
    return (after.stolen - before.stolen) / Math.max(1, after.all - before.all);
  };
}

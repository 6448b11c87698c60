import { readFileSync, readlinkSync } from 'node:fs';

/** The calling thread's number, for `processorMsOf`; 0 where the system does not tell its time. */
export function threadNumber(): number {
  try {
    // "<process>/task/<thread>"; only Linux has it.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    return processorMsOf(thread) === undefined ? 0 : thread;
  } catch {
    return 0;
  }
}

/** For how long a thread of this process has had a processor, in milliseconds; undefined where that is not known. Takes some 30 µs. */
export function processorMsOf(thread: number): number | undefined {
  try {
    // Nanoseconds on a processor, nanoseconds of waiting for one, and turns.
    const [nanoseconds] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}

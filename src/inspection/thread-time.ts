import { closeSync, openSync, readlinkSync, readSync } from 'node:fs';

/** The calling thread's number, for `ThreadClock`; 0 where the system has none. */
export function threadNumber(): number {
  try {
    // "<process>/task/<thread>"; only Linux has it.
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return 0;
  }
}

/** For how long a thread of this process has had a processor, as Linux tells it. */
export class ThreadClock {
  readonly #file: number;
  readonly #text = Buffer.alloc(96);

  /** Undefined where the system does not tell. To be closed. */
  static open(thread: number): ThreadClock | undefined {
    let file: number;
    try {
      file = openSync(`/proc/self/task/${thread}/schedstat`, 'r');
    } catch {
      return undefined;
    }
    const clock = new ThreadClock(file);
    // Nothing for a thread that is running: a kernel that does not count.
    if (clock.ms() > 0) return clock;
    clock.close();
    return undefined;
  }

  private constructor(file: number) {
    this.#file = file;
  }

  /** In milliseconds; not a number once the thread is gone. Takes some 10 µs. */
  ms(): number {
    try {
      const length = readSync(this.#file, this.#text, 0, this.#text.length, 0);
      // Nanoseconds on a processor, nanoseconds of waiting for one, and turns.
      return Number.parseInt(this.#text.toString('latin1', 0, length), 10) / 1e6;
    } catch {
      return Number.NaN;
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

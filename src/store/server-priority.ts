import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Nice value of the server's processes. */
const SERVER_NICE = 10;

/**
 * Lets a PostgreSQL server give way: where processors are short, answers go first and rows wait in the journal. Where that is not allowed or
 * not known, nothing happens.
 */
export class ServerPriority {
  #server: number | undefined;
  #seen: ReadonlySet<string> = new Set();

  /**
   * Call again and again: each of the server's processes begins a session of processes, and Linux weighs these against each other first
   * (sched(7), "autogroup"), with a weight that is not inherited. One that keeps a connection busy would have as much as all our threads.
   */
  lower(server: number): void {
    if (server !== this.#server) {
      this.#seen = new Set();
      attempt(() => setPriority(server, SERVER_NICE));
      attempt(() => lowerSession(String(server)));
    }
    this.#server = server;
    const children = attempt(() => readFileSync(`/proc/${server}/task/${server}/children`, 'latin1').split(' ')) ?? [];
    // Those that could not be lowered, since so few a second may be, are tried again.
    this.#seen = new Set(
      children.filter((pid) => pid !== '' && (this.#seen.has(pid) || attempt(() => lowerSession(pid)) === true)),
    );
  }
}

function lowerSession(pid: string): true {
  writeFileSync(`/proc/${pid}/autogroup`, String(SERVER_NICE));
  return true;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

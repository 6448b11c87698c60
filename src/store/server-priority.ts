import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Nice value of the server's processes. */
const SERVER_NICE = 10;

/**
 * Lets the processes of a PostgreSQL server give way: where processors are short, answers go first and rows wait in the journal. Where that is
 * not allowed or not known, nothing happens.
 *
 * Call it again and again: each of the server's processes begins a session of processes, and Linux weighs these against each other first
 * (sched(7), "autogroup"), with a weight that is not inherited. One that keeps a connection busy would have as much as all our threads.
 */
export function lowerPriority(server: number): void {
  attempt(() => setPriority(server, SERVER_NICE));
  if (process.platform !== 'linux') return;
  attempt(() => {
    const children = readFileSync(`/proc/${server}/task/${server}/children`, 'latin1').split(' ');
    for (const pid of [server, ...children]) if (pid !== '') attempt(() => lowerSession(pid));
  });
}

/** Only where it must be: few changes a second are allowed. */
function lowerSession(pid: number | string): void {
  const file = `/proc/${pid}/autogroup`;
  if (!readFileSync(file, 'latin1').includes(` nice ${SERVER_NICE}\n`)) writeFileSync(file, String(SERVER_NICE));
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // It works all the same.
  }
}

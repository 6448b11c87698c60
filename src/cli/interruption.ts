import { constants } from 'node:os';

/** Signals that ask a process to end. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Within this time a further signal is the same wish: a service manager sends two at once, and a terminal to a whole group. */
const SAME_WISH_MS = 500;

/**
 * Calls `stop` at the first signal that asks the process to end; a second wish ends it at once, with what `exitCodeOf` says. Returns what
 * leaves signals to Node again.
 */
export function onStopSignal(
  stop: (signal: NodeJS.Signals) => void,
  exitCodeOf: (signal: NodeJS.Signals) => number,
): () => void {
  let askedAtMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const nowMs = performance.now();
    if (askedAtMs !== undefined && nowMs - askedAtMs > SAME_WISH_MS) process.exit(exitCodeOf(signal));
    if (askedAtMs !== undefined) return;
    askedAtMs = nowMs;
    stop(signal);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
  };
}

/** A signal asked a command to end before it was done. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** What a shell tells of a program that a signal ended. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/**
 * Runs `work`, which must not be left half done, with a signal that a stop signal aborts, for the reason `Interrupted`, in place of ending the
 * process. A second one, later, ends the process at once.
 *
 * @throws {Interrupted} where `work` passes that on.
 */
export async function withInterruption<T>(work: (interrupted: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const unwatch = onStopSignal(
    (signal) => interruption.abort(new Interrupted(signal)),
    (signal) => new Interrupted(signal).exitCode,
  );
  try {
    return await work(interruption.signal);
  } finally {
    unwatch();
  }
}

/** Settles as `work` does, or is rejected where it is interrupted before: what it was at then still goes on. */
export function unlessInterrupted<T>(work: Promise<T>, interrupted: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    interrupted.addEventListener('abort', () => reject(interrupted.reason as Error), { once: true });
    if (interrupted.aborted) reject(interrupted.reason as Error);
    work.then(resolve, reject);
  });
}

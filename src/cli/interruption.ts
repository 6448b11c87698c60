import { constants } from 'node:os';

/** Signals that ask a process to end. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
 * Runs `work`, which must not be left half done, with a promise that a stop signal rejects in place of ending the process.
 * A second signal ends the process at once.
 *
 * @throws {Interrupted} where `work` passes that on.
 */
export async function withInterruption<T>(work: (interrupted: Promise<never>) => Promise<T>): Promise<T> {
  let interrupt: (error: Interrupted) => void = () => {};
  const interrupted = new Promise<never>((_resolve, reject) => {
    interrupt = reject;
  });
  // `work` may be somewhere where it does not look.
  interrupted.catch(() => {});
  let isAsked = false;
  const onSignal = (signal: NodeJS.Signals) => {
    const asked = new Interrupted(signal);
    if (isAsked) process.exit(asked.exitCode);
    isAsked = true;
    interrupt(asked);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  try {
    return await work(interrupted);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
  }
}

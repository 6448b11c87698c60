import { errorText } from './error-text.ts';
import { Patience } from './patience.ts';

/** How long a part may take to stop, unless it says more: a disk or a database that is slow needs a while. */
const STOP_MS_MAX = 20_000;

interface Part {
  readonly name: string;
  readonly stop: () => unknown;
  readonly stopMsMax: number;
}

/** A stop began while parts were being started: there will be no service. */
export class StartInterrupted extends Error {
  override readonly name = 'StartInterrupted';
}

/** What was started so far, to be stopped in the reverse order; before all else, and all at once, what only looks around now and then. */
export class StartedParts {
  readonly #parts: Part[] = [];
  readonly #watches: Part[] = [];
  readonly #failures: string[] = [];
  #stopped: Promise<void> | undefined;

  /**
   * Registers how to stop a part: call right after it was started, or before, where starting it may take long.
   *
   * @param name for the error where it does not stop.
   * @param stopMsMax after so long the part is left as it is, and the next one stopped.
   * @throws {StartInterrupted} once a stop began. The part is stopped then.
   */
  add(name: string, stop: () => unknown, stopMsMax = STOP_MS_MAX): void {
    this.#addTo(this.#parts, { name, stop, stopMsMax });
  }

  /** As `add`, for what nothing else needs any more once a stop began: if each waits for a database that is silent, they wait together. */
  addWatch(name: string, stop: () => unknown): void {
    this.#addTo(this.#watches, { name, stop, stopMsMax: STOP_MS_MAX });
  }

  /**
   * Stops every part, also when one fails to, or hangs. Further calls wait for the same.
   *
   * @throws {Error} that names the parts which did not stop, and says why.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  /** Whether a stop was asked for. */
  get areStopping(): boolean {
    return this.#stopped !== undefined;
  }

  #addTo(list: Part[], part: Part): void {
    if (this.#stopped === undefined) {
      list.push(part);
      return;
    }
    void this.#stopOne(part);
    throw new StartInterrupted(`stopped before it was started: ${part.name}`);
  }

  async #stopAll(): Promise<void> {
    await Promise.all(this.#watches.splice(0).map((part) => this.#stopOne(part)));
    for (const part of this.#parts.splice(0).toReversed()) await this.#stopOne(part);
    if (this.#failures.length > 0) throw new Error(`not stopped as it should be: ${this.#failures.join(', ')}`);
  }

  async #stopOne(part: Part): Promise<void> {
    await inTime(part).catch((error: unknown) => {
      this.#failures.push(`${part.name} (${errorText(error).split('\n', 1)[0]})`);
    });
  }
}

/** Something of many parts that starts, or has started. */
export interface Start<T> {
  /** Rejects where it cannot start, once what of it had started is stopped again. */
  readonly started: Promise<T>;
  /** Why it cannot start, known before the rest of it is stopped; undefined where it can, or was told to stop before. */
  failure(): { error: unknown } | undefined;
  /**
   * Stops it at any time: what is still being started by then does not get further.
   *
   * @throws {Error} that names what did not stop.
   */
  stop(): Promise<void>;
}

/** Begins `work`, which adds to `parts` what it starts. `onStopError` is told where it fails and what had started does not all stop. */
export function beginStart<T>(
  parts: StartedParts,
  work: () => Promise<T>,
  onStopError: (error: Error) => void,
): Start<T> {
  let failure: { error: unknown } | undefined;
  const started = work().catch(async (error: unknown) => {
    if (!parts.areStopping) failure = { error };
    await parts.stop().catch(onStopError);
    throw error;
  });
  // Whoever stops it before need not look at it.
  started.catch(() => {});
  return { started, failure: () => failure, stop: () => parts.stop() };
}

async function inTime({ stop, stopMsMax }: Part): Promise<void> {
  const stopping = (async () => stop())();
  if (!(await new Patience(stopMsMax).outlasts(stopping)))
    throw new Error(`it was still stopping after ${stopMsMax / 1000} s`);
}

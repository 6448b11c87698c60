import { randomUUID } from 'node:crypto';
import type { Sender } from './sender.ts';
import type { DemoEvent, DemoSession, SessionSource } from './session.ts';
import { ReplaySummary } from './summary.ts';

export interface ReplayOptions {
  /** Events sent in all, at most. */
  eventsMax: number;
  /** Events started in a second, at most. */
  perSecond: number;
  /** Sessions under way at once. */
  concurrency: number;
  /** Told of the summary as it grows, about once a second. */
  onProgress?: (summary: ReplaySummary) => void;
}

const PROGRESS_MS = 1000;

/**
 * Sends the sessions of `source`: several at once, each in its own order, every event after the answer to the last.
 * Rejects if the source does.
 */
export async function replay(source: SessionSource, sender: Sender, options: ReplayOptions): Promise<ReplaySummary> {
  const run = new Replay(sender, options);
  const sessions = iterate(source);
  const progress = setInterval(() => options.onProgress?.(run.summary), PROGRESS_MS);
  const drive = async () => {
    while (!run.full) {
      const next = await sessions.next();
      if (next.done) return;
      await run.play(next.value);
    }
  };
  try {
    await Promise.all(Array.from({ length: options.concurrency }, drive));
    return run.summary;
  } finally {
    clearInterval(progress);
    await sessions.return(undefined);
  }
}

async function* iterate(source: SessionSource): AsyncGenerator<DemoSession> {
  yield* source;
}

class Replay {
  readonly summary = new ReplaySummary();
  readonly #sender: Sender;
  readonly #options: ReplayOptions;
  readonly #startedAt = performance.now();
  #begun = 0;
  #isRefused = false;

  constructor(sender: Sender, options: ReplayOptions) {
    this.#sender = sender;
    this.#options = options;
  }

  /** Whether nothing more is to be sent: a token that was refused once is refused for every event. */
  get full(): boolean {
    return this.#isRefused || this.#begun >= this.#options.eventsMax;
  }

  /** A tool whose call was blocked does not run, so its result is not sent. */
  async play(session: DemoSession): Promise<void> {
    const sessionId = randomUUID();
    let blocked = false;
    for (const event of session.events) {
      if (this.full) return;
      if (blocked && event.event_type === 'tool_result') {
        this.summary.notRun++;
        continue;
      }
      blocked = await this.#send(session, sessionId, event);
    }
  }

  async #send(session: DemoSession, sessionId: string, event: DemoEvent): Promise<boolean> {
    await this.#turn();
    const sentAt = performance.now();
    const timestamp = new Date().toISOString();
    const { agent, user } = session;
    const outcome = await this.#sender.send({ ...event, session_id: sessionId, timestamp, agent, user });
    if (outcome.kind === 'refused' && outcome.status === 401) this.#isRefused = true;
    this.summary.note(session.label, outcome, (performance.now() - sentAt) * 1000);
    return outcome.kind === 'decided' && outcome.action === 'block';
  }

  /** Waits until the next event may start: event n not before n / perSecond. */
  async #turn(): Promise<void> {
    const dueAt = this.#startedAt + (this.#begun++ * 1000) / this.#options.perSecond;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

import { errorLine } from './error-text.ts';
import { PollLoop } from './poll-loop.ts';

export interface FollowingOptions {
  /** What is looked at, in the plural, as its problems name it. */
  what: string;
  /** From the end of one look to the next. */
  everyMs: number;
  /** One look. Rejects where the source, or what is kept of it, fails: what was known before stays. */
  look: () => Promise<void>;
}

/** Looks at a source again and again. When a look fails it says so in one line, and again only after one worked in between. */
export class Following {
  readonly #options: FollowingOptions;
  readonly #loop: PollLoop;
  #report: (problem: string) => void = () => {};
  #isFailing = false;

  constructor(options: FollowingOptions) {
    this.#options = options;
    this.#loop = new PollLoop(options.everyMs, () => this.#look());
  }

  /** Looks once now, and from then on by itself until `stop`. Resolves after the first look, successful or not. */
  start(report: (problem: string) => void): Promise<void> {
    this.#report = report;
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #look(): Promise<void> {
    try {
      await this.#options.look();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#report(`${this.#options.what} are not up to date: ${errorLine(error)}`);
      this.#isFailing = true;
    }
  }
}

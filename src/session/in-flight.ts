import { Bag } from '../lib/bag.ts';
import type { Answer } from './received-event.ts';

/** An event that was not answered yet. */
class Unanswered {
  readonly dedupe: string;
  readonly answer: Promise<Answer>;
  resolve!: (answer: Answer) => void;

  constructor(dedupe: string) {
    this.dedupe = dedupe;
    this.answer = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}

/** The events of a session that were not answered yet: the same event sent again meanwhile gets the same answer. */
export class InFlight {
  readonly #events = new Bag<Unanswered>();

  get size(): number {
    return this.#events.size;
  }

  /** The answer to come of an event with the same idempotency key. */
  find(dedupe: string): Promise<Answer> | undefined {
    return this.#events.find((event) => event.dedupe === dedupe)?.answer;
  }

  /** Takes an event in, until `settle` is called. */
  add(dedupe: string): { answer: Promise<Answer>; settle: (answer: Answer) => void } {
    const event = new Unanswered(dedupe);
    this.#events.add(event);
    const settle = (answer: Answer): void => {
      this.#events.delete(event);
      event.resolve(answer);
    };
    return { answer: event.answer, settle };
  }
}

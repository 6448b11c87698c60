import type { Cut } from '../domain/decision.ts';
import type { Budget } from './budget.ts';

/** The bound of a cut that time made, and nothing that another run would have. */
export const BUDGET_BOUND = 'budget';

/** Whether time was over before everything was looked at. */
export function isCutByTime({ cuts }: { cuts: readonly Cut[] }): boolean {
  return cuts.some(({ bound }) => bound === BUDGET_BOUND);
}

/** Of one event: a try costs some 40 µs, half a megabyte 2 ms. */
export const UNPACKED_RUNS_MAX = 32;
const UNPACKED_BYTES_MAX = 524_288;

/**
 * What one inspection may still do, and what it left out. Every stage takes it: a stage that stops early says so
 * here, so that a cut is never silent.
 */
export class Allowance {
  readonly cuts: Cut[] = [];
  /** Packed runs that may still be tried, and bytes that may come out of them: each costs time, whatever comes of it. */
  readonly unpacking = { runs: UNPACKED_RUNS_MAX, bytes: UNPACKED_BYTES_MAX };
  readonly #whole: Budget;
  #budget: Budget;
  #over = false;

  constructor(budget: Budget) {
    this.#whole = budget;
    this.#budget = budget.detectors ?? budget;
  }

  /** Records that `what` was cut at `bound`, once. */
  cut(what: string, bound: string): void {
    if (!this.cuts.some((cut) => cut.what === what && cut.bound === bound)) this.cuts.push({ what, bound });
  }

  /** The detectors are done, or have to be: from now on the whole budget counts. */
  endDetection(): void {
    if (this.#budget === this.#whole) return;
    this.#budget = this.#whole;
    this.#over = false;
  }

  /** Whether the budget is used up. `what` is then recorded as cut by it; once over, it stays over. */
  over(what: string): boolean {
    this.#over ||= this.#budget.exhausted();
    if (this.#over) this.cut(what, BUDGET_BOUND);
    return this.#over;
  }
}

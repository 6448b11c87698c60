import { LatencyHistogram } from '../../src/cli/demo/latency-histogram.ts';
import type { PacedResult } from './load.ts';

/** How often each status was answered; `broken` counts the requests that never were. */
export type StatusCounts = Record<string, number>;

/** What a load generator notes while it runs. */
export class Tally {
  readonly latencies = new LatencyHistogram();
  readonly lags = new LatencyHistogram();
  readonly statuses: StatusCounts = {};
  readonly intruderStatuses: StatusCounts = {};
  readonly #startedAt = performance.now();

  /** Sums up, as of now. */
  result(): PacedResult {
    const { broken = 0, ...answered } = this.statuses;
    const refused = Object.entries(answered).filter(([status]) => !/^[23]/.test(status));
    return {
      answered: sum(Object.values(answered)),
      seconds: (performance.now() - this.#startedAt) / 1000,
      refused: sum(refused.map(([, count]) => count)),
      broken,
      p50Us: this.latencies.percentileUs(50),
      p99Us: this.latencies.percentileUs(99),
      p999Us: this.latencies.percentileUs(99.9),
      maxUs: this.latencies.maxUs,
      lagP99Us: this.lags.percentileUs(99),
      statuses: this.statuses,
      intruderStatuses: this.intruderStatuses,
    };
  }
}

export function count(counts: StatusCounts, key: string | number, by = 1): void {
  counts[key] = (counts[key] ?? 0) + by;
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

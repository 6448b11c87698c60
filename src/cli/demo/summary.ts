import { columns, formatCount, formatMs } from './columns.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import type { SendOutcome } from './sender.ts';
import type { DemoSession } from './session.ts';

type Label = DemoSession['label'];

/** Counts what came of a replay. */
export class ReplaySummary {
  readonly #latencies = new LatencyHistogram();
  readonly #allowed: Record<Label, number> = { benign: 0, attack: 0 };
  readonly #blocked: Record<Label, number> = { benign: 0, attack: 0 };
  readonly #errors = new Map<string, { count: number; detail: string }>();
  readonly #startedAt = performance.now();
  /** Tool results that were not sent, because their call had been blocked. */
  notRun = 0;
  sent = 0;
  accepted = 0;

  note(label: Label, outcome: SendOutcome, tookUs: number): void {
    this.sent++;
    if (outcome.kind !== 'unanswered') this.#latencies.record(tookUs);
    if (outcome.kind === 'unanswered') this.#error(outcome.code, 'no answer');
    else if (outcome.kind === 'refused') this.#error(String(outcome.status), outcome.detail);
    else if (outcome.kind === 'accepted') this.accepted++;
    else if (outcome.action === 'allow') this.#allowed[label]++;
    else this.#blocked[label]++;
  }

  #error(key: string, detail: string): void {
    const seen = this.#errors.get(key);
    if (seen === undefined) this.#errors.set(key, { count: 1, detail });
    else seen.count++;
  }

  get errors(): number {
    return [...this.#errors.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** One line, while it runs. */
  progress(): string {
    const blocked = this.#blocked.benign + this.#blocked.attack;
    return `${formatCount(this.sent)} events sent, ${formatCount(blocked)} blocked, ${formatCount(this.errors)} errors`;
  }

  /** The table at the end. */
  toString(): string {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const decisions = (counts: Record<Label, number>) => [
      formatCount(counts.benign + counts.attack),
      `benign sessions ${formatCount(counts.benign)}, attacks ${formatCount(counts.attack)}`,
    ];
    const rows = [
      ['sent', formatCount(this.sent), `${formatCount(this.sent / seconds)}/s for ${seconds.toFixed(1)} s`],
      ['allowed (200)', ...decisions(this.#allowed)],
      ['blocked (200)', ...decisions(this.#blocked)],
      ['accepted (202)', formatCount(this.accepted), ''],
      ['not run', formatCount(this.notRun), 'results of blocked calls'],
      ['errors', formatCount(this.errors), ''],
      ...[...this.#errors].map(([key, { count, detail }]) => [`  ${key}`, formatCount(count), detail.slice(0, 100)]),
      ['p50', formatMs(this.#latencies.percentileUs(50)), ''],
      ['p99', formatMs(this.#latencies.percentileUs(99)), ''],
    ];
    return columns(rows, [0, 2]);
  }
}

import { assert } from '../../src/lib/assert.ts';
import { Ledger, type LedgerLoad, type RunningLoad, startLoad } from '../../test/support/load.ts';
import type { Service } from '../../test/support/service.ts';
import type { CrashSite } from './crash-site.ts';
import { seededRandom } from './random.ts';
import { compare, type Difference, storedAfterCatchUp } from './stored-events.ts';

/** Cycles of load, crash and restart, and the count of what they cost (P2, P3). */

export interface CrashRun {
  cycles: number;
  /** The moments of the crashes follow from it. */
  seed: number;
  /** So many crashes strike while it starts for the very first time. */
  firstStarts: number;
  /** Longest time under load before a crash, in milliseconds. */
  loadMsMax: number;
  onCycle?: (cycle: number, ledger: Ledger) => void;
}

export interface CrashReport extends Difference {
  crashes: number;
  /** Of the crashes, those in the middle of a start. */
  crashesInStart: number;
  /** Sent again after a crash because no acknowledgement had come, and because one had come just before it. */
  sentAgain: number;
}

const CONNECTIONS = 32;
const SENT_AGAIN_ACKNOWLEDGED = 100;
const ATTEMPTS_MAX = 40;
const ATTEMPT_PAUSE_MS = 500;
/** Of a hundred crashes, so many strike a second time while the service starts. */
const CRASHES_IN_START_PERCENT = 15;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Runs the cycles on `site` and compares what was acknowledged with what is stored in the end.
 *
 * @throws if the service does not start again after a crash.
 */
export async function crashCycles(site: CrashSite, run: CrashRun): Promise<CrashReport> {
  const random = seededRandom(run.seed);
  const cycles = new Cycles(site, new Ledger(`run${run.seed}x${Date.now().toString(36)}`));
  for (let start = 0; start < run.firstStarts; start++) await cycles.crashInStart(random());
  for (let cycle = 1; cycle <= run.cycles; cycle++) {
    if (cycle > 1 && random() * 100 < CRASHES_IN_START_PERCENT) await cycles.crashInStart(random());
    await cycles.start();
    await cycles.sendAgain();
    await cycles.crashUnderLoad(20 + random() * run.loadMsMax);
    run.onCycle?.(cycle, cycles.ledger);
  }
  await cycles.start();
  await cycles.sendAllAgain();
  const report = await cycles.report();
  return { crashes: run.cycles + report.crashesInStart, ...report };
}

class Cycles {
  readonly ledger: Ledger;
  readonly #site: CrashSite;
  #service: Service | undefined;
  #token = '';
  #startMs = 1000;
  #crashesInStart = 0;
  #sentAgain = 0;

  constructor(site: CrashSite, ledger: Ledger) {
    this.#site = site;
    this.ledger = ledger;
  }

  async start(): Promise<void> {
    const startedAt = performance.now();
    this.#service = this.#site.boot();
    await this.#service.start();
    this.#startMs = performance.now() - startedAt;
    // One token for all cycles: the keys must survive as well.
    if (this.#token === '') this.#token = await this.#service.token();
  }

  /** Crashes it `share` (0 to 1) of a start's usual time after it was called. */
  async crashInStart(share: number): Promise<void> {
    this.#crashesInStart++;
    const service = this.#site.boot();
    service.spawn();
    await pause(share * this.#startMs);
    await this.#site.crash(service);
  }

  async crashUnderLoad(afterMs: number): Promise<void> {
    const load = this.#load(() => this.ledger.next());
    await pause(afterMs);
    await this.#site.crash(this.#running());
    await load.done;
  }

  /** Sends what was not acknowledged, and some of what was: a sensor cannot tell in which of the two the crash fell. */
  async sendAgain(): Promise<void> {
    const { open, acknowledged } = this.ledger;
    const left = [...open, ...acknowledged.slice(-SENT_AGAIN_ACKNOWLEDGED)];
    this.#sentAgain += left.length;
    await this.#load(() => left.shift()).done;
  }

  /** Until the service took everything: after a crash it may have to make up leeway first. */
  async sendAllAgain(): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      await this.sendAgain();
      if (this.ledger.open.length === 0) return;
      await pause(ATTEMPT_PAUSE_MS);
    }
  }

  async report(): Promise<Omit<CrashReport, 'crashes'>> {
    const stored = await storedAfterCatchUp(this.#running(), this.ledger.run);
    await this.#running().stop();
    const counts = { crashesInStart: this.#crashesInStart, sentAgain: this.#sentAgain };
    return { ...counts, ...compare(this.ledger.entries, stored) };
  }

  #running(): Service {
    assert(this.#service !== undefined, 'the service was started');
    return this.#service;
  }

  #load(next: LedgerLoad['next']): RunningLoad {
    return startLoad({ url: this.#running().url, token: this.#token, connections: CONNECTIONS, next });
  }
}

import type { LatencyHistogram } from '../../src/cli/demo/latency-histogram.ts';
import { RawConnection } from '../../test/support/raw-connection.ts';
import { type EventTemplate, eventBody } from './event-template.ts';
import { type PacedLoad, type PacedResult, requestHead } from './load.ts';
import { count, type StatusCounts, Tally } from './tally.ts';

/** An event whose time has come. */
interface Due {
  body: string;
  /** On `performance.now()`. */
  dueAt: number;
  statuses: StatusCounts;
  latencies?: LatencyHistogram;
}

/** Sends what is due, or keeps it until a connection is free; measures from when it was due, either way. */
class PacedSender {
  readonly #load: PacedLoad;
  readonly #tally: Tally;
  readonly #countFrom: number;
  readonly #head: string;
  readonly #idle: RawConnection[] = [];
  readonly #waiting: Due[] = [];
  #opened = 0;
  #inFlight = 0;

  constructor(load: PacedLoad, tally: Tally, countFrom: number) {
    this.#load = load;
    this.#tally = tally;
    this.#countFrom = countFrom;
    this.#head = requestHead(load);
  }

  get unanswered(): number {
    return this.#inFlight + this.#waiting.length;
  }

  send(due: Due): void {
    const connection = this.#idle.pop() ?? this.#open();
    if (connection === undefined) this.#waiting.push(due);
    else this.#sendOn(connection, due);
  }

  #open(): RawConnection | undefined {
    if (this.#opened === this.#load.connectionsMax) return undefined;
    this.#opened++;
    return new RawConnection(this.#load.url);
  }

  #sendOn(connection: RawConnection, due: Due): void {
    this.#inFlight++;
    const counted = due.dueAt >= this.#countFrom;
    if (counted) this.#tally.lags.record((performance.now() - due.dueAt) * 1000);
    connection.send(`${this.#head}Content-Length: ${due.body.length}\r\n\r\n${due.body}`, (answer) => {
      this.#inFlight--;
      count(due.statuses, answer === 'broken' ? answer : answer.status);
      if (counted) due.latencies?.record((performance.now() - due.dueAt) * 1000);
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(connection);
      else this.#sendOn(connection, next);
    });
  }
}

/** Events at even distances, from a shared start. */
class Stream {
  readonly #startAt: number;
  readonly #perSecond: number;
  readonly #due: (index: number) => Omit<Due, 'dueAt'>;
  #sent = 0;

  constructor(startAt: number, perSecond: number, due: (index: number) => Omit<Due, 'dueAt'>) {
    this.#startAt = startAt;
    this.#perSecond = perSecond;
    this.#due = due;
  }

  /** The events that became due by `now`. */
  *upTo(now: number): Generator<Due> {
    for (;;) {
      const dueAt = this.#startAt + (this.#sent * 1000) / this.#perSecond;
      if (dueAt > now) return;
      yield { ...this.#due(this.#sent++), dueAt };
    }
  }
}

/** The first events compile the generator's and the server's code; their latencies are not counted. */
const WARM_UP_SECONDS = 2;
/** How long answers are waited for after the last event was sent. */
const DRAIN_MS_MAX = 15_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs `load` on this thread. */
export async function runPaced(load: PacedLoad): Promise<PacedResult> {
  const tally = new Tally();
  const startAt = performance.now() + 50;
  const countFrom = startAt + WARM_UP_SECONDS * 1000;
  const sender = new PacedSender(load, tally, countFrom);
  const endAt = countFrom + load.seconds * 1000;
  const { statuses, latencies, intruderStatuses } = tally;
  const body = (templates: EventTemplate[], index: number) => eventBody(templates, load.firstSerial + index);
  const streams = [
    new Stream(startAt, load.eventsPerSecond, (index) => ({ body: body(load.templates, index), statuses, latencies })),
  ];
  if (load.intruders !== undefined) {
    const { template, perSecond } = load.intruders;
    streams.push(
      new Stream(startAt, perSecond, (index) => ({ body: body([template], index), statuses: intruderStatuses })),
    );
  }
  for (let now = startAt; now < endAt; now = performance.now()) {
    for (const stream of streams) for (const due of stream.upTo(now)) sender.send(due);
    await pause(1);
  }
  const giveUpAt = performance.now() + DRAIN_MS_MAX;
  while (sender.unanswered > 0 && performance.now() < giveUpAt) await pause(10);
  count(tally.statuses, 'broken', sender.unanswered);
  return tally.result();
}

import { Signal } from '../../lib/signal.ts';
import { Pulled } from './pulled.ts';

/** Something that is read again and again for as long as somebody watches it. */
export interface Reading<Value> {
  /** Whoever watches under the same key shares what is read. */
  key: string;
  /** May reject: the next tick tries again. */
  read: () => Promise<Value>;
  /** Whether it is told to who was told `before` last; every value is where this is absent. */
  isNews?: (value: Value, before: Value) => boolean;
  /** Whether nothing comes after it. */
  isLast?: (value: Value) => boolean;
}

export interface Tick<Value> {
  value: Value;
  /** How many ticks were left out since the one before. */
  missed: number;
}

const TICK_MS = 1_000;

interface Made {
  tick: number;
  isPending: boolean;
  value: Promise<unknown>;
}

/** What has no feed: read at most once a second for all who watch it. */
export class LiveReadings {
  readonly #made = new Map<string, Made>();
  readonly #ticked = new Signal();
  readonly #readers = new Set<{ return: () => unknown }>();
  #tick = 1;
  #timer: NodeJS.Timeout | undefined;

  get tick(): number {
    return this.#tick;
  }

  watch<Value>(reading: Reading<Value>): ReadingReader<Value> {
    const reader = new ReadingReader(this, reading, () => this.#leave(reader));
    this.#readers.add(reader);
    this.#timer ??= setInterval(() => this.#goOn(), TICK_MS).unref();
    return reader;
  }

  /** Settled with the next tick, or when somebody left. */
  ticked(): Promise<void> {
    return this.#ticked.wait();
  }

  /** What is read in this tick, by whoever asks first. Rejects where it cannot be read. */
  make<Value>({ key, read }: Reading<Value>): Promise<Value> {
    const known = this.#made.get(key);
    if (known !== undefined && (known.tick === this.#tick || known.isPending)) return known.value as Promise<Value>;
    const value = read();
    const made: Made = { tick: this.#tick, isPending: true, value };
    this.#made.set(key, made);
    return value.finally(() => {
      made.isPending = false;
    });
  }

  stop(): void {
    for (const reader of this.#readers) reader.return();
  }

  #goOn(): void {
    this.#tick++;
    for (const [key, { tick, isPending }] of this.#made)
      if (!isPending && tick < this.#tick - 1) this.#made.delete(key);
    this.#ticked.raise();
  }

  #leave(reader: { return: () => unknown }): void {
    this.#readers.delete(reader);
    this.#ticked.raise();
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#made.clear();
  }
}

/** One who watches a reading: gets the newest when they ask. */
export class ReadingReader<Value> extends Pulled<Tick<Value>> {
  readonly #source: LiveReadings;
  readonly #reading: Reading<Value>;
  #seen: number;
  #told: { value: Value } | undefined;

  constructor(source: LiveReadings, reading: Reading<Value>, onOver: () => void) {
    super(onOver);
    this.#source = source;
    this.#reading = reading;
    this.#seen = source.tick - 1;
  }

  override async next(): Promise<IteratorResult<Tick<Value>, undefined>> {
    while (!this.isOver) {
      const { tick } = this.#source;
      const made = tick > this.#seen ? await this.#make() : undefined;
      if (made !== undefined) {
        const missed = tick - this.#seen - 1;
        this.#seen = tick;
        if (this.#isNews(made.value)) return this.#tell(made.value, missed);
      }
      await this.#source.ticked();
    }
    return { done: true, value: undefined };
  }

  #isNews(value: Value): boolean {
    return this.#told === undefined || this.#reading.isNews?.(value, this.#told.value) !== false;
  }

  #tell(value: Value, missed: number): IteratorResult<Tick<Value>, undefined> {
    this.#told = { value };
    if (this.#reading.isLast?.(value) === true) void this.return();
    return { done: false, value: { value, missed } };
  }

  /** Undefined where it cannot be read: the next tick tries again. */
  #make(): Promise<{ value: Value } | undefined> {
    return this.#source.make(this.#reading).then(
      (value) => ({ value }),
      () => undefined,
    );
  }
}

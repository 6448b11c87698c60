import { letThrough } from '../domain/decision.ts';
import type { EventId } from '../domain/ids.ts';
import type { JournalRecord } from '../domain/record.ts';
import { Bag } from '../lib/bag.ts';
import type { Item } from './items.ts';

/** What waits for its turn in a session, oldest first, and whose turn it is: one after the other, but for those that overtake. */
export class Mailbox {
  #waiting: Item[] = [];
  /** How many of each kind wait: asked for with every event, and what waits may be hundreds. */
  readonly #counts: Record<Item['kind'], number> = { decide: 0, scan: 0, release: 0 };
  readonly #running = new Bag<Item>();

  get empty(): boolean {
    return this.#waiting.length === 0 && this.#running.size === 0;
  }

  get busy(): boolean {
    return this.#running.size > 0;
  }

  waiting(kind: Item['kind']): number {
    return this.#counts[kind];
  }

  put(item: Item): void {
    this.#waiting.push(item);
    this.#counts[item.kind]++;
  }

  /** Puts `item` where its event stands among what waits: what came after that waits for it. */
  putInOrder(item: Item): void {
    const position = this.#waiting.findIndex(({ id }) => id > item.id);
    this.#waiting.splice(position < 0 ? this.#waiting.length : position, 0, item);
    this.#counts[item.kind]++;
  }

  /** Takes out what waits first. Nobody's turn begins by that. */
  take(): Item | undefined {
    const item = this.#waiting.shift();
    if (item !== undefined) this.#counts[item.kind]--;
    return item;
  }

  /** Takes `item` out, if it waits. */
  remove(item: Item): void {
    const position = this.#waiting.indexOf(item);
    if (position < 0) return;
    this.#waiting.splice(position, 1);
    this.#counts[item.kind]--;
  }

  /** What comes before `item`, or undefined where it does not wait. */
  before(item: Item): Item[] | undefined {
    const position = this.#waiting.indexOf(item);
    return position < 0 ? undefined : [...this.#running, ...this.#waiting.slice(0, position)];
  }

  begin(item: Item): void {
    this.#running.add(item);
  }

  end(item: Item): void {
    this.#running.delete(item);
  }

  /** Whether a decision that did not wait for `event` is not reached yet. */
  isOvertaking(event: EventId): boolean {
    for (const running of this.#running)
      if (running.kind === 'decide' && running.phase === 'inspecting' && running.notWaitedFor.includes(event))
        return true;
    return false;
  }

  /** Somebody waits now for inspections that nobody waited for. */
  hurry(): void {
    for (const running of this.#running) if (running.kind === 'scan') running.hurry?.();
  }

  /** Those that wait came before `record`, where it is not their own: they are told of as many events as came before them. */
  noteRecorded(record: JournalRecord): void {
    if (this.#counts.decide === 0 || (record.kind !== 'event' && record.kind !== 'decision')) return;
    for (const item of this.#waiting) {
      if (item.kind !== 'decide' || item.id > record.event) continue;
      item.later.eventsCount++;
      if (record.kind === 'decision' && !letThrough(record.decision)) item.later.blockedCount++;
    }
  }

  /** Takes out all that waits and is not decided. */
  giveUpUndecided(): Item[] {
    const givenUp = this.#waiting.filter(({ kind }) => kind !== 'decide');
    this.#waiting = this.#waiting.filter(({ kind }) => kind === 'decide');
    this.#counts.scan = 0;
    this.#counts.release = 0;
    return givenUp;
  }

  /** Takes out everything, also those whose turn it is. */
  drain(): Item[] {
    const all = [...this.#waiting, ...this.#running];
    this.#waiting = [];
    for (const { kind } of all) this.#counts[kind] = 0;
    this.#running.clear();
    return all;
  }
}

/** The two bounds of an `Lru`; whichever is reached first makes room. */
export interface LruBounds {
  entriesMax: number;
  /** Sum of the sizes that the entries were stored with. */
  bytesMax: number;
}

interface Entry<V> {
  value: V;
  bytes: number;
}

/**
 * A bounded memory of what was used last, by text key.
 *
 * Two generations (Dominic Tarr's "hashlru"): entries live in the young one, and when that holds half of a bound, the
 * old one is forgotten and the young one takes its place; a hit in the old one brings the entry back. So a hit writes
 * nothing as a rule, at the price that only the newer half is certain to be kept. Never holds more than its bounds; an
 * entry larger than half of `bytesMax` is not kept at all.
 */
export class Lru<V> {
  readonly #halfEntries: number;
  readonly #halfBytes: number;
  #young = new Map<string, Entry<V>>();
  #old = new Map<string, Entry<V>>();
  #youngBytes = 0;
  #oldBytes = 0;

  constructor(bounds: LruBounds) {
    this.#halfEntries = Math.max(1, Math.floor(bounds.entriesMax / 2));
    this.#halfBytes = Math.floor(bounds.bytesMax / 2);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get bytes(): number {
    return this.#youngBytes + this.#oldBytes;
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.set(key, old.value, old.bytes);
    return old.value;
  }

  /** Keeps `value`, which with its key takes about `bytes` bytes, in place of an earlier one of the same key. */
  set(key: string, value: V, bytes: number): void {
    this.delete(key);
    if (bytes > this.#halfBytes) return;
    if (this.#young.size + 1 > this.#halfEntries || this.#youngBytes + bytes > this.#halfBytes) this.#age();
    this.#young.set(key, { value, bytes });
    this.#youngBytes += bytes;
  }

  delete(key: string): void {
    this.#youngBytes -= take(this.#young, key);
    this.#oldBytes -= take(this.#old, key);
  }

  clear(): void {
    this.#age();
    this.#age();
  }

  #age(): void {
    this.#old = this.#young;
    this.#oldBytes = this.#youngBytes;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}

/** Removes the entry and returns the bytes it took. */
function take<V>(generation: Map<string, Entry<V>>, key: string): number {
  const bytes = generation.get(key)?.bytes ?? 0;
  generation.delete(key);
  return bytes;
}

/** Numbers that are the same for the same seed. */
export interface Random {
  /** From 0 up to but without 1. */
  next(): number;
  pick<T>(items: readonly T[]): T;
  shuffle(items: unknown[]): void;
}

export function randomOf(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    pick: (items) => {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    shuffle: (items) => {
      for (let index = items.length - 1; index > 0; index--) {
        const other = Math.floor(next() * (index + 1));
        const held = items[index];
        items[index] = items[other];
        items[other] = held;
      }
    },
  };
}

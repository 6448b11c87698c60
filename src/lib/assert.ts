/** Throws if an invariant of our own code does not hold. Never for bad input: that is an expected outcome. */
export function assert(condition: unknown, invariant: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${invariant}`);
}

/** Marks a branch that the types rule out. */
export function unreachable(value: never): never {
  throw new Error(`invariant broken: unexpected ${JSON.stringify(value)}`);
}

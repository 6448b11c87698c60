/** Throws if an invariant of our own code does not hold. Never for bad input: that is an expected outcome. */
export function assert(condition: unknown, invariant: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${invariant}`);
}

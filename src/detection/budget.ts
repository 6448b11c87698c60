/** Cooperative time budget of one inspection: asked between stages and inside long loops. */
export interface Budget {
  exhausted(): boolean;
  /** The detectors' part of it, where they have one: what is left is the policies', so that what was found by then counts. */
  readonly detectors?: Budget;
}

/** A budget that never runs out: for recomputing stored decisions, and for tests. */
export const unlimited: Budget = { exhausted: () => false };

/** What detectors may take of an inspection's time. The policies take some tenths of a millisecond, a thread that stands still more. */
const DETECTORS_SHARE = 0.75;

/** The time from now until `endMs` of `clock`, in milliseconds. */
export function budgetUntil(endMs: number, clock: () => number): Budget {
  const startMs = clock();
  const detectedMs = startMs + (endMs - startMs) * DETECTORS_SHARE;
  return { exhausted: () => clock() >= endMs, detectors: { exhausted: () => clock() >= detectedMs } };
}

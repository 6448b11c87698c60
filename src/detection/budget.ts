/** Cooperative time budget of one inspection: asked between stages and inside long loops. */
export interface Budget {
  exhausted(): boolean;
}

/** A budget that never runs out: for recomputing stored decisions, and for tests. */
export const unlimited: Budget = { exhausted: () => false };

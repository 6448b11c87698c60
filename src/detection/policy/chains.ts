/** What a sequence waits for. */
export interface SequenceShape {
  stepsCount: number;
  withinMs: number;
  ordered: boolean;
}

/** How far a sequence has come. Plain data. */
export interface Chain {
  /** When it was last touched. */
  atMs: number;
  /**
   * By step. Ordered: when the newest chain began that has come so far. Not ordered: when the step was last seen. 0
   * where there is none.
   */
  startsMs: readonly number[];
}

/**
 * `chain` after an event at `atMs` that fits `steps` (indices). An event fills one step of a chain only, so that two steps of
 * the same form take two events; it may fill another step of another chain, and begin one.
 */
export function advanceChain(
  chain: Chain | undefined,
  shape: SequenceShape,
  steps: readonly number[],
  atMs: number,
): { chain: Chain; complete: boolean } {
  const nowMs = Math.max(atMs, chain?.atMs ?? 0);
  const sinceMs = nowMs - shape.withinMs;
  const startsMs = Array.from({ length: shape.stepsCount }, (_, index) => chain?.startsMs[index] ?? 0).map((startMs) =>
    startMs >= sinceMs ? startMs : 0,
  );
  const complete = shape.ordered ? fillNext(startsMs, steps, nowMs) : fillAny(startsMs, steps, nowMs);
  return { chain: { atMs: nowMs, startsMs }, complete };
}

/** Each of the steps that fit, the furthest first: it takes over the chain that had come to the step before. Keeps the newest beginning: it lasts longest. */
function fillNext(startsMs: number[], steps: readonly number[], nowMs: number): boolean {
  let isComplete = false;
  for (const step of [...steps].sort((left, right) => right - left)) {
    const startMs = step === 0 ? nowMs : (startsMs[step - 1] ?? 0);
    if (startMs === 0) continue;
    // Nothing is forgotten on completion: the next event that fits the last step completes the sequence too.
    if (step === startsMs.length - 1) isComplete = true;
    else startsMs[step] = Math.max(startsMs[step] ?? 0, startMs);
  }
  return isComplete;
}

/** Of the steps that fit, the one that was not seen for longest. */
function fillAny(startsMs: number[], steps: readonly number[], nowMs: number): boolean {
  const [oldest] = [...steps].sort((left, right) => (startsMs[left] ?? 0) - (startsMs[right] ?? 0) || left - right);
  if (oldest === undefined) return false;
  startsMs[oldest] = nowMs;
  return startsMs.every((startMs) => startMs > 0);
}

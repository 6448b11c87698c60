/**
 * Gives way to whatever else waits for the thread in the midst of long work: `await giveWay()` in a loop goes on in the
 * same turn of the event loop until `turnMs` have passed, and in a later one then.
 */
export function takingTurns(turnMs: number): () => Promise<void> | undefined {
  let beganMs = performance.now();
  return () => {
    if (performance.now() - beganMs < turnMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        beganMs = performance.now();
        resolve();
      });
    });
  };
}

/**
 * Milliseconds of processor time that the quickest of `turns` runs of `work` took. It is this process's own, so that a
 * busy machine counts for little: for saying how time grows, or that something is done by far in time.
 *
 * @param enoughMs a run that took no more is quick enough: there is no further one.
 */
export function cpuMsOf(work: () => unknown, turns = 3, enoughMs = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < turns && least > enoughMs; turn++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** `chars` of `unit` after `unit`. */
export function repeated(unit: string, chars: number): string {
  return unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
}

/**
 * What `run` takes on `unit` repeated to each of two lengths, and what the longer one may take, by the shorter one's time: `longMsMax`.
 */
export function timesOf(
  run: (text: string) => unknown,
  { unit, chars, longMsMax }: { unit: string; chars: [number, number]; longMsMax: (shortMs: number) => number },
): { short: number; long: number; max: number } {
  const timeOf = (length: number, enoughMs?: number) => {
    const text = repeated(unit, length);
    return cpuMsOf(() => run(text), 3, enoughMs);
  };
  const short = timeOf(chars[0]);
  const max = longMsMax(short);
  return { short, long: timeOf(chars[1], max), max };
}

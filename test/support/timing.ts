/**
 * Milliseconds of processor time that the quickest of `turns` runs of `work` took. It is this process's own, so that a
 * busy machine counts for little: for saying how time grows, or that something is done by far in time.
 */
export function cpuMsOf(work: () => unknown, turns = 3): number {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < turns; turn++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** What `run` takes on `unit` repeated to each of two lengths: for comparing one with the other. */
export function timesOf(run: (text: string) => unknown, unit: string, chars: [number, number]): [number, number] {
  const [short, long] = chars.map((length) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length));
  return [cpuMsOf(() => run(short as string)), cpuMsOf(() => run(long as string))];
}

/**
 * Milliseconds that `run` takes on `unit` repeated to each of two lengths, the best of a few runs each: for comparing
 * one with the other, which says how time grows, never for how fast the machine is.
 */
export function timesOf(run: (text: string) => unknown, unit: string, chars: [number, number]): [number, number] {
  return chars.map((length) => best(() => run(unit.repeat(Math.ceil(length / unit.length)).slice(0, length)))) as [
    number,
    number,
  ];
}

const RUNS = 2;

function best(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < RUNS; round++) {
    const start = performance.now();
    run();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

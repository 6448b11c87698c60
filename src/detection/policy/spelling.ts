const NAMES_MAX = 512;
const NAME_CHARS_MAX = 64;

/** `: did you mean "x"?` where one of `known` is close to `name`; else what there is, where that is short; else nothing. */
export function closest(name: string, known: readonly string[]): string {
  const best = nearest(name, known);
  if (best !== undefined) return `: did you mean "${best}"?`;
  return known.length > 0 && known.length <= LISTED_MAX ? `: there is ${[...known].sort().join(', ')}` : '';
}

/** Which of `known` is meant by `name`, if one is close to it. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.min(3, Math.floor(name.length / 3)));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of known.slice(0, NAMES_MAX)) {
    const distance = distanceOf(fold(name), fold(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

const LISTED_MAX = 16;

function fold(name: string): string {
  return name.slice(0, NAME_CHARS_MAX).toLowerCase().replace(/[_-]/g, '');
}

/** Optimal string alignment distance of two short names, or at least `limit` where it is not below that. */
function distanceOf(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1] ? 0 : 1;
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[right.length] ?? limit;
}

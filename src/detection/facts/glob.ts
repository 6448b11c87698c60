/** Whether `text` holds a character that a shell would read as a pattern. */
export function hasGlob(text: string): boolean {
  return /[*?[]/.test(text);
}

/**
 * Whether the shell pattern `pattern` (`*`, `?`, `[…]`) matches the whole of `text`; `*` and `?` do not match a slash.
 * Backtracks to the last star only: time is at most the product of both lengths.
 */
export function globMatches(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = -1;
  while (t < text.length) {
    const step = p < pattern.length ? matchOne(pattern, p, text[t] as string) : -1;
    if (pattern[p] === '*') {
      star = p++;
      resume = t;
    } else if (step > 0) {
      p = step;
      t++;
    } else if (star >= 0 && text[resume] !== '/') {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** The index behind the pattern element at `p` if it matches `char`, else -1. A star is the caller's. */
function matchOne(pattern: string, p: number, char: string): number {
  const element = pattern[p];
  if (element === '?') return char === '/' ? -1 : p + 1;
  if (element !== '[') return element === char ? p + 1 : -1;
  const close = pattern.indexOf(']', p + 2);
  if (close < 0 || close - p > 64) return element === char ? p + 1 : -1;
  const negated = pattern[p + 1] === '!' || pattern[p + 1] === '^';
  return inSet(pattern.slice(p + (negated ? 2 : 1), close), char) !== negated ? close + 1 : -1;
}

function inSet(set: string, char: string): boolean {
  for (let index = 0; index < set.length; index++) {
    const low = set[index] as string;
    const high = set[index + 1] === '-' ? set[index + 2] : undefined;
    if (high === undefined) {
      if (char === low) return true;
    } else {
      if (char >= low && char <= high) return true;
      index += 2;
    }
  }
  return false;
}

/**
 * `compute`, with its results for short texts remembered: for what is asked of few different ones, many times. It must
 * depend on its argument alone. When `entriesMax` are remembered, all are forgotten.
 */
export function memoized<T>(
  compute: (text: string) => T,
  { entriesMax = 2_048, charsMax = 128 } = {},
): (text: string) => T {
  const known = new Map<string, { value: T }>();
  return (text) => {
    const entry = known.get(text);
    if (entry !== undefined) return entry.value;
    const value = compute(text);
    if (text.length > charsMax) return value;
    if (known.size >= entriesMax) known.clear();
    known.set(text, { value });
    return value;
  };
}

/** `compute`, with its result for each object remembered as long as the object is there. It must depend on its argument alone. */
export function memoizedOf<Key extends object, T>(compute: (key: Key) => T): (key: Key) => T {
  const known = new WeakMap<Key, { value: T }>();
  return (key) => {
    const entry = known.get(key);
    if (entry !== undefined) return entry.value;
    const value = compute(key);
    known.set(key, { value });
    return value;
  };
}

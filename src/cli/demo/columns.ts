/** Lays rows out in columns of equal width, two spaces between: `texts` are left-aligned, the others right-aligned. */
export function columns(rows: readonly (readonly string[])[], texts: readonly number[] = [0]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  }
  const cell = (text: string, index: number) => {
    const width = widths[index] ?? 0;
    return texts.includes(index) ? text.padEnd(width) : text.padStart(width);
  };
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
}

/** A duration of `us` microseconds in milliseconds, for people. */
export function formatMs(us: number): string {
  const ms = us / 1000;
  return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
}

/** A whole number with thousands separated by commas. */
export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

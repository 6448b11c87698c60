/** Lays rows out in columns of equal width: the first one left-aligned, the others right-aligned, two spaces between. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
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

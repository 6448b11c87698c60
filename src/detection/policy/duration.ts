/** How long windows and expiries are written: `500ms`, `90s`, `10m`, `24h`, `7d`. */
const DURATION = /^([1-9][0-9]{0,5})(ms|s|m|h|d)$/;
export const DURATION_PATTERN = DURATION.source;
/** The longest one that is allowed. */
export const DURATION_DAYS_MAX = 90;

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `text` in milliseconds, or undefined where it is no duration or too long. */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit ?? ''] ?? Number.NaN);
  return ms <= DURATION_DAYS_MAX * 86_400_000 ? ms : undefined;
}

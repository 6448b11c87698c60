import { dateTimeMs, isRfc3339DateTime } from '../domain/formats.ts';
import { UsageError } from './command.ts';

const UNIT_MS: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000 };

/**
 * A point in time, in Unix milliseconds, from an RFC 3339 date-time or an age such as `7d`, `24h`, `30m`.
 *
 * @throws {UsageError}
 */
export function parseTime(text: string, nowMs: number): number {
  const age = /^(\d{1,6})([dhm])$/.exec(text);
  if (age !== null) return nowMs - Number(age[1]) * (UNIT_MS[age[2] as string] as number);
  if (isRfc3339DateTime(text)) return dateTimeMs(text);
  throw new UsageError(
    `--since must be a date-time like 2026-01-31T08:00:00Z or an age like 7d, 24h, 30m, not ${text}`,
  );
}

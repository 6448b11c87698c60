/** String formats of the wire contract. Each check is one pass over a bounded string. */

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const DATE_TIME_CHARS_MAX = 64;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whether `value` is a date-time of RFC 3339 §5.6 that exists: real day of the month, offset below 24 h, and a leap
 * second only where one can be (23:59:60 UTC).
 */
export function isRfc3339DateTime(value: string): boolean {
  if (value.length > DATE_TIME_CHARS_MAX) return false;
  const parts = DATE_TIME.exec(value);
  if (parts === null) return false;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return false;
  if (hour > 23 || minute > 59 || second > 60) return false;
  const offsetHours = Number(parts[8] ?? 0);
  const offsetMinutes = Number(parts[9] ?? 0);
  if (offsetHours > 23 || offsetMinutes > 59) return false;
  if (second < 60) return true;
  const offset = (parts[7] === '-' ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  return (hour * 60 + minute - offset + 2 * 1440) % 1440 === 1439;
}

function daysInMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (DAYS_IN_MONTH[month - 1] as number);
}

/** `isRfc3339DateTime` strings as Unix milliseconds; a leap second counts as the second after it. */
export function dateTimeMs(value: string): number {
  const ms = Date.parse(value.toUpperCase());
  return Number.isNaN(ms) ? Date.parse(value.toUpperCase().replace(/:60(?=[.Z+-])/, ':59')) + 1000 : ms;
}

const LOCAL_PART_CHARS_MAX = 64;
// RFC 5321's dot-atom and quoted-string, and RFC 6531's letters beyond ASCII.
const LOCAL_PART = /^(?:[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+|"[^"\\\p{Cc}]+")$/u;
const ADDRESS_LITERAL = /^\[(?:\d{1,3}(?:\.\d{1,3}){3}|IPv6:[\da-fA-F:.]+)\]$/;

/** Whether `value` is an e-mail address (RFC 5321, with the internationalised letters of RFC 6531). */
export function isEmailAddress(value: string): boolean {
  const at = value.lastIndexOf('@');
  if (at < 1 || at > LOCAL_PART_CHARS_MAX || value.length - at > 256) return false;
  const local = value.slice(0, at);
  const domain = value.slice(at + 1);
  if (!LOCAL_PART.test(local) || (local[0] !== '"' && /^\.|\.\.|\.$/.test(local))) return false;
  return isDomain(domain) || ADDRESS_LITERAL.test(domain);
}

const LABEL = /^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

function isDomain(domain: string): boolean {
  return domain.split('.').every((label) => LABEL.test(label));
}

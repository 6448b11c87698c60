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
  if (isPlainUtc(value)) return true;
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

/**
 * Whether `value` is a date-time in the form that `Date.prototype.toISOString` writes, on a day that every month has:
 * true of nearly all, and told in a tenth of the time.
 */
function isPlainUtc(value: string): boolean {
  if (value.length !== 24 || value.charCodeAt(23) !== 0x5a) return false;
  for (let at = 0; at < 23; at++) {
    const code = value.charCodeAt(at);
    const separator = PLAIN_SEPARATORS[at] as number;
    if (separator === 0 ? code < 0x30 || code > 0x39 : code !== separator) return false;
  }
  const day = twoDigits(value, 8);
  const month = twoDigits(value, 5);
  if (month < 1 || month > 12 || day < 1 || day > 28) return false;
  return twoDigits(value, 11) < 24 && twoDigits(value, 14) < 60 && twoDigits(value, 17) < 60;
}

/** Code of the separator at each place of `2026-01-15T09:30:00.000Z`, 0 where a digit stands. */
const PLAIN_SEPARATORS = [...'0000-00-00T00:00:00.000'].map((char) => (char === '0' ? 0 : char.charCodeAt(0)));

function twoDigits(value: string, at: number): number {
  return (value.charCodeAt(at) - 0x30) * 10 + value.charCodeAt(at + 1) - 0x30;
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
const LOCAL_PART = /^(?:[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+|"(?:[^"\\\p{Cc}]|\\[\x20-\x7e])+")$/u;
/** The usual address, told in a third of the time. Short enough that neither side can be over its limit. */
const PLAIN_ADDRESS = /^[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*@[a-z0-9]+(?:[.-][a-z0-9]+)*$/i;
const PLAIN_ADDRESS_CHARS_MAX = 64;
const ADDRESS_LITERAL =
  /^\[(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|IPv6:[\da-fA-F]{0,4}(?::[\da-fA-F.]{0,15}){2,7})\]$/;

/** Whether `value` is an e-mail address (RFC 5321, with the internationalised letters of RFC 6531). */
export function isEmailAddress(value: string): boolean {
  if (value.length <= PLAIN_ADDRESS_CHARS_MAX && PLAIN_ADDRESS.test(value)) return true;
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

/** Whether `value` is a domain name in lower case that can stand behind the @ of an address: two labels or more, in ASCII. */
export function isEmailDomain(value: string): boolean {
  return value.length <= 253 && /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(value);
}

/** The end of the year 9999, in Unix milliseconds: the last one with a date-time of RFC 3339, and the last that PostgreSQL reads so. */
export const MOMENT_MS_MAX = 253_402_300_799_999;

/** Check-digit schemes, on compact text: digits and capital letters without separators. */

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48;

/** ISO/IEC 7812-1: cards, and the numbers of many states. */
export function luhn(text: string): boolean {
  let sum = 0;
  for (let at = text.length - 1, double = false; at >= 0; at--, double = !double) {
    const value = double ? digit(text, at) * 2 : digit(text, at);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** Sum of each digit times its weight. */
export function weighted(text: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * digit(text, at), 0);
}

/** ISO/IEC 7064 MOD 97-10 of alphanumeric text, letters counted from 10: what remains. */
export function mod97(text: string): number {
  let rest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    rest = code >= 65 ? (rest * 100 + code - 55) % 97 : (rest * 10 + code - 48) % 97;
  }
  return rest;
}

/** ISO/IEC 7064 MOD 11,10: German and Croatian tax numbers. */
export function mod11And10(text: string): boolean {
  let product = 10;
  for (let at = 0; at < text.length - 1; at++) {
    const sum = (digit(text, at) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === digit(text, text.length - 1);
}

/** ICAO 9303: the digit for letters, counted from 10, digits and fillers (`<`), which are 0. */
export function icaoDigit(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    const value = char === '<' ? 0 : Number.parseInt(char, 36);
    sum += value * ([7, 3, 1][at % 3] as number);
  }
  return sum % 10;
}

const VERHOEFF_PRODUCT = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
];
const VERHOEFF_PERMUTATION = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
];

/** J. Verhoeff's dihedral check: India's Aadhaar. */
export function verhoeff(text: string): boolean {
  let check = 0;
  for (let at = text.length - 1, place = 0; at >= 0; at--, place++) {
    const permuted = digit(VERHOEFF_PERMUTATION[place % 8] as string, digit(text, at));
    check = digit(VERHOEFF_PRODUCT[check] as string, permuted);
  }
  return check === 0;
}

/** Days of each month; February's of a leap year, since two digits of a year do not tell. */
const DAYS_OF_MONTH = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the digits at `at` are a month and a day of it. */
export function isMonthAndDay(text: string, at: number): boolean {
  const month = Number(text.slice(at, at + 2));
  const day = Number(text.slice(at + 2, at + 4));
  return day >= 1 && day <= (DAYS_OF_MONTH[month] ?? 0);
}

/** Whether the digits at `at` are a day and a month. */
export function isDayAndMonth(text: string, at: number): boolean {
  return isMonthAndDay(text.slice(at + 2, at + 4) + text.slice(at, at + 2), 0);
}

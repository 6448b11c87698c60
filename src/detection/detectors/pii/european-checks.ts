import { icaoDigit, isDayAndMonth, isMonthAndDay, weighted } from './check-digits.ts';
import { last } from './national-id.ts';

/** Checks of European numbers that take more than one sum, on compact text. */

/** Letters count as two digits; sums of digits of the products (§ 4 VKVV). */
export function isPensionNumber(text: string): boolean {
  const letter = String(text.charCodeAt(8) - 64).padStart(2, '0');
  const digits = text.slice(0, 8) + letter + text.slice(9, 11);
  let sum = 0;
  for (const [at, weight] of [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1].entries()) {
    const product = Number(digits[at]) * weight;
    sum += Math.floor(product / 10) + (product % 10);
  }
  return (
    sum % 10 === last(text) &&
    isDayAndMonth(
      text.replace(/^(..)([4-7])/, (_, head: string, tens: string) => head + (Number(tens) - 4)),
      2,
    )
  );
}

export function isNif(text: string): boolean {
  const number = text.slice(0, -1);
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number) % 23] === text.at(-1);
}

export function isNie(text: string): boolean {
  const lead = 'XYZ'.indexOf(text[0] as string);
  return lead >= 0 && isNif(`${lead}${text.slice(1)}`);
}

export function isPps(text: string): boolean {
  const extra = text.length === 9 ? (text.charCodeAt(8) - 64) * 9 : 0;
  return 'WABCDEFGHIJKLMNOPQRSTUV'[(weighted(text, [8, 7, 6, 5, 4, 3, 2]) + extra) % 23] === text[7];
}

/** Values of the characters in odd places, 0–9 and then A–Z. */
const FISCAL_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
const FISCAL_ODD_LETTERS = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

export function isFiscalCode(text: string): boolean {
  let sum = 0;
  for (let at = 0; at < 15; at++) {
    const code = text.charCodeAt(at);
    const letter = code >= 65;
    if (at % 2 === 0) sum += (letter ? FISCAL_ODD_LETTERS[code - 65] : FISCAL_ODD[code - 48]) as number;
    else sum += letter ? code - 65 : code - 48;
  }
  return /^.{8}[ABCDEHLMPRST]/.test(text) && sum % 26 === text.charCodeAt(15) - 65;
}

export function isBelgian(text: string): boolean {
  const number = Number(text.slice(0, 9));
  const check = Number(text.slice(9));
  // Of people who are not registered the month has 20 or 40 more, and may be left open.
  const month = Number(text.slice(2, 4)) % 20;
  return (
    month <= 12 &&
    Number(text.slice(4, 6)) <= 31 &&
    (97 - (number % 97) === check || 97 - ((2_000_000_000 + number) % 97) === check)
  );
}

export function isPesel(text: string): boolean {
  const month = Number(text.slice(2, 4)) % 20;
  const day = Number(text.slice(4, 6));
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  return weighted(text, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
}

/** What is added to the month of women, and since 2004 of anybody where a day's numbers had run out (Act 133/2000). */
const CZECH_MONTHS: Readonly<Record<string, number>> = { 0: 0, 1: 1, 2: 0, 3: 1, 5: 0, 6: 1, 7: 0, 8: 1 };

export function isCzechBirth(text: string): boolean {
  const tens = CZECH_MONTHS[text[2] as string];
  const isLate = '2378'.includes(text[2] as string);
  const year = Number(text.slice(0, 2));
  if (tens === undefined || (isLate && (year < 4 || year > 53))) return false;
  const born = `${tens}${text.slice(3, 6)}`;
  // Of some numbers of before 1985 ten was left, and is written as 0.
  const rest = Number(text.slice(0, 9)) % 11;
  return isMonthAndDay(born, 0) && (Number(text) % 11 === 0 || (rest === 10 && text.endsWith('0')));
}

/** Three letters, counted from 10, the check digit, five digits. */
export function isPolishCard(text: string): boolean {
  const values = [...text].map((char) => Number.parseInt(char, 36));
  const sum = [7, 3, 1, 0, 7, 3, 1, 7, 3].reduce((total, weight, at) => total + weight * (values[at] as number), 0);
  return sum % 10 === values[3];
}

export function isNorwegian(text: string): boolean {
  return (
    weighted(text, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    weighted(text, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0 &&
    isDayAndMonth(text, 0)
  );
}

export function isFinnish(text: string): boolean {
  const compact = text.length === 11 ? text.slice(0, 6) + text.slice(7) : text;
  if (text.length === 11 && !/[-+A-FU-Y]/.test(text[6] as string)) return false;
  const number = Number(compact.slice(0, 9));
  return isDayAndMonth(compact, 0) && '0123456789ABCDEFHJKLMNPRSTUVWXY'[number % 31] === compact[9];
}

export function isTurkish(text: string): boolean {
  const odd = weighted(text, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weighted(text, [0, 1, 0, 1, 0, 1, 0, 1]);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return !text.startsWith('0') && tenth === Number(text[9]) && (odd + even + tenth) % 10 === last(text);
}

export function isBalticCode(text: string): boolean {
  if (!/^[1-8]/.test(text) || !isMonthAndDay(text, 3)) return false;
  const first = weighted(text, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
  const check = first < 10 ? first : (weighted(text, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11) % 10;
  return check === last(text);
}

/** Luhn's sum over digits and letters, letters counted from 10. */
export function isCitizenCard(text: string): boolean {
  let sum = 0;
  for (let at = text.length - 1, double = false; at >= 0; at--, double = !double) {
    const value = Number.parseInt(text[at] as string, 36) * (double ? 2 : 1);
    sum += double && value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** Of the province and the number within it, what remains of a division by 97. */
export function isSpanishInsured(text: string): boolean {
  const province = Number(text.slice(0, 2));
  const number = Number(text.slice(2, 10));
  const whole = number < 10_000_000 ? number + province * 10_000_000 : number + province * 100_000_000;
  return province >= 1 && province <= 66 && whole % 97 === Number(text.slice(10));
}

/** Nine places without vowels, and the check digit of ICAO 9303. */
export function isGermanDocument(text: string): boolean {
  return /^[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{8}\d$/.test(text) && icaoDigit(text.slice(0, 9)) === last(text);
}

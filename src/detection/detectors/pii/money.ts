import { luhn, mod97, weighted } from './check-digits.ts';
import type { PiiFormat } from './format.ts';

const CARD_WORDS =
  'card|credit|debit|visa|mastercard|amex|american express|discover|maestro|diners|jcb|unionpay|cc number|ccnum|pan|kreditkarte|tarjeta|carte';

/** First digits that issuers of payment cards have (ISO/IEC 7812), by length. */
function isCard(text: string): boolean {
  if (!luhn(text) || /^(\d)\1*$/.test(text) || /0{11}/.test(text)) return false;
  switch (text.length) {
    case 12:
      return /^(?:5[06-8]|6)/.test(text);
    case 13:
      return text.startsWith('4');
    case 14:
      return /^3(?:0[0-5]|095|6|[89])/.test(text);
    case 15:
      return /^(?:3[47]|2131|1800|1[0-9])/.test(text);
    case 16:
      return /^(?:4|5[0-9]|2[2-7]|6[0-9]|35|3[0689]|81|220[0-4])/.test(text);
    default:
      return /^(?:4|5[06-8]|6)/.test(text);
  }
}

/** Of the 17 digits before the last one. */
const CLABE_WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7];

/** Payment cards and bank accounts, apart from IBANs. */
export const MONEY_FORMATS: readonly PiiFormat[] = [
  {
    what: 'credit_card',
    title: 'a payment card number',
    severity: 'high',
    shapes: (
      '9999-9999-9999-9999 9999-999999-99999 9999-999999-9999 9999-9999-9999-9999-999 9999-9999-99999 ' +
      '99999999999999 999999999999999 9999999999999999 999999999999999999 9999999999999999999'
    ).split(' '),
    separators: '- .',
    valid: isCard,
    alone: 0.95,
    bare: 0.75,
    whole: 0.9,
    near: 0.97,
    words: CARD_WORDS.split('|'),
  },
  {
    what: 'credit_card',
    title: 'a payment card number',
    severity: 'high',
    shapes: ['999999999999', '9999999999999'],
    separators: '',
    valid: isCard,
    alone: 0,
    bare: 0,
    whole: 0,
    near: 0.85,
    words: CARD_WORDS.split('|'),
  },
  {
    what: 'bank_routing',
    title: 'a US bank routing number',
    severity: 'medium',
    shapes: ['999999999'],
    separators: '',
    valid: (text) =>
      /^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/.test(text) &&
      weighted(text, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0,
    alone: 0,
    bare: 0,
    whole: 0.3,
    near: 0.9,
    words: ['routing', 'aba', 'transit', 'rtn'],
  },
  {
    what: 'bank_account',
    title: 'a bank account number',
    severity: 'medium',
    shapes: ['99999999', '999999999', '9999999999', '99999999999', '999999999999', '9999999999999', '99999999999999'],
    separators: '',
    valid: (text) => !/^(\d)\1*$/.test(text),
    alone: 0,
    bare: 0,
    whole: 0,
    near: 0.65,
    words: [
      'bank account',
      'account number',
      'account no',
      'account #',
      'acct',
      'checking account',
      'savings account',
      'bank_account',
      'kontonummer',
      'sort code',
      'ifsc',
      'bsb',
    ],
  },
  {
    what: 'bank_account',
    title: 'a Mexican bank account number (CLABE)',
    severity: 'medium',
    shapes: ['999999999999999999', '999-999-99999999999-9'],
    separators: ' -',
    valid: (text) => !/^(\d)\1*$/.test(text) && (10 - (weighted(text, CLABE_WEIGHTS) % 10)) % 10 === Number(text[17]),
    alone: 0,
    bare: 0,
    whole: 0.5,
    near: 0.95,
    words: ['clabe', 'spei', 'interbancaria', 'cuenta'],
  },
  {
    what: 'imei',
    title: 'a device number (IMEI)',
    severity: 'low',
    shapes: ['999999999999999', '99-999999-999999-9'],
    separators: '- ',
    valid: luhn,
    alone: 0,
    bare: 0,
    whole: 0,
    near: 0.9,
    words: ['imei'],
  },
];

/** Length of an IBAN by country (ISO 13616 registry). */
const IBAN_CHARS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** The IBAN that starts at `at`, written in one piece or in groups apart by one space or dash: where it ends. */
export function ibanEnd(text: string, at: number): number | undefined {
  const chars = IBAN_CHARS[text.slice(at, at + 2)];
  if (chars === undefined) return undefined;
  let compact = '';
  let end = at;
  const separator = text[at + 4];
  const grouped = separator === ' ' || separator === '-';
  while (compact.length < chars && end < text.length) {
    const code = text.charCodeAt(end);
    const alphanumeric = (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
    if (alphanumeric) compact += text[end];
    else if (!grouped || text[end] !== separator || compact.length % 4 !== 0) return undefined;
    end++;
  }
  if (compact.length < chars || /[A-Za-z0-9]/.test(text[end] ?? '')) return undefined;
  return mod97(compact.slice(4) + compact.slice(0, 4)) === 1 ? end : undefined;
}

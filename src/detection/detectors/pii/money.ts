import { luhn, mod97, weighted } from './check-digits.ts';
import type { PiiFormat } from './format.ts';

const CARD_WORDS =
  'card|credit|debit|visa|mastercard|amex|american express|discover|maestro|diners|jcb|unionpay|cc number|ccnum|pan|kreditkarte|tarjeta|carte';

/** Numbers that processors of payments publish for trials, and that no bank gives to anybody. */
const TEST_CARDS: ReadonlySet<string> = new Set(
  (
    '4242424242424242 4111111111111111 4012888888881881 4000056655665556 4000000000000002 4000000000009995 4000000000000069 ' +
    '4000000000003220 4000002500003155 4917610000000000 4444333322221111 4007000000027 4222222222222 ' +
    '5555555555554444 5105105105105100 5200828282828210 2223003122003222 5431111111111111 5424000000000015 2222400070000005 ' +
    '378282246310005 371449635398431 378734493671000 370000000000002 6011111111111117 6011000990139424 6011000000000012 ' +
    '3530111333300000 3566002020360505 3566111111111113 30569309025904 38520000023237 36227206271667 3056930009020004 ' +
    '6200000000000005 6205500000000000004 6759649826438453 5019717010103742'
  ).split(' '),
);
/** Nearly only zeros between the issuer and the check digit, as tests of check digits have it. */
const isTestCard = (text: string): boolean => TEST_CARDS.has(text) || /0{8}/.test(text);
/** Device numbers that manuals explain the check digit with. */
const SAMPLE_DEVICES: ReadonlySet<string> = new Set(['490154203237518', '356938035643809', '352099001761481']);

/** First digits that issuers of payment cards have (ISO/IEC 7812), by length. */
function isCard(text: string): boolean {
  if (!luhn(text) || /^(\d)\1*$/.test(text)) return false;
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

/** One check digit for bank and branch, one for the account (Código Cuenta Cliente). */
function isSpanishAccount(text: string): boolean {
  const check = (digits: string): number => {
    const rest = 11 - (weighted(digits, [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11);
    return rest === 11 ? 0 : rest === 10 ? 1 : rest;
  };
  return (
    check(`00${text.slice(0, 8)}`) === Number(text[8]) &&
    check(text.slice(10)) === Number(text[9]) &&
    !/^(\d)\1*$/.test(text)
  );
}

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
    sample: isTestCard,
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
    sample: isTestCard,
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
    what: 'bank_account',
    title: 'a Norwegian bank account number',
    severity: 'medium',
    shapes: ['9999-99-99999', '99999999999'],
    separators: ' .',
    valid: (text) => weighted(text, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0 && !/^(\d)\1*$/.test(text),
    alone: 0,
    bare: 0,
    whole: 0,
    near: 0.85,
    words: ['bank account', 'account number', 'kontonummer', 'kontonr', 'konto', 'bankkonto'],
  },
  {
    what: 'bank_account',
    title: 'a New Zealand bank account number',
    severity: 'medium',
    shapes: ['99-9999-9999999-99', '99-9999-9999999-999'],
    separators: ' -',
    valid: (text) => /^(?:0[1-689]|1\d|2\d|3[0158]|88)/.test(text),
    alone: 0,
    bare: 0,
    whole: 0,
    near: 0.8,
    words: ['bank account', 'account number', 'account no'],
  },
  {
    what: 'bank_account',
    title: 'a Spanish bank account number',
    severity: 'medium',
    shapes: ['9999-9999-99-9999999999', '99999999999999999999'],
    separators: ' -',
    valid: isSpanishAccount,
    alone: 0.8,
    bare: 0,
    whole: 0.7,
    near: 0.9,
    words: ['ccc', 'cuenta', 'bank account', 'account number'],
    sample: (text) => text === '21000418450200051332',
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
    sample: (text) => SAMPLE_DEVICES.has(text),
  },
];

/** Length of an IBAN by country: the registry of ISO 13616, states beside it that use the form, and parts of France and Finland. */
const IBAN_CHARS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30 ' +
    'AO25 BF28 BJ28 CF27 CG27 CI28 CM27 CV25 DZ26 GA27 GQ27 GW25 IR26 KM27 MA28 MG27 ML28 MZ25 NE28 SN28 TD27 TG28 ' +
    'AX18 BL27 GF27 GP27 MF27 MQ27 NC27 PF27 PM27 RE27 TF27 WF27 YT27'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** The examples of the registry (ISO 13616), and those that manuals repeat. */
const SAMPLE_IBANS: ReadonlySet<string> = new Set(
  (
    'GB29NWBK60161331926819 GB33BUKB20201555555555 GB82WEST12345698765432 GB94BARC10201530093459 DE89370400440532013000 DE91100000000123456789 ' +
    'DE75512108001245126199 FR1420041010050500013M02606 FR7630006000011234567890189 CH9300762011623852957 CH5604835012345678009 ' +
    'NL91ABNA0417164300 NL02ABNA0123456789 ES9121000418450200051332 ES7921000813610123456789 IT60X0542811101000000123456 ' +
    'BE68539007547034 BE71096123456769 AT611904300234573201 AT483200000012345864 PL61109010140000071219812874 PL10105000997603123456789123 ' +
    'DK5000400440116243 NO9386011117947 SE4550000000058398257466 SE7280000810340009783242 FI2112345600000785 FI1410093000123458 IE29AIBK93115212345678 ' +
    'IE64IRCE92050112345678 PT50000201231234567890154 GR1601101250000000012300695 LU280019400644750000 CZ6508000000192000145399 ' +
    'HU42117730161111101800000000 RO49AAAA1B31007593840000 TR330006100519786457841326 SA0380000000608010167519 AE070331234567890123456 ' +
    'IL620108000000099999999 BR1800360305000010009795493C1 UA213223130000026007233566001'
  ).split(' '),
);

/** Pieces of an IBAN, at most: letters and digits of each group apart. */
const IBAN_SEPARATORS_MAX = 12;
/** Code units before an IBAN within which it is called one. */
const CALLED_WITHIN = 16;

/**
 * The IBAN that starts at `at`: where it ends. Written in one piece or in groups of four apart by one space or dash, or, where it is
 * called one, in whatever groups.
 */
export function ibanEnd(text: string, at: number): number | undefined {
  const chars = IBAN_CHARS[text.slice(at, at + 2)];
  if (chars === undefined) return undefined;
  let compact = '';
  let end = at;
  let separators = '';
  let isRegular = true;
  while (compact.length < chars && end < text.length) {
    const code = text.charCodeAt(end);
    const alphanumeric = (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
    if (alphanumeric) compact += text[end];
    else {
      const separator = text[end] as string;
      if (!' -.'.includes(separator) || ' -.'.includes(text[end - 1] ?? ' ')) return undefined;
      isRegular &&= separator !== '.' && compact.length % 4 === 0 && separator === (separators[0] ?? separator);
      separators += separator;
      if (separators.length > IBAN_SEPARATORS_MAX) return undefined;
    }
    end++;
  }
  if (compact.length < chars || /[A-Za-z0-9]/.test(text[end] ?? '') || !/^..\d\d/.test(compact)) return undefined;
  if (mod97(compact.slice(4) + compact.slice(0, 4)) !== 1) return undefined;
  return isRegular || /iban/i.test(text.slice(Math.max(0, at - CALLED_WITHIN), at)) ? end : undefined;
}

/** Whether `text`, as it is written, is an IBAN that nobody has. */
export function isSampleIban(text: string): boolean {
  const compact = text.replace(/[ .-]/g, '');
  return SAMPLE_IBANS.has(compact) || /(?:1234){3}/.test(compact);
}

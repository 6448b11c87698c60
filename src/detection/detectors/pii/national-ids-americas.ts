import { isMonthAndDay, luhn, weighted } from './check-digits.ts';
import type { PiiFormat } from './format.ts';
import { id, last, sameDigits } from './national-id.ts';

const SSN_WORDS = 'ssn|social security|social sec|soc sec|socialsecurity|ss#|ssns|taxpayer|tax id|tin';

/** Personal numbers of the Americas, and those whose form many states share, by the rules their issuers publish. */
export const AMERICAN_IDS: readonly PiiFormat[] = [
  id('us_ssn', 'a US Social Security number', SSN_WORDS, {
    shapes: ['999-99-9999', '999999999'],
    separators: '- .',
    valid: isSsn,
    alone: 0.75,
    whole: 0.35,
  }),
  // So written it is a ZIP code, unless a word says otherwise: every licence text has one.
  id('us_ssn', 'a US Social Security number', SSN_WORDS, {
    shapes: ['99999-9999', '999-999999'],
    separators: '-',
    valid: isSsn,
  }),
  id('us_itin', 'a US taxpayer number', `itin|individual taxpayer|${SSN_WORDS}`, {
    shapes: ['999-99-9999', '999999999'],
    separators: '- .',
    valid: isItin,
    alone: 0.65,
    whole: 0.35,
  }),
  id('us_itin', 'a US taxpayer number', `itin|individual taxpayer|${SSN_WORDS}`, {
    shapes: ['99999-9999', '999-999999'],
    separators: '-',
    valid: isItin,
    whole: 0.35,
  }),
  // So called, whatever its groups are: people mistype, and lists of what is given out grow.
  id('us_itin', 'a US taxpayer number', 'itin|individual taxpayer', {
    shapes: ['999-99-9999'],
    separators: '- .',
    valid: (text) => text.startsWith('9') && !sameDigits(text),
    whole: 0,
    near: 0.8,
  }),
  id('us_atin', 'a US taxpayer number for an adoption', 'atin|adoption taxpayer|taxpayer', {
    shapes: ['999-99-9999'],
    separators: '- .',
    valid: (text) => /^9\d\d93\d{4}$/.test(text) && !text.endsWith('0000'),
    whole: 0,
  }),
  id('us_ein', 'a US employer number', 'ein|employer identification', {
    shapes: ['99-9999999'],
    valid: (text) => !/^(?:0[0789]|1[789]|28|29|49|69|70|78|79|89|9[67])/.test(text),
    severity: 'low',
    near: 0.7,
  }),
  id('us_npi', 'a US provider number', 'npi|national provider', {
    shapes: ['9999999999'],
    valid: (text) => /^[12]/.test(text) && luhn(`80840${text}`),
    whole: 0,
  }),
  id('us_passport', 'a US passport number', 'passport|travel document', {
    shapes: ['A99999999', '999999999'],
    valid: () => true,
    near: 0.75,
    whole: 0.3,
  }),
  id(
    'passport',
    'a passport number',
    'passport|travel document|reisepass|passnummer|aufenthaltstitel|passeport|pasaporte|passaporto|护照|護照|パスポート|паспорт|여권',
    {
      shapes:
        'AA9999999 A9999999 AA999999 99AA99999 AA99999AA A99999999 9999999 99999999 A999999 A9999999A A999999AA AAA999999'.split(
          ' ',
        ),
      valid: () => true,
      near: 0.7,
      whole: 0,
    },
  ),
  id(
    'driver_license',
    'a driving licence number',
    "driver's license|drivers license|driver license|driving licence|driving license|drivers licence|dl number|dl#|license number|licence number|permis de conduire|fuhrerschein",
    {
      shapes: [
        'A9999999',
        'A99999999',
        'A999-9999-9999',
        'A999999999999',
        '9999999',
        '99999999',
        '999999999',
        'AA999999',
        'A99-99-9999',
        'AA99999A',
        'AAAAA999999AA9AA',
        'AAAAA999999A99AA',
      ],
      valid: () => true,
      near: 0.65,
      whole: 0,
    },
  ),
  id('ca_sin', 'a Canadian social insurance number', 'sin|social insurance|assurance sociale', {
    shapes: ['999-999-999', '999999999'],
    valid: (text) => !/^[08]/.test(text) && luhn(text),
    whole: 0.3,
  }),
  id('br_cpf', 'a Brazilian CPF', 'cpf|cadastro de pessoa', {
    shapes: ['999-999-999-99', '999999999-99', '99999999999'],
    valid: isCpf,
    alone: 0.9,
    whole: 0.6,
  }),
  id('br_cnpj', 'a Brazilian CNPJ', 'cnpj', {
    shapes: ['99-999-999-9999-99', '99999999999999'],
    valid: isCnpj,
    alone: 0.9,
    whole: 0.6,
    severity: 'medium',
  }),
  id('ar_cuit', 'an Argentine CUIT', 'cuit|cuil', {
    shapes: ['99-99999999-9', '99999999999'],
    valid: (text) =>
      (11 - (weighted(text, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === last(text) && /^(?:2|3)/.test(text),
    alone: 0.75,
    whole: 0.5,
  }),
  id('cl_rut', 'a Chilean RUT', 'rut|run', {
    shapes: ['99-999-999-9', '99-999-999-A', '9-999-999-9', '99999999-9', '99999999-A'],
    valid: isRut,
    alone: 0.6,
    whole: 0.6,
  }),
  id('mx_curp', 'a Mexican CURP', 'curp', {
    shapes: ['AAAA999999AAAAAA99', 'AAAA999999AAAAAAA9'],
    valid: (text) => /^[A-Z]{4}\d{6}[HM]/.test(text) && isMonthAndDay(text, 6),
    alone: 0.9,
    bare: 0.9,
    whole: 0.9,
  }),
  id('mx_nss', 'a Mexican insurance number', 'nss|imss|seguro social|seguridad social', {
    shapes: ['99999999999', '99-99-99-9999-9'],
    valid: (text) => luhn(text) && !sameDigits(text),
    whole: 0,
  }),
  id('mx_rfc', 'a Mexican tax number', 'rfc|registro federal', {
    shapes:
      'AAAA999999AAA AAAA999999AA9 AAAA999999A9A AAAA999999A99 AAAA9999999AA AAAA9999999A9 AAAA99999999A AAAA999999999'.split(
        ' ',
      ),
    valid: (text) => isMonthAndDay(text, 6) && /[0-9A]$/.test(text),
    whole: 0.6,
  }),
  id('do_cedula', 'a Dominican identity number', 'cedula|rnc', {
    shapes: ['999-9999999-9', '99999999999'],
    valid: (text) => luhn(text) && !sameDigits(text),
    alone: 0.65,
  }),
  id('ec_cedula', 'an Ecuadorian identity number', 'cedula|ruc', {
    shapes: ['9999999999', '999999999-9'],
    valid: (text) => /^(?:0[1-9]|1\d|2[0-4]|30)[0-5]/.test(text) && luhn(text),
    whole: 0.3,
  }),
  id('uy_cedula', 'a Uruguayan identity number', 'cedula|documento|c.i.|ci', {
    shapes: ['9-999-999-9', '9999999-9', '99999999'],
    valid: (text) => (10 - (weighted(text, [2, 9, 8, 7, 6, 3, 4]) % 10)) % 10 === last(text) && !sameDigits(text),
    whole: 0,
  }),
  id('co_cedula', 'a Colombian identity number', 'cedula de ciudadania|numero de cedula|cedula no', {
    shapes: ['99-999-999', '9-999-999-999', '99999999', '9999999999'],
    valid: (text) => !sameDigits(text),
    near: 0.7,
    whole: 0,
  }),
];

function isSsn(text: string): boolean {
  return !/^(?:000|666|9)|^...00|0000$/.test(text) && !sameDigits(text) && text !== '078051120';
}

function isItin(text: string): boolean {
  return /^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}$/.test(text) && !sameDigits(text);
}

function isCpf(text: string): boolean {
  const check = (length: number): number => {
    let sum = 0;
    for (let at = 0; at < length; at++) sum += (text.charCodeAt(at) - 48) * (length + 1 - at);
    return ((sum * 10) % 11) % 10;
  };
  return !sameDigits(text) && check(9) === Number(text[9]) && check(10) === Number(text[10]);
}

function isCnpj(text: string): boolean {
  const first = weighted(text, [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  const second = weighted(text, [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  const digitOf = (rest: number): number => (rest < 2 ? 0 : 11 - rest);
  return !sameDigits(text) && digitOf(first) === Number(text[12]) && digitOf(second) === Number(text[13]);
}

function isRut(text: string): boolean {
  let sum = 0;
  for (let at = text.length - 2, weight = 2; at >= 0; at--, weight = weight === 7 ? 2 : weight + 1) {
    sum += (text.charCodeAt(at) - 48) * weight;
  }
  return '0K987654321'[sum % 11] === text.at(-1);
}

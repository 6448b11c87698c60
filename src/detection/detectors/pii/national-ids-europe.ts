import { isDayAndMonth, isMonthAndDay, luhn, mod11And10, weighted } from './check-digits.ts';
import {
  isBalticCode,
  isBelgian,
  isCitizenCard,
  isCzechBirth,
  isFinnish,
  isFiscalCode,
  isGermanDocument,
  isNie,
  isNif,
  isNorwegian,
  isPensionNumber,
  isPesel,
  isPolishCard,
  isPps,
  isSpanishInsured,
  isTurkish,
} from './european-checks.ts';
import type { PiiFormat } from './format.ts';
import { id, last, sameDigits } from './national-id.ts';

/** Digits and letters in any order behind a letter, with the check digit. */
const GERMAN_DOCUMENTS = shapesOf(9, 'A', '9');

/** Every shape of `length` places behind `first` that ends in `last`: pieces of letters and digits, apart by nothing. */
function shapesOf(length: number, first: string, last: string): string[] {
  const middle = length - 1;
  return Array.from({ length: 2 ** middle }, (_, bits) => {
    let shape = first;
    for (let at = 0; at < middle; at++) shape += (bits >> at) & 1 ? '9' : 'A';
    return shape + last;
  });
}

/** Personal numbers of Europe, by the rules their issuers publish. */
export const EUROPEAN_IDS: readonly PiiFormat[] = [
  id('uk_nhs', 'a UK NHS number', 'nhs|national health', {
    shapes: ['999-999-9999', '9999999999'],
    separators: '- ',
    valid: (text) =>
      (11 - (weighted(text, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === last(text) && !sameDigits(text),
    alone: 0.4,
    whole: 0.6,
  }),
  id('uk_nino', 'a UK National Insurance number', 'national insurance|nino|ni number|insurance number', {
    shapes: ['AA-99-99-99-A', 'AA999999A', 'AA-999999A', 'AA-999999-A'],
    valid: (text) =>
      /^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(text) && !/^(?:BG|GB|NK|KN|TN|NT|ZZ)/.test(text),
    alone: 0.75,
    bare: 0.65,
    whole: 0.75,
  }),
  id('ie_pps', 'an Irish PPS number', 'pps|ppsn|personal public service', {
    shapes: ['9999999A', '9999999AA'],
    valid: isPps,
    whole: 0.5,
  }),
  id('es_nif', 'a Spanish NIF', 'nif|dni|documento nacional|cif', {
    shapes: ['99999999A', '99999999-A', '9999999A', '9999999-A'],
    valid: isNif,
    sample: (text) => text === '12345678Z' || text === '00000000T',
    alone: 0.65,
    bare: 0.55,
    whole: 0.7,
  }),
  id('es_nie', 'a Spanish NIE', 'nie|extranjero', {
    shapes: ['A9999999A', 'A-9999999-A', 'A9999999-A'],
    valid: isNie,
    alone: 0.7,
    bare: 0.65,
    whole: 0.7,
  }),
  id('it_fiscal_code', 'an Italian fiscal code', 'codice fiscale|fiscal code|cf', {
    shapes: ['AAAAAA99A99A999A'],
    valid: isFiscalCode,
    alone: 0.9,
    bare: 0.9,
    whole: 0.95,
  }),
  id('fr_nir', 'a French social security number', 'securite sociale|insee|numero de securite|carte vitale', {
    shapes: ['9-99-99-99-999-999-99', '999999999999999', '9999999999999-99'],
    valid: (text) =>
      /^[12]\d\d(?:0[1-9]|1[0-2]|[2-9]\d)/.test(text) &&
      Number(97n - (BigInt(text.slice(0, 13)) % 97n)) === Number(text.slice(13)),
    alone: 0.9,
    bare: 0.5,
    whole: 0.6,
  }),
  id(
    'de_tax_id',
    'a German tax number',
    'steuer-id|steuerid|steueridentifikationsnummer|steuer-identifikationsnummer|identifikationsnummer|steuer id|idnr|tax id',
    {
      shapes: ['99999999999', '99-999-999-999'],
      valid: (text) => !text.startsWith('0') && mod11And10(text) && !sameDigits(text),
      alone: 0.5,
      whole: 0.5,
    },
  ),
  id('nl_bsn', 'a Dutch BSN', 'bsn|burgerservicenummer|sofinummer', {
    shapes: ['999999999', '9999-99-999'],
    valid: (text) => weighted(text, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && !sameDigits(text),
    whole: 0.3,
  }),
  id('be_national_number', 'a Belgian national number', 'rijksregister|registre national|national number|niss|insz', {
    shapes: ['99-99-99-999-99', '99999999999'],
    valid: isBelgian,
    alone: 0.9,
    whole: 0.6,
  }),
  id('pl_pesel', 'a Polish PESEL', 'pesel', { shapes: ['99999999999'], valid: isPesel, whole: 0.6, near: 0.95 }),
  id(
    'pl_identity_card',
    'a Polish identity card',
    'dowod osobisty|dowodu osobistego|seria i numer|identity card|id card',
    {
      shapes: ['AAA999999', 'AAA-999999'],
      separators: ' ',
      valid: isPolishCard,
      whole: 0,
    },
  ),
  id('cz_birth_number', 'a Czech or Slovak birth number', 'rodne cislo|birth number', {
    shapes: ['999999-9999', '9999999999'],
    separators: '/',
    valid: isCzechBirth,
    alone: 0.7,
    whole: 0.7,
  }),
  id('ro_cnp', 'a Romanian CNP', 'cnp|cod numeric', {
    shapes: ['9999999999999'],
    valid: (text) =>
      /^[1-9]/.test(text) &&
      isMonthAndDay(text, 3) &&
      (weighted(text, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11) % 10 === last(text),
    whole: 0.6,
  }),
  id('bg_egn', 'a Bulgarian EGN', 'egn|егн', {
    shapes: ['9999999999', '999999-999-9'],
    valid: (text) => (weighted(text, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 === last(text),
    whole: 0.3,
  }),
  id('hr_oib', 'a Croatian OIB', 'oib', { shapes: ['99999999999'], valid: mod11And10, whole: 0.3 }),
  id('ch_ahv', 'a Swiss AHV number', 'ahv|avs|sozialversicherungsnummer', {
    shapes: ['999-9999-9999-99', '9999999999999'],
    valid: (text) => text.startsWith('756') && weighted(text, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
    alone: 0.95,
    bare: 0.6,
    whole: 0.9,
  }),
  id('pt_nif', 'a Portuguese NIF', 'nif|contribuinte', {
    shapes: ['999999999', '999-999-999'],
    valid: (text) =>
      ((11 - (weighted(text, [9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11) % 10 === last(text) && /^[125689]/.test(text),
    whole: 0,
  }),
  id(
    'se_personnummer',
    'a Swedish personal number',
    'personnummer|personal number|samordningsnummer|org.nr|organisationsnummer',
    {
      shapes: ['999999-9999', '99999999-9999', '9999999999', '999999999999'],
      separators: '-+',
      valid: (text) =>
        luhn(text.slice(-10)) &&
        isMonthAndDay(
          text.slice(-10).replace(/^(....)([6-9])/, (_, head, tens) => head + (Number(tens) - 6)),
          2,
        ),
      alone: 0.65,
      whole: 0.55,
    },
  ),
  id('dk_cpr', 'a Danish CPR number', 'cpr|personnummer', {
    shapes: ['999999-9999', '9999999999'],
    separators: '-',
    valid: (text) => isDayAndMonth(text, 0),
    whole: 0.3,
  }),
  id('no_birth_number', 'a Norwegian birth number', 'fodselsnummer|fodselsnummeret|personnummer|personnummeret', {
    shapes: ['99999999999', '999999-99999'],
    valid: isNorwegian,
    alone: 0.6,
    whole: 0.6,
  }),
  id('fi_identity_code', 'a Finnish identity code', 'henkilotunnus|hetu|identity code', {
    shapes: ['999999-999A', '999999-9999', '999999A999A', '999999A9999'],
    separators: '-+',
    valid: isFinnish,
    alone: 0.85,
    bare: 0.7,
    whole: 0.85,
  }),
  id('tr_identity_number', 'a Turkish identity number', 'tc kimlik|tckn|kimlik no|t.c.', {
    shapes: ['99999999999'],
    valid: isTurkish,
    whole: 0.45,
  }),
  id('ru_snils', 'a Russian SNILS', 'snils|снилс', {
    shapes: ['999-999-999-99', '99999999999'],
    valid: (text) =>
      (weighted(text, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === Number(text.slice(9)) && !sameDigits(text),
    sample: (text) => text === '11223344595',
    alone: 0.8,
    whole: 0.4,
  }),
  id('ru_inn', 'a Russian taxpayer number', 'inn|инн', {
    shapes: ['999999999999'],
    valid: (text) =>
      (weighted(text, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === Number(text[10]) &&
      (weighted(text, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === last(text),
    whole: 0.3,
  }),
  id(
    'de_pension_number',
    'a German pension insurance number',
    'rvnr|rentenversicherungsnummer|rentenversicherungsnr|sozialversicherungsnummer|sozialversicherungsnr|versicherungsnummer|sv-nummer|sv-nr',
    {
      shapes: ['99-999999-A-999', '99999999A999'],
      valid: isPensionNumber,
      alone: 0.85,
      bare: 0.75,
      whole: 0.85,
    },
  ),
  id('uk_driving_licence', 'a UK driving licence number', 'dvla|driving licence|driver number|licence', {
    shapes: (
      'AAAAA999999A99AA AAAAA999999AA9AA AAAAA999999AAAAA AAAA9999999A99AA AAAA9999999AA9AA ' +
      'AAAAA999999AA99A AAAAA999999AA9A9 AAAAA999999AA999 AAAA9999999AA99A AAAA9999999AA9A9'
    ).split(' '),
    valid: (text) =>
      /^[A-Z]{1,5}9{0,4}\d[0156]\d(?:0[1-9]|[12]\d|3[01])\d[A-Z9]{2}/.test(text) &&
      /^.{6}(?:0[1-9]|1[0-2]|5[1-9]|6[0-2])/.test(text),
    sample: (text) => text.startsWith('MORGA7531') || text.startsWith('MORGA6570'),
    alone: 0.7,
    bare: 0.65,
    whole: 0.75,
  }),
  id('uk_utr', 'a UK taxpayer reference', 'utr|unique taxpayer', {
    shapes: ['9999999999', '99999-99999'],
    valid: (text) => '21987654321'[weighted(text.slice(1), [6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11] === text[0],
    whole: 0.3,
  }),
  id('at_tax_number', 'an Austrian tax number', 'abgabenkontonummer|steuernummer|steuer-nr|st.nr', {
    shapes: ['99-999-9999', '99-9999999', '999999999'],
    valid: (text) => luhn(text) && !sameDigits(text),
    whole: 0.3,
  }),
  id(
    'at_insurance_number',
    'an Austrian insurance number',
    'svnr|sv-nummer|sozialversicherungsnummer|versicherungsnummer',
    {
      shapes: ['9999-999999', '9999999999'],
      valid: (text) =>
        isDayAndMonth(text, 4) && weighted(text, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === Number(text[3]),
      whole: 0.4,
    },
  ),
  id('is_kennitala', 'an Icelandic identity number', 'kennitala|kt', {
    shapes: ['999999-9999', '9999999999'],
    separators: '- ',
    valid: (text) =>
      isDayAndMonth(
        text.replace(/^[4-7]/, (tens) => String(Number(tens) - 4)),
        0,
      ) &&
      (11 - (weighted(text, [3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(text[8]) &&
      /[089]$/.test(text),
    alone: 0.6,
    whole: 0.5,
  }),
  id(
    'ee_lt_personal_code',
    'an Estonian or Lithuanian personal code',
    'isikukood|asmens kodas|personal code|personal identification code|id code|ik|a/k',
    {
      shapes: ['99999999999'],
      valid: isBalticCode,
      whole: 0.6,
    },
  ),
  id('lv_personal_code', 'a Latvian personal code', 'personas kods|personal code|pk', {
    shapes: ['999999-99999', '99999999999'],
    separators: '-',
    valid: (text) =>
      text.startsWith('32') ||
      (isDayAndMonth(text, 0) && (1_101 - weighted(text, [1, 6, 3, 7, 9, 10, 5, 8, 4, 2])) % 11 === Number(text[10])),
    alone: 0.4,
    whole: 0.4,
  }),
  id('gr_amka', 'a Greek insurance number', 'amka|αμκα|social security', {
    shapes: ['99999999999'],
    valid: (text) => isDayAndMonth(text, 0) && luhn(text),
    whole: 0.4,
  }),
  id(
    'jmbg',
    'a personal number of the former Yugoslavia',
    'jmbg|umcn|emso|embg|maticni broj|matichen broj|јмбг|јмб|ембг|матични број|матичен број',
    {
      shapes: ['9999999999999'],
      valid: (text) => {
        const rest = 11 - (weighted(text, [7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11);
        return isDayAndMonth(text, 0) && (rest > 9 ? 0 : rest) === last(text);
      },
      whole: 0.6,
    },
  ),
  id('pt_citizen_card', 'a Portuguese citizen card', 'cartao de cidadao|citizen card|cc', {
    shapes: ['99999999-9-AA9', '99999999-9-AA-9', '999999999AA9', '99999999-9AA9'],
    valid: isCitizenCard,
    alone: 0.8,
    bare: 0.6,
    whole: 0.8,
  }),
  id('es_social_security', 'a Spanish social security number', 'seguridad social|afiliacion|nuss|naf|n.a.f.', {
    shapes: ['99-99999999-99', '99-9999999999', '999999999999'],
    valid: isSpanishInsured,
    whole: 0.4,
  }),
  id('fr_tax_number', 'a French tax number', 'numero fiscal|reference fiscale|numero spi|n° fiscal', {
    shapes: ['99-99-999-999-999', '9999999999999', '99-99-9999999-99'],
    valid: (text) => /^[0-3]/.test(text) && !sameDigits(text),
    near: 0.85,
    whole: 0,
  }),
  id(
    'it_identity_card',
    'an Italian identity card',
    "carta d'identita|carta di identita|carta identita|identity card|cie",
    {
      shapes: ['AA99999AA', 'AA9999999'],
      valid: (text) => /^C[A-Z]\d{5}[A-Z]{2}$|^A[A-Z]\d{7}$/.test(text),
      near: 0.85,
      whole: 0,
    },
  ),
  id('gr_tax_number', 'a Greek taxpayer number', 'afm|αφμ|α.φ.μ|α.φ.μ.', {
    shapes: ['999999999'],
    valid: (text) => (weighted(text, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === last(text) && !sameDigits(text),
    whole: 0,
  }),
  id('ru_passport', 'a Russian passport', 'паспорт|паспорта|серия|passport', {
    shapes: ['9999-999999', '99-99-999999', '9999999999'],
    separators: ' -',
    valid: (text) => !sameDigits(text),
    near: 0.8,
    whole: 0,
  }),
  id(
    'de_identity_card',
    'a German identity card or passport',
    'personalausweis|ausweisnummer|ausweis-nr|ausweisnr|ausweis|reisepass|passnummer|seriennummer des ausweises',
    {
      shapes: GERMAN_DOCUMENTS,
      valid: isGermanDocument,
      near: 0.9,
      whole: 0,
    },
  ),
  id('pt_niss', 'a Portuguese insurance number', 'niss|seguranca social|social security', {
    shapes: ['99999999999', '9-999-999-999-9', '999-999-999-99'],
    valid: (text) =>
      /^[12]/.test(text) && 9 - (weighted(text, [29, 23, 19, 17, 13, 11, 7, 5, 3, 2]) % 10) === last(text),
    whole: 0.3,
  }),
  id('hu_taj', 'a Hungarian insurance number', 'taj', {
    shapes: ['999-999-999', '999999999'],
    valid: (text) => weighted(text, [3, 7, 3, 7, 3, 7, 3, 7]) % 10 === last(text) && !sameDigits(text),
    whole: 0,
  }),
  id('ua_tax_number', 'a Ukrainian taxpayer number', 'rnokpp|ipn|drfo|rntrc|рнокпп|іпн|дрфо', {
    shapes: ['9999999999'],
    valid: (text) => (((weighted(text, [-1, 5, 7, 9, 4, 6, 10, 5, 7]) % 11) + 11) % 11) % 10 === last(text),
    whole: 0.3,
  }),
];

import { luhn } from './check-digits.ts';
import type { PiiFormat } from './format.ts';
import { id, sameDigits } from './national-id.ts';

/** Numbers under which somebody is insured or treated. */
export const HEALTH_IDS: readonly PiiFormat[] = [
  // https://www.cms.gov/medicare/new-medicare-card/understanding-the-mbi
  id('us_mbi', 'a US Medicare number', 'medicare|mbi|beneficiary', {
    shapes: ['9AA9-AA9-AA99', '9AA9AA9AA99', '9A99-AA9-AA99', '9AA9-A99-AA99', '9A99-A99-AA99', '9A99AA9AA99'],
    separators: '-',
    valid: (text) =>
      /^[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d[AC-HJKMNP-RT-Y]{2}\d{2}$/.test(
        text,
      ),
    alone: 0.6,
  }),
  id(
    'ca_health_card',
    'a Canadian health card',
    'ohip|ontario health|health card|carte sante|phn|personal health number',
    {
      shapes: ['9999999999-AA', '9999-999-999-AA', '9999-999-999', '9999999999'],
      separators: '- ',
      valid: (text) => luhn(text.slice(0, 10)) && !sameDigits(text.slice(0, 10)),
      near: 0.9,
      whole: 0,
    },
  ),
  id(
    'de_health_insurance',
    'a German health insurance number',
    'krankenversicher|krankenversichertennummer|krankenversichertennr|versichertennummer|versicherten nr|kvnr|krankenkasse|versicherte|versicherter',
    {
      shapes: ['A999999999'],
      valid: isGermanInsured,
      near: 0.9,
      whole: 0.5,
    },
  ),
  id(
    'health_insurance',
    'a health insurance number',
    'member id|health insurance|insurance id|policy holder|subscriber id|health plan|medicaid|policy number|insurance number|insurance no',
    {
      shapes: [
        'AAA999999999',
        'AAA99999999',
        'AAA9999999999',
        'AA999999999',
        'A999999999',
        'A99999999',
        '9999999999',
        '999999999',
      ],
      valid: (text) => !sameDigits(text),
      near: 0.6,
      whole: 0,
    },
  ),
  id(
    'medical_record',
    'a medical record number',
    'mrn|medical record|patient id|patient no|patient number|patientennummer|hospital number',
    {
      shapes: [
        '99999',
        '999999',
        '9999999',
        '99999999',
        '999999999',
        '9999999999',
        'A9999999',
        'AA999999',
        '999-999-999',
        '99-99-99',
        '999-99-99',
      ],
      valid: (text) => !sameDigits(text),
      near: 0.7,
      whole: 0,
    },
  ),
];

/** By its last digit (Luhn's sums over the number of the letter and the digits, § 290 SGB V). */
function isGermanInsured(text: string): boolean {
  const letter = text.charCodeAt(0) - 64;
  if (letter < 1 || letter > 26) return false;
  const digits = String(letter).padStart(2, '0') + text.slice(1, 9);
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const product = (digits.charCodeAt(at) - 48) * (at % 2 === 0 ? 1 : 2);
    sum += product > 9 ? product - 9 : product;
  }
  return sum % 10 === text.charCodeAt(9) - 48;
}

import type { PiiFormat } from './format.ts';
import { HEALTH_IDS } from './health-ids.ts';
import { id, sameDigits } from './national-id.ts';
import { AMERICAN_IDS } from './national-ids-americas.ts';
import { OTHER_IDS } from './national-ids-asia-pacific.ts';
import { EUROPEAN_IDS } from './national-ids-europe.ts';

/** What a text itself calls the number of a person, of whichever state. */
const SOME_ID = id(
  'national_id',
  'a national identity number',
  'national id|national identity|identity number|identity card number|personal identification number|citizen id|id card|identity card',
  {
    shapes:
      '9999999 99999999 999999999 9999999999 99999999999 999999999999 9999999999999 A9999999 AA9999999 A99999999 999999999A'.split(
        ' ',
      ),
    valid: (text) => !sameDigits(text),
    near: 0.6,
    whole: 0,
  },
);

/** What a text itself calls the tax number of somebody: most states have one, and few say more by their form. */
const SOME_TAX_ID = id('tax_id', 'a tax number', 'tax number|tax id|tax no|tax identification|taxpayer|tin', {
  shapes: (
    '99999999 999999999 9999999999 99999999999 999999999999 9999999999999 99-999-9999 99-9999999 999-999-999 ' +
    '99-999-999 999-999-9999 99-999-999-999 99999999A A99999999 A9999999A'
  ).split(' '),
  valid: (text) => !sameDigits(text),
  near: 0.6,
  whole: 0,
});

/** Numbers that states give to persons. */
export const NATIONAL_IDS: readonly PiiFormat[] = [
  ...AMERICAN_IDS,
  ...EUROPEAN_IDS,
  ...OTHER_IDS,
  ...HEALTH_IDS,
  SOME_ID,
  SOME_TAX_ID,
];

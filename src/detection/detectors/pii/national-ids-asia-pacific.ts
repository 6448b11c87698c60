import { isDayAndMonth, isMonthAndDay, luhn, verhoeff, weighted } from './check-digits.ts';
import type { PiiFormat } from './format.ts';
import { id, last, sameDigits } from './national-id.ts';

/** Personal numbers of Africa, Asia and the Pacific, by the rules their issuers publish. */
export const OTHER_IDS: readonly PiiFormat[] = [
  id('za_id', 'a South African identity number', 'south african id|sa id|id number|identity number|rsa id', {
    shapes: ['9999999999999', '999999-9999-99-9', '999999-9999999'],
    valid: (text) => isMonthAndDay(text, 2) && /[01][89]\d$/.test(text) && luhn(text),
    alone: 0.7,
    whole: 0.7,
  }),
  id(
    'il_id',
    'an Israeli identity number',
    'teudat zehut|israeli id|mispar zehut|תעודת זהות|תעודת הזהות|מספר זהות|ת.ז.',
    {
      shapes: ['999999999', '99999999-9', '9-9999999-9', '9999999-9', '99999999'],
      valid: (text) => luhn(text) && !sameDigits(text),
      whole: 0,
    },
  ),
  id('in_aadhaar', 'an Indian Aadhaar number', 'aadhaar|aadhar|uidai|uid|आधार', {
    shapes: ['9999-9999-9999', '999999999999'],
    separators: '- :',
    valid: (text) => /^[2-9]/.test(text) && !sameDigits(text) && verhoeff(text),
    alone: 0.7,
    whole: 0.6,
  }),
  id('in_pan', 'an Indian PAN', 'pan|permanent account', {
    shapes: ['AAAAA9999A'],
    valid: (text) => /^[A-Z]{3}[ABCFGHJLPT]/.test(text),
    alone: 0.65,
    bare: 0.65,
    whole: 0.75,
  }),
  id('in_voter_id', 'an Indian voter number', 'voter|epic', {
    shapes: ['AAA9999999'],
    valid: () => true,
    near: 0.75,
    whole: 0,
  }),
  id('sg_nric', 'a Singaporean NRIC or FIN', 'nric|fin', {
    shapes: ['A9999999A'],
    valid: isNric,
    alone: 0.75,
    bare: 0.75,
    whole: 0.8,
  }),
  id('kr_rrn', 'a Korean resident number', 'rrn|resident registration|주민등록번호', {
    shapes: ['999999-9999999', '9999999999999'],
    separators: '- ',
    valid: isRrn,
    alone: 0.8,
    whole: 0.6,
  }),
  id('cn_resident_id', 'a Chinese resident number', 'resident id|identity card|id card|身份证|身份證', {
    shapes: ['99999999999999999A', '999999999999999999'],
    valid: isChinese,
    alone: 0.9,
    bare: 0.85,
    whole: 0.9,
  }),
  id('tw_id', 'a Taiwanese identity number', 'taiwan id|national id|身分證', {
    shapes: ['A999999999'],
    valid: isTaiwanese,
    bare: 0.55,
    whole: 0.6,
  }),
  id('hk_id', 'a Hong Kong identity number', 'hkid|hong kong id|香港身份|身份證|身份证', {
    shapes: ['A999999', 'A999999-9'],
    separators: '(',
    valid: () => true,
    near: 0.7,
    whole: 0,
  }),
  id('jp_driving_licence', 'a Japanese driving licence', '運転免許|運転免許証|免許証|免許証番号', {
    shapes: ['999999999999'],
    valid: (text) => !sameDigits(text),
    near: 0.85,
    whole: 0,
  }),
  id('jp_my_number', 'a Japanese individual number', 'my number|mynumber|マイナンバー|個人番号', {
    shapes: ['9999-9999-9999', '999999999999'],
    valid: isMyNumber,
    whole: 0.3,
  }),
  id('th_id', 'a Thai identity number', 'thai id|citizen id|บัตรประชาชน|เลขประจำตัวประชาชน', {
    shapes: ['9-9999-99999-99-9', '9999999999999'],
    valid: (text) => (11 - (weighted(text, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === last(text),
    alone: 0.9,
    whole: 0.4,
  }),
  id('my_kad', 'a Malaysian identity number', 'mykad|ic number|nric|kad pengenalan', {
    shapes: ['999999-99-9999'],
    separators: '-',
    valid: (text) => isMonthAndDay(text, 2),
    alone: 0.6,
    whole: 0.6,
  }),
  id('au_tfn', 'an Australian tax file number', 'tfn|tax file', {
    shapes: ['999-999-999', '999999999'],
    valid: (text) => weighted(text, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0 && !sameDigits(text),
    whole: 0.5,
  }),
  id('au_abn', 'an Australian business number', 'abn|business number', {
    shapes: ['99-999-999-999', '99999999999'],
    valid: (text) => (weighted(text, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0,
    alone: 0.7,
    whole: 0.6,
    severity: 'medium',
  }),
  id('au_medicare', 'an Australian Medicare number', 'medicare', {
    shapes: ['9999-99999-9', '9999999999'],
    valid: (text) => /^[2-6]/.test(text) && weighted(text, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === Number(text[8]),
    alone: 0.7,
    whole: 0.55,
  }),
  id('nz_ird', 'a New Zealand IRD number', 'ird', {
    shapes: ['99-999-999', '999-999-999', '9999999-9', '99999999', '999999999'],
    valid: isInlandRevenue,
    near: 0.8,
    whole: 0,
  }),
  id('pk_cnic', 'a Pakistani identity number', 'cnic|nadra|nicop', {
    shapes: ['99999-9999999-9', '9999999999999'],
    separators: '- ',
    valid: (text) => /^[1-8]/.test(text) && /[1-9]$/.test(text),
    alone: 0.75,
    whole: 0.4,
  }),
  id('id_nik', 'an Indonesian identity number', 'nik|ktp|nomor induk|national identity', {
    shapes: ['9999999999999999', '99-9999-999999-9999'],
    valid: (text) =>
      /^[1-9]/.test(text) &&
      isDayAndMonth(
        text.slice(6).replace(/^[4-7]/, (tens) => String(Number(tens) - 4)),
        0,
      ),
    whole: 0.4,
  }),
  id('in_vid', 'an Indian virtual identity number', 'vid|virtual id', {
    shapes: ['9999999999999999', '9999-9999-9999-9999'],
    separators: '- ',
    valid: (text) => /^[2-9]/.test(text) && !sameDigits(text) && verhoeff(text),
    whole: 0.5,
  }),
  id('kz_iin', 'a Kazakh identity number', 'iin|zhsn|иин|жсн', {
    shapes: ['999999999999'],
    valid: isKazakh,
    whole: 0.5,
  }),
  id('ae_id', 'an Emirates identity number', 'emirates id|eid', {
    shapes: ['999-9999-9999999-9', '999999999999999'],
    separators: '- ',
    valid: (text) => text.startsWith('784') && luhn(text),
    alone: 0.9,
    bare: 0.6,
    whole: 0.9,
  }),
  // So called: the check digit is published nowhere, and Luhn's does not hold for all.
  id('ae_id', 'an Emirates identity number', 'emirates id|eid', {
    shapes: ['999-9999-9999999-9', '999999999999999'],
    separators: '- ',
    valid: (text) => /^784(?:19|20)/.test(text),
    near: 0.8,
    whole: 0,
  }),
  id('kw_civil_id', 'a Kuwaiti civil number', 'civil id|البطاقة المدنية|الرقم المدني', {
    shapes: ['999999999999'],
    valid: (text) =>
      /^[1-3]/.test(text) &&
      isMonthAndDay(text, 3) &&
      11 - (weighted(text, [2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11) === last(text),
    whole: 0.4,
  }),
  id('ir_national_code', 'an Iranian national code', 'melli|national code|کد ملی|کدملی', {
    shapes: ['9999999999', '999-999999-9'],
    valid: isIranian,
    whole: 0,
  }),
  id('sa_id', 'a Saudi identity number', 'saudi id|iqama|رقم الهوية|رقم هوية|هوية|إقامة', {
    shapes: ['9999999999'],
    valid: (text) => /^[12]/.test(text) && luhn(text),
    whole: 0.3,
  }),
  id('lk_nic', 'a Sri Lankan identity number', 'nic|national identity card', {
    shapes: ['999999999A', '999999999999'],
    valid: (text) => /^\d{9}[VX]$|^(?:19|20)\d{10}$/.test(text),
    whole: 0.4,
  }),
  id('vn_cccd', 'a Vietnamese identity number', 'cccd|cmnd|can cuoc', {
    shapes: ['999999999999', '999999999'],
    valid: (text) => !sameDigits(text),
    near: 0.75,
    whole: 0,
  }),
  id('eg_id', 'an Egyptian identity number', 'egyptian id|national id|الرقم القومي|رقم قومي', {
    shapes: ['99999999999999'],
    valid: (text) => /^[23]/.test(text) && isMonthAndDay(text, 3),
    whole: 0.5,
  }),
  id('ng_nin', 'a Nigerian identity number', 'nin|national identification', {
    shapes: ['99999999999'],
    valid: (text) => !sameDigits(text),
    near: 0.7,
    whole: 0,
  }),
  id('ke_pin', 'a Kenyan tax number', 'kra|pin|kra pin', {
    shapes: ['A999999999A'],
    valid: (text) => /^[AP]/.test(text),
    near: 0.8,
  }),
];

function isIranian(text: string): boolean {
  const rest = weighted(text, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  return (rest < 2 ? rest : 11 - rest) === last(text) && !sameDigits(text) && text !== '0123456789';
}

function isNric(text: string): boolean {
  const lead = text[0] as string;
  if (!'STFGM'.includes(lead)) return false;
  const offset = lead === 'T' || lead === 'G' ? 4 : lead === 'M' ? 3 : 0;
  const sum = weighted(text.slice(1), [2, 7, 6, 5, 4, 3, 2]) + offset;
  const letters = 'ST'.includes(lead) ? 'JZIHGFEDCBA' : lead === 'M' ? 'KLJNPQRTUWX' : 'XWUTRQPNMLK';
  const at = lead === 'M' ? 10 - (sum % 11) : sum % 11;
  return letters[at] === text[8];
}

function isRrn(text: string): boolean {
  if (!isMonthAndDay(text, 2) || !/^.{6}[0-9]/.test(text)) return false;
  return (11 - (weighted(text, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10 === last(text);
}

function isChinese(text: string): boolean {
  const sum = weighted(text, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
  return /^[1-9]\d{5}(?:19|20)/.test(text) && isMonthAndDay(text, 10) && '10X98765432'[sum % 11] === text[17];
}

function isTaiwanese(text: string): boolean {
  const lead = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'.indexOf(text[0] as string) + 10;
  const sum = Math.floor(lead / 10) + (lead % 10) * 9 + weighted(text.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1]);
  return sum % 10 === 0 && /^.[1289]/.test(text);
}

function isMyNumber(text: string): boolean {
  const rest = weighted(text, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  return (rest <= 1 ? 0 : 11 - rest) === last(text);
}

function isKazakh(text: string): boolean {
  if (!isMonthAndDay(text, 2)) return false;
  const first = weighted(text, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) % 11;
  const check = first < 10 ? first : weighted(text, [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]) % 11;
  return check === last(text);
}

function isInlandRevenue(text: string): boolean {
  const padded = text.padStart(9, '0');
  const check = (weights: readonly number[]): number => (11 - (weighted(padded, weights) % 11)) % 11;
  const first = check([3, 2, 7, 6, 5, 4, 3, 2]);
  return (first < 10 ? first : check([7, 4, 3, 2, 5, 2, 7, 6])) === last(padded);
}

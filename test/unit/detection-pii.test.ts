import fc from 'fast-check';
import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { Allowance } from '../../src/detection/cuts.ts';
import { luhn, mod11And10, mod97, verhoeff } from '../../src/detection/detectors/pii/check-digits.ts';
import { isBase58Address, isBech32Address } from '../../src/detection/detectors/pii/crypto-addresses.ts';
import { ibanEnd } from '../../src/detection/detectors/pii/money.ts';
import { shapeOf } from '../../src/detection/detectors/pii/shapes.ts';
import type { SeenPii } from '../../src/detection/detectors/pii/walk.ts';
import { pii, piiIn } from '../../src/detection/detectors/pii.ts';
import { eventFacts } from '../../src/detection/facts/gather-facts.ts';
import { FULL_LIMITS } from '../../src/detection/limits.ts';
import { userMessage } from '../support/events.ts';
import { plainText } from '../support/read-text.ts';
import { timesOf } from '../support/timing.ts';

/** Sure enough to act on. */
const SURE = 0.5;

const seen = (text: string, key = ''): readonly SeenPii[] => piiIn(text, key, new Allowance(unlimited));
const sure = (text: string, key = ''): string[] =>
  seen(text, key)
    .filter(({ confidence }) => confidence >= SURE)
    .map(({ what, start, end }) => `${what} ${text.slice(start, end)}`);

/** `digits` with the last digit that makes it pass `check`. */
function completed(digits: string, check: (text: string) => boolean): string {
  const last = [...'0123456789'].find((digit) => check(digits + digit));
  if (last === undefined) throw new Error(`nothing completes ${digits}`);
  return digits + last;
}

t.test('check digits: the schemes know the samples of their publications', async (t) => {
  t.ok(luhn('79927398713'));
  t.notOk(luhn('79927398710'));
  t.equal(mod97('3214282912345698765432161182'), 1);
  t.ok(mod11And10('86095742719'));
  t.notOk(mod11And10('86095742718'));
  t.ok(verhoeff('2363'));
  t.notOk(verhoeff('2364'));
});

t.test('check digits: one wrong digit never passes', async () => {
  const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 8, maxLength: 18 });
  fc.assert(
    fc.property(digits, fc.nat(), fc.integer({ min: 1, max: 9 }), (digits, place, by) => {
      for (const check of [luhn, verhoeff, mod11And10]) {
        const last = [...'0123456789'].find((digit) => check(digits.join('') + digit));
        if (last === undefined) continue;
        const number = digits.join('') + last;
        const at = place % number.length;
        const wrong = number.slice(0, at) + ((Number(number[at]) + by) % 10) + number.slice(at + 1);
        if (check(wrong)) return false;
      }
      return true;
    }),
    { seed: 20_260_104, numRuns: 1_000 },
  );
});

t.test('cards are known by issuer and check digit, however they are grouped', async (t) => {
  for (const start of ['411222333444555', '520111222333444', '223300112233445', '601122334455667', '352899887766554']) {
    const card = completed(start, luhn);
    const grouped = card.replace(/(\d{4})(?=\d)/g, '$1 ');
    t.same(sure(`charge ${card} today`), [`credit_card ${card}`]);
    t.same(sure(`charge ${grouped}, please`), [`credit_card ${grouped}`]);
    t.same(sure(`"card":"${grouped.replaceAll(' ', '-')}"`), [`credit_card ${grouped.replaceAll(' ', '-')}`]);
    const wrong = card.slice(0, -1) + ((Number(card.at(-1)) + 1) % 10);
    t.same(sure(`charge ${wrong} today`), [], 'a wrong check digit');
    t.same(sure(`id_${card}`), [], 'a part of a name');
    t.same(sure(`0.${card}`), [], 'a part of a number');
  }
  const amex = completed('37828224631000', luhn);
  const written = `${amex.slice(0, 4)} ${amex.slice(4, 10)} ${amex.slice(10)}`;
  t.same(sure(written), [`credit_card ${written}`]);
  t.same(sure('0000 0000 0000 0000'), []);
});

t.test('IBANs are known by country, length and check digits', async (t) => {
  const iban = (country: string, account: string): string => {
    const check = 98 - mod97(`${account}${country}00`);
    return `${country}${String(check).padStart(2, '0')}${account}`;
  };
  for (const [country, account] of [
    ['DE', '500105175407324931'],
    ['GB', 'BARC20201530093459'],
    ['NO', '15032080119'],
    ['FR', '30006000011234567890189'],
  ] as const) {
    const number = iban(country, account);
    const grouped = number.replace(/(.{4})(?=.)/g, '$1 ');
    t.same(sure(`to ${number}.`), [`iban ${number}`]);
    t.same(sure(`to ${grouped} by Friday`), [`iban ${grouped}`]);
    t.equal(ibanEnd(`${number}7`, 0), undefined, 'too long');
    t.equal(ibanEnd(number.slice(0, -1), 0), undefined, 'too short');
    t.equal(
      ibanEnd(
        number.replace(/..$/, (two) => two.replace(/./g, (digit) => String((Number(digit) + 3) % 10))),
        0,
      ),
      undefined,
      'wrong',
    );
  }
});

t.test('numbers of states: by check digits, shape and words near them', async (t) => {
  const cases: [expected: string, text: string][] = [
    ['us_ssn 536-22-8417', 'SSN: 536-22-8417'],
    ['us_ssn 536-22-8417', 'his file has 536-22-8417 on it'],
    ['us_ssn 536228417', '{"social_security": "536228417"}'],
    ['us_itin 912-73-4567', 'itin 912-73-4567'],
    ['uk_nhs 943 476 5919', 'NHS number 943 476 5919'],
    ['uk_nino CE 12 34 56 C', 'her number is CE 12 34 56 C'],
    ['es_nif 12345678Z', 'DNI 12345678Z'],
    ['es_nie X1234567L', 'NIE: X1234567L'],
    ['it_fiscal_code RSSMRA85T10A562S', 'codice fiscale RSSMRA85T10A562S'],
    ['fr_nir 1 84 12 76 451 089 46', 'assuré 1 84 12 76 451 089 46'],
    ['de_tax_id 86095742719', 'Steuer-ID 86095742719'],
    ['nl_bsn 111222333', 'BSN: 111222333'],
    ['be_national_number 85.07.30-033.28', 'rijksregister 85.07.30-033.28'],
    ['pl_pesel 44051401359', 'PESEL 44051401359'],
    ['se_personnummer 811228-9874', 'personnummer 811228-9874'],
    ['fi_identity_code 131052-308T', 'hetu 131052-308T'],
    ['ch_ahv 756.9217.0769.85', '756.9217.0769.85'],
    ['br_cpf 529.982.247-25', 'CPF 529.982.247-25'],
    ['br_cnpj 11.222.333/0001-81', 'CNPJ 11.222.333/0001-81'],
    ['in_aadhaar 2341 2341 2346', 'Aadhaar 2341 2341 2346'],
    ['in_pan AFZPK7190K', 'PAN AFZPK7190K'],
    ['au_tfn 123 456 782', 'TFN 123 456 782'],
    ['au_abn 83 914 571 673', 'ABN 83 914 571 673'],
    ['sg_nric S1234567D', 'NRIC S1234567D'],
    ['cn_resident_id 11010519491231002X', 'id 11010519491231002X'],
    ['kr_rrn 971013-9019902', '971013-9019902'],
    ['us_passport C03005988', 'passport C03005988'],
    ['bank_routing 021000021', 'routing number 021000021'],
    ['date_of_birth 1985-03-14', 'born 1985-03-14'],
  ];
  for (const [expected, text] of cases) t.same(sure(text), [expected], text);
});

t.test('a number without its check digit, its shape or its word is none', async (t) => {
  const texts = [
    'SSN 000-22-8417',
    'SSN 666-22-8417',
    'order 536228417 was shipped',
    'routing is hard, but 536228417 passes',
    'PESEL 44051401358',
    'NHS number 9434765918',
    'commit 4405140 and 20240131 and 1700000000',
    'timestamps 1700000000000 and 1700000000000000',
    'version 1.2.3, build 20240131.4, port 8080',
    'uuid 550e8400-e29b-41d4-a716-446655440000',
    'rows 200 1234 404 5678 500 9012',
    'a row of 4111 2223 3344 5555 6666 7777 8888',
    'std::f64::consts and a::b and 12:34:56 and 1:2:3:4',
    'icon@2x.png, pkg@1.2.3, git@github.com:acme/x.git, @decorator',
    'https://bot:pw@host.dev/x',
    'released 1985-03-14',
    'Franklin Street, Boston, MA 02110-1301',
    'call me maybe',
  ];
  for (const text of texts) t.same(sure(text), [], text);
});

t.test('people can be reached: mail, telephone, network', async (t) => {
  const cases: [expected: string[], text: string][] = [
    [['email maria.lopez+x@mail.acme.dev'], 'write to maria.lopez+x@mail.acme.dev.'],
    [['email a@b.museum'], '<a@b.museum>'],
    [['phone +49 30 901820'], 'Tel. +49 30 901820'],
    [['phone (212) 555-0143'], 'call (212) 555-0143 now'],
    [['phone 212-555-0143'], 'at 212-555-0143'],
    [['phone 06 12 34 56 78'], 'mobile: 06 12 34 56 78'],
    [['ip_address 203.0.113.9'], 'from 203.0.113.9:443'],
    [['ip_address 2a00:1450:4001:82a::200e'], 'from 2a00:1450:4001:82a::200e to'],
    [['mac_address 00:1b:44:11:3a:b7'], 'ether 00:1b:44:11:3a:b7 brd'],
  ];
  for (const [expected, text] of cases) t.same(sure(text), expected, text);
  t.same(sure('2125550143', 'phoneNumber'.toLowerCase()), ['phone 2125550143'], 'a property of that name');
  t.same(sure('2125550143', 'count'), []);
});

t.test('addresses of cryptocurrencies are known by their checksum', async (t) => {
  const genesis = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
  const bip173 = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
  t.same(sure(`pay ${genesis}`), [`crypto_address ${genesis}`]);
  t.same(sure(`pay ${bip173}`), [`crypto_address ${bip173}`]);
  t.notOk(isBase58Address(genesis.replace('f', 'g')));
  t.notOk(isBech32Address(bip173.replace('w508', 'w509')));
});

t.test('shapes: as they are written, and nothing longer', async (t) => {
  t.equal(shapeOf('1234', 0, 4), shapeOf('9876', 0, 4));
  t.not(shapeOf('1234', 0, 4), shapeOf('123', 0, 3));
  t.not(shapeOf('A123', 0, 4), shapeOf('123A', 0, 4));
  t.equal(shapeOf('a1'.repeat(8), 0, 16), -1);
});

t.test('a detection says where it stands; more than the bound is said to be cut', async (t) => {
  const detect = (text: string): { found: ReturnType<typeof pii.detect>; allowance: Allowance } => {
    const event = userMessage(text);
    const allowance = new Allowance(unlimited);
    const facts = eventFacts(event, FULL_LIMITS, allowance);
    return { allowance, found: pii.detect({ event, facts, texts: [plainText(text)], limits: FULL_LIMITS, allowance }) };
  };
  const { found } = detect('SSN: 536-22-8417');
  t.match(found, [{ kind: 'pii.us_ssn', severity: 'high', start: 5, end: 16, value: '536-22-8417' }]);
  t.notOk(found[0]?.what.includes('536'));
  const many = Array.from({ length: 200 }, (_, index) => `p${index}@acme.dev`).join(' ');
  const { found: kept, allowance } = detect(many);
  t.equal(kept.length, 64);
  t.same(allowance.cuts, [{ what: 'pii', bound: 'count 64' }]);
});

t.test('any text is scanned without a throw, in order and inside of the text', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '4111 1111 1111 1111',
      '536-22-8417',
      'GB29',
      'NWBK',
      ' ',
      '-',
      '.',
      '+',
      '(',
      '@',
      ':',
      '::1',
      'ssn',
      'phone',
      '\u00e9',
    ),
    fc.string({ maxLength: 8 }),
    fc.integer().map(String),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      let before = 0;
      return seen(text).every(({ start, end }) => {
        const fine = start >= before && start < end && end <= text.length;
        before = end;
        return fine;
      });
    }),
    { seed: 20_260_105, numRuns: 3_000 },
  );
});

t.test('hostile text takes time in proportion to its length', { timeout: 800_000 }, async (t) => {
  const units = [
    '1',
    '12 ',
    '123 ',
    '4111 ',
    '123-',
    '1.',
    '1-',
    'a:',
    'ab:',
    '1:',
    ':',
    '@',
    'a@',
    'a@b.',
    `a@${'b'.repeat(60)} `,
    '+1',
    '(1',
    '+1 ',
    'GB29 NWBK ',
    '〒123-4567',
    '45 11 номер ',
    'geb. 1.',
    'DE00 0000 ',
    '078051123 ',
    'phone 1234567 ',
    'ssn ',
    '1AGNa15ZQXAZUgFiqJ2i7Z2DPU2J6hW62i ',
    '1.1.1.1',
    'A1',
    'AA 12 34 ',
  ];
  for (const unit of units) {
    const chars: [number, number] = [65_536, 1_048_576];
    const { short, long, max } = timesOf(seen, { unit, chars, longMsMax: (ms) => ms * 16 * 4 + 50 });
    t.ok(long < max, `${JSON.stringify(unit)}: ${short.toFixed(1)} ms for 64 KB, ${long.toFixed(1)} ms for 1 MB`);
    t.ok(short < 1_000, `${JSON.stringify(unit)} at 64 KB`);
  }
});

t.test('numbers of further states: one last digit in ten is right, and a word has to stand near', async (t) => {
  const cases: [what: string, words: string, start: string][] = [
    ['is_kennitala', 'kennitala', '150674328'],
    ['ee_lt_personal_code', 'asmens kodas', '3860521004'],
    ['gr_amka', 'ΑΜΚΑ / AMKA', '0907650123'],
    ['jmbg', 'JMBG', '170698571001'],
    ['hu_taj', 'TAJ szám', '11223344'],
    ['ua_tax_number', 'RNOKPP', '318871234'],
    ['at_tax_number', 'Abgabenkontonummer', '98-765/432'],
    ['do_cedula', 'cédula', '001-1234567-'],
    ['uy_cedula', 'cédula de identidad', '4.321.765-'],
    ['kz_iin', 'IIN', '85061530123'],
    ['sa_id', 'Iqama', '218765432'],
    ['nz_ird', 'IRD number', '4933221'],
    ['mx_nss', 'NSS', '1083631161'],
    ['pt_niss', 'NISS', '1234731289'],
    ['kw_civil_id', 'Civil ID', '28603151234'],
    ['ir_national_code', 'کد ملی', '092038815'],
  ];
  for (const [what, words, start] of cases) {
    const right = [...'0123456789'].filter((digit) =>
      sure(`${words}: ${start}${digit}.`).includes(`${what} ${start}${digit}`),
    );
    // A kennitala ends in its century: of three digits each is one.
    t.ok(right.length >= 1 && right.length <= 3, `${what}: ${right.length} of ten`);
    t.same(sure(`order ${start.replace(/\D/g, '')}${right[0]} of the day`), [], `${what} without a word`);
  }
  t.same(sure('NIK 3273014508870005'), ['id_nik 3273014508870005'], 'a woman born on the fifth');
  t.same(sure('CNIC 35202-7654321-9'), ['pk_cnic 35202-7654321-9']);
  t.same(sure('her national ID number is 84412097'), ['national_id 84412097']);
  t.same(sure('RFC: VECJ880326XK4'), ['mx_rfc VECJ880326XK4']);
  t.same(sure('VECJ883326XK4 is a part'), []);
});

t.test('a personal number may be written as its owner likes where a word says what it is', async (t) => {
  t.same(sure('Fødselsnummer: 100487-44732'), ['no_birth_number 100487-44732'], 'letters that English has not');
  t.same(sure('Führerschein K1234567').length, 1);
  const number = '85.07.30-033 28';
  t.same(sure(`rijksregister ${number}`), [`be_national_number ${number}`]);
  t.same(sure(`part ${number} of the list`), []);
});

t.test('what licences and drawings hold is no personal number', async (t) => {
  for (const text of [
    '51 Franklin Street, Fifth Floor, Boston, MA 02110-1301, USA',
    'Beverly Hills, CA 90210-7065',
    'd="M16 735c-6037-3536 8085 10076-8274 13350 280-20 560-43"',
    '3358 ; [.1F98.0020.0004][.9216.0020.0004] # TELEGRAPH SYMBOL',
  ])
    t.same(
      seen(text).filter(({ severity }) => severity !== 'informational'),
      [],
      text,
    );
  t.same(sure('social security 02110-1301'), ['us_ssn 02110-1301'], 'where a word says so');
});

t.test('telephone numbers: in the notation of any country where a word says so, with what stands behind', async (t) => {
  for (const [text, number] of [
    ['Tel 030/1234567', '030/1234567'],
    ['reach us at 079 5032 9911', '079 5032 9911'],
    ['fax 22 33 44 55', '22 33 44 55'],
    ['mobil 0660 123 45 67', '0660 123 45 67'],
    ['my number changed to 06-40 12 34 56', '06-40 12 34 56'],
    ['+1-541-754-3010x123', '+1-541-754-3010x123'],
    ['call 541.754.3010x1234', '541.754.3010x1234'],
    ['Phone: 085 175 7641-Office', '085 175 7641'],
  ] as const)
    t.same(sure(text), [`phone ${number}`], text);
  for (const text of ['phoned on 2024-05-12 10:30', 'parts 22 33 44 55', 'telephone 2.4.1', 'fax of 12.05.2024 14'])
    t.same(
      sure(text).filter((one) => one.startsWith('phone')),
      [],
      text,
    );
});

t.test('rows of a table are no numbers of persons, and a list of cards is one of cards', async (t) => {
  const cards = [completed('411111111111111', luhn), completed('535062748193027', luhn)];
  const grouped = cards.map((card) => card.replace(/(....)(?=.)/g, '$1 '));
  t.same(
    sure(grouped.join('\n')),
    grouped.map((card) => `credit_card ${card}`),
    'a list',
  );
  t.same(sure(`${grouped[0]}\n4096 1024 2048 0513\n`), [], 'a row that passes above one that does not');
  t.same(sure(`${grouped[0]} 2048 0513`), [], 'a row that goes on');
  const aadhaar = completed('23412341234', verhoeff).replace(/(....)(?=.)/g, '$1 ');
  t.same(sure(`on file: ${aadhaar}`), [`in_aadhaar ${aadhaar}`]);
  t.same(sure(`7001 8002 9003\n${aadhaar}\n`), []);
});

t.test('numbers of logs: a negative number in a name, and what stands behind a time', async (t) => {
  t.same(sure(`stored part_-${completed('411111111111111', luhn)} of 3`), []);
  t.same(sure('09-12 08:15:42.118 2711 24013 I PhoneDialer: ready'), []);
});

t.test('tax numbers and passports by what a text calls them', async (t) => {
  t.same(sure('tax number: 48203917'), ['tax_id 48203917']);
  t.same(sure('order number: 48203917'), []);
  t.same(sure('passport: 51827364'), ['passport 51827364']);
  t.same(sure('parcel: 51827364'), []);
});

t.test('where somebody lives, and when somebody was born, told in words', async (t) => {
  for (const [text, ...found] of [
    ['ship it to 12 Willow Creek Road, Ohio', 'postal_address 12 Willow Creek Road'],
    ['elle habite 8 rue de la Gare, Lyon', 'postal_address 8 rue de la Gare'],
    ['Wohnhaft: Bahnhofstraße 5a, 80335 München.', 'postal_address Bahnhofstraße 5a, 80335 München'],
    ['abita in Via Giuseppe Verdi 21, 20121 Milano', 'postal_address Via Giuseppe Verdi 21, 20121 Milano'],
    ['born on 3 March 1975 in Cork', 'date_of_birth 3 March 1975'],
    ['née le 14 juillet 1989', 'date_of_birth 14 juillet 1989'],
    ['geboren am 7. Mai 1990', 'date_of_birth 7. Mai 1990'],
  ])
    t.same(sure(text as string), found, text as string);
  for (const text of [
    'upgraded to Version 12 Fast Lane Pro',
    'see chapter 5 Road Map for details',
    'released on 3 March 1975',
    'the tree was planted on 14 juillet 1989',
    'Ring 3 runs user code',
    'step 4: drive to the square',
    'the release was born out of 12 weekly meetings in 2019',
  ])
    t.same(sure(text), [], text);
});

t.test('numbers under which somebody is insured or treated', async (t) => {
  t.same(sure('Medicare: 1EG4-TE5-MK73'), ['us_mbi 1EG4-TE5-MK73']);
  t.same(sure('Krankenversichertennummer A123456780'), ['de_health_insurance A123456780']);
  t.same(sure('Krankenversichertennummer A123456781'), [], 'a wrong check digit');
  t.same(sure('MRN: 48203917'), ['medical_record 48203917']);
  t.same(sure('part no: 48203917'), []);
});

t.test('mobile numbers have a form of their own in some countries', async (t) => {
  for (const number of [
    '06 12 34 56 78',
    '079 123 45 67',
    '070-123 45 67',
    '06-12345678',
    '07911 123456',
    '0151 23456789',
  ])
    t.same(sure(`write to Kim, ${number}`), [`phone ${number}`], number);
  t.same(sure('rows 16 12 34 56 78'), []);
});

t.test('words of other scripts speak for a number', async (t) => {
  const cases: readonly [what: string, text: string, number: string][] = [
    ['bg_egn', 'ЕГН: %', '7410070002'],
    ['ru_snils', 'снилс;%', '715-107-275 64'],
    ['ua_tax_number', 'РНОКПП Оксани: %, додай', '2907134342'],
    ['kz_iin', 'Қызметкер, ЖСН %', '771226385298'],
    ['gr_amka', 'Ο ΑΜΚΑ είναι %', '15025980747'],
    ['il_id', 'תעודת הזהות היא %', '564434017'],
    ['sa_id', 'رقم هوية العميل هو %', '1756852446'],
    ['eg_id', 'الرقم القومي: %', '26607182180153'],
    ['passport', '护照号码：%', 'EJ3879115'],
    ['no_birth_number', 'Fødselsnummeret til Kari er %', '25107705581'],
    ['de_pension_number', 'rvnr;%;brutto', '11 150388 D 139'],
    ['ru_inn', 'ИНН %', '786160031103'],
    ['bank_account', 'CLABE: %', '012180590730596053'],
  ];
  for (const [what, text, number] of cases)
    t.ok(
      sure(text.replace('%', number)).includes(`${what} ${number}`),
      `${text}: ${sure(text.replace('%', number)).join()}`,
    );
  t.same(sure('订单 7410070002'), [], 'a number of which nothing speaks');
  t.same(sure('ЕГН: 7410070003'), [], 'a wrong check digit');
});

t.test('the machine-readable lines of a document are known by their check digits', async (t) => {
  const booklet = 'P<NLDVAN<OOSTENDORP<<FENNA<MARIJKE<<<<<<<<<<\nR7PXL7HVK8NLD8706102F3311064<<<<<<<<<<<<<<00';
  const card = 'I<ESTHMRCPGXC48<<<<<<<<<<<<<<<\n0202077M2801027EST<<<<<<<<<<<4\nTAMM<<RASMUS<<<<<<<<<<<<<<<<<<';
  t.ok(seen(booklet).some(({ what, confidence }) => what === 'passport' && confidence > 0.9));
  t.ok(seen(card).some(({ what, confidence }) => what === 'passport' && confidence > 0.9));
  t.notOk(seen(booklet.replace('8706102F', '8706103F')).some(({ what }) => what === 'passport'));
  t.notOk(seen(`${'<'.repeat(40)}\n${'0'.repeat(44)}`).some(({ what }) => what === 'passport'));
});

t.test('documents and registers of more states, by their check digits and the words for them', (t) => {
  const cases: readonly [what: string, text: string, number: string][] = [
    ['jp_driving_licence', '運転免許証 番号 第 % 号', '303338570546'],
    ['ru_passport', 'паспорт серия % выдан', '45 11 номер 576340'],
    ['ru_passport', 'паспорт %', '4511 576340'],
    ['ca_health_card', 'Ontario Health Card %', '4871905719-OQ'],
    ['it_identity_card', "carta d'identità n. %, Sandro", 'CA26029JQ'],
    ['es_social_security', 'Seguridad Social\nNº afiliación SS: %', '28/15854736/26'],
    ['gr_tax_number', 'Κοντό, ΑΦΜ %, ΔΟΥ', '731669944'],
    ['de_identity_card', 'Ausweisnummer %, ausgestellt', 'YP3NR77FR6'],
    ['de_tax_id', 'Steuer-Identifikationsnummer: %', '70149352616'],
    ['fr_tax_number', 'numéro fiscal %, Bastien', '30 31 477 224 739'],
    ['us_itin', 'ITIN %', '956-93-1802'],
    ['hk_id', '身份證號碼:%)', 'B246620(7'],
    ['phone', '電話 %', '090-8051-2197'],
    ['date_of_birth', 'Patient: Egon M., geb. %', '30.06.1952'],
    ['date_of_birth', 'nacida el %, gestante', '5/11/1990'],
  ];
  for (const [what, text, number] of cases) {
    const found = sure(text.replace('%', number));
    t.ok(found.includes(`${what} ${number}`), `${text}: ${found.join()}`);
  }
  t.ok(sure('〒612-8053 京都市伏見区東大手町 763-2').some((one) => one.startsWith('postal_address 〒612-8053 京都市')));
  for (const text of [
    'Ausweisnummer YP3NR77FR5',
    'ΑΦΜ 731669945',
    'afiliación 28/15854736/27',
    'CA26029JQ',
    'серия 12 выпуск 3',
  ])
    t.same(sure(text), [], text);
  t.end();
});

t.test('what manuals and tests are full of is told of as such, and nothing acts on it', (t) => {
  const samples = [
    'card 4242 4242 4242 4242',
    'card 378282246310005',
    'IBAN DE89 3704 0044 0532 0130 00',
    'mail alice@example.com',
    'mail security@acme.dev',
    'mail noreply@acme.dev',
    'call (212) 555-0143',
    'call 07700 900123',
    'from 203.0.113.9',
    'resolver 1.1.1.1',
    'link 52:54:00:9c:9e:e6',
    'to 0x0000000000000000000000000000000000000000',
    'DNI 12345678Z',
    'IMEI 49-015420-323751-8',
  ];
  for (const text of samples) {
    const [found, ...more] = seen(text);
    t.equal(found?.severity, 'informational', text);
    t.equal(found?.confidence, SURE, text);
    t.same(more, [], text);
  }
  for (const text of ['mail alice@example.acme.dev', 'card 4539 1488 0343 6467', 'call (212) 556-0143'])
    t.not(seen(text)[0]?.severity, 'informational', text);
  for (const text of ['GB29NWBK60161331926819-DE44500105175407324931', 'card 4111111111111111+4539148803436467'])
    t.equal(seen(text)[0]?.severity, 'high', 'a sample that something is joined to');
  t.same(sure('<PackageVersion Include="Npgsql" Version="8.0.3.1" />'), [], 'a version');
  t.end();
});

t.test('an IBAN in whatever groups counts where it is called one', async (t) => {
  const iban = (country: string, body: string): string =>
    `${country}${String(98 - mod97(`${body}${country}00`)).padStart(2, '0')}${body}`;
  const plain = iban('DE', '370400440987654321');
  const odd = `DE ${plain.slice(2, 4)} ${plain.slice(4, 12)} ${plain.slice(12)}`;
  t.same(sure(`IBAN: ${odd}`), [`iban ${odd}`]);
  t.same(sure(`see ${odd} below`), [], 'by itself it may be anything');
  for (const [country, body] of [
    ['RE', '20041010050500013M02706'],
    ['GA', '40021010032001890020177'],
  ] as const)
    t.same(sure(`to ${iban(country, body)}.`), [`iban ${iban(country, body)}`], country);
});

t.test('a number may follow its name without a blank, and nothing else', async (t) => {
  const card = completed('520111222333444', luhn);
  t.same(sure(`card:${card}`), [`credit_card ${card}`]);
  t.same(sure('ssn:856-45-6789;dob:1990-01-31'), ['us_ssn 856-45-6789', 'date_of_birth 1990-01-31']);
  t.same(sure(`10:${card}`), [], 'behind a number');
  t.same(sure(`sha256:${card}`), [], 'behind what is no word');
  t.same(sure(`a/card:${card}`), [], 'the rest of a name');
  t.same(sure(`request:${card} call_id:5417543010 cell:5417543010`), [], 'what is called something else');
  t.same(sure('phone:5417543010'), ['phone 5417543010']);
});

t.test('accounts of banks by their own groups', async (t) => {
  t.same(sure('Kontonummer 8601.11.17947'), ['bank_account 8601.11.17947']);
  t.same(sure('Kontonummer 8601.11.17948'), [], 'a wrong check digit');
  t.same(sure('account number 01-0902-0068389-00'), ['bank_account 01-0902-0068389-00']);
  t.same(sure('part 01-0902-0068389-00'), []);
  t.same(sure('CCC 2077 0338 79 3100254321'), ['bank_account 2077 0338 79 3100254321']);
  t.same(sure('CCC 2077 0338 78 3100254321'), [], 'a wrong check digit');
});

t.test('telephone numbers: none are decimals, years, hexadecimal rows or numbers of parcels', async (t) => {
  for (const text of [
    'the phone number is not 200.38294427',
    'the telephone of 2019/2020',
    'the number is 9400 1000 0000 0000 0000',
  ])
    t.same(sure(text), [], text);
  t.same(sure('我的电话是 0044 7911 123456'), ['phone 0044 7911 123456']);
  t.same(sure('phone: (523)222-8888EXT623'), ['phone (523)222-8888EXT623']);
});

t.test('a birth by its label, with the month in words', async (t) => {
  for (const [text, date] of [
    ['Date of birth: 4 June 1976', '4 June 1976'],
    ['D.O.B. June 4, 1976', '4, 1976'],
    ['dob 04-Jun-1976', '04-Jun-1976'],
    ['fecha de nacimiento: 4 de junio de 1976', '4 de junio de 1976'],
  ] as const)
    t.same(sure(text), [`date_of_birth ${date}`], text);
  t.same(sure('NATO 4 April 1949'), []);
  t.same(sure('updated: 4 June 1976'), []);
});

t.test('Czech birth numbers: the months that there are, and what was left over before 1985', async (t) => {
  const number = completed('750615001', (text) => Number(text) % 11 === 0);
  t.same(sure(`rodné číslo ${number.slice(0, 6)}/${number.slice(6)}`), [
    `cz_birth_number ${number.slice(0, 6)}/${number.slice(6)}`,
  ]);
  for (const wrong of ['764115/0000', '752115/0010']) t.same(sure(`rodné číslo ${wrong}`), [], wrong);
  const left = [...Array(1_000).keys()]
    .map((run) => `760101${String(run).padStart(3, '0')}`)
    .find((digits) => Number(digits) % 11 === 10) as string;
  t.same(sure(`rodné číslo ${left.slice(0, 6)}/${left.slice(6)}0`).length, 1);
});

t.test('a number of a thing is none of a person, but for a card', async (t) => {
  const aadhaar = completed('49913382071', verhoeff);
  t.same(sure(aadhaar, 'number'), [`in_aadhaar ${aadhaar}`]);
  for (const key of ['barcode', 'gtin', 'organisasjonsnummer']) t.same(sure(aadhaar, key), [], key);
  t.same(sure(`aadhaar ${aadhaar}`, 'barcode'), [`in_aadhaar ${aadhaar}`], 'unless words say so');
  const southAfrican = completed('820214517708', luhn);
  t.same(sure(`SA ID ${southAfrican}`), [`za_id ${southAfrican}`]);
  for (const key of ['imei', 'isbn'])
    t.same(sure(southAfrican, key), [`za_id ${southAfrican}`], `${key}, of which it is none`);
  t.same(sure('856-45-6789', 'trackingnumber'), ['us_ssn 856-45-6789'], 'as only a person has one written');
  t.same(sure('4111111111111111', 'barcode').length, sure('4111111111111111', 'number').length);
});

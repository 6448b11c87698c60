import type { Contact } from './contacts.ts';

/** Personal data that is told by the words right beside a number: where somebody lives, when somebody was born. */

const LETTER = String.raw`A-Za-z\u00c0-\u024f`;
const NAME = String.raw`[A-Z\u00c0-\u00de][${LETTER}'’.-]{0,23}`;
/** Around a number; more belongs to something else. */
const BEFORE_CHARS_MAX = 56;

/** `48 Larkspur Avenue`, `14 rue des Tanneurs`, from the number on. */
const NUMBER_FIRST = new RegExp(
  String.raw`\d{1,5}[A-Za-z]?,?[ ](?:(?:[NSEW]{1,2}\.?[ ])?(?:${NAME}[ ]){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Terrace|Crescent|Close|Square|Parkway|Pkwy|Highway|Hwy)\b(?![ ][A-Z])|(?:bis[ ]|ter[ ])?(?:rue|avenue|boulevard|place|chemin|allée|impasse|quai|route)[ ](?:(?:de|du|des|la|le|les)[ ]|d['’]|l['’]){0,2}${NAME}(?:[ -]${NAME}){0,3})`,
  'y',
);
/** Of the Free Software Foundation, which millions of files name. */
const IN_LICENCES = /^(?:51 Franklin St|59 Temple Pl|675 Mass)/;
/** `Lindenstraße `, `Via Cesare Battisti `, up to the number. */
const STREET_FIRST = new RegExp(
  String.raw`(?:^|[^${LETTER}])(?:(?:${NAME}(?:[ -]${NAME}){0,2}[ -])?[A-Z\u00c0-\u00de][${LETTER}-]{0,24}(?:stra(?:ß|ss)e|str\.|gasse|platz|allee|[a-zß]weg|ufer|damm|straat|laan|gracht|plein|kade|gatan|vägen|veien|vej)|(?:Via|Viale|Piazza|Corso|Calle|Avenida|Avda\.|Plaza|Paseo|Rua|Travessa|Praça|Largo|ul\.|ulica)[ ](?:(?:de|del|della|dei|la|las|los|da|das|do|dos)[ ]){0,2}${NAME}(?:[ ]${NAME}){0,3}),?[ ](?:n[.º°][ ]?)?$`,
);
/** What every such name has. */
const STREET_LETTER = /[A-Z\u00c0-\u00de]|ul/;
/** The number of a house behind the name of its street, and of the town behind that. */
const HOUSE = new RegExp(
  String.raw`\d{1,4}[a-z]?(?:[ ]?[-/][ ]?\d{1,4}[a-z]?)?(?:,[ ](?:\d{4,5}(?:-\d{3})?[ ])?[A-Z\u00c0-\u00de][${LETTER}'’-]{1,23})?(?!\w|\.\d)`,
  'y',
);

const BORN =
  /(?:^|[^A-Za-z])(?:born|née?|geboren|nat[oa]|nacid[oa]|nascid[oa]|geb\.)(?: (?:on|in|le|am|il|el|em))?:? (?:the )?(?:[A-Z][a-z]{2,9} )?$/;
const BIRTH_LABEL =
  /(?:^|[^a-z])(?:date of birth|birth ?date|d\.o\.b\.?|dob|geburtsdatum|fecha de nacimiento|date de naissance|data di nascita|data de nascimento|geboortedatum)(?: (?:is|was|ist|est|es|é))?[:=]? (?:the )?(?:[a-z]{3,10} )?$/i;
const DATE_IN_WORDS =
  /(?:\d{1,2}(?:st|nd|rd|th|er|\.|º)?(?: (?:of|de|di))?[ -][A-Za-z\u00c0-\u024f]{3,10}\.?(?: de)?|\d{1,2}),?[ -](?:19|20)\d\d(?!\d)/y;

/** Behind 〒: the code, and the line that goes on behind it. */
const JAPANESE_CODE = /\d{3}-\d{4}[ \u3000]{0,2}[\u3400-\u9fff][^\n\u3001,]{4,60}/y;
/** `45 11 номер 576340`, behind the word for a passport. */
const RUSSIAN_PASSPORT = /\d\d ?\d\d,? (?:номер|№|н\.) ?\d{6}(?!\d)/y;
const PASSPORT_BEFORE = /паспорт|серия/i;

/** The address of a house, or the date of a birth, that the number at `at` is a part of. */
export function inWordsAt(text: string, at: number): Contact | undefined {
  if (text[at - 1] === '〒') {
    JAPANESE_CODE.lastIndex = at;
    return JAPANESE_CODE.test(text) ? address(at - 1, JAPANESE_CODE.lastIndex) : undefined;
  }
  const isOpen = at === 0 || !/[\w.,:/#-]/.test(text[at - 1] as string);
  if (!isOpen) return undefined;
  NUMBER_FIRST.lastIndex = at;
  if (NUMBER_FIRST.test(text))
    return IN_LICENCES.test(text.slice(at, at + 24)) ? undefined : address(at, NUMBER_FIRST.lastIndex);
  const from = Math.max(0, at - BEFORE_CHARS_MAX);
  const isBehindWord = text[at - 1] === ' ' && /[^\s\d]/.test(text[at - 2] ?? ' ');
  if (!isBehindWord) return undefined;
  const before = text.slice(from, at);
  RUSSIAN_PASSPORT.lastIndex = at;
  if (RUSSIAN_PASSPORT.test(text) && PASSPORT_BEFORE.test(before)) {
    return passport(at, RUSSIAN_PASSPORT.lastIndex);
  }
  DATE_IN_WORDS.lastIndex = at;
  if (DATE_IN_WORDS.test(text)) {
    const end = DATE_IN_WORDS.lastIndex;
    if (BORN.test(before) || BIRTH_LABEL.test(before)) return birth(at, end);
  }
  const street = STREET_LETTER.test(before) ? STREET_FIRST.exec(before) : null;
  HOUSE.lastIndex = at;
  return street !== null && HOUSE.test(text)
    ? address(from + street.index + street[0].search(/[A-Za-z\u00c0-\u024f]/), HOUSE.lastIndex)
    : undefined;
}

function address(start: number, end: number): Contact {
  return { what: 'postal_address', title: 'a postal address', severity: 'low', confidence: 0.6, start, end };
}

function passport(start: number, end: number): Contact {
  return { what: 'ru_passport', title: 'a Russian passport', severity: 'high', confidence: 0.85, start, end };
}

function birth(start: number, end: number): Contact {
  return { what: 'date_of_birth', title: 'a date of birth', severity: 'medium', confidence: 0.8, start, end };
}

import { type HostClass, parseIpv6 } from '../../facts/ip.ts';
import { ofSamples, type PiiFormat } from './format.ts';

/** Personal data by its notation, at a character that leads to it. */
export interface Contact {
  what: string;
  title: string;
  severity: 'low' | 'informational' | 'medium' | 'high';
  confidence: number;
  start: number;
  end: number;
}

const LOCAL_CHARS_MAX = 64;
const DOMAIN =
  /(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}(?:[A-Za-z]{2,24}|xn--[A-Za-z0-9-]{2,59})(?![\w@])/y;
/** Endings that make it a file or a module, not a domain. */
const NO_DOMAIN =
  /\.(?:png|jpe?g|gif|svg|webp|ico|jsx?|tsx?|mjs|css|json|md|py|rb|sh|service|local|internal|lan|localdomain|html?|txt|so|dll|exe|zip|gz|lock|target|socket|timer)$/i;

/** The e-mail address around the `@` at `at`. */
export function emailAt(text: string, at: number): Contact | undefined {
  let start = at;
  const least = Math.max(0, at - LOCAL_CHARS_MAX);
  while (start > least && isLocalChar(text.charCodeAt(start - 1))) start--;
  while (start < at && /[.'-]/.test(text[start] as string)) start++;
  if (start === at || text[at - 1] === '.') return undefined;
  DOMAIN.lastIndex = at + 1;
  if (!DOMAIN.test(text)) return undefined;
  const end = DOMAIN.lastIndex;
  const domain = text.slice(at + 1, end);
  if (NO_DOMAIN.test(domain) || isLogin(text, start, at) || text[end] === ':') return undefined;
  const email = { what: 'email', title: 'an e-mail address', start, end };
  if (NOBODYS.test(domain) || ROLE.test(text.slice(start, at))) return ofSamples(email);
  return { severity: 'low', confidence: STAND_IN.test(domain) ? 0.6 : 0.9, ...email };
}

/** Names that are nobody's for ever (RFC 2606, RFC 6761). */
const NOBODYS = /(?:^|\.)example\.(?:com|net|org|edu)$|\.(?:test|invalid|example)$/i;
/** Domains that manuals write although they are somebody's. */
const STAND_IN = /(?:^|\.)example\.\w+$|^(?:domain|email|test|company|host)\.com$/i;
/** Mailboxes of functions (RFC 2142 and what is usual), which no person is told by. */
const ROLE =
  /^(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|mailer-daemon|postmaster|hostmaster|webmaster|abuse|security|noc|info|support|help(?:desk)?|service|kundenservice|contact|kontakt|contacto|hello|office|sales|vertrieb|marketing|billing|invoices?|rechnung|buchhaltung|accounting|orders?|jobs|careers|press|presse|privacy|datenschutz|legal|notifications?|alerts?|newsletter|feedback|team)$/i;

function isLocalChar(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 64 + 1 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    (code >= 45 && code <= 46) ||
    code === 95 ||
    code === 43 ||
    code === 37 ||
    code === 39
  );
}

/** `git@github.com`, `https://name:password@host`: an account of a machine. */
function isLogin(text: string, start: number, at: number): boolean {
  const local = text.slice(start, at);
  if (/^(?:git|root|ubuntu|ec2-user|admin|deploy|hg|svn)$/i.test(local)) return true;
  const scheme = text.lastIndexOf('://', start);
  return scheme >= 0 && start - scheme < 200 && !/[\s"'<>,;?]/.test(text.slice(scheme, start));
}

const INTERNATIONAL =
  /\+(?:[1-9]\d{0,2})(?:[ .-]{0,2}\(\d{1,5}\))?(?: ?\d{2,4}[-/] \d{6,9}|(?:[ .-]?\d{1,5}){1,6})(?: ?(?:x|ext\.?) ?\d{2,5})?(?!\w|-\d)/iy;
const BRACKETED = /\(\d{2,5}\)[ .-]{0,2}\d{2,4}(?:[ .-]?\d{2,5}){1,4}(?: ?(?:x|ext\.?) ?\d{2,5})?(?!\w|-\d)/iy;

/** The telephone number that starts with the `+` or the `(` at `at`. */
export function phoneAt(text: string, at: number): Contact | undefined {
  const international = text[at] === '+';
  const pattern = international ? INTERNATIONAL : BRACKETED;
  pattern.lastIndex = at;
  if (!pattern.test(text)) return undefined;
  const end = pattern.lastIndex;
  const number = text.slice(at, end);
  const digits = number.replace(/x[a-z. ]{0,4}\d+$|\D/gi, '');
  if (digits.length < 8 || digits.length > 15 || /\w/.test(text[at - 1] ?? '') || /^(\d)\1*$/.test(digits))
    return undefined;
  const phone = { what: 'phone', title: 'a telephone number', start: at, end };
  if (isFictional(digits)) return ofSamples(phone);
  const confidence = international ? 0.8 : /^[2-9]\d\d[2-9]/.test(digits) && digits.length === 10 ? 0.75 : 0.55;
  return { severity: 'low', confidence, ...phone };
}

/**
 * Numbers that are kept free for films and manuals: 555-0100 to 555-0199 in North America, and Ofcom's "numbers for drama".
 */
const FICTIONAL =
  /^(?:00)?(?:1?(?:[2-9]\d\d)?55501\d\d|(?:44)?0?(?:7700900\d{3}|2079460\d{3}|1632960\d{3}|8081570\d{3}|1(?:1[3-8]|21|31|41|51|61)4960\d{3}))(?:X\d+)?$/;

function isFictional(digits: string): boolean {
  return FICTIONAL.test(digits);
}

const PHONE_WORDS =
  'phone|telephone|tel|mobile|cell|cellphone|call|fax|whatsapp|sms|text me|reach me|office|number is|telefon|telefono|telefone|celular|handy|hotline|dial|' +
  '電話|電話番号|携帯|手机|手機|电话|联系电话|전화|휴대폰|телефон|тел|моб|τηλ|κινητό|هاتف|جوال|טלפון|नंबर|โทร|điện thoại|sđt';

/** Telephone numbers in national notations, by the pieces they are written in. */
export const PHONE_FORMATS: readonly PiiFormat[] = [
  {
    what: 'phone',
    title: 'a telephone number',
    severity: 'low',
    // With and without what leads abroad, and an extension.
    shapes: (
      '999-999-9999 9-999-999-9999 999-999-999-9999 9999999999 99999999999 ' +
      '999-999-9999A99 999-999-9999A999 999-999-9999A9999 999-999-9999A99999 ' +
      '999-999-999-9999A999 999-999-999-9999A9999 999-999-999-9999A99999'
    ).split(' '),
    separators: '- .',
    valid: (text) => /^(?:00)?1?[2-9]\d\d[2-9]\d{6}(?:X\d+)?$/.test(text) && !/^1?(\d)\1*$/.test(text),
    alone: 0.7,
    bare: 0,
    whole: 0.35,
    near: 0.85,
    words: PHONE_WORDS.split('|'),
    sample: isFictional,
  },
  {
    what: 'phone',
    title: 'a telephone number',
    severity: 'low',
    shapes: (
      '99-9999999 999-9999999 999-9999-9999 9999-999999 99999-999999 999-999-999 99-99-99-99-99 ' +
      '999-99-99-99 9999-9999 99-9999-9999 9999-999-999 99-999-9999 99-99999-9999 99999999999 ' +
      '9999999999 999999999 99999-99999 99-999-999-9999 999-999-99-99 9999-999-9999 999-9999-999 ' +
      '9-99-99-99-99 999999999999 99999999999999 999999999999999'
    ).split(' '),
    separators: '- .',
    valid: (text) =>
      !/^(\d)\1*$/.test(text) && (/^00[1-9]\d{8,12}$/.test(text) || (text.length < 13 && !text.startsWith('00'))),
    alone: 0,
    bare: 0,
    whole: 0,
    near: 0.7,
    words: PHONE_WORDS.split('|'),
    sample: isFictional,
  },
  {
    what: 'phone',
    title: 'a telephone number',
    severity: 'low',
    shapes: ['999-9999', '9999-9999'],
    separators: '- ',
    valid: (text) => !/^(\d)\1*$|^[01]/.test(text),
    alone: 0,
    bare: 0,
    whole: 0,
    near: 0.65,
    words: PHONE_WORDS.split('|'),
    sample: isFictional,
  },
];

const GROUPS = /\d{1,5}(?:[ ./-]\d{1,8}){1,6}(?!\w|[./:-]\d)/y;
const DATE =
  /^(?:\d{1,3}\.\d{5,}$|(?:19|20)\d\d[/-](?:19|20)\d\d$|(?:19|20)\d\d [01]?\d [0-3]?\d$|(?:19|20)\d\d[./-]\d\d?[./-]|\d\d?[./-]\d\d?[./-](?:19|20)\d\d)/;

/** Mobile numbers as they are written in France, Switzerland, Sweden, the Netherlands, Great Britain and Germany: a form that hardly anything else has. */
const MOBILE =
  /^(?:0[67](?:[ .]\d\d){4}|07\d[ -]\d{3} \d\d \d\d|06[ -]\d{8}|06[ -]\d\d(?: \d\d){3}|07\d{3} \d{6}|01(?:5\d|6[0-3]|7\d)[ /]\d{7,8})$/;

/** Whether groups of digits are a telephone number whatever stands around them. */
export function isMobile(number: string): boolean {
  return MOBILE.test(number);
}

/** Groups of digits from `at` on that are a telephone number where something says so: each country, and each writer, has ways of its own. */
export function groupedPhoneAt(text: string, at: number): Contact | undefined {
  GROUPS.lastIndex = at;
  if (!GROUPS.test(text)) return undefined;
  const end = GROUPS.lastIndex;
  const number = text.slice(at, end);
  const digits = number.replace(/\D/g, '');
  // Behind a time of day stand the numbers of the process and of the thread that logged it.
  if (/:\d\d(?:[.,]\d{1,9})?\s{1,4}$/.test(text.slice(Math.max(0, at - 20), at))) return undefined;
  if (digits.length < 7 || digits.length > 14 || DATE.test(number) || /^(\d)\1*$/.test(digits)) return undefined;
  const phone = { what: 'phone', title: 'a telephone number', start: at, end };
  return isFictional(digits) ? ofSamples(phone) : { severity: 'low', confidence: 0.6, ...phone };
}

/** The words that speak for such groups: more than of numbers whose form speaks for itself. */
export const GROUPED_PHONE: PiiFormat = {
  what: 'phone',
  title: 'a telephone number',
  severity: 'low',
  shapes: [],
  separators: '',
  valid: () => true,
  alone: 0,
  bare: 0,
  whole: 0,
  near: 0.6,
  words: (
    'phone|telephone|tel|mobile|mobil|celular|cellulare|电话|手机|電話|전화|телефон|тел|cellphone|fax|whatsapp|telefon|telefono|telefone|handy|hotline|phone number|' +
    'call me|call us|ring|ring me|ring us|bel|bellen|terugbellen|erreichen|erreichbar|anrufen|llamame|llamar|chiamami|chiamare|appeler|appelez|reach me|reach us|my number|contact number|call me on|call me at|someone call'
  ).split('|'),
};

const BIRTH_SHAPES = ['99-99-9999', '9999-99-99', '9-9-9999', '99-9-9999', '9-99-9999', '99-99-99'];

/** Dates, where something says that they are of a birth. */
export const BIRTH_FORMAT: PiiFormat = {
  what: 'date_of_birth',
  title: 'a date of birth',
  severity: 'medium',
  shapes: BIRTH_SHAPES,
  separators: '-/.',
  valid: () => true,
  alone: 0,
  bare: 0,
  whole: 0,
  near: 0.85,
  words: [
    'birth',
    'dob',
    'birthday',
    'birthdate',
    'born',
    'date_of_birth',
    'geburtsdatum',
    'date de naissance',
    'd.o.b',
    'geb',
    'geboren',
    'né le',
    'née le',
    'nato',
    'nata',
    'nacido',
    'nacida',
    'fecha de nacimiento',
    'data di nascita',
    'nascido',
    'nascida',
    'data de nascimento',
    'geboortedatum',
    'urodzony',
    'urodzona',
    'data urodzenia',
    'doğum tarihi',
    'дата рождения',
    'дата народження',
    'года рождения',
    'ημερομηνία γέννησης',
    '生年月日',
    '出生日期',
    '생년월일',
    'تاريخ الميلاد',
    'ngày sinh',
  ],
};

const IPV4 = /(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\w.-]?\d)(?!\w)/y;

/** What is no address of a machine that somebody uses: of documentation (RFC 5737), of the machine itself, of anything or of all; resolvers for everybody. */
const NO_ONES =
  /^(?:0\.|127\.|255\.|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|(?:1\.1\.1|1\.0\.0)\.[123]$|8\.8\.(?:8\.8|4\.4)$|9\.9\.9\.(?:9|1[012])$|208\.67\.22[02]\.22[02]$)/;
/** Four numbers behind this are a version. */
const VERSION_BEFORE = /version(?:prefix)?["']?(?:\s{0,2}[=:]\s{0,2}["'>]?|>|\s)v?$/i;

/** The IPv4 address that starts at `at`, where a number starts. */
export function ipv4At(text: string, at: number): Contact | undefined {
  IPV4.lastIndex = at;
  if (!IPV4.test(text)) return undefined;
  const written = text.slice(at, IPV4.lastIndex);
  if (VERSION_BEFORE.test(text.slice(Math.max(0, at - 24), at))) return undefined;
  if (NO_ONES.test(written)) return ofSamples(address('private', at, IPV4.lastIndex));
  const [a = 0, b = 0] = written.split('.').map(Number);
  const shared =
    a === 10 || a >= 224 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b < 32) || (a === 169 && b === 254);
  return address(shared ? 'private' : 'public', at, IPV4.lastIndex);
}

function address(hostClass: HostClass, start: number, end: number): Contact {
  const confidence = hostClass === 'public' ? 0.6 : 0.5;
  return { what: 'ip_address', title: 'an IP address', severity: 'informational', confidence, start, end };
}

const COLONS = /[0-9A-Fa-f:]{2,39}(?:\d{0,3}(?:\.\d{1,3}){3})?/y;
/** Of no device, of all, and of the adapters that QEMU and Docker make. */
const NO_HARDWARE = /^(?:00:00:00:00:00:00|ff:ff:ff:ff:ff:ff|52:54:00:|02:42:)/i;
const HARDWARE = /^(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$/;

/** The IPv6 or hardware address around the first `:` at `at`. */
export function colonAddressAt(text: string, at: number): Contact | undefined {
  let start = at;
  while (start > 0 && at - start < 5 && isHex(text.charCodeAt(start - 1))) start--;
  if (/[\w.]/.test(text[start - 1] ?? '')) return undefined;
  COLONS.lastIndex = start;
  if (!COLONS.test(text)) return undefined;
  let end = COLONS.lastIndex;
  if (text[end - 1] === ':' && text[end - 2] !== ':') end--;
  if (/[A-Za-z0-9_]/.test(text[end] ?? '') || /^\.\d/.test(text.slice(end, end + 2))) return undefined;
  const literal = text.slice(start, end);
  if (HARDWARE.test(literal)) {
    const hardware = { what: 'mac_address', title: 'a hardware address', start, end };
    if (NO_HARDWARE.test(literal)) return ofSamples(hardware);
    return { severity: 'informational', confidence: 0.6, ...hardware };
  }
  if (literal.length < 3 || !/\d/.test(literal) || parseIpv6(literal) === undefined) return undefined;
  if (/^(?:::1?$|2001:0?db8)/i.test(literal)) return ofSamples(address('private', start, end));
  return address(/^(?:fe80|f[cd]|ff)/i.test(literal) ? 'private' : 'public', start, end);
}

function isHex(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

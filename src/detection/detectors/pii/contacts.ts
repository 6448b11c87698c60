import { type HostClass, parseIpv6 } from '../../facts/ip.ts';
import type { PiiFormat } from './format.ts';

/** Personal data by its notation, at a character that leads to it. */
export interface Contact {
  what: string;
  title: string;
  severity: 'low' | 'informational' | 'medium';
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
  const confidence =
    /(?:^|\.)example\.\w+$|\.(?:test|invalid|example)$|^(?:domain|email|test|company|host)\.com$/i.test(domain)
      ? 0.6
      : 0.9;
  return { what: 'email', title: 'an e-mail address', severity: 'low', confidence, start, end };
}

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

const INTERNATIONAL = /\+(?:[1-9]\d{0,2})(?:[ .-]{0,2}\(\d{1,5}\))?(?:[ .-]?\d{1,5}){1,6}(?:x\d{2,5})?(?!\w|-\d)/y;
const BRACKETED = /\(\d{2,5}\)[ .-]{0,2}\d{2,4}(?:[ .-]?\d{2,5}){1,4}(?:x\d{2,5})?(?!\w|-\d)/y;

/** The telephone number that starts with the `+` or the `(` at `at`. */
export function phoneAt(text: string, at: number): Contact | undefined {
  const international = text[at] === '+';
  const pattern = international ? INTERNATIONAL : BRACKETED;
  pattern.lastIndex = at;
  if (!pattern.test(text)) return undefined;
  const end = pattern.lastIndex;
  const number = text.slice(at, end);
  const digits = number.replace(/x\d+$|\D/g, '');
  if (digits.length < 8 || digits.length > 15 || /\w/.test(text[at - 1] ?? '') || /^(\d)\1*$/.test(digits))
    return undefined;
  const confidence = international ? 0.8 : /^[2-9]\d\d[2-9]/.test(digits) && digits.length === 10 ? 0.75 : 0.55;
  return { what: 'phone', title: 'a telephone number', severity: 'low', confidence, start: at, end };
}

const PHONE_WORDS =
  'phone|telephone|tel|mobile|cell|cellphone|call|fax|whatsapp|sms|text me|reach me|office|number is|telefon|telefono|handy|hotline|dial';

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
  },
  {
    what: 'phone',
    title: 'a telephone number',
    severity: 'low',
    shapes: (
      '99-9999999 999-9999999 999-9999-9999 9999-999999 99999-999999 999-999-999 99-99-99-99-99 ' +
      '999-99-99-99 9999-9999 99-9999-9999 9999-999-999 99-999-9999 99-99999-9999 99999999999 ' +
      '9999999999 999999999 99999-99999 99-999-999-9999 999-999-99-99 9999-999-9999 999-9999-999 ' +
      '9-99-99-99-99 999999999999'
    ).split(' '),
    separators: '- .',
    valid: (text) => !/^(\d)\1*$|^00/.test(text),
    alone: 0,
    bare: 0,
    whole: 0,
    near: 0.7,
    words: PHONE_WORDS.split('|'),
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
  },
];

const GROUPS = /\d{1,5}(?:[ ./-]\d{1,8}){1,6}(?!\w|[./:-]\d)/y;
const DATE = /^(?:(?:19|20)\d\d[./-]\d\d?[./-]|\d\d?[./-]\d\d?[./-](?:19|20)\d\d)/;

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
  return { what: 'phone', title: 'a telephone number', severity: 'low', confidence: 0.6, start: at, end };
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
    'phone|telephone|tel|mobile|mobil|cellphone|fax|whatsapp|telefon|telefono|telefone|handy|hotline|phone number|' +
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
  ],
};

const IPV4 = /(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\w.-]?\d)(?!\w)/y;

/** The IPv4 address that starts at `at`, where a number starts. */
export function ipv4At(text: string, at: number): Contact | undefined {
  IPV4.lastIndex = at;
  if (!IPV4.test(text)) return undefined;
  const [a = 0, b = 0] = text.slice(at, IPV4.lastIndex).split('.').map(Number);
  const shared =
    a === 10 ||
    a === 127 ||
    a === 0 ||
    a >= 224 ||
    (a === 192 && b === 168) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 169 && b === 254);
  return address(shared ? 'private' : 'public', at, IPV4.lastIndex);
}

function address(hostClass: HostClass, start: number, end: number): Contact {
  const confidence = hostClass === 'public' ? 0.6 : 0.5;
  return { what: 'ip_address', title: 'an IP address', severity: 'informational', confidence, start, end };
}

const COLONS = /[0-9A-Fa-f:]{2,39}(?:\d{0,3}(?:\.\d{1,3}){3})?/y;
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
    return { what: 'mac_address', title: 'a hardware address', severity: 'informational', confidence: 0.6, start, end };
  }
  if (literal.length < 3 || !/\d/.test(literal) || parseIpv6(literal) === undefined) return undefined;
  return address(/^(?:fe80|f[cd]|ff|::1$|::$|2001:db8)/i.test(literal) ? 'private' : 'public', start, end);
}

function isHex(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

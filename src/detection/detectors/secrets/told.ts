import { isMixed } from './literals.ts';
import { isRandom, lookOf } from './randomness.ts';
import type { Probe, Scan } from './seen.ts';

/**
 * Passwords that people tell each other in a sentence, in larger languages: `das Kennwort lautet …`, `mot de passe : …`, `user tester
 * and password …`. What stands there has to look like a password, since words stand there as well.
 */
export function toldPasswords(): Probe[] {
  return [
    {
      marks: TOLD_MARKS,
      look(scan, start, end) {
        if (!readTold(scan, start, TOLD)) readTold(scan, end, FAR);
      },
    },
    {
      marks: ['api '],
      look(scan, start) {
        if (KEY_BEFORE.test(scan.text.slice(Math.max(0, start - KEY_CHARS_MAX), start))) readKey(scan, start);
      },
    },
    {
      marks: ['password ', 'password:', 'pwd ', 'pwd:', 'pw ', 'pw:', 'pass:'],
      look(scan, start) {
        if (USER_BEFORE.test(scan.text.slice(Math.max(0, start - USER_CHARS_MAX), start))) readTold(scan, start, NAMED);
      },
    },
  ];
}

const TOLD_MARKS = [
  'kennwort',
  'passwort',
  'contrase',
  'mot de passe',
  'senha',
  'wachtwoord',
  'heslo',
  'jelsz',
  'salasana',
  'adgangskode',
  'kata sandi',
  'passord',
  'wpa key',
  'wpa2 key',
  'wpa3 key',
  'wifi key',
  'wi-fi key',
];
const WORD =
  '(?:kennwort|passwort|contrase(?:ñ|n)a|mot de passe|senha|wachtwoord|heslo|jelsz(?:ó|o)|salasana|adgangskode|kata sandi|passord(?:et)?|(?:wpa[23]?|wi-?fi) key)';
const VALUE = String.raw`["'\x60„“«»「]?([!-~]{6,64})`;
const TOLD = new RegExp(
  String.raw`${WORD}(?:(?: [^\s:=]{1,32}){0,6} ?[:=] ?|(?: [^\s:=]{1,32}){0,6} (?:lautet|ist|est|c['’]est|es|é|e|is|je|er|on|adalah)(?: (?:jetzt|nun|maintenant|ahora|agora|nu))?:? | )${VALUE}`,
  'iy',
);
/** Behind further words that none leads over from: only what has letters of both cases, digits and a sign. */
const FAR =
  /[^\s:=]{0,8}(?: [^\s:=]{1,32}){1,8}? ((?=[^\s]{0,63}[a-z])(?=[^\s]{0,63}[A-Z])(?=[^\s]{0,63}\d)(?=[^\s]{0,63}[!#$%&*+?@^~])[!-~]{8,64})(?= |$)/my;
const NAMED = new RegExp(
  String.raw`(?:(?:password|pwd)(?: ?: ?| )|(?:pw|pass): ?|(?<=(?:login|username) [\w.@-]{2,40} )pw )${VALUE}`,
  'iy',
);
/** `la clé API du projet est …`: what is behind the word is English everywhere. */
const KEY_BEFORE = /(?:cl[ée]s?|claves?|chaves?|chiav[ei]|klucz|sleutel|nøgle|nyckel)(?: d[eia]{1,2})? ?$/i;
const KEY_CHARS_MAX = 16;
const KEY =
  /api(?: [^\s:=]{1,32}){0,6}?(?: ?[:=] ?| (?:est|es|è|é|to|is|er|är) )["'`«»]?([A-Za-z0-9_-]{20,128})(?![\w-])/iy;
const KEY_RANDOM_CHARS_MIN = 20;

function readKey(scan: Scan, start: number): void {
  KEY.lastIndex = start;
  const match = KEY.exec(scan.text);
  const value = match?.[1];
  if (match === null || value === undefined || !isRandom(lookOf(value), KEY_RANDOM_CHARS_MIN)) return;
  const at = start + match[0].lastIndexOf(value);
  scan.add({ what: 'generic', title: 'an API key', severity: 'high', confidence: 0.75, start: at, value });
}

const USER_CHARS_MAX = 48;
const USER_BEFORE = /(?:^|[^a-z])(?:user|utente|login|usuario|utilizador|account)(?=[^a-z])[^\n]{1,40}$/i;

/** Words for it that are not written in ASCII, which is what marks are. */
const FOREIGN = new RegExp(
  String.raw`(?:hasło|пароль|パスワード|密码|密碼|비밀번호|mật khẩu|şifre(?:si|niz|n)?|κωδικός|סיסמה|הסיסמה|كلمة (?:المرور|السر)|รหัสผ่าน|पासवर्ड)(?:(?: [^\s:：=]{1,24}){0,5}\s?[:：=]\s?|は\s?|(?:是|就是|改成了?|改为了?|改為|换成了?|设为|设置为|設為|更新为)\s?|는 ?|คือ ?| (?:to|это|là|είναι|היא|הוא|هي|है|—|-):? | )${VALUE}`,
  'giu',
);
const MAY_BE_FOREIGN = /[\u0142\u043f\u041f\u30d1\u5bc6\ube44\u1ead\u015f\u015e\u03ba\u039a\u05e1\u0643\u0e23\u092a]/;

/** Adds what stands behind such a word, until `scan` has seen `seenMax`. */
export function foreignPasswords(scan: Scan, seenMax: number): void {
  if (!MAY_BE_FOREIGN.test(scan.text)) return;
  for (const match of scan.text.matchAll(FOREIGN)) {
    if (scan.seen.length >= seenMax) return;
    add(scan, match);
  }
}

/** Whether there was a password. */
function readTold(scan: Scan, start: number, pattern: RegExp): boolean {
  pattern.lastIndex = start;
  const match = pattern.exec(scan.text);
  return match !== null && add(scan, match);
}

function add(scan: Scan, match: RegExpMatchArray): boolean {
  const said = match[1] as string;
  const value = said.replace(/[.,;:)\]"'\x60?]+$/, '');
  if (!isTyped(value) || ENTITY.test(value)) return false;
  const start = (match.index as number) + match[0].lastIndexOf(said);
  scan.add({ what: 'password', title: 'a password', severity: 'high', confidence: 0.7, start, value });
  return true;
}

/** A letter as markup has it. */
const ENTITY = /&#\d{2,5}(?:;|$)/;

/** A letter, a digit, and a sign or letters of both cases; no address, no measure. */
function isTyped(value: string): boolean {
  return (
    (isMixed(value) || isMixed(value.replace('.', '')) || isMixed(value.replaceAll('$', '#'))) &&
    !/^\w{1,12}:\/\/|^[\d.,]{1,12}[A-Za-z]{1,4}$/.test(value)
  );
}

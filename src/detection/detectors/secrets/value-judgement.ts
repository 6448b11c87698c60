import type { NameStrength } from './names.ts';
import { isPlaceholder } from './placeholders.ts';
import { isRandom, type Look, lookOf } from './randomness.ts';

/** How a value is written, which says how sure it is to be one. */
export type ValueStyle = 'quoted' | 'bare' | 'prose' | 'spaced';

const PASSWORD_CHARS_MIN = 4;
const VALUE_CHARS_MAX = 2_048;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** How sure it is that `value`, of a name of that strength, gives a secret away: 0 for no. */
export function judgeValue(value: string, strength: NameStrength, style: ValueStyle): number {
  if (value.length < PASSWORD_CHARS_MIN || value.length > VALUE_CHARS_MAX) return 0;
  const password = strength === 'password' ? withoutEntities(value) : undefined;
  // First, since texts are full of them.
  if (password !== undefined && namesPassword(password)) return 0;
  if (isPlaceholder(value) || NOT_A_VALUE.test(value)) return 0;
  if (password !== undefined) return judgePassword(password, style);
  const look = lookOf(value);
  if (/\s/.test(value) || isAddress(value, look)) return 0;
  if (style !== 'quoted' && !/^[\w+/=.~:@!#$%^&*?|,-]+$/.test(value)) return 0;
  return strength === 'secret' ? judgeSecret(value, look, style) : judgeWeak(value, look);
}

/** Paths, addresses, calls, types, names in code, versions and dates; digests, accounts on a block chain, and Java's objects as it prints them. */
const NOT_A_VALUE =
  /^arn:aws|^\.{0,2}\/[\w./-]*$|^[A-Za-z]:\\|^[a-z][a-z0-9+.-]{1,12}:\/\/[^@]*$|\(\)|::|->|\\\\|^(?:self|this|req|request|res|args?|params?|config|settings|options?|props|data|ctx|event|user|row|form|os|System|process|Env|std|app|context|cfg|opts|input|event|module|window|document|secrets|vault|env|var|local|each|module|github|steps|needs)\.[A-Za-z_]|\.(?:pem|p12|pfx|jks|key|crt|cer|json|ya?ml|xml|txt|html?|js|ts|php|py|rb|go|java|css|webp|avif|mp[34]|zip|gz|tgz|pdf|csv|parquet|woff2?|png|jpe?g|gif|svg|conf|cfg|ini|properties|com|org|net|io|dev|local)$|^\d{4}-\d{2}-\d{2}|^v?\d+\.\d+\.\d+|[a-z]-\d+\.\d+\.\d+|^,|:$|SNAPSHOT|^#[a-z]+(?:-[a-z]+)*$|^(?:sha\d{1,3}|md5|blake2[bs]?)[:-]|^0x[0-9a-f]{40}$|^[a-z][\w.$]{2,200}@[0-9a-f]{4,8}$|^(?:string|int|float|boolean|id)!$/i;

function isAddress(value: string, look: Look): boolean {
  const slashes = value.split('/').length - 1;
  return (slashes >= 2 && look.wordy > 0.3) || (slashes >= 1 && look.wordy > 0.5) || /^[\w.-]+:\d{2,5}$/.test(value);
}

/** A letter as markup has it: `L&#246;senord`. */
const ENTITY = /&#(\d{2,5});/g;

function withoutEntities(value: string): string {
  return value.includes('&#') ? value.replace(ENTITY, (_, code: string) => String.fromCharCode(Number(code))) : value;
}

/** `S3_ENDPOINT`, `CKV_SECRET_14`: the name of a variable or a rule. */
const CONSTANT = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

function judgePassword(value: string, style: ValueStyle): number {
  if (value.length > 128 || /\s/.test(value) || /^https?:/i.test(value)) return 0;
  const look = lookOf(value);
  const letters = look.lowers + look.uppers;
  const others = look.length - look.digits - letters;
  if (value.split('/').length > 2 && look.wordy > 0.4) return 0;
  if (/^[\w$]+(?:\.[\w$]+)+$/.test(value) && look.wordy > 0.5) return 0;
  if (CONSTANT.test(value) && look.wordy > 0.4) return 0;
  if (look.digits === look.length) return look.length >= 6 && look.sequenced < look.length * 0.6 ? 0.5 : 0;
  if (isRandom(look, 8)) return 0.85;
  const strong = look.digits > 0 || (style !== 'spaced' && others - count(value, '_') - count(value, '-') > 0);
  if (strong && letters > 0 && look.length >= 6) return style === 'quoted' ? 0.75 : 0.65;
  if (style === 'prose' || style === 'spaced' || look.length < 6 || look.sequenced === look.length) return 0;
  return style === 'quoted' ? 0.55 : look.wordy > 0.6 && /[_-]/.test(value) ? 0.45 : 0.5;
}

/** `db_password`, `getPassword`: the name of where the password is. */
function namesPassword(value: string): boolean {
  return (
    /passw|pwd|secret|token|credential|username|hostname|wachtwoord|kennwort|contrase|senha|mot_?de_?passe|has[lł]o|l[oö]senord|пароль|密码|パスワード/i.test(
      value,
    ) &&
    !/\d[\s\S]*\d|\d[!@#$%^&*+?]|[!@#%^&*+?].*\d/.test(value) &&
    !/^[a-z]{12,}$/.test(value)
  );
}

function judgeSecret(value: string, look: Look, style: ValueStyle): number {
  if (CONSTANT.test(value) && look.wordy > 0.4) return 0;
  if (UUID.test(value)) return look.digits > 0 ? 0.65 : 0;
  if (isRandom(look, 16)) return 0.85;
  if (isRandom(look, 10) && look.digits > 0) return style === 'quoted' ? 0.65 : 0.55;
  if (isEncoded(value) && look.wordy < 0.5) return 0.7;
  return style === 'quoted' && isThoughtUp(value, look) ? 0.55 : 0;
}

/** `##END##`, `**note**`: put around a word so that it stands out. */
const MARKER = /^([^\w\s])\1.*\1\1$/;

/** What somebody typed to be a secret: `horse#battery`, with a sign that neither names nor references have. */
function isThoughtUp(value: string, look: Look): boolean {
  return (
    look.length >= 8 &&
    look.length <= 64 &&
    look.lowers + look.uppers >= 4 &&
    look.longestRun < 4 &&
    !MARKER.test(value) &&
    /[!#%^&*~]/.test(value.slice(1))
  );
}

/** Base64 of something with structure: `eyJ…`, or padded. */
function isEncoded(value: string): boolean {
  return (
    value.length >= 20 &&
    /^[A-Za-z0-9+/_-]{18,}={0,2}$/.test(value) &&
    /^eyJ|=$/.test(value) &&
    lookOf(value).entropyBits > 3.4
  );
}

/** What keys are written in. Names, terms and queries have other signs too. */
const KEY_CHARS = /^[\w+/.~:|=-]+$/;

/** The names of a system and a tool, and the digest of what they depend on; the begin of a public key (X.509) in Base64. */
const KEY_OF_CACHE = /^(?:linux|macos|windows|darwin|node|v\d{1,3})-[\w.-]{0,64}-[0-9a-f]{32,128}$/i;
const PUBLIC_KEY = /^MI(?:[GIHCB]\w{1,4})?(?:ANBgkqhkiG9w0BAQEFAA|GfMA0GCSqGSIb3DQEBAQUAA|kwEwYHKoZIzj0)|^MCowBQYDK2V/;

function judgeWeak(value: string, look: Look): number {
  if (!KEY_CHARS.test(value) || KEY_OF_CACHE.test(value) || PUBLIC_KEY.test(value)) return 0;
  if (UUID.test(value) || look.length < 20 || look.wordy > (look.length >= 28 && look.digits > 3 ? 0.45 : 0.3))
    return 0;
  if (look.hex) return look.length >= 32 && isRandom(look, 32) ? 0.55 : 0;
  return isRandom(look, 20) && look.digits > 1 && look.entropyBits > 3.6 ? 0.6 : 0;
}

function count(value: string, char: string): number {
  return value.split(char).length - 1;
}

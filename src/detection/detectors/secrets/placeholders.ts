/** Words that only stand in a value which somebody is meant to replace, or which is made up for a text. */
const MADE_UP =
  /example|sample|dummy|placeholder|change[-_ ]?(?:me|it|this)|replace[-_ ]|^replace(?:me|with|this)|^\*.*\*$|redacted|removed|insert[-_ ]|(?:^|[^a-z])(?:your|my)[-_ ]|^your|put[-_ ]your|[-_ ]here$|todo|fixme|lorem|foobar|^foo$|^bar$|^baz$|xxxx|\*\*\*|\.\.\.|…|•••|not[-_ ]?(?:a[-_ ])?(?:real|set|used|secret)|undefined|deadbeef|^fake|^mock|^invalid|^some[-_ ]|^test[-_ ]?(?:ing|value|key|token|secret|pass|password)?\d{0,3}$/i;

/** A value that is taken from somewhere else when the text is used: a variable, a template, a call. */
const TAKEN_FROM_ELSEWHERE =
  /^[<[{(]|[>\]}]$|\([^()]*\)$|\$\{|\$\(|^\$[A-Za-z_{(]|^%[A-Za-z_]+%?$|\{\{|\{%|<%|#\{|^@[A-Za-z_{(]|%[sdv]$|%\(\w+\)|^`.*`$|\bprocess\.env\b|\benviron\b|getenv|\bENV\[|\benv\.|^env:|\bvault:|^op:\/\/|^ref\+|^arn:aws|^RU5DW[01][\w+/]{36}|!(?:Ref|Sub|GetAtt)\b|^&?lt;|\\[nrt]$/;

/** Values that state no secret whatever their name is. */
const PLAIN = new Set(
  (
    'true false null none nil no yes on off string str text password passwd passphrase pwd pass secret token key apikey api_key ' +
    'api-key user username login admin_password user_password access_token accesstoken refresh_token bearer basic ' +
    'default value required optional hidden visible enabled disabled empty blank unknown n/a na any auto void object ' +
    'number boolean function symbol bigint int integer bytes char varchar binary base64 plain plaintext plain_text hex json oauth oauth2 jwt ' +
    'hostname localhost dbpass dbpassword userpass database name project project_name username_password admin_pass saml ldap kerberos sha1 sha256 sha512 md5 bcrypt argon2 rsa aes external internal private public self this ' +
    'b64enc b64dec test tests testing demo temp tmp abc abcd asdf foo bar baz qwerty prompt stdin env file manual custom'
  ).split(' '),
);

/** Values that whole manuals are full of: published as examples by those who issue such keys. */
const PUBLISHED = [
  'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c', // the sample of jwt.io
  'TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ', // its predecessor
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq', // Azure's storage emulator
  'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw', // and its database one
  'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', // RFC 7519
  '4eC39HqLyjWDarjtT1zdp7dc', // Stripe's documentation
  'QWxhZGRpbjpvcGVuIHNlc2FtZQ', // RFC 7617: Aladdin:open sesame
  'dXNlcjpwYXNz', // user:pass
  'dGVzdDp0ZXN0', // test:test
];

/** The same of keys and digests in hexadecimal digits, which are held against whole values. */
const PUBLISHED_HEX: ReadonlySet<string> = new Set([
  'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', // the first account of Hardhat and Anvil
  '5f4dcc3b5aa765d61d8327deb882cf99', // MD5 of "password"
  'd41d8cd98f00b204e9800998ecf8427e', // MD5, SHA-1 and SHA-256 of nothing
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
]);
const PUBLISHED_HEX_CHARS_MAX = 66;

/** Code units by which a longer value is known to be worn or repeated. */
const START_CHARS_MAX = 256;

/** Whether `value` is there to be replaced, or comes from elsewhere, so that nothing is given away by it. */
export function isPlaceholder(value: string): boolean {
  const start = value.slice(0, START_CHARS_MAX);
  return (
    PLAIN.has(start.toLowerCase()) ||
    TAKEN_FROM_ELSEWHERE.test(value) ||
    MADE_UP.test(value) ||
    isPublished(value) ||
    isWorn(start) ||
    isRepeated(start)
  );
}

/** Whether `value` holds a key that its issuer prints in manuals. */
export function isPublished(value: string): boolean {
  if (PUBLISHED.some((known) => value.includes(known))) return true;
  return value.length <= PUBLISHED_HEX_CHARS_MAX && PUBLISHED_HEX.has(value.replace(/^0x/, '').toLowerCase());
}

/** A few characters repeated: `00000000`, `xX-xX-xX`, `abababab`. */
function isWorn(value: string): boolean {
  counted.fill(0);
  let distinct = 0;
  for (let at = 0; at < value.length && distinct <= 4; at++) {
    const code = value.charCodeAt(at) & 127;
    // Capitals count as small letters; punctuation does not count.
    const folded = code >= 65 && code <= 90 ? code + 32 : code;
    if ((folded >= 45 && folded <= 47) || folded === 58 || folded === 95 || folded === 32 || counted[folded] === 1)
      continue;
    counted[folded] = 1;
    distinct++;
  }
  if (value.length < 8) return distinct <= 1;
  return distinct <= 3 || (value.length >= 24 && distinct <= 4);
}

const counted = new Uint8Array(128);

const REPEATED_CHARS_MIN = 16;
const UNIT_CHARS_MAX = 40;

/** One piece over and over: `abcd1234abcd1234abcd1234`. Nothing generated is. */
function isRepeated(value: string): boolean {
  if (value.length < REPEATED_CHARS_MIN) return false;
  const unitMax = Math.min(UNIT_CHARS_MAX, value.length >> 1);
  for (let unit = 1; unit <= unitMax; unit++) {
    let at = unit;
    while (at < value.length && value.charCodeAt(at) === value.charCodeAt(at - unit)) at++;
    if (at === value.length) return true;
  }
  return false;
}

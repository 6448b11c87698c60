import fc from 'fast-check';
import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { Allowance } from '../../src/detection/cuts.ts';
import type { Detection } from '../../src/detection/detectors/detector.ts';
import { crc32, hasBase62Checksum } from '../../src/detection/detectors/secrets/checksums.ts';
import { strengthOf } from '../../src/detection/detectors/secrets/names.ts';
import { isRandom, lookOf } from '../../src/detection/detectors/secrets/randomness.ts';
import type { Seen } from '../../src/detection/detectors/secrets/seen.ts';
import { secrets, secretsIn as secretsWithin, TOKEN_FORMATS } from '../../src/detection/detectors/secrets.ts';
import { eventFacts } from '../../src/detection/facts/gather-facts.ts';
import { FULL_LIMITS } from '../../src/detection/limits.ts';
import { AhoCorasick } from '../../src/lib/aho-corasick.ts';
import { userMessage } from '../support/events.ts';
import { BASE62, DIGITS, HEX, LOWER, made, UPPER } from '../support/made.ts';
import { plainText } from '../support/read-text.ts';
import { timesOf } from '../support/timing.ts';

const uuid = [8, 4, 4, 4, 12].map((chars) => made(HEX, chars)).join('-');
const secretsIn = (text: string, key = ''): Seen[] => secretsWithin(text, key, new Allowance(unlimited));
const whats = (text: string, key = ''): string[] => secretsIn(text, key).map((seen) => seen.what);

function detect(text: string, name = 'text'): { found: readonly Detection[]; allowance: Allowance } {
  const event = userMessage(text);
  const allowance = new Allowance(unlimited);
  const facts = eventFacts(event, FULL_LIMITS, allowance);
  const texts = [plainText(text, 'tool_output', name)];
  return { found: secrets.detect({ event, facts, texts, limits: FULL_LIMITS, allowance }), allowance };
}

t.test('AhoCorasick: finds what a search for each keyword finds', async () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A'), minLength: 1, maxLength: 4 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'B', 'é', '\u{1f600}'), maxLength: 60 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), text, fc.boolean(), (words, text, ignoreCase) => {
      const fold = (value: string): string => (ignoreCase ? value.toLowerCase() : value);
      const expected = words.flatMap((word, index) =>
        Array.from({ length: text.length }, (_, at) => at)
          .filter((at) => fold(text).startsWith(fold(word), at))
          .map((at) => `${index}@${at + word.length}`),
      );
      const actual: string[] = [];
      const automaton = new AhoCorasick(words, { ignoreCase });
      automaton.scan(text, (keyword, end) => actual.push(`${keyword}@${end}`));
      if (automaton.occursIn(text) !== expected.length > 0) return false;
      return JSON.stringify(actual.sort()) === JSON.stringify(expected.sort());
    }),
    { seed: 20_260_102, numRuns: 2_000 },
  );
});

t.test('AhoCorasick: reports in the order of the ends, and refuses keywords that it cannot hold', async (t) => {
  const ends: number[] = [];
  new AhoCorasick(['he', 'she', 'hers'], { ignoreCase: true }).scan('usHErs she', (_, end) => ends.push(end));
  t.same(ends, [4, 4, 6, 10, 10]);
  t.throws(() => new AhoCorasick([''], { ignoreCase: false }), RangeError);
  t.throws(() => new AhoCorasick(['é'], { ignoreCase: false }), RangeError);
});

t.test('tokens of vendors are known by their format', async (t) => {
  const cases: [what: string, token: string][] = [
    ['aws_access_key', `AKIA${made(UPPER, 16)}`],
    ['google_api_key', `AIza${made(BASE62, 35)}`],
    ['google_oauth_secret', `GOCSPX-${made(BASE62, 28)}`],
    ['azure_client_secret', `aB34Q~${made(BASE62, 33)}`],
    ['digitalocean_token', `dop_v1_${made(HEX, 64)}`],
    ['terraform_token', `${made(BASE62, 14)}.atlasv1.${made(BASE62, 67)}`],
    ['vault_token', `hvs.${made(BASE62, 90)}`],
    ['github_token', `ghp_${made(BASE62, 36)}`],
    ['github_token', `github_pat_${made(BASE62, 22)}_${made(BASE62, 59, 3)}`],
    ['gitlab_token', `glpat-${made(BASE62, 20)}`],
    ['npm_token', `npm_${made(BASE62, 36)}`],
    ['pypi_token', `pypi-AgEIcHlwaS5vcmc${made(BASE62, 90)}`],
    ['docker_token', `dckr_pat_${made(BASE62, 27)}`],
    ['anthropic_key', `sk-ant-api03-${made(BASE62, 93)}AA`],
    ['openai_key', `sk-proj-${made(BASE62, 74)}T3BlbkFJ${made(BASE62, 74, 3)}`],
    ['huggingface_token', `hf_${made(BASE62, 34)}`],
    ['nats_seed', `SUA${made('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 55)}`],
    ['postman_key', `PMAT-${made(UPPER + DIGITS, 26)}`],
    ['posthog_key', `phr_${made(BASE62, 47)}`],
    [
      'defined_key',
      `dnkey-${made('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 26)}-${made('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 52, 3)}`,
    ],
    ['wundergraph_key', `cosmo_${made(HEX, 32)}`],
    ['groq_key', `gsk_${made(BASE62, 52)}`],
    ['slack_token', `xoxb-${made(DIGITS, 12)}-${made(DIGITS, 13)}-${made(BASE62, 24)}`],
    ['telegram_token', `${made('123456789', 10)}:AA${made(BASE62, 33)}`],
    ['sendgrid_key', `SG.${made(BASE62, 22)}.${made(BASE62, 43)}`],
    ['mailchimp_key', `${made(HEX, 32)}-us12`],
    ['stripe_key', `sk_live_${made(BASE62, 24)}`],
    ['shopify_token', `shpat_${made(HEX, 32)}`],
    ['airtable_token', `pat${made(BASE62, 14)}.${made(HEX, 64)}`],
    ['newrelic_key', `NRAK-${made(UPPER, 27)}`],
    ['grafana_token', `glsa_${made(BASE62, 32)}_${made(HEX, 8)}`],
    ['age_key', `AGE-SECRET-KEY-1${made('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`],
    ['pixie_key', `px-api-${uuid}`],
    ['password_hash', `$2b$12$${made(BASE62, 53)}`],
    ['rootly_key', `rootly_${made(HEX, 64)}`],
    ['deno_token', `ddp_${made(BASE62, 36)}`],
    ['elastic_cloud_key', `essu_${made(BASE62, 92)}`],
    ['shippo_token', `shippo_test_${made(`${HEX}ABCDEF`, 40)}`],
  ];
  for (const [what, token] of cases) {
    t.same(whats(`run --with ${token} now`), [what], what);
    t.same(whats(`{"a":"${token}"}`), [what], `${what} in JSON`);
    t.same(whats(`x\\n${token}\\n`), [what], `${what} behind an escaped line break`);
    t.same(whats(token.replace(/[A-Za-z0-9](?=[^-_.:~$]*$)/g, 'x')), [], `${what} crossed out`);
  }
});

t.test('formats: more than 150, each with marks and a bounded sticky pattern', async (t) => {
  t.ok(new Set(TOKEN_FORMATS.map((format) => format.what)).size > 150);
  for (const { what, marks, pattern } of TOKEN_FORMATS) {
    t.ok(/^[a-z0-9_]+$/.test(what) && marks.every((mark) => mark.length >= 2 || mark === '|'), what);
    t.equal(pattern.flags, 'y', what);
    t.notOk(
      /[^\\][*+](?![^[]*\])(?!\))/.test(pattern.source.replace(/\\[*+$.]|\[[^\]]*\]/g, 'c')),
      `${what} is bounded`,
    );
  }
});

t.test('GitHub tokens carry a checksum', async (t) => {
  t.equal(crc32('123456789'), 0xcbf43926);
  const body = made(BASE62, 30);
  let crc = crc32(body);
  let written = '';
  const alphabet = DIGITS + LOWER.toUpperCase() + LOWER;
  for (; crc > 0; crc = Math.floor(crc / 62)) written = (alphabet[crc % 62] as string) + written;
  const token = `ghp_${body}${written.padStart(6, '0')}`;
  t.ok(hasBase62Checksum(token));
  t.notOk(hasBase62Checksum(`${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`));
  t.equal(secretsIn(token)[0]?.confidence, 1);
});

t.test('values that a name calls secret are found in any notation', async (t) => {
  const key = made(BASE62, 32);
  const notations = [
    `ACME_API_KEY=${key}`,
    `export ACME_API_KEY="${key}"`,
    `acmeApiKey: '${key}',`,
    `"acme_api_key": "${key}"`,
    `{\\"apiKey\\":\\"${key}\\"}`,
    `apiKey := "${key}"`,
    `let api_key: &str = "${key}";`,
    `setenv("ACME_TOKEN", "${key}")`,
    `<apiKey>${key}</apiKey>`,
    `<add key="AcmeToken" value="${key}" />`,
    `- name: ACME_TOKEN\n  value: ${key}`,
    `{"name": "ACME_SECRET", "value": "${key}"}`,
    `variable "acme_token" {\n  type = string\n  default = "${key}"\n}`,
    `curl -H 'X-Api-Key: ${key}' https://api.acme.dev`,
    `curl -H "Authorization: Bearer ${key}" https://api.acme.dev`,
    `https://api.acme.dev/v1/items?access_token=${key}&page=2`,
    `acme login --token ${key} --region eu`,
    `ACME_TOKEN=${key} node deploy.js`,
    `acme.client.secret=${key}`,
    `process.env.TOKEN; const token = process.env.TOKEN || "${key}"`,
    `| api_key | \`x\` |\napi_key = ${key} # production`,
  ];
  for (const notation of notations) t.equal(secretsIn(notation)[0]?.value, key, notation);
  t.same(whats(key), [], 'without a name it is just text');
});

t.test('passwords are found where something says that they are passwords', async (t) => {
  const cases: [password: string, text: string][] = [
    ['Tr0ub4dor&3', 'password = "Tr0ub4dor&3"'],
    ['kettle77drum', 'DB_PASSWORD=kettle77drum'],
    ['whiteduchess', 'REACT_APP_MAIL_PASS=whiteduchess'],
    ['s3sameSeed', 'Server=db;Database=x;User Id=sa;Password=s3sameSeed;Encrypt=true'],
    ['?Hg7kLq2x!z', 'PASSWORD=?Hg7kLq2x!z'],
    ['hg7!kLq2x', 'PGPASSWORD=hg7!kLq2x psql -h db -U app'],
    ['hg7kLq2x', 'jdbc:oracle:thin:app/hg7kLq2x@//db.internal:1521/app'],
    ['hg7!kLq2', 'postgres://app:hg7!kLq2@db.internal:5432/app'],
    ['hg7kLq2x', 'redis://:hg7kLq2x@cache:6379'],
    ['Winter2031!', 'curl -u maria:Winter2031! https://intranet.acme.dev'],
    ['Winter2031!', 'sshpass -p Winter2031! ssh root@10.0.0.4'],
    ['Winter2031!', 'mysql -u root -pWinter2031! app'],
    ['Winter2031!', 'psexec \\\\10.0.0.4 -u admin -p Winter2031! cmd'],
    ['Winter2031!', "ALTER USER app IDENTIFIED BY 'Winter2031!'"],
    ['Winter2031!', "requests.get(url, auth=('maria', 'Winter2031!'))"],
    ['Winter2031!', 'echo "maria:Winter2031!" | sudo chpasswd'],
    ['Winter2031!', 'machine git.acme.dev login maria password Winter2031!'],
    ['Winter2031!', 'my password is Winter2031!. Please log in'],
    ['Winter2031!', 'Das Passwort: "Winter2031!"'],
  ];
  for (const [password, text] of cases)
    t.same(
      secretsIn(text).map((seen) => seen.value.replace(/!$/, '')),
      [password.replace(/!$/, '')],
      text,
    );
  t.same(whats('kettle77drum', 'password'), ['password'], 'a property of that name');
  t.same(whats('kettle77drum', 'query'), []);
});

t.test('what stands for a secret is none', async (t) => {
  const texts = [
    'password = "changeme"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's variable
    'password = "${DB_PASSWORD}"',
    'PASSWORD=$DB_PASSWORD',
    'PGPASSWORD=postgres psql -h localhost',
    'PGPASSWORD=$DB_PASSWORD psql -h db',
    'API_TOKEN=your_token_123 node index.js',
    'jdbc:oracle:thin:scott/@//db.internal:1521/app',
    'password: <your-password>',
    'password=********',
    'api_key = os.environ["API_KEY"]',
    'apiKey: process.env.API_KEY,',
    'token = get_token(user)',
    'password = request.form["password"]',
    'export TOKEN=$(vault read -field=token secret/x)',
    'API_KEY={{ .Values.apiKey }}',
    'api_key: "YOUR_API_KEY_HERE"',
    'secret: xxxxxxxxxxxxxxxxxxxxxxxx',
    'AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE',
    'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'passwordLabel: "Enter your password"',
    'token_url = "https://login.acme.dev/oauth2/token"',
    `public_key = "${made(BASE62, 43)}"`,
    `csrf_token=${made(BASE62, 32)}`,
    `"nextPageToken": "${made(BASE62, 40)}"`,
    `credentialsId: '${uuid}'`,
    `checksum: ${made(HEX, 40)}`,
    'key = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"',
    'primaryKey: "customer_account_identifier"',
    'curl -u "$USER:$PASS" https://acme.dev',
    'curl -u user:password https://acme.dev',
    'postgres://user:password@localhost/db',
    'http://localhost:8080/path?user=a@b.example',
    'docker run -p 8080:80 -p host_port:container_port nginx',
    'Bearer token authentication is required to reset your password.',
    '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----',
    'you must pass `redirectedReference` and set the token `accessContext`',
    'git log --author=secret --grep "token"',
  ];
  for (const text of texts) t.same(whats(text), [], text);
});

t.test('key material is known by its container', async (t) => {
  const body = made(BASE62, 200).replace(/.{64}/g, '$&\n');
  const pem = `-----BEGIN EC PRIVATE KEY-----\n${body}\n-----END EC PRIVATE KEY-----`;
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const jwt = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: '4711', admin: true })}.${made(BASE62, 43)}`;
  t.same(whats(`key:\n${pem}\n`), ['private_key']);
  t.same(whats(JSON.stringify({ private_key: pem })), ['private_key']);
  t.same(whats(`KEY_B64=${Buffer.from(pem).toString('base64')}`), ['private_key']);
  t.same(whats(`{"kty":"EC","crv":"P-256","x":"a","d":"${made(BASE62, 43)}"}`), ['private_key']);
  t.same(whats(`Cookie: id=${jwt}`), ['jwt']);
  t.equal(secretsIn(jwt)[0]?.confidence, 0.95);
  t.same(whats(`Authorization: Basic ${Buffer.from('maria:Winter2031!').toString('base64')}`), ['basic_auth']);
});

t.test('names: what they say of their value', async (t) => {
  const cases: [name: string, strength: string | undefined][] = [
    ['password', 'password'],
    ['spring.datasource.password', 'password'],
    ['DB_PASS', 'password'],
    ['adminPwd2', 'password'],
    ['compass', undefined],
    ['bypass', undefined],
    ['API_KEY', 'secret'],
    ['x-api-key', 'secret'],
    ['clientSecret', 'secret'],
    ['GITHUB_TOKEN_PROD', 'secret'],
    ['heroku_key', 'secret'],
    ['key', 'weak'],
    ['monkey', undefined],
    ['publicKey', undefined],
    ['keyboard', undefined],
    ['author', undefined],
    ['token_type', undefined],
    ['secretName', undefined],
  ];
  for (const [name, strength] of cases) t.equal(strengthOf(name), strength, name);
});

t.test('generated values look generated, words and names do not', async (t) => {
  const seeds = Array.from({ length: 400 }, (_, index) => index * 977);
  for (const [alphabet, chars] of [
    [BASE62, 24],
    [HEX, 32],
    [LOWER + DIGITS, 26],
  ] as const) {
    const known = seeds.filter((seed) => isRandom(lookOf(made(alphabet, chars, seed)), 16)).length;
    t.ok(known >= 0.97 * seeds.length, `${known} of ${seeds.length} of ${chars} characters`);
  }
  for (const word of [
    'DefaultListableBeanFactory',
    'access_token_lifetime',
    'application/octet-stream',
    'abc123def456ghi789',
    '1234567890123456',
    'customer-account-number',
    'x'.repeat(40),
  ]) {
    t.notOk(isRandom(lookOf(word), 10), word);
  }
});

t.test('a detection says where it stands and holds the secret apart from what it says', async (t) => {
  const token = `ghp_${made(BASE62, 36)}`;
  const { found } = detect(`push with ${token} please`);
  t.match(found, [{ kind: 'secret.github_token', severity: 'critical', start: 10, end: 50, value: token }]);
  t.notOk(found[0]?.what.includes(token));
  const many = Array.from({ length: 200 }, (_, index) => `ghp_${made(BASE62, 36, index + 1)}`).join(' ');
  const { found: kept, allowance } = detect(many);
  t.equal(kept.length, 64);
  t.same(allowance.cuts, [{ what: 'secrets', bound: 'count 64' }]);
});

t.test('any text is scanned without a throw, and secrets stand where they say', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'password',
      '=',
      ': ',
      '"',
      "'",
      '\\"',
      'eyJ',
      '-----BEGIN PRIVATE KEY-----',
      'ghp_',
      '://',
      '@',
      ' -p ',
      'Bearer ',
      '\n',
    ),
    fc.string({ maxLength: 12 }),
    fc.constantFrom(made(BASE62, 36), made(HEX, 40), 'token', '<', '>', 'AKIA', '$2b$12$'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      return secretsIn(text).every((seen) => text.slice(seen.start, seen.end) === seen.value);
    }),
    { seed: 20_260_103, numRuns: 3_000 },
  );
});

t.test('hostile text takes time in proportion to its length', { timeout: 800_000 }, async (t) => {
  const units = [
    'sk-',
    ' sk-',
    'AKIA',
    ' AKIA',
    '-----BEGIN',
    '-----BEGIN PRIVATE KEY-----',
    'LS0tLS1CRUdJTi',
    'eyJ',
    ' eyJaaaaaaaaaa.',
    'password',
    'password=',
    'password = "',
    'password=\\"',
    `password${' '.repeat(20)}`,
    'password for the user ',
    '://',
    'a://b:c',
    ' -p ab',
    ' -u a:',
    'JQQJ99',
    '8Q~',
    '$1$',
    '$6$ab$',
    'Basic dXNlcjpwYXNz ',
    '.atlasv1.',
    '"kty"',
    'machine a login b ',
    'variable "x_token" {\n',
    'key,"',
    ':AA',
    '|',
    '1',
    'Authorization: Bearer ',
    'MII',
    ' MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
    '<InverseQ>',
    'mnemonic ',
    ':5432:a:b:',
    'token a1b2c3 ',
    'SSWS key ',
    'login_with_api_key',
    ' AKIAABCDEFGHIJKLMNOP:',
    'btc ',
    'wallet L5jRWzBr6pFwxuo8hdKS8rBx7WSEEHEXaGj9P5Ts6Yup9qNjS5Xg ',
    'words are abc ',
    'seed\n',
    'kennwort Ab ',
    'kennwort',
    'PHPSESSID=aB3dE5fG7hJ9kL1mN3pQ5',
    'mật khẩu ',
    'tokens {\n',
    'xprv',
    ':fx',
    'abc12-abc12\n',
    'kind: Secret\n---\n',
    'kind: Secret\n- ',
  ];
  for (const unit of units) {
    const chars: [number, number] = [65_536, 1_048_576];
    const { short, long, max } = timesOf(secretsIn, { unit, chars, longMsMax: (ms) => ms * 16 * 4 + 50 });
    t.ok(long < max, `${JSON.stringify(unit)}: ${short.toFixed(1)} ms for 64 KB, ${long.toFixed(1)} ms for 1 MB`);
    t.ok(short < 1_000, `${JSON.stringify(unit)} at 64 KB`);
  }
});

t.test('a manifest is read up to its own ends, however far a text goes on', async (t) => {
  for (const unit of ['kind: Secret\n---\n', 'kind: Secret\n- \n']) {
    const chars: [number, number] = [8_192, 65_536];
    const { short, long, max } = timesOf(secretsIn, { unit, chars, longMsMax: (ms) => ms * 8 * 2 + 8 });
    t.ok(long < max, `${JSON.stringify(unit)}: ${short.toFixed(1)} ms, ${long.toFixed(1)} ms`);
  }
});

t.test('what lets somebody in is known by what stands beside it', async (t) => {
  const password = 'Zq7vTn2xLb';
  const hex64 = made(HEX, 64);
  const told: readonly [what: string, text: string][] = [
    ['password', `Nueva contraseña del wifi de la planta 3: ${password} (red A)`],
    ['password', `le mot de passe du compte a@b.example c'est ${password}, connecte-toi`],
    ['password', `Cześć, hasło do VPN: ${password}, login j.w`],
    ['password', `服务器密码改成了 ${password}，用户名还是 a`],
    ['password', `パスワードは ${password} です`],
    ['password', `utente: magazzino / password: ${password}. Saluti`],
    ['generic', `La clé API Mistral du projet est ${made(BASE62, 32)}, merci`],
    ['generic', `"GET /hook?access_token=${made(BASE62, 40)} HTTP/1.1" 200`],
    ['password', `sqlplus -s batch/${password}@//db.example:1521/A @load.sql`],
    ['password', `<AutoLogon><Password><Value>${password}</Value></Password>`],
    ['password', `xpack.security.user=elastic:${made(BASE62, 20)}`],
    ['password', `new UsernamePasswordCredentialsImpl(Scope.GLOBAL, 'nexus', 'deploy', 'j', '${password}')`],
    ['password', `login("qa@shop.example", "${password}");`],
    ['password', `cast send --private-key 0x${hex64} 0x1`],
    ['matrix_token', `syt_${made(BASE62, 16)}_${made(LOWER, 20)}_${made(BASE62, 6)}`],
    ['password', `user is payadmin, pwd ${password}! , change it after you're in`],
    ['password', `wie besprochen lautet das Kennwort für den Zugang zum System ${password}$7% (Benutzer: h)`],
    ['password', `passordet ditt er ${password}!9, bytt det snart`],
    ['password', `the network upstairs has the WPA2 key: Gletscher77-Nebel`],
    ['password', `tài khoản quanly, mật khẩu là ${password}?, rồi xuất`],
    ['password', 'Şifre: Velvet$Lantern398? — ilk girişten sonra'],
    ['password', `[smtp.mail.example]:587 scan@acme.example:${password}\n`],
    ['password', 'snmp-server community uZ9HdJhMVKBm RW 15'],
    ['password', `ldap_default_authtok = ${password}`],
    ['password', `key ........... base64:${made(BASE62, 43)}=`],
    ['password', `accounts: ['0x${hex64}']`],
    ['password', `tokens {\n    agent = "320dbb72-94ad-4315-b10a-25d28bdedad1"\n  }`],
    ['password', `encrypt = "${made(BASE62, 43)}="`],
    ['password', `https://api.openweathermap.org/data/2.5/weather?q=Graz&appid=${made(HEX, 32)}`],
    ['password', 'Server API token (also in the web app): `1228c5cf-9ab3-463a-8810-63dd91b1301d`'],
    ['deepl_key', "new deepl.Translator('bd1fc0bc-9bda-46b3-9699-24d95e320f7e:fx')"],
    ['okta_token', `Authorization: SSWS 00${made(BASE62, 40)}`],
    ['session_cookie', `Cookie: lang=de; PHPSESSID=${made(`${LOWER}0123456789`, 26)}; consent=1`],
    ['session_cookie', `.youtube.com\tTRUE\t/\tTRUE\t1777203391\tSAPISID\t${made(BASE62, 34)}\n`],
    [
      'private_key',
      `<tls-auth>\n-----BEGIN OpenVPN Static key V1-----\n${made(HEX, 128)}\n-----END OpenVPN Static key V1-----`,
    ],
    ['wallet_key', 'a paper backup: L5jRWzBr6pFwxuo8hdKS8rBx7WSEEHEXaGj9P5Ts6Yup9qNjS5Xg, sweep it into my wallet'],
    [
      'wallet_key',
      'wpkh(xprv9s21ZrQH143K2LaiKTs9VL9HZ9h6H6kLsouMgTPDSedrM1MLBjgyaEkrghmwK7SfrzAB4UqdRd6mg1VNbivbqS5ciahedeP6kkrkXAy7R9Z/84h)',
    ],
    ['wallet_key', `[${Array.from({ length: 64 }, (_, at) => (at * 89 + 31) % 251).join(',')}]`],
    ['recovery_codes', '72ef2-1f2f8\n434ef-d0659\nd4867-974e9\n67f68-47e74\n2c2ed-39095\naf56f-6fc14\n'],
    [
      'wallet_words',
      'the twelve words are pole enable rich toddler grunt park typical furnace plastic spider mask material — please',
    ],
    ['recovery_codes', 'my recovery codes:\n92322-0edaf\n5e8a3-c1e67\n5cb5e-7511e\n00422-9c0c1\n'],
    ['recovery_key', 'Numerical Password:\n  660616-570020-316910-521213-207174-474903-486123-718707'],
    [
      'wallet_words',
      '# Ledger backup\ntunnel glimpse maple salmon pelican festival jungle copper nephew bracket shrimp quantum\n',
    ],
  ];
  for (const [what, text] of told) t.ok(whats(text).includes(what), `${what}: ${text}: ${whats(text).join()}`);
  t.ok(whats(`password=${password}-d41d8cd98f00b204e9800998ecf8427e`).includes('password'), 'beside a digest');
  const harmless = [
    'seed\nthe quick brown fox jumps over the lazy dog and then some more',
    'Numerical Password:\n  660617-570020-316910-521213-207174-474903-486123-718707',
    'backup codes are written down\nsee the manual for more\nand ask somebody\nwho knows\n',
    `Cache restored from key: Linux-node-${hex64}`,
    `"key": "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${made(BASE62, 60)}"`,
    `googleSiteVerification = "${made(BASE62, 43)}"`,
    'login("user@shop.example", "password");',
    'a paper backup: L5jRWzBr6pFwxuo8hdKS8rBx7WSEEHEXaGj9P5Ts6Yup9qNjS5Xh, sweep it into my wallet',
    'wpkh(xprv9s21ZrQH143K2LaiKTs9VL9HZ9h6H6kLsouMgTPDSedrM1MLBjgyaEkrghmwK7SfrzAB4UqdRd6mg1VNbivbqS5ciahedeP6kkrkXAy7R9A)',
    `[${Array.from({ length: 64 }, (_, at) => at).join(',')}, 64]`,
    `[${Array.from({ length: 64 }, () => 0).join(',')}]`,
    'Cookie: PHPSESSID=<your session>; lang=de',
    'snmp-server community public RO',
    "MD5 of the word 'password' is 5f4dcc3b5aa765d61d8327deb882cf99, which is why",
    "accounts: ['0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80']",
    `  DB_PASSWORD: \${DB_PASSWORD:?set8it}`,
    'password: {{ .Values.mail.password | b64enc | quote }}',
    'passordet er feil, prøv igjen',
    'das Kennwort muss Ziffern und Zeichen haben, siehe Handbuch Kapitel 4.2',
    '2024-01a\n2024-02a\n2024-03a\nabcd-efgh\n',
  ];
  for (const text of harmless) t.same(whats(text), [], text);
});

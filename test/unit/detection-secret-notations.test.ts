import { generateKeyPairSync, randomBytes } from 'node:crypto';
import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { Allowance } from '../../src/detection/cuts.ts';
import { strengthOf } from '../../src/detection/detectors/secrets/names.ts';
import { isRandom, lookOf } from '../../src/detection/detectors/secrets/randomness.ts';
import { secretsIn as secretsWithin } from '../../src/detection/detectors/secrets.ts';
import { BASE62, DIGITS, HEX, LOWER, made, UPPER } from '../support/made.ts';

const secretsIn = (text: string) => secretsWithin(text, '', new Allowance(unlimited));
const whats = (text: string): string[] => secretsIn(text).map((seen) => seen.what);
const base64 = (bytes: number): string => randomBytes(bytes).toString('base64');

t.test('values behind nothing but a space are found by their line, or by looking generated', async (t) => {
  const key = made(BASE62, 32);
  for (const text of [
    `mirador SECRET ${key}`,
    `the api token ${key}, valid until May`,
    `mirador private-key ${made(HEX, 40)}`,
    `  access_token ${made(LOWER + DIGITS, 24)}\n  region eu`,
    `API Key: ${made(BASE62, 18)}`,
    `bindpw Gletscher77\nbase dc=acme`,
    'requirepass Gletscher77',
  ])
    t.equal(secretsIn(text).length, 1, text);
  for (const text of [
    `gpg: using RSA key ${made('0123456789ABCDEF', 40)}`,
    `public key ${made(BASE62, 43)}`,
    `cache key: ${made(HEX, 40)}`,
    `deploy key SHA256:${made(BASE62, 43)}`,
    `the token 0x${made(HEX, 40)} trades on two markets`,
    'password authentication is off',
    'password combination.\n\nA2: see below',
    'the secret ingredient of tomatoes2024salad is basil',
    'access token lifetime_in_seconds_3600_default',
    'Each key maps to user_account_number_00123456',
  ])
    t.same(whats(text), [], text);
});

t.test('passwords in statements, options of libcurl, notes and abbreviations', async (t) => {
  for (const text of [
    "CREATE USER shop IDENTIFIED WITH mysql_native_password BY 'Gletscher77!';",
    'alter user shop identified by Gletscher77;',
    "CREATE ROLE shop WITH LOGIN PASSWORD 'Gletscher77'",
    'curl_easy_setopt(curl, CURLOPT_USERPWD, "shop:Gletscher77");',
    "CURLOPT_PROXYPASSWORD => 'Gletscher77'",
    'the password for the shop: Gletscher77',
    'the printer (pw: Gletscher77!)',
    'PW=Gletscher77!',
    'pswd: Gletscher77',
  ])
    t.same(whats(text), ['password'], text);
  for (const text of [
    'The readings are identified by sensor12_temperature in the table.',
    'image pw=1080p60fps',
    'css: pw=100px2',
    'PW = 1024x768',
    'init(pass: Float64)',
    '(password: min8chars)',
    'the pass for gate 12: B17boarding',
    'the case identified by docket number 123456 in Texas',
    'persons identified by name, and those identified by number 12',
    'passwords for everybody: see the wiki',
    'connect(user: name, password: password)',
    'npw: 1234 is a number of people',
    'the new pw is not set',
  ])
    t.same(whats(text), [], text);
});

t.test('a name of a vendor is no name of something harmless because of how it ends', async (t) => {
  t.equal(strengthOf('omnisend_token'), 'secret');
  t.equal(strengthOf('weekend_token'), 'secret');
  t.equal(strengthOf('end_token'), undefined);
  t.equal(strengthOf('nextPageToken'), undefined);
  t.equal(strengthOf('max_tokens'), undefined);
  t.equal(strengthOf('cacheKey'), undefined);
  t.equal(strengthOf('wpa_psk'), 'password');
  t.equal(strengthOf('SIGNING_P12_BASE64'), 'secret');
});

t.test('private keys in DER without PEM are known by their structure, and certificates are not', async (t) => {
  const keys = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'der' }),
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'der' }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'der' }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'der' }),
    generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'sec1', format: 'der' }),
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' }),
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs8',
      format: 'der',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    }),
    // PKCS #12: version 3, then PKCS #7 data.
    Buffer.concat([Buffer.from('308209d10201033082099706092a864886f70d010701a0820988', 'hex'), randomBytes(2_400)]),
  ];
  for (const key of keys) t.same(whats(`DATA: ${key.toString('base64')}`), ['private_key'], key.toString('hex', 0, 16));
  const open = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' }),
    generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'pkcs1', format: 'der' }),
    // A certificate: a sequence of a sequence, whose version is tagged.
    Buffer.concat([Buffer.from('308203a53082028da003020102', 'hex'), randomBytes(900)]),
  ];
  for (const key of open) t.same(whats(`DATA: ${key.toString('base64')}`), [], key.toString('hex', 0, 16));
});

t.test('keys in XML, symmetric JSON Web Keys, and keys in JSON in JSON', async (t) => {
  const xml = `<RSAKeyValue><Modulus>${base64(256)}</Modulus><InverseQ>${base64(128)}</InverseQ><D>${base64(256)}</D></RSAKeyValue>`;
  t.same(whats(xml), ['private_key']);
  t.same(whats(`<RSAKeyValue><Modulus>${base64(256)}</Modulus><Exponent>AQAB</Exponent></RSAKeyValue>`), []);
  const jwk = JSON.stringify({ kty: 'oct', alg: 'HS256', k: randomBytes(32).toString('base64url') });
  t.same(whats(jwk), ['private_key']);
  t.same(whats(JSON.stringify({ keys: jwk })), ['private_key']);
  t.same(whats(JSON.stringify({ kty: 'EC', crv: 'P-256', x: made(BASE62, 43), y: made(BASE62, 43, 9) })), []);
});

t.test('files and commands that hold passwords in a place of their own', async (t) => {
  const hit: [what: string, text: string][] = [
    ['password', 'db.acme.dev:5432:app:maria:Gletscher77'],
    ['password', '*:*:*:maria:Gletscher77'],
    ['password', 'default login maria password Gletscher77'],
    ['password', 'enable password 7 08314942081C1B0D'],
    ['password', `curl -u ${made(BASE62, 24)}: https://api.acme.dev/v1/charges`],
    ['url_password', 'ftps://admin:secret@files.acme.dev/x'],
    ['url_password', 'mysql://root:root@10.20.30.40/app'],
    ['password_hash', `$P$B${made(BASE62, 30)}`],
    ['password_hash', `SCRAM-SHA-256$4096:${base64(16)}$${base64(32)}:${base64(32)}`],
    ['vault_unseal_key', `Unseal Key 3: ${base64(33)}`],
    [
      'docker_swarm_token',
      `docker swarm join --token SWMTKN-1-${made(LOWER + DIGITS, 50)}-${made(LOWER + DIGITS, 25, 3)}`,
    ],
    ['signed_address', `https://b.s3.amazonaws.com/k?X-Amz-Expires=900&X-Amz-Signature=${made(HEX, 64)}`],
    ['azure_devops_token', `${made(BASE62, 76)}AZDO${made(BASE62, 4)}`],
    ['wallet_words', 'seed phrase: "ripple scissors kick mammal hire column oak again sun offer wealth tomorrow"'],
    ['aws_access_key', `AKIA${made(UPPER, 16)}`],
  ];
  for (const [what, text] of hit) t.same(whats(text), [what], text);
  const pair = secretsIn(`AKIA${made(UPPER, 16)}:${made(BASE62, 40)}`).map((seen) => seen.what);
  t.same(pair, ['aws_access_key', 'aws_secret_key']);
  for (const text of [
    'http://localhost:5432:app:maria:x',
    'redis://user:secret@cache.acme.dev',
    'postgres://admin:admin@localhost:5432/app',
    'https://admin:admin@example.com/',
    'curl -u maria: https://acme.dev',
    'key 7 of 12 is used',
    'mnemonic: think of a word that begins like this and go on from there',
    'the phrase: people often tell each other that they like these long walks along the lake',
    `unseal key ${made(LOWER, 12)}`,
  ])
    t.same(whats(text), [], text);
});

t.test('what somebody made up for a text is no secret, however long it is', async (t) => {
  for (const value of [
    'a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6',
    'd4c3b2a1f6e5h8g7j1i8l0k5n3m2',
    'abcd1234abcd1234abcd1234abcd1234',
    '0123456789abcdef0123456789abcdef',
    'Qz7ABCDEFGHIJKLr0HmjFxvbGu8Lp3',
    'K9d1234567890aQzR7bVx',
  ]) {
    t.notOk(isRandom(lookOf(value), 16), value);
    t.same(whats(`api_key = "${value}"`), [], value);
  }
  const seeds = Array.from({ length: 500 }, (_, index) => index * 733 + 5);
  for (const [alphabet, chars] of [
    [BASE62, 32],
    [HEX, 40],
    [UPPER, 32],
  ] as const) {
    const refused = seeds.filter((seed) => whats(`api_key = "${made(alphabet, chars, seed)}"`).length === 0);
    t.ok(refused.length <= 0.02 * seeds.length, `${refused.length} of ${seeds.length} generated ones refused`);
  }
});

t.test('a secret that somebody thought up has a sign that names have not', async (t) => {
  t.same(whats('jwt:\n  secret: "mountain#Lantern"'), ['generic']);
  t.same(whats('jwt:\n  secret: "mountain-lantern"'), []);
  t.same(whats('token: "################xx"'), []);
  t.same(whats(`Authorization: Bearer ${made(BASE62, 400)}`), ['generic'], 'longer than a line');
});

t.test('what code says beside a name is no value of it', async (t) => {
  for (const text of [
    'tests/test_login.py::TestForgottenPass::test_mail_is_sent_1x',
    'struct UnrollLoopsPass : LoopTransform<UnrollLoopsPass> {',
    'case "w": password = optarg; break;',
    'user.password = fields && fields.shift();',
    '.icon-pass:before,.icon-fail:before{content:""}',
    "mark.className = pass ? 'mark-pass' : 'mark-fail';",
    'mutation SignUp($name: String!, $password: String!) { id }',
    "if (typeof login.password === 'function') return;",
    "['text', 'password', 'checkbox7', 'radio']",
    'It is wrong to pass "the_repository" and then "an_index".',
    'syn match grammarKey "\\$\\(<[a-zA-Z_][a-zA-Z_0-9]*>\\)\\=[\\$0-9]\\+"',
    'o.key=codeOf(e.code-51+27):e.code===56?o.key=t.C0.DEL:e.code===219?o.key=t.C1',
    'STOP_TOKEN = "###LEAVE-WITHOUT-ANSWER###"',
    '[![coverage](https://cov.example.org/gh/acme/lamp/badge.svg?token=7Hq2LwZ9Bx)](https://cov.example.org)',
    `-----BEGIN PRIVATE KEY-----\n${made(BASE62, 30)}...\n-----END PRIVATE KEY-----`,
  ])
    t.same(whats(text), [], text);
  for (const text of [
    'Server=db1;User Id=app;Password=Gletscherspalte;Database=orders',
    "setenv('DB_PASSWORD', 'Gletscher#77')",
    'user: app\npassword: Gletscherspalte\n',
    `["run", "--api-token", "${made(BASE62, 24)}"]`,
  ])
    t.equal(secretsIn(text).length, 1, text);
});

t.test('a secret is found amid blanks, braces and a few words, and behind a dash', async (t) => {
  const key = made(BASE62, 32);
  for (const text of [
    `const mastSecret = " ${key} ";`,
    `"client_secret": "mirador ${key}"`,
    `<secret>{${key}=}</secret>`,
    `<apiToken> {mirador ${key}} </apiToken>`,
    `mirador token - '${key}'`,
    `API key – "${key}"`,
  ]) {
    const [one] = secretsIn(text);
    t.ok(one?.value.startsWith(key), text);
  }
  for (const text of [
    '<secret>the name of the vault</secret>',
    '<secret>{{ vault_name }}</secret>',
    `"secret": "see the page ${made(HEX, 40)} of the old wiki for how"`,
    `"key": "build ${made(BASE62, 24)}"`,
    'the token - "as it were" - is round',
  ])
    t.same(whats(text), [], text);
});

t.test('a value on the next line, in a call or in braces is the value of its name', async (t) => {
  const key = made(BASE62, 32);
  for (const text of [
    `export const apiKey =\n  '${key}';`,
    `static final String CLIENT_SECRET\n    = "${key}";`,
    `std::string accountKey{"${key}"};`,
    `Lamp.builder().url(url).apiKey("${key}").build()`,
    "source.setPassword('Gletscher#77');",
    "smtp.login('lamp@acme.example', 'Gletscher#77')",
    'DriverManager.getConnection("jdbc:db2://db1/orders", "app", "Gletscher#77")',
    "new mysqli('db1', 'app', 'Gletscher#77', 'orders')",
    `access_token = ${made(BASE62, 1_500)}`,
  ])
    t.equal(secretsIn(text).length, 1, text);
  for (const text of [
    "config.getPassword('orders-db-2')",
    "hasToken('step 7#b')",
    "t('forgotPassword', 'Forgot it?')",
    `new OAuth("${made(BASE62, 12)}", user)`,
    "form.password('repeat');",
    'token =\n  makeToken();',
    "await page.login('alice', 'alice')",
    'secrets of the trade:\n"first" of all',
    'the variables `DB_PASSWORD`, `S3_ENDPOINT` and `REGION`',
    'tool.py -no-pass acme.example/clerk@files7',
    'PSK="replacewithyourown1"',
    '<Password>*KEPT*BACK*7*</Password>',
  ])
    t.same(whats(text), [], text);
});

t.test('tokens with a mark of the vendor before a signed token, and keys of a keyset', async (t) => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const jwt = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ sub: 'lamp' })}.${made(BASE62, 86)}`;
  t.same(whats(`mast_42_${jwt}`), ['jwt']);
  t.same(whats(`digest_${made(BASE62, 20)}eyJ${made(BASE62, 20)}.${made(BASE62, 30)}`), []);
  const keyset = (kind: string): string =>
    `{"key":[{"keyData":{"typeUrl":"t","value":"${made(BASE62, 40)}","keyMaterialType":"${kind}"}}]}`;
  t.same(whats(keyset('SYMMETRIC')), ['private_key']);
  t.same(whats(keyset('ASYMMETRIC_PUBLIC')), []);
});

t.test('passwords that people tell each other, in the language they speak', async (t) => {
  for (const text of [
    'Das neue Kennwort lautet Gletscher77!, bitte nicht weitersagen.',
    'mon mot de passe : Gl4cier!Bleu',
    'mi usuario es tienda y la contraseña es Nieve-77-gata!',
    'utente magazzino e password Neve.77gatta!',
    'login: host01, hasło: Snieg#77kot',
    'Логин: stand-2, пароль: Sneg77#kot',
    'ユーザー名: kensho / パスワード: Yuki#77neko です',
    'utilizador relatorios, senha Neve77!gato',
  ])
    t.same(whats(text), ['password'], text);
  for (const text of [
    'Das Passwort ist erforderlich.',
    'Le mot de passe est obligatoire pour continuer.',
    'La contraseña es incorrecta, inténtalo de nuevo',
    'password=Wachtwoord',
    'パスワード: 8文字以上',
    'пароль: не менее 8 символов',
    'the user forgot the password yesterday.',
    'senha = campo.texto',
  ])
    t.same(whats(text), [], text);
});

t.test('passwords without end are reported up to the bound', async (t) => {
  const { cuts } = ((allowance: Allowance) => {
    secretsWithin('пароль: Sneg77#kot '.repeat(2_000), '', allowance);
    return allowance;
  })(new Allowance(unlimited));
  t.ok(
    cuts.some(({ what }) => what === 'secrets'),
    'and that it was cut is said',
  );
});

t.test('secrets in a table, in a call, in a header and under names of frameworks', async (t) => {
  const key = made(HEX, 32);
  const uuid = '2611376a-f221-49f8-9ff1-fa869ca934f0';
  for (const text of [
    'smtp_password  | Gletscher77!x\n(3 rows)',
    `algoliasearch('UTYWVTU489', '${key}')`,
    `Authorization: Splunk ${uuid}`,
    `{"keyName": "key1", "permissions": "FULL", "value": "${made(BASE62, 86)}=="}`,
    `secret_key_base: ${made(HEX, 128)}`,
    `{"role_id": "x", "secret_id": "${uuid}"}`,
    `const HMAC_SECRET: &[u8] = b"${made(BASE62, 32)}";`,
    '1036:requirepass Gletscher77',
    `hf_${made(LOWER + UPPER, 34)}`,
  ])
    t.equal(secretsIn(text).length, 1, text);
  for (const text of [
    'smtp_password  | varchar(64)\n(3 rows)',
    'secret_id = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:smtp-AbC123"',
    `"hashed_secret": "${made(HEX, 40)}"`,
    '{"type": "string", "format": "password", "minLength": 8}',
    `const applicationServerKey = 'B${made(BASE62, 86)}';`,
    `splunk ${uuid}`,
  ])
    t.same(whats(text), [], text);
});

t.test('passwords as arguments, fallbacks and elements of their own lines', async (t) => {
  for (const text of [
    "New-Object System.Management.Automation.PSCredential ('ACME\\clerk', 'Gletscher#77')",
    'new PSCredential("clerk", "Gletscher#77")',
    'password = shopPassword ?: "Gletscher#77"',
    "password = settings.get('pw') or 'Gletscher#77'",
    'let password: String! = "Gletscher#77"',
    '<password>\n  Gletscher#77\n</password>',
    'login clerk pw Gletscher#77',
    'pword=Gletscher#77',
  ])
    t.same(whats(text), ['password'], text);
  for (const text of [
    'https://mailto:clerk77@acme.example',
    `<passphrase>{${Buffer.from([...made(BASE62, 24)].map((char) => char.charCodeAt(0) | 128)).toString('base64')}}</passphrase>`,
    "'Chat Token': 'RULE_SECRET_17'",
    '"password": "Mot de passe oubli&#233;"',
    'DATABASE_PASSWORD=abcdefgh',
    `secret: ${Buffer.from(`ENC[RSA,${made(BASE62, 60)}]`).toString('base64')}`,
    'For user-defined types pass IEnumerable<T1>',
    'the user should pass ABC-123d via header',
  ])
    t.same(whats(text), [], text);
  t.same(whats(`<secret>{AQAA${made(BASE62, 60)}}</secret>`), ['generic'], "Jenkins' own can be read on its disk");
});

t.test('what signs sessions is known by where it stands', async (t) => {
  const phrase = `${made(BASE62, 30)} +-|$%&[]{}<>!?@#^*;:,. ${made(HEX, 9)}`.padEnd(64, 'x').slice(0, 64);
  t.same(whats(`define('AUTH_KEY',         '${phrase}');`), ['generic']);
  t.same(whats(`define( 'NONCE_SALT', '${phrase}' );`), ['generic']);
  t.same(
    whats(`define('AUTH_KEY', '${'put your unique phrase here '.repeat(2)}12345678');`),
    [],
    'what is to be replaced',
  );
});

t.test('a sentence signs nothing', async (t) => {
  t.same(whats(`define('AUTH_SALT', 'The quick brown Fox jumps over 1 lazy Dog, and then runs on: 12!');`), []);
});

t.test('a manifest that says it is secret needs no names', async (t) => {
  const encoded = Buffer.from('Gletscher#77').toString('base64');
  const yaml = `apiVersion: v1\ndata:\n  extra: ${encoded}\n  username: ${Buffer.from('clerk-77').toString('base64')}\nkind: Secret\n`;
  t.same(whats(yaml), ['generic']);
  t.equal(secretsIn(yaml)[0]?.value, encoded, 'and not the name of the user');
  t.same(whats('kind: Secret\nstringData:\n  conn: "Gletscher#77"\n'), ['generic']);
  t.same(whats(JSON.stringify({ kind: 'Secret', data: { a: encoded } })), ['generic']);
  t.same(whats(`kind: ConfigMap\ndata:\n  extra: ${encoded}\n`), [], 'a manifest of another kind');
  t.same(
    whats(`kind: Secret\nmetadata:\n  name: x\n---\nkind: ConfigMap\ndata:\n  extra: ${encoded}\n`),
    [],
    'the next one',
  );
  t.same(whats('kind: SecretStore\ndata:\n  extra: Gletscher#77\n'), [], 'a kind that only begins so');
  t.same(
    whats(`items:\n- apiVersion: v1\n  data:\n    a: ${encoded}\n  kind: Secret\n`),
    ['generic'],
    'an item of a list',
  );
  for (const plain of [
    'url: git@github.com:acme/infra.git',
    'name: prod-eu1',
    'tag: v1.2.3-alpine',
    'broker: kafka-1:9092',
    'JAVA_OPTS: -Xmx512m',
    'v.yaml: |\n    smtp: mail-7.acme.example\n    b: Gletscher77',
  ])
    t.same(whats(`kind: Secret\nstringData:\n  ${plain}\n`), [], plain);
  t.same(whats('kind: Secret\nstringData:\n  host: "db-77.acme.example"\n  url: https://acme.example/7\n'), []);
});

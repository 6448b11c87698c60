import * as fc from 'fast-check';
import t from 'tap';
import { canonicalEmail } from '../../src/domain/email-address.ts';
import { localPath } from '../../src/domain/local-path.ts';
import { clientAddress } from '../../src/gateway/client-address.ts';
import { invitationMail } from '../../src/identity/mail-texts.ts';
import { networkOf } from '../../src/identity/network.ts';
import { CsrfTokens, isToken, randomToken } from '../../src/identity/secrets.ts';
import { SignInLimits } from '../../src/identity/sign-in-limits.ts';
import { withTls } from '../../src/identity/smtp-mailer.ts';
import { isMeantHere, isSameOrigin } from '../../src/platform/same-origin.ts';
import { isPlainLoopback } from '../../src/platform/site.ts';
import { ManualClock } from '../support/manual-clock.ts';

t.test('open redirect: a path to return to never leaves the service', async (t) => {
  const evil = [
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/x/../..//evil.example',
    '/%2e//evil.example',
    'https://evil.example',
    'https:evil.example',
    'HTTPS:/evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'evil.example',
    '.evil.example',
    '@evil.example',
    ' //evil.example',
    '',
    `/${'a'.repeat(3000)}`,
  ];
  for (const text of evil) {
    const path = localPath(text);
    t.equal(new URL(path, 'https://gate.example').origin, 'https://gate.example', JSON.stringify(text));
    t.equal(path, '/', JSON.stringify(text));
  }
  t.equal(localPath(undefined), '/');
  t.equal(localPath('/sessions/1?tab=flow#top'), '/sessions/1?tab=flow#top');
  t.equal(localPath('/%2Fevil.example'), '/%2Fevil.example', 'an encoded slash is no slash');
  t.equal(localPath('/süß'), '/s%C3%BC%C3%9F');
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[/\\.:@%\t\n a-f25]{0,12}$/));
  fc.assert(
    fc.property(text, (text) => {
      const path = localPath(text);
      const safe = /^\/(?![/\\])[\x21-\x7e]*$/.test(path);
      return safe && new URL(path, 'https://gate.example').origin === 'https://gate.example';
    }),
    { numRuns: 2000 },
  );
});

t.test('an e-mail address is one mailbox, written in one way', async (t) => {
  t.equal(canonicalEmail('  Ann@Example.COM '), 'ann@example.com');
  t.equal(canonicalEmail('jürgen@straße.de'), 'jürgen@straße.de');
  const naughty = [
    '',
    'ann',
    'ann@',
    '@example.com',
    'ann@example.com,bob@example.com',
    'ann@example.com bob@example.com',
    'ann@example.com\r\nBcc: bob@example.com',
    'ann@example.com\0',
    '"ann@example.com"@evil.example',
    'Ann <ann@example.com>',
    'ann@[127.0.0.1]',
    'ann@-example.com',
    `${'a'.repeat(65)}@example.com`,
    `ann@${'a.'.repeat(5000)}com`,
    '\ud800@example.com',
  ];
  for (const text of naughty) t.equal(canonicalEmail(text), undefined, JSON.stringify(text.slice(0, 60)));
});

t.test('a network is an IPv4 address or an IPv6 /64, however it is written', async (t) => {
  const cases: [string, string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['0000:0000:0000:0000:0000:ffff:c000:0207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', 'unknown'],
    ['not an address', 'unknown'],
  ];
  for (const [address, network] of cases) t.equal(networkOf(address), network, address);
  fc.assert(
    fc.property(fc.ipV6(), fc.ipV6(), (a, b) => {
      const bits = (address: string) =>
        networkOf(address).endsWith('::/64') || /^\d+\.\d+\.\d+\.\d+$/.test(networkOf(address));
      return bits(a) && bits(b);
    }),
  );
});

t.test('X-Forwarded-For is believed as far as there are proxies of ours, and no further', async (t) => {
  t.equal(clientAddress('10.0.0.1', '203.0.113.9', 0), '10.0.0.1', 'without proxies, anybody could write it');
  t.equal(clientAddress('10.0.0.1', '203.0.113.9', 1), '203.0.113.9');
  t.equal(clientAddress('10.0.0.1', '6.6.6.6, 203.0.113.9', 1), '203.0.113.9', 'what the sender wrote stands before');
  t.equal(clientAddress('10.0.0.1', '6.6.6.6, 203.0.113.9, 10.0.0.2', 2), '203.0.113.9');
  t.equal(clientAddress('10.0.0.1', '203.0.113.9', 2), '10.0.0.1', 'a request that passed by a proxy is its peer');
  t.equal(clientAddress('10.0.0.1', undefined, 1), '10.0.0.1');
  t.equal(clientAddress('10.0.0.1', 'unknown', 1), '10.0.0.1');
  t.equal(clientAddress('10.0.0.1', '203.0.113.9:4711', 1), '203.0.113.9');
  t.equal(clientAddress('10.0.0.1', '[2001:db8::1]:4711', 1), '2001:db8::1');
});

t.test('P9 asking for links is limited by account and by network, in bounded memory', async (t) => {
  const clock = new ManualClock();
  const limits = new SignInLimits(clock);
  for (let i = 0; i < 5; i++) t.equal(limits.ask('ann@x', `10.0.0.${i}`), undefined);
  t.equal(limits.ask('ann@x', '10.0.0.9'), 180, 'the sixth for one account waits, wherever it comes from');
  t.equal(limits.ask('bob@x', '10.0.0.9'), undefined, 'others do not');
  clock.advance(180_000);
  t.equal(limits.ask('ann@x', '10.0.0.9'), undefined);
  t.ok(limits.ask('ann@x', '10.0.0.9'));
  for (let i = 0; i < 30; i++) t.equal(limits.ask(`${i}@x`, `2001:db8:0:1::${i}`), undefined);
  t.equal(limits.ask('new@x', '2001:db8:0:1:ffff::1'), 30, 'all addresses of a /64 are one network');
  t.equal(limits.ask('new@x', '2001:db8:0:2::1'), undefined);
  for (let i = 0; i < 200_000; i++)
    limits.ask(`${i}@flood`, `2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::1`);
  t.equal(limits.ask('ann@x', '10.0.0.9'), undefined, 'a flood makes it forget, and not grow');
});

t.test('trying links is limited by network, and by the account that they lead to', async (t) => {
  const limits = new SignInLimits(new ManualClock());
  for (let i = 0; i < 10; i++) t.equal(limits.try('ann', `10.0.0.${i}`), undefined);
  t.equal(limits.try('ann', '10.0.0.99'), 60);
  for (let i = 0; i < 30; i++) t.equal(limits.try(undefined, '10.0.1.1'), undefined);
  t.equal(limits.try(undefined, '10.0.1.1'), 30);
});

t.test('a CSRF token belongs to one session of one installation', async (t) => {
  const csrf = new CsrfTokens(Buffer.alloc(32, 1));
  const [session, other] = [randomToken(), randomToken()];
  t.ok(isToken(csrf.of(session)));
  t.ok(csrf.matches(session, csrf.of(session)));
  t.notOk(csrf.matches(other, csrf.of(session)), 'of another session');
  t.notOk(new CsrfTokens(Buffer.alloc(32, 2)).matches(session, csrf.of(session)), 'of another installation');
  t.notOk(csrf.matches(session, session), 'the session token itself');
  for (const given of [undefined, null, '', 'x', `${csrf.of(session)} `, csrf.of(session).slice(1)])
    t.notOk(csrf.matches(session, given), JSON.stringify(given));
});

t.test('a request is ours by fetch metadata, else by Origin, else not', async (t) => {
  const site = { baseUrl: 'https://gate.example/base' };
  const ours = (headers: Record<string, string>) => isSameOrigin(new Map(Object.entries(headers)), site);
  const meant = (headers: Record<string, string>) => isMeantHere(new Map(Object.entries(headers)), site);
  for (const ok of [
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://gate.example' },
  ])
    t.ok(ours(ok) && meant(ok), JSON.stringify(ok));
  const refused: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://gate.example' },
    { 'sec-fetch-site': 'same-origin, cross-site' },
    { 'sec-fetch-site': '' },
    { origin: 'null' },
    { origin: 'http://gate.example' },
    { origin: 'https://gate.example.evil.example' },
    { origin: 'https://gate.example:8443' },
    { origin: 'https://gate.example/base' },
    {},
  ];
  for (const headers of refused) t.notOk(ours(headers) || meant(headers), JSON.stringify(headers));
  t.notOk(ours({ referer: 'https://gate.example/base/' }), 'a Referer is not enough to change something');
  t.ok(meant({ referer: 'https://gate.example/base/' }), 'but to navigate');
  t.notOk(meant({ referer: 'https://evil.example/https://gate.example/' }));
  t.notOk(meant({ 'sec-fetch-site': 'none', 'sec-purpose': 'prefetch' }), 'what is fetched ahead, nobody meant');
});

t.test('a cookie may do without TLS on this machine alone', async (t) => {
  for (const baseUrl of [
    'http://localhost:8080',
    'http://127.0.0.1:1',
    'http://127.8.9.1',
    'http://[::1]:9',
    'http://a.localhost',
  ])
    t.ok(isPlainLoopback({ baseUrl }), baseUrl);
  for (const baseUrl of [
    'https://localhost',
    'http://gate.example',
    'http://127.0.0.1.evil.example',
    'http://192.168.0.1',
  ])
    t.notOk(isPlainLoopback({ baseUrl }), baseUrl);
});

t.test('names in an invitation are one short line, and bring no link of their own', async (t) => {
  const by = {
    tenantName: `Evil\r\nBcc: all@example.com ${'x'.repeat(500)}`,
    invitedBy: 'Go to https://evil.example/ <b>now</b>',
  };
  const { subject, text, html } = invitationMail('ann@example.com', 'https://gate.example/link', by);
  t.notMatch(subject, /[\r\n]/);
  t.ok(subject.length < 140);
  t.notMatch(text, 'https://evil.example');
  t.notMatch(html, '<b>now');
  t.match(html, 'href="https://gate.example/link"');
  const linkless = invitationMail('ann@example.com', 'https://gate.example/link', {
    tenantName: 'Sign in at evil.example/login or ｗｗｗ．evil．example',
    invitedBy: 'bob@corp.example',
  }).text;
  t.notMatch(linkless, /\w[.．]\w*evil|evil[.．]\w/, 'a mail program finds no address in a name');
  t.match(linkless, 'bob@corp.example invites you', 'a mailbox stays one');
  t.match(invitationMail('a@b', 'x', { tenantName: 'Acme Inc.', invitedBy: 'B. Lee' }).subject, 'to Acme Inc. on');
});

t.test('mail leaves this machine over TLS, unless the operator says otherwise', async (t) => {
  const cases: [string, string][] = [
    ['smtp://ann:p%40ss@mail.example:587', 'smtp://ann:p%40ss@mail.example:587?requireTLS=true'],
    [
      'smtp://mail.example/?tls.rejectUnauthorized=false',
      'smtp://mail.example/?tls.rejectUnauthorized=false&requireTLS=true',
    ],
    ['smtp://localhost.evil.example', 'smtp://localhost.evil.example?requireTLS=true'],
    ['smtp://mail.example?requireTLS=false', 'smtp://mail.example?requireTLS=false'],
    ['smtps://mail.example', 'smtps://mail.example'],
    ['smtp://localhost:2525', 'smtp://localhost:2525'],
    ['smtp://127.0.0.1', 'smtp://127.0.0.1'],
    ['smtp://[::1]:25', 'smtp://[::1]:25'],
  ];
  for (const [url, expected] of cases) t.equal(withTls(url), expected);
});

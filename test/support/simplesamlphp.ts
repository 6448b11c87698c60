import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import { temporaryDirectory } from './postgres.ts';
import type { Browser } from './route-browser.ts';

/** A real SAML identity provider: SimpleSAMLphp as Debian packages it, served by PHP itself on the loopback. */

const HOME = '/usr/share/simplesamlphp';
const READY_MS_MAX = 60_000;

/** Whether Debian's packages `simplesamlphp` and `php-cli` are here. */
export function hasSimpleSamlPhp(): boolean {
  return existsSync(`${HOME}/www/saml2/idp/SSOService.php`) && existsSync('/usr/bin/php');
}

/** The service provider that it is to know. */
export interface KnownServiceProvider {
  entityId: string;
  acsUrl: string;
  sloUrl?: string;
  /** PEM without its frame: what it sends is checked with it, and assertions are encrypted to it where `encrypts`. */
  certificate: string;
  encrypts: boolean;
}

export interface SimpleSamlPhp {
  entityId: string;
  /** Its metadata, as an administrator would upload it. */
  metadata: string;
  /** Tells it of a service provider, in place of the one before. */
  know(provider: KnownServiceProvider): void;
  /** Follows `location` as a browser would, signs in there, and returns what the browser would post back, and where to. */
  signIn(
    browser: Browser,
    location: string,
    who: { user: string; password: string },
  ): Promise<{ action: string; fields: URLSearchParams }>;
}

/** Ann, who signs in with the password `correct horse`. */
const AUTH_SOURCES = `<?php
$config = [
  'admin' => ['core:AdminPassword'],
  'people' => ['exampleauth:UserPass',
    'ann:correct horse' => [
      'uid' => ['ann'], 'mail' => ['ann@idp.example'], 'displayName' => ['Ann Ample'], 'groups' => ['security', 'staff'],
    ],
  ],
];
`;

function configuration(url: string, directory: string): string {
  return `<?php
$config = [
  'baseurlpath' => '${url}/',
  'certdir' => '${directory}/cert/', 'loggingdir' => '${directory}/log/', 'datadir' => '${directory}/data/',
  'tempdir' => '${directory}/tmp', 'metadatadir' => '${directory}/metadata/',
  'technicalcontact_email' => 'na@example.org', 'secretsalt' => 'a salt for tests only', 'auth.adminpassword' => 'test only',
  'timezone' => 'UTC', 'logging.level' => 3, 'logging.handler' => 'file', 'enable.saml20-idp' => true,
  'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
  'store.type' => 'phpsession', 'session.phpsession.savepath' => '${directory}/data', 'session.cookie.secure' => false,
  'session.cookie.samesite' => null, 'language.default' => 'en', 'theme.use' => 'default',
  'metadata.sources' => [['type' => 'flatfile', 'directory' => '${directory}/metadata/']],
  'trusted.url.domains' => null,
];
`;
}

const IDP = (entityId: string) => `<?php
$metadata['${entityId}'] = [
  'host' => '__DEFAULT__', 'privatekey' => 'idp.key', 'certificate' => 'idp.crt', 'auth' => 'people',
  'signature.algorithm' => 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'attributes.NameFormat' => 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
  'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  'authproc' => [3 => ['class' => 'saml:AttributeNameID', 'attribute' => 'uid',
    'Format' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent']],
];
`;

function serviceProvider({ entityId, acsUrl, sloUrl, certificate, encrypts }: KnownServiceProvider): string {
  const encryption = encrypts
    ? `'assertion.encryption' => true, 'sharedkey_algorithm' => 'http://www.w3.org/2009/xmlenc11#aes256-gcm',`
    : '';
  return `<?php
$metadata['${entityId}'] = [
  'AssertionConsumerService' => '${acsUrl}',
  ${sloUrl === undefined ? '' : `'SingleLogoutService' => '${sloUrl}',`}
  'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  'keys' => [['type' => 'X509Certificate', 'encryption' => true, 'signing' => true, 'X509Certificate' => '${certificate}']],
  'sign.logout' => true, 'validate.logout' => true, 'saml20.sign.assertion' => true, 'saml20.sign.response' => true, ${encryption}
];
`;
}

/** Starts one on a free port; it is stopped when the test is over. */
export async function startSimpleSamlPhp(t: Test): Promise<SimpleSamlPhp> {
  const directory = temporaryDirectory(t, 'simplesamlphp');
  for (const name of ['cert', 'log', 'data', 'tmp', 'metadata']) mkdirSync(join(directory, name));
  const url = `http://127.0.0.1:${await freePort()}`;
  const entityId = `${url}/saml2/idp/metadata.php`;
  const key = ['-keyout', join(directory, 'cert/idp.key'), '-out', join(directory, 'cert/idp.crt')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=idp', ...key];
  execFileSync('openssl', request, { stdio: 'ignore' });
  writeFileSync(join(directory, 'config.php'), configuration(url, directory));
  writeFileSync(join(directory, 'authsources.php'), AUTH_SOURCES);
  writeFileSync(join(directory, 'metadata/saml20-idp-hosted.php'), IDP(entityId));
  const know = (provider: KnownServiceProvider) =>
    writeFileSync(join(directory, 'metadata/saml20-sp-remote.php'), serviceProvider(provider));
  know({ entityId: 'urn:nobody', acsUrl: 'http://127.0.0.1:9/', certificate: '', encrypts: false });
  // Without a cache of its files: for two seconds it would not look whether one, as that of service providers, was written anew.
  const server = spawn('/usr/bin/php', ['-d', 'opcache.enable=0', '-S', new URL(url).host, '-t', `${HOME}/www`], {
    // Without workers it answers one request at a time; its default is one.
    env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: directory, PHP_CLI_SERVER_WORKERS: '2' },
    stdio: ['ignore', 'ignore', 'ignore'],
    detached: true,
  });
  t.teardown(() => stop(server));
  const metadata = await untilReady(`${url}/saml2/idp/metadata.php?output=xhtml`, entityId, directory);
  return { entityId, metadata, know, signIn };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** With its workers: they are its process group. */
function stop(server: ChildProcess): void {
  if (server.pid !== undefined) process.kill(-server.pid);
}

async function untilReady(url: string, entityId: string, directory: string): Promise<string> {
  const giveUpAtMs = performance.now() + READY_MS_MAX;
  for (;;) {
    const answer = await fetch(entityId).catch(() => undefined);
    if (answer?.ok === true) return answer.text();
    if (performance.now() > giveUpAtMs) {
      const log = join(directory, 'log/simplesamlphp.log');
      throw new Error(`${url}: ${answer?.status} ${existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : ''}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function signIn(
  browser: Browser,
  location: string,
  { user, password }: { user: string; password: string },
): Promise<{ action: string; fields: URLSearchParams }> {
  const login = await browser.follow(location);
  const form = { username: user, password, AuthState: attribute(login.body, /name="AuthState" value="([^"]*)"/) };
  const answered = await browser.visit(login.url, { form });
  const { body } =
    answered.location === null ? answered : await browser.follow(new URL(answered.location, login.url).href);
  const fields = new URLSearchParams();
  for (const [, name, value] of body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)) {
    fields.set(unescaped(name as string), unescaped(value as string));
  }
  return { action: attribute(body, /<form[^>]* action="([^"]*)"/), fields };
}

function attribute(page: string, pattern: RegExp): string {
  const found = pattern.exec(page)?.[1];
  if (found === undefined) throw new Error(`no ${pattern.source} in: ${page.slice(0, 3000)}`);
  return unescaped(found);
}

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#039;', "'")
    .replaceAll('&amp;', '&');

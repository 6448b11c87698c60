import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { printSchema } from 'graphql';
import t from 'tap';
import { WEB_DIR } from '../../src/bundles.ts';
import { Dashboard } from '../../src/gateway/dashboard.ts';
import { Gateway } from '../../src/gateway/server.ts';
import { schema } from '../../src/graphql/schema.ts';
import { temporaryDirectory } from '../support/postgres.ts';

/** How the dashboard's files are served, over real sockets, and rules that its sources keep. */

const INDEX = '<!doctype html><title>Gatehouse</title>';
const SCRIPT = 'console.log(1);'.repeat(50);

function write(directory: string): string {
  mkdirSync(join(directory, 'assets'));
  for (const [name, text] of [
    ['index.html', INDEX],
    ['assets/index-abc.js', SCRIPT],
  ] as const) {
    writeFileSync(join(directory, name), text);
    writeFileSync(join(directory, `${name}.gz`), gzipSync(text));
    writeFileSync(join(directory, `${name}.br`), brotliCompressSync(text));
  }
  writeFileSync(join(directory, 'favicon.svg'), '<svg/>');
  writeFileSync(join(directory, 'notes.txt'), 'not for everybody');
  return directory;
}

async function serve(dashboard: Dashboard): Promise<number> {
  const gateway = new Gateway({
    site: { baseUrl: 'http://127.0.0.1' },
    events: { handle: () => {}, stop: () => {}, underWay: 0 } as never,
    pages: { '/healthz': () => ({ status: 200, contentType: 'application/json', body: '{}' }) },
    platform: { routes: [], onError: () => {}, proxyHops: 0 },
    dashboard,
  });
  t.teardown(() => gateway.stop());
  return gateway.listen('127.0.0.1', 0);
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Sends the path as it is written: `fetch` would mend it. */
function ask(port: number, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, method }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

const port = await serve(Dashboard.read(write(temporaryDirectory(t, 'web'))));

t.test('the page is served at the addresses of its own router, and is never stored', async (t) => {
  for (const path of ['/', '/t/acme', '/t/acme/', '/t/acme/live', '/t/acme/decisions/1', '/?a=b']) {
    const { status, headers, body } = await ask(port, path);
    t.equal(status, 200, path);
    t.equal(headers['content-type'], 'text/html; charset=utf-8');
    t.equal(headers['cache-control'], 'no-store');
    t.equal(body.toString(), INDEX);
  }
});

t.test('its policy allows nothing from elsewhere and nothing inline', async (t) => {
  for (const path of ['/', '/assets/index-abc.js']) {
    const { headers } = await ask(port, path);
    const policy = String(headers['content-security-policy']);
    for (const part of [
      "default-src 'self'",
      "script-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "object-src 'none'",
    ])
      t.ok(policy.split('; ').includes(part), part);
    t.notMatch(policy, /unsafe|\*|data:/);
    t.match(headers, { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  }
});

t.test('assets are kept for ever, in the form that the browser takes', async (t) => {
  const path = '/assets/index-abc.js';
  const forms = [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['identity', undefined, (body: Buffer) => body],
    ['', undefined, (body: Buffer) => body],
  ] as const;
  const etags = new Set<string>();
  for (const [accepted, encoding, decode] of forms) {
    const { status, headers, body } = await ask(port, path, { 'accept-encoding': accepted });
    t.equal(status, 200);
    t.equal(headers['content-encoding'], encoding, accepted);
    t.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    t.equal(headers['vary'], 'accept-encoding');
    t.equal(decode(body).toString(), SCRIPT);
    etags.add(String(headers['etag']));
  }
  t.equal(etags.size, 3, 'a tag for each form');
});

t.test('what the browser has is not sent again', async (t) => {
  const etag = String((await ask(port, '/favicon.svg')).headers['etag']);
  for (const tag of [etag, `"x", W/${etag}`]) {
    const { status, headers, body } = await ask(port, '/favicon.svg', { 'if-none-match': tag });
    t.equal(status, 304);
    t.equal(body.length, 0);
    t.equal(headers['etag'], etag);
    t.equal(headers['content-length'], undefined);
  }
  t.equal((await ask(port, '/favicon.svg', { 'if-none-match': '"other"' })).status, 200);
});

t.test('every other address stays a Problem', async (t) => {
  for (const path of [
    '/v1/unknown',
    '/api/v1/unknown',
    '/api',
    '/healthz/x',
    '/live',
    '/t',
    '/t/',
    '/index.html',
    '/notes.txt',
    '/assets/index-abc.js.br',
    '/assets/',
    '/assets/../index.html',
    '/../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/..\\package.json',
    '//etc/passwd',
    '/assets/index-abc.js%00.html',
  ]) {
    const { status, headers, body } = await ask(port, path);
    t.equal(status, 404, path);
    t.equal(headers['content-type'], 'application/problem+json', path);
    t.notMatch(body.toString(), /<!doctype|not for everybody|dependencies/);
  }
  t.equal((await ask(port, '/healthz')).body.toString(), '{}');
  const post = await ask(port, '/t/acme/live', { 'content-length': '0' }, 'POST');
  t.match(post, { status: 405, headers: { allow: 'GET, HEAD' } });
});

t.test('HEAD is answered as GET is, without the body', async (t) => {
  for (const path of ['/', '/assets/index-abc.js', '/healthz']) {
    const get = await ask(port, path);
    const head = await ask(port, path, {}, 'HEAD');
    t.equal(get.status, 200, path);
    t.equal(head.status, 200, path);
    t.equal(head.headers['content-length'], String(get.body.length), path);
    for (const name of ['content-type', 'cache-control', 'etag', 'x-content-type-options'])
      t.equal(head.headers[name], get.headers[name], `${path} ${name}`);
    t.equal(head.body.length, 0, path);
  }
  t.equal((await ask(port, '/nothing', {}, 'HEAD')).status, 404);
});

t.test('where it was not built, a page says what to do', async (t) => {
  const port = await serve(Dashboard.read(join(temporaryDirectory(t, 'no-web'), 'web')));
  const { status, body, headers } = await ask(port, '/');
  t.equal(status, 200);
  t.match(body.toString(), /npm run build:web/);
  t.equal(headers['cache-control'], 'no-store');
  t.equal((await ask(port, '/t/acme')).status, 404);
});

t.test('the schema that its types are made from is the present one', (t) => {
  const file = readFileSync(new URL('../../web/schema.graphql', import.meta.url), 'utf8');
  t.equal(file, `${printSchema(schema)}\n`, 'npm run build:schema brings it up to date');
  const types = readFileSync(new URL('../../web/src/api/graphql-env.d.ts', import.meta.url), 'utf8');
  for (const [, type = ''] of file.matchAll(/^(?:type|enum) (\w+)/gm)) t.ok(types.includes(`'${type}': `), type);
  t.end();
});

t.test('its sources never make markup of a text', (t) => {
  const sources = new URL('../../web/', import.meta.url);
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:tsx?|html)$/.test(name),
  );
  t.ok(files.length > 30);
  for (const name of files) {
    const text = readFileSync(new URL(name, sources), 'utf8');
    t.notMatch(
      text,
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
      name,
    );
    t.notMatch(text, /href=\{`?(?!`?[/#]|href|LOGIN|loginAddress\()/, `${name}: addresses are our own`);
  }
  t.end();
});

t.test('the build stays small, and nothing in its page is inline', { skip: !built() && 'not built' }, (t) => {
  const page = readFileSync(join(WEB_DIR, 'index.html'), 'utf8');
  // What the page asks for at once; the rest comes when a page that needs it is opened (`scripts/build-web.ts`).
  const first = [...page.matchAll(/(?:src|href)="(\/assets\/[\w.-]+\.js)"/g)].map(([, name]) => name as string);
  const jsBytes = first.reduce((sum, name) => sum + readFileSync(join(WEB_DIR, `${name}.gz`)).length, 0);
  t.ok(jsBytes > 50_000 && jsBytes < 200_000, `${jsBytes} bytes of JavaScript with gzip`);
  t.notMatch(page, /<script(?![^>]*\ssrc="\/assets\/)|<style|\son\w+=|https?:/);
  t.end();
});

function built(): boolean {
  return Dashboard.read(WEB_DIR).addresses.length > 1;
}

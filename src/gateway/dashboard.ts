import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export interface StaticAnswer {
  status: 200 | 304;
  contentType: string;
  body: Uint8Array;
  headers: [string, string][];
}

export interface StaticRequest {
  acceptEncoding: string;
  ifNoneMatch: string;
}

type Encoding = 'br' | 'gzip' | 'identity';

interface StaticFile {
  contentType: string;
  cacheControl: string;
  variants: ReadonlyMap<Encoding, { body: Buffer; etag: string }>;
}

/**
 * Where the page itself is served, beside its files: its own router tells these apart. Everything else that is not known
 * stays unknown, so that a mistaken address of the service never answers with a page.
 */
const PAGE_PATHS = ['/', '/t/:tenant', '/t/:tenant/*'];

const CONTENT_TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
const COMPRESSED = { br: '.br', gzip: '.gz' } as const;

const SECURITY_HEADERS: [string, string][] = [
  [
    'content-security-policy',
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
  ],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['permissions-policy', 'camera=(), geolocation=(), microphone=()'],
];

/**
 * The dashboard's files, as they are served: read once, from memory after that. A request only ever chooses among the
 * addresses found at the start, so no path leads anywhere else.
 */
export class Dashboard {
  readonly #files: ReadonlyMap<string, StaticFile>;

  private constructor(files: ReadonlyMap<string, StaticFile>) {
    this.#files = files;
  }

  /** Reads what `npm run build:web` wrote to `directory`. Where nothing is there, a page says so. */
  static read(directory: string): Dashboard {
    const files = new Map<string, StaticFile>();
    for (const path of filesBelow(directory)) {
      const contentType = CONTENT_TYPES[path.slice(path.lastIndexOf('.') + 1)];
      if (contentType === undefined) continue;
      const address = `/${relative(directory, path).split(sep).join('/')}`;
      if (address !== '/index.html') files.set(address, readFile(path, address, contentType));
      else for (const page of PAGE_PATHS) files.set(page, readFile(path, address, contentType));
    }
    if (!files.has('/')) files.set('/', notBuilt());
    return new Dashboard(files);
  }

  /** What to serve: addresses of files, and of pages as patterns. */
  get addresses(): string[] {
    return [...this.#files.keys()];
  }

  /** The answer at one of `addresses`. */
  answer(address: string, { acceptEncoding, ifNoneMatch }: StaticRequest): StaticAnswer {
    const file = this.#files.get(address);
    if (file === undefined) throw new Error(`${address} is not an address of the dashboard`);
    const { contentType, cacheControl, variants } = file;
    const encoding = chooseEncoding(acceptEncoding, variants);
    const { body, etag } = variants.get(encoding) as { body: Buffer; etag: string };
    const headers: [string, string][] = [
      ...SECURITY_HEADERS,
      ['cache-control', cacheControl],
      ['etag', etag],
      ['vary', 'accept-encoding'],
      ...(encoding === 'identity' ? [] : ([['content-encoding', encoding]] satisfies [string, string][])),
    ];
    if (matches(ifNoneMatch, etag)) return { status: 304, contentType, body: new Uint8Array(), headers };
    return { status: 200, contentType, body, headers };
  }
}

function filesBelow(directory: string): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function readFile(path: string, address: string, contentType: string): StaticFile {
  const variants = new Map<Encoding, { body: Buffer; etag: string }>();
  for (const encoding of ['br', 'gzip'] as const) {
    const body = readIfThere(`${path}${COMPRESSED[encoding]}`);
    if (body !== undefined) variants.set(encoding, { body, etag: etagOf(body) });
  }
  const body = readFileSync(path);
  variants.set('identity', { body, etag: etagOf(body) });
  return { contentType, cacheControl: cacheControlOf(address), variants };
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Names in `assets/` hold a hash of what is in the file: they never mean anything else. */
function cacheControlOf(address: string): string {
  if (address.startsWith('/assets/')) return 'public, max-age=31536000, immutable';
  return address === '/index.html' ? 'no-store' : 'public, max-age=3600';
}

function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** The smallest of `variants` that an Accept-Encoding (RFC 9110 §12.5.3) allows. */
function chooseEncoding(acceptEncoding: string, variants: ReadonlyMap<Encoding, unknown>): Encoding {
  const accepted = new Set<string>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) accepted.add(name);
  }
  return (['br', 'gzip'] as const).find((name) => accepted.has(name) && variants.has(name)) ?? 'identity';
}

function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((item) => item.trim().replace(/^W\//, '') === etag);
}

function notBuilt(): StaticFile {
  const body = Buffer.from(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Gatehouse</title>
<h1>The dashboard is not built</h1>
<p>The service runs, and answers sensors and the platform interface. Run <code>npm run build:web</code> and start it again
to see the dashboard here.</p></html>
`);
  const variants = new Map([['identity' as const, { body, etag: etagOf(body) }]]);
  return { contentType: 'text/html; charset=utf-8', cacheControl: 'no-store', variants };
}

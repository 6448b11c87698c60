import { parsedUrl } from '../lib/parsed-url.ts';

const CHARS_MAX = 2000;
/** Any origin: only whether it is left again matters. */
const HERE = 'http://here.invalid';

/** Layers of percent-encoding that are looked through: more than a proxy before us takes off. */
const LAYERS_MAX = 4;

/**
 * `text` as the path of a page of this service with query and fragment; undefined where it is anything else: an address elsewhere in
 * whatever disguise (`//evil`, `/\evil`, `https:…`, `/..//evil`), or too long; or what is below `/api`, where going is doing: it
 * begins a sign-in, or ends one. What is returned is ASCII and begins with exactly one `/`.
 */
export function readLocalPath(text: string): string | undefined {
  if (text.length > CHARS_MAX || !text.startsWith('/')) return undefined;
  // A browser reads a backslash as a slash, and leaves out tabs and line ends.
  if (/[\\\p{Cc}]/u.test(text) || text.startsWith('//')) return undefined;
  const url = parsedUrl(text, HERE);
  if (url?.origin !== HERE || url.pathname.startsWith('//') || !isPage(url.pathname)) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Whether the path leads to a page however its percent-encoding is read, by a browser, a proxy or the router. */
function isPage(path: string): boolean {
  let read = path;
  for (let layer = 0; layer <= LAYERS_MAX; layer++) {
    if (firstSegment(read) === 'api') return false;
    const next = decoded(read);
    if (next === read) return true;
    read = next;
  }
  return false;
}

/** What is not UTF-8 stays as it is, and does not keep the rest from being read. */
function decoded(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (octet) => {
    const code = Number.parseInt(octet.slice(1), 16);
    return code < 0x80 ? String.fromCharCode(code) : octet;
  });
}

/** In lower case, of the path with its dot segments taken out. Some read a backslash as a slash, and several slashes as one. */
function firstSegment(path: string): string | undefined {
  const segments: string[] = [];
  for (const segment of path.split(/[/\\]+/)) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments[0]?.toLowerCase();
}

/** The same, and `/` for what is none. */
export function localPath(text: string | null | undefined): string {
  return readLocalPath(text ?? '/') ?? '/';
}

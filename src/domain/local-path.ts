const CHARS_MAX = 2000;
/** Any origin: only whether it is left again matters. */
const HERE = 'http://here.invalid';

/**
 * `text` as a path of this service with query and fragment; undefined where it is anything else: an address elsewhere in whatever
 * disguise (`//evil`, `/\evil`, `https:…`, `/..//evil`), or too long. What is returned is ASCII and begins with exactly one `/`.
 */
export function readLocalPath(text: string): string | undefined {
  if (text.length > CHARS_MAX || !text.startsWith('/')) return undefined;
  // A browser reads a backslash as a slash, and leaves out tabs and line ends.
  if (/[\\\p{Cc}]/u.test(text) || text.startsWith('//') || !URL.canParse(text, HERE)) return undefined;
  const url = new URL(text, HERE);
  if (url.origin !== HERE || url.pathname.startsWith('//')) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** The same, and `/` for what is none. */
export function localPath(text: string | null | undefined): string {
  return readLocalPath(text ?? '/') ?? '/';
}

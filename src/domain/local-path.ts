const CHARS_MAX = 2000;
/** Any origin: only whether it is left again matters. */
const HERE = 'http://here.invalid';

/**
 * `text` as a path of this service with query and fragment, `/` where it is anything else: an address elsewhere in whatever
 * disguise (`//evil`, `/\evil`, `https:…`, `/..//evil`), or too long. What is returned is ASCII and begins with exactly one `/`.
 */
export function localPath(text: string | null | undefined): string {
  if (text === null || text === undefined || text.length > CHARS_MAX || !text.startsWith('/')) return '/';
  // A browser reads a backslash as a slash, and leaves out tabs and line ends.
  if (/[\\\p{Cc}]/u.test(text) || text.startsWith('//') || !URL.canParse(text, HERE)) return '/';
  const url = new URL(text, HERE);
  if (url.origin !== HERE || url.pathname.startsWith('//')) return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}

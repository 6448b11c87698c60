const CHARS_MAX = 1000;
const ELSEWHERE = 'http://own.invalid';

/**
 * `text` if it is a path of this very site, to be gone to after a sign-in; undefined for all that a browser could read as
 * another site: another scheme, `//host`, `/\host`, or one of these behind characters that browsers leave out.
 */
export function returnPath(text: string | null): string | undefined {
  if (text === null || text === '') return '/';
  if (text.length > CHARS_MAX || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined;
  const url = URL.canParse(text, ELSEWHERE) ? new URL(text, ELSEWHERE) : undefined;
  return url?.origin === ELSEWHERE && !url.pathname.startsWith('//') ? text : undefined;
}

/** Around the part of a text that makes it an attack. */
const MARKS = /[«»]/g;

/** What stands between the marks in `said`; undefined where it has none, or several such parts. */
export function markedIn(said: string): string | undefined {
  const from = said.indexOf('«');
  return from < 0 || said.includes('«', from + 1) ? undefined : said.slice(from + 1, said.indexOf('»', from));
}

export function withoutMarks(said: string): string {
  return said.replaceAll(MARKS, '');
}

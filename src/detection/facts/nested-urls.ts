import { decodePercent } from './decode.ts';

const NESTED_URLS_MAX = 4;

/** Parameters that servers fetch or send people to. */
const FOLLOWED =
  /[?&;](?:url|uri|u|target|dest|destination|redirect\w{0,8}|return\w{0,8}|next|link|src|source|host|site|page|feed|callback|proxy|domain|to|out|goto|view|open|load|fetch|img|image|continue|forward|endpoint|server|address|remote|webhook|data|file|path|ref\w{0,6})=((?:\/{2,3}|\\\\)?(?:localhost|(?:0x[0-9a-f]{1,8}|\d{1,4})(?:\.(?:0x[0-9a-f]{1,8}|\d{1,4})){3}|\[[0-9a-f:.]{2,45}\]|0x[0-9a-f]{8}|(?:metadata|instance-data)(?:\.[\w-]+)*)(?::\d{1,5})?(?:[/?][^\s"'<>&]{0,512})?)(?=$|[&\s"'<>#])/gi;

/** Addresses without a scheme that a parameter hands over to be fetched: `?url=//169.254.169.254/`, `?host=localhost:6379`. */
function schemeless(query: string): string[] {
  const found: string[] = [];
  for (const match of query.matchAll(FOLLOWED)) {
    found.push(`http://${(match[1] as string).replace(/^[/\\]+/, '')}`);
    if (found.length >= NESTED_URLS_MAX) break;
  }
  return found;
}

/** The URLs inside the path and query of the URL `text`, which a redirector or a server-side fetch would follow. */
export function nestedUrls(text: string): string[] {
  const first = text.indexOf('://');
  const from = first < 0 ? 0 : first + 3;
  const tail = text.slice(from);
  const query = tail.indexOf('?');
  const maySchemeless = query >= 0 && /=(?:\/|%2f|%252f|\d|0x|localhost|\[|%5b)/i.test(tail.slice(query));
  if (!maySchemeless && !tail.includes('://') && !/%3a|%253a/i.test(tail)) return [];
  const decoded = decodePercent(decodePercent(tail).text).text;
  const found: string[] = maySchemeless ? schemeless(decoded) : [];
  for (
    let at = decoded.indexOf('://');
    at >= 0 && found.length < NESTED_URLS_MAX;
    at = decoded.indexOf('://', at + 3)
  ) {
    const scheme = /[a-z][a-z0-9+.-]{0,15}$/i.exec(decoded.slice(Math.max(0, at - 16), at));
    if (scheme === null) continue;
    const end = decoded.slice(at + 3).search(/[\s"'<>&]/);
    found.push(decoded.slice(at - scheme[0].length, end < 0 ? undefined : at + 3 + end));
  }
  return found;
}

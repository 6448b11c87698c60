import { decodePercent } from '../../facts/decode.ts';

/** A value that a program may open a file by, and whether it is one by what it is called. */
export interface FileName {
  value: string;
  namesFile: boolean;
}

/** Keys under which a file is named, and never a place on the machine: a service looks it up among its own. */
export const NAME_KEYS =
  /^(?:name|document|documentname|doc|inputs?|logname|snippet|resource|partial|template|templatename|attachment|attachmentname|include|page|view|theme|skin|layout|report|module|lang|locale|image|avatar|logo|font|stylesheet|user|username|account|profile)$/;
/** In the query of a URL, what is a path on the server says so by other names too. */
const QUERY_KEYS =
  /^(?:file|filename|filepath|path|download|load|read|open|dir|folder|src|source|content|conf|config|url|style|data|cat|action|date|detail|img|pg|inc|locate|show|site|type|doc)$/;

/** What is looked at further: a way up, an encoding, or something absolute. */
const MAY_LEAD_AWAY = /\.\.|%|0x[25]|^\.?[/\\]|^[a-z]:[/\\]|^~\/|^file:|^\.ssh|^etc[/\\]/i;

/** Values of one URL that are looked at. */
const VALUES_MAX = 32;

/** The names of files that the value `text` under `key` may be taken for. Texts with spaces are none. */
export function namesIn(text: string, key: string, isUrl: boolean): FileName[] {
  if (isUrl && !/^\s{0,8}(?:file|netdoc|local-file):/i.test(text)) return namesInUrl(text);
  const value = text.trim();
  if (!MAY_LEAD_AWAY.test(value) || /\s/.test(value) || /^[a-z][a-z0-9+.-]{1,31}:\/\/[^/]/i.test(value)) return [];
  return [{ value, namesFile: isUrl || NAME_KEYS.test(key) }];
}

/** The path of a URL as it stands, and the values of its query as the server gets them. */
function namesInUrl(url: string): FileName[] {
  const start = /^[a-z][a-z0-9+.-]{0,31}:\/\/[^/?#\\]*/i.exec(url)?.[0].length;
  if (start === undefined) return [];
  const hash = url.indexOf('#', start);
  const [path = '', ...rest] = url.slice(start, hash < 0 ? undefined : hash).split('?');
  const names: FileName[] = WAY_UP.test(path) ? [{ value: path.replace(/^\/+/, ''), namesFile: false }] : [];
  for (const part of rest.join('?').split('&', VALUES_MAX)) {
    const equals = part.indexOf('=');
    const raw = part.slice(equals + 1);
    const decoded = decodePercent(raw);
    // The first layer is the URL's own, unless no client would have written it so.
    const value = decoded.odd ? raw : decoded.text;
    if (equals < 0 || !MAY_LEAD_AWAY.test(value) || /[\s+]|^[a-z][a-z0-9+.-]{1,31}:\/\/[^/]/i.test(value)) continue;
    const key = part
      .slice(0, equals)
      .toLowerCase()
      .replace(/[^a-z]/g, '');
    names.push({ value, namesFile: NAME_KEYS.test(key) || QUERY_KEYS.test(key) });
  }
  return names;
}

/** Steps up in the path of a URL, which every client takes away unless they are hidden. */
const WAY_UP = /(?:\.|%(?:25)?2e){2}(?:[/\\;]|%(?:25)?(?:2f|5c))|%c0%ae|%u002e/i;

import { hostsOfUrl } from '../../facts/hosts.ts';

/** What markup has whoever reads or renders it ask for. */

const MARKUP_CHARS_MAX = 16_384;
const REFERENCES_MAX = 16;

/** A part of a text. */
interface Span {
  start: number;
  end: number;
}

/** An address that markup has whoever renders it ask for: an attribute, an entity, a style. */
const REFERENCE =
  /\b(?:src|href|data|poster|background|system|url)\s{0,4}[=(]?\s{0,4}["']?((?:https?|file):\/\/[^"'\s<>)]{1,512})|\b(?:open\(\s{0,4}["']\w{3,7}["'],|fetch\()\s{0,4}["']((?:https?|file):\/\/[^"'\s<>)]{1,512})|\]\(\s{0,4}(https?:\/\/[^"'\s<>)]{1,512})|(?:^|\n)[ \t]{0,8}(https?:\/\/[^"'\s<>)]{1,512})(?=\s)|\burl\s{0,4}:\s{0,4}\\?["'](https?:\/\/[^"'\s<>\\)]{1,512})/gi;

/** The addresses that whoever renders `text` asks for: the first `REFERENCES_MAX`, of its beginning. */
export function* referencesIn(text: string): Generator<Span & { url: string }> {
  let left = REFERENCES_MAX;
  for (const match of text.slice(0, MARKUP_CHARS_MAX).matchAll(REFERENCE)) {
    if (left-- === 0) return;
    const url = match.slice(1).find((each) => each !== undefined) ?? '';
    yield { url, start: match.index, end: match.index + match[0].length };
  }
}

/** What a parser of XML puts in place of an entity or an inclusion. */
const INCLUDED =
  /<!ENTITY\s{1,8}(%\s{1,8})?[\w.-]{1,64}\s{1,8}(?:SYSTEM|PUBLIC\s{1,8}["'][^"'<>]{0,256}["'])\s{1,8}["']([^"'<>]{1,512})["']|<xi:include\s[^<>]{0,256}?\bhref\s{0,4}=\s{0,4}["']([^"'<>]{1,512})["']|\\(?:input|include|lstinputlisting|verbatiminput)\s{0,4}\{\s{0,4}(\/[^{}\n]{1,256})\}/gi;
const MAY_INCLUDE = /<!ENTITY|<xi:|\\(?:in|lst|verb)/i;
/** Places that no document has a part of itself in: files of the machine, and schemes that are not for the web. */
const NO_PART = /^(?:file:|[a-z]:[/\\]|\/|\.\.[/\\]|(?!https?:)[a-z][a-z0-9+.]{1,16}:)/i;

/** Where `text` has whoever parses it fetch a file, or something of the network, and put it in its place. */
export function* inclusionsIn(text: string): Generator<Span> {
  if (!MAY_INCLUDE.test(text)) return;
  let left = REFERENCES_MAX;
  for (const match of text.slice(0, MARKUP_CHARS_MAX).matchAll(INCLUDED)) {
    if (left-- === 0) return;
    const [whole, ofDefinition, entity, included, typeset] = match;
    const target = entity ?? included ?? typeset ?? '';
    const leadsInside = hostsOfUrl(target).some((host) => host.class !== 'public');
    // A parameter entity is part of no text: what it fetches defines others.
    const away = NO_PART.test(target) || (/^https?:/i.test(target) && (leadsInside || ofDefinition !== undefined));
    if (away) yield { start: match.index, end: match.index + whole.length };
  }
}

/** What is looked at before any XML parser sees the text: one pass, no recursion, so that it may run anywhere. */

export const XML_BYTES_MAX = 128 * 1024;
const ELEMENTS_MAX = 2_000;
const ATTRIBUTES_MAX = 4_000;
const ATTRIBUTES_OF_ONE_MAX = 50;
const DEPTH_MAX = 100;

const NOT_WELL_FORMED = 'it is no well-formed XML';
/** Entities that need no document type. */
const STRAY_AMPERSAND = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/;
const START = /<([^\s"'<>/=!?]+)/y;
const ATTRIBUTE = /\s+[^\s"'<>/=]+\s*=\s*(?:"[^"<]*"|'[^'<]*')/y;
const START_END = /\s*(\/?)>/y;
const END = /<\/([^\s"'<>/=]+)\s*>/y;

/**
 * Why `xml` is not parsed at all; undefined where it may be. In messages there are no comments (they split a name that one
 * reader sees whole), no CDATA and no instructions, since nothing legitimate needs them; document types and entities are
 * refused everywhere. So is what the parser would take quadratic time to find fault with: tags that are none or do not fit,
 * and more elements, attributes and levels than any provider sends.
 */
export function screenXml(xml: string, { comments }: { comments: 'refuse' | 'allow' }): string | undefined {
  if (Buffer.byteLength(xml) > XML_BYTES_MAX) return `the XML is larger than ${XML_BYTES_MAX / 1024} KiB`;
  const tags = new TagScreen(xml);
  for (let at = xml.indexOf('<'); at >= 0; at = xml.indexOf('<', at)) {
    const next = xml[at + 1];
    if (next === '!') {
      if (comments === 'refuse' || !xml.startsWith('<!--', at))
        return 'the XML holds a document type, an entity, a comment or CDATA, none of which is accepted';
      at = endOf(xml, '-->', at);
    } else if (next === '?') {
      if (at > 1 && comments === 'refuse') return 'the XML holds a processing instruction';
      at = endOf(xml, '?>', at);
    } else {
      const passed = next === '/' ? tags.close(at) : tags.open(at);
      if (typeof passed === 'string') return passed;
      at = passed;
    }
  }
  if (tags.count === 0) return 'no XML came';
  return tags.isWhole && !STRAY_AMPERSAND.test(xml) ? undefined : NOT_WELL_FORMED;
}

function endOf(xml: string, end: string, from: number): number {
  const at = xml.indexOf(end, from);
  return at < 0 ? xml.length : at + end.length;
}

/** Follows tags through a text. What they return is where the next may begin, or what is wrong. */
class TagScreen {
  readonly #xml: string;
  readonly #open: string[] = [];
  #attributes = 0;
  count = 0;

  constructor(xml: string) {
    this.#xml = xml;
  }

  /** Whether all that was opened is closed. */
  get isWhole(): boolean {
    return this.#open.length === 0;
  }

  open(from: number): number | string {
    if (++this.count > ELEMENTS_MAX) return `the XML holds more than ${ELEMENTS_MAX} elements`;
    const name = this.#match(START, from)?.[1];
    if (name === undefined) return NOT_WELL_FORMED;
    let at = START.lastIndex;
    for (let count = 0; this.#match(ATTRIBUTE, at) !== null; at = ATTRIBUTE.lastIndex) {
      if (++count > ATTRIBUTES_OF_ONE_MAX || ++this.#attributes > ATTRIBUTES_MAX)
        return `the XML holds more than ${ATTRIBUTES_MAX} attributes, or ${ATTRIBUTES_OF_ONE_MAX} of one element`;
    }
    const end = this.#match(START_END, at);
    if (end === null) return NOT_WELL_FORMED;
    if (end[1] === '' && this.#open.push(name) > DEPTH_MAX) return `the XML is nested deeper than ${DEPTH_MAX} levels`;
    return START_END.lastIndex;
  }

  close(from: number): number | string {
    const name = this.#match(END, from)?.[1];
    return name !== undefined && this.#open.pop() === name ? END.lastIndex : NOT_WELL_FORMED;
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.#xml);
  }
}

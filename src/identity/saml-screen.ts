/** What is looked at before any XML parser sees the text: one pass, no recursion, so that it may run anywhere. */

export const XML_BYTES_MAX = 128 * 1024;
const ELEMENTS_MAX = 2_000;

/**
 * Why `xml` is not parsed at all; undefined where it may be. In messages there are no comments (they split a name that one
 * reader sees whole), no CDATA and no instructions, since nothing legitimate needs them; document types and entities are
 * refused everywhere.
 */
export function screenXml(xml: string, { comments }: { comments: 'refuse' | 'allow' }): string | undefined {
  if (Buffer.byteLength(xml) > XML_BYTES_MAX) return `the XML is larger than ${XML_BYTES_MAX / 1024} KiB`;
  let elements = 0;
  for (let at = xml.indexOf('<'); at >= 0; at = xml.indexOf('<', at + 1)) {
    const next = xml[at + 1];
    if (next === '!') {
      if (comments === 'refuse' || !xml.startsWith('<!--', at))
        return 'the XML holds a document type, an entity, a comment or CDATA, none of which is accepted';
    } else if (next === '?') {
      if (at > 1 && comments === 'refuse') return 'the XML holds a processing instruction';
    } else if (next !== '/' && ++elements > ELEMENTS_MAX) {
      return `the XML holds more than ${ELEMENTS_MAX} elements`;
    }
  }
  return elements === 0 ? 'no XML came' : undefined;
}

import type { Encoding, ReadText } from '../../texts/text.ts';
import type { Sighting } from './sighting.ts';

/** Encodings that decode to prose only where prose was encoded. */
const UNREADABLE: ReadonlySet<Encoding> = new Set(['base64', 'hex']);

/** Words in a row that make a piece of decoded text prose. */
const PROSE = /(?:[a-z]{2,16}[,;:]? ){4}/i;

/** Code units around an encoded message that are quotes or padding rather than a request about it. */
const AROUND_CHARS_MAX = 12;

/**
 * A message or description that is nothing but encoded prose. Data comes encoded; people do not talk so, and who wants
 * a text decoded says that beside it. What tools read and are given is no message, and left out. Only a hint: whether
 * the prose is harmful is for who reads it decoded.
 */
export function encodedMessages({ source, readings }: ReadText): Sighting[] {
  if (source.source === 'tool_output' || source.source === 'tool_input') return [];
  for (const reading of readings) {
    const { text } = reading;
    const [outermost] = reading.encodings;
    if (outermost === undefined || !UNREADABLE.has(outermost) || !PROSE.test(text)) continue;
    const { start, end } = reading.locate(0, text.length);
    if (source.text.length - (end - start) > AROUND_CHARS_MAX) continue;
    const what = 'is a message written in an encoding only';
    return [{ kind: 'unicode.encoded_message', severity: 'low', confidence: 0.5, what, start, end }];
  }
  return [];
}

import type { Allowance } from '../cuts.ts';
import type { Place } from '../facts/input.ts';
import type { ReadText } from '../texts/text.ts';
import { decodedSymbols, mayBeCoded } from './decoded-symbols.ts';
import { type FlowEncoding, NOTATIONS, type Notation } from './encodings.ts';
import { coverageOf, type Fingerprint } from './fingerprint.ts';
import { sentOf } from './fold-memory.ts';
import { keyedHash } from './keyed-hash.ts';
import type { FlowLabel, FlowMemory, FlowSource } from './memory.ts';
import { type Direction, PieceSearch } from './piece-search.ts';
import { readSymbols, type Symbols, symbolsOfCapacity } from './symbols.ts';
import { NO_WORDS, type WordHashes } from './word-hashes.ts';

/** A remembered value, or a part of it, in what a call would send. */
export interface FlowMatch {
  print: Fingerprint;
  label: FlowLabel;
  kind: string;
  /** The part of the value, 0 to 1, that this call carries together with what earlier calls sent. */
  coverage: number;
  /** The part that this call carries. */
  coverageHere: number;
  /** The pieces that this call carries, one bit each: what was sent is remembered by them. */
  mask: number;
  /** How most of it is written. */
  encoding: FlowEncoding;
  originEvent: string;
  /** The tool in whose result the value was first seen; empty where a person or the agent wrote it first. */
  originTool: string;
  /** Hashes of the hosts that it is for: see `hostsFor`. */
  homes: WordHashes;
  place: Place;
  start: number;
  end: number;
}

/** The coverage from which a value counts as sent. */
export const COVERAGE_MIN = 0.6;

/** Code units of a call's texts, and of their decoded readings, that are searched. */
const FLOW_CHARS_MAX = 131_072;
/** Code units up to which unlikely notations are tried as well: their cost is several times the others'. */
const FLOW_DEEP_CHARS_MAX = 4_096;
/** Texts of one call. */
const FLOW_TEXTS_MAX = 4_096;

/**
 * What `memory` knows and `texts` carry: all texts of one call, in order. They are searched as one, so that a value
 * that was cut over several of them is whole again. `turn` is the number of events of the session before this one.
 */
export function matchFlow(
  memory: FlowMemory,
  texts: readonly ReadText[],
  key: Uint8Array,
  allowance: Allowance,
  turn = 0,
): FlowMatch[] {
  if (memory.prints.length === 0 || texts.length === 0) return [];
  const search = new PieceSearch(
    memory.prints.map(({ print }) => print),
    keyedHash(key),
  );
  const joined = joinedTexts(texts, allowance);
  searchText(search, joined, allowance);
  searchReadings(search, texts, allowance);
  return matchesOf(memory, search, turn);
}

/** A text that is searched, and how to say where in the event a part of it stands. */
interface SearchedText {
  text: string;
  locate: (start: number, end: number) => { place: Place; start: number; end: number };
}

function joinedTexts(texts: readonly ReadText[], allowance: Allowance): SearchedText {
  const parts: string[] = [];
  const starts: number[] = [];
  const shown: ReadText[] = [];
  let length = 0;
  for (const text of texts) {
    const part = text.readings[0]?.text ?? '';
    if (part === '') continue;
    const room = FLOW_CHARS_MAX - length;
    if (room <= 0 || parts.length >= FLOW_TEXTS_MAX) {
      allowance.cut('flow', room <= 0 ? `chars ${FLOW_CHARS_MAX}` : `texts ${FLOW_TEXTS_MAX}`);
      break;
    }
    if (part.length > room) allowance.cut('flow', `chars ${FLOW_CHARS_MAX}`);
    parts.push(part.length > room ? part.slice(0, room) : part);
    starts.push(length);
    shown.push(text);
    length += (parts.at(-1) as string).length + 1;
  }
  const locate = (start: number, end: number) => {
    const index = indexAt(starts, start);
    const base = starts[index] as number;
    const { source, readings } = shown[index] as ReadText;
    const [reading] = readings as [ReadText['readings'][number]];
    // What goes on in the next text is shown to the end of the first.
    const last = Math.min(end - base, (parts[index] as string).length);
    return { place: source.place, ...reading.locate(start - base, last) };
  };
  return { text: parts.join('\n'), locate };
}

/** The last of the rising `starts` that is not behind `at`. */
function indexAt(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What the text would be in each way to write it, the likely ones first. */
function searchText(search: PieceSearch, { text, locate }: SearchedText, allowance: Allowance): void {
  const run = (symbols: Symbols, encoding: FlowEncoding, direction: Direction): void =>
    search.scan(symbols, direction, { encoding, locate });
  const plain = symbolsOfCapacity(text.length);
  readSymbols(text, plain);
  run(plain, 'plain', 'forward');
  if (allowance.over('flow')) return;
  run(plain, 'reversed', 'backward');
  run(plain, 'rot13', 'rotated');
  if (!mayBeCoded(text)) return;
  const deep = text.length <= FLOW_DEEP_CHARS_MAX;
  for (const notation of deep ? NOTATIONS : LIKELY_NOTATIONS) {
    for (const decoded of decodedSymbols(text, notation)) {
      run(decoded, notation, 'forward');
      if (deep && notation !== 'base32') run(decoded, notation, 'backward');
    }
    if (deep && notation !== 'base32')
      for (const decoded of decodedSymbols(text, notation, true)) run(decoded, notation, 'forward');
    if (allowance.over('flow')) return;
  }
}

const LIKELY_NOTATIONS: readonly Notation[] = ['base64', 'hex', 'decimal'];

/** What the normalizer decoded: gzip, encodings in encodings. */
function searchReadings(search: PieceSearch, texts: readonly ReadText[], allowance: Allowance): void {
  let room = FLOW_CHARS_MAX;
  for (const { source, readings } of texts) {
    for (const reading of readings.slice(1)) {
      if (reading.text.length > room) return allowance.cut('flow', `chars ${FLOW_CHARS_MAX}`);
      if (allowance.over('flow')) return;
      room -= reading.text.length;
      const symbols = symbolsOfCapacity(reading.text.length);
      readSymbols(reading.text, symbols);
      const locate = (start: number, end: number) => ({ place: source.place, ...reading.locate(start, end) });
      search.scan(symbols, 'forward', { encoding: 'decoded', locate });
      search.scan(symbols, 'backward', { encoding: 'decoded', locate });
    }
  }
}

function matchesOf(memory: FlowMemory, search: PieceSearch, turn: number): FlowMatch[] {
  const matches: FlowMatch[] = [];
  for (const [index, held] of memory.prints.entries()) {
    const found = search.found(index);
    if (found === undefined) continue;
    const source = memory.sources[held.source] as FlowSource;
    matches.push({
      print: held.print,
      label: source.label,
      kind: source.kind,
      coverage: coverageOf(found.read, found.mask | sentOf(held, turn)),
      coverageHere: coverageOf(found.read, found.mask),
      mask: found.mask,
      encoding: found.sight.encoding,
      originEvent: source.event,
      originTool: source.tool,
      homes: source.homes ?? NO_WORDS,
      ...found.sight.locate(found.start, found.end),
    });
  }
  return matches.sort((a, b) => b.coverage - a.coverage);
}

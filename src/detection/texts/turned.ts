import { MappedText } from './offset-map.ts';
import type { Decoded } from './substitutions.ts';

/** Frequent words and words of orders and secrets, written backwards and in ROT13. Ordinary text has none of them. */
const BACKWARDS = /snoitcurtsn|erongi|suoiverp|tpmorp|drowssap|\b(?:eht|ruoy|siht|taht|htiw|morf)\b/i;
const ROT13 = /vafgehpgvba|vtaber|cerivbhf|cebzcg|cnffjbeq|\b(?:gur|lbhe|guvf|jvgu|sebz|rot[- ]?13)\b/i;

/**
 * `text` backwards, and as ROT13 spells it, where a cue speaks for either, or `isTurned` says that it is displayed
 * backwards; at most `charsMax` code units of it.
 */
export function turn(text: string, isTurned: boolean, charsMax: number): Decoded[] {
  const read: Decoded[] = [];
  const part = text.length > charsMax ? text.slice(0, charsMax) : text;
  const cut = part.length < text.length;
  if (isTurned || BACKWARDS.test(text)) read.push({ encoding: 'reversed', out: lines(part, backwards), cut });
  if (ROT13.test(text)) read.push({ encoding: 'rot13', out: lines(part, rot13), cut });
  return read;
}

/** Each line of `text` turned, so that what is found keeps its line. */
function lines(text: string, turned: (line: string) => string): MappedText {
  const out = new MappedText();
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    // A turned line is as long as it was, but its units stand elsewhere: with its break it maps as a whole.
    if (end > start) out.add(`${turned(text.slice(start, end))}\n`, start, end);
    start = end + 1;
  }
  return out;
}

function backwards(line: string): string {
  return [...line].reverse().join('');
}

function rot13(line: string): string {
  return line.replace(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0);
    return String.fromCharCode((code & 0x1f) <= 13 ? code + 13 : code - 13);
  });
}

import { BLANK, blankOf, CHANGES, type CharClass, classOf, FOREIGN, MARK, PLAIN, styledLetter } from './char-class.ts';
import { type HiddenRun, hiddenRun } from './hidden-chars.ts';
import { hiddenMessage } from './hidden-message.ts';
import { unmask } from './look-alikes.ts';
import { MappedText } from './offset-map.ts';
import type { HiddenCounts, Reading } from './text.ts';

/** A text without its disguises, and what they were. */
export interface Folded {
  text: string;
  locate: Reading['locate'];
  hidden: HiddenCounts;
}

export const NO_HIDDEN: HiddenCounts = Object.freeze({
  zeroWidth: 0,
  bidi: 0,
  tag: 0,
  variationSelector: 0,
  homoglyph: 0,
  control: 0,
});

/**
 * `text` as a reader understands it: NFKC, without invisible characters, with look-alike and styled letters as the Latin
 * ones. What invisible characters spell stands in their place. One pass; the result is at most four times as long.
 */
export function fold(text: string): Folded {
  const out = new MappedText();
  const hidden = { ...NO_HIDDEN };
  let kept = 0;
  let hasForeign = false;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code < 0x7f && (code >= 0x20 || code === 0x0a || code === 0x0d || code === 0x09)) {
      at++;
      continue;
    }
    const point = text.codePointAt(at) as number;
    const kind = classOf(point);
    if (kind === PLAIN || kind === FOREIGN) {
      hasForeign ||= kind === FOREIGN;
      at += point > 0xffff ? 2 : 1;
      continue;
    }
    const start = kind === MARK ? baseBefore(text, at, kept) : at;
    if (start > kept) out.add(text.slice(kept, start), kept, start);
    kept = at = foldAt(text, start, kind, out, hidden);
    hasForeign ||= kind === CHANGES;
  }
  if (kept < text.length) out.add(text.slice(kept), kept, text.length);
  const unmasked = hasForeign ? unmask(out.text) : undefined;
  hidden.homoglyph = unmasked?.count ?? 0;
  return { text: unmasked?.text ?? out.text, locate: (start, end) => out.locate(start, end), hidden };
}

/** Folds what stands at `start`, which is no plain character, and returns where it ends. */
function foldAt(text: string, start: number, kind: CharClass, out: MappedText, hidden: Mutable<HiddenCounts>): number {
  if (kind === CHANGES || kind === MARK) {
    const end = clusterEnd(text, start);
    const cluster = text.slice(start, end);
    out.add(foldCluster(cluster), start, end);
    return end;
  }
  if (kind === BLANK) {
    out.add(blankOf(text.charCodeAt(start)), start, start + 1);
    return start + 1;
  }
  const run = hiddenRun(text, start);
  count(run, hidden);
  const message = hiddenMessage(text, run);
  if (message !== undefined) out.add(message, start, run.end);
  return run.end;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function count(run: HiddenRun, hidden: Mutable<HiddenCounts>): void {
  hidden.zeroWidth += run.zeroWidth;
  hidden.bidi += run.bidi;
  hidden.tag += run.tag;
  hidden.variationSelector += run.selector;
  hidden.control += run.control;
}

/** Where the character before the mark at `at` begins, if it is not folded yet. */
function baseBefore(text: string, at: number, kept: number): number {
  if (at <= kept) return at;
  const isPair = (text.charCodeAt(at - 1) & 0xfc00) === 0xdc00 && at - 2 >= kept;
  return at - (isPair ? 2 : 1);
}

/** Marks on one letter; what is behind begins a new one. */
const CLUSTER_CHARS_MAX = 32;

function clusterEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + CLUSTER_CHARS_MAX);
  let end = start + ((text.codePointAt(start) as number) > 0xffff ? 2 : 1);
  while (end < limit) {
    const code = text.charCodeAt(end);
    if (code < 0x300 || classOf(code) !== MARK) break;
    end++;
  }
  return end;
}

/** A memo: folding is a function of the cluster alone. */
const clusters = new Map<string, string>();
const CLUSTERS_MAX = 4_096;

function foldCluster(cluster: string): string {
  const known = clusters.get(cluster);
  if (known !== undefined) return known;
  const folded = foldOnce(cluster);
  if (clusters.size >= CLUSTERS_MAX) clusters.clear();
  clusters.set(cluster, folded);
  return folded;
}

/** One character may stand for a phrase of eighteen (U+FDFA): such stay, so that a text cannot grow without bound. */
const GROWTH_MAX = 4;

function foldOnce(cluster: string): string {
  const styled = styledLetter(cluster.codePointAt(0) as number);
  if (styled !== undefined) return styled;
  const folded = cluster.normalize('NFKC');
  if (folded.length > cluster.length * GROWTH_MAX) return cluster;
  // Strokes and dots that melt with no letter are only there to break the word.
  return /^[A-Za-z0-9]/.test(folded) ? folded.replace(/[\u0300-\u036f\u20d0-\u20ff]+/g, '') : folded;
}

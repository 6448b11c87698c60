import type { HiddenRun } from '../../texts/hidden-chars.ts';
import type { Sighting } from './sighting.ts';

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b][\udc00-\udfff]/;
const LATIN = /[A-Za-z0-9]/;

/** What a control does to the text behind it, up to its end or the line's. */
const EFFECTS: Readonly<Record<number, { reverses: boolean; forces: boolean }>> = {
  8234: { reverses: false, forces: false },
  8235: { reverses: true, forces: false },
  8237: { reverses: false, forces: true },
  8238: { reverses: true, forces: true },
  8294: { reverses: false, forces: false },
  8295: { reverses: true, forces: false },
};

/** Code units behind a control that are looked at. */
const REACH_CHARS = 512;
/** Controls that are looked at. Nobody needs so many: what is behind them is taken for a trick unseen. */
const CONTROLS_MAX = 512;

/**
 * Text that is displayed in another order than it is read (Boucher and Anderson, "Trojan Source", 2021). Right-to-left
 * text needs embeddings and isolates; nothing needs an override of Latin letters, nor of Latin ones a right-to-left
 * embedding on a line without any letter that goes so.
 */
export function reorderedText(text: string, runs: readonly HiddenRun[]): Sighting[] {
  let weaker: Sighting | undefined;
  let seenCount = 0;
  for (const run of runs) {
    for (let at = run.start; run.bidi > 0 && at < run.end; at++) {
      const effect = EFFECTS[text.charCodeAt(at)];
      if (effect === undefined) continue;
      if (++seenCount > CONTROLS_MAX) return [sightingOf(false, at, at + 1)];
      const end = reachOf(text, at);
      const content = text.slice(at + 1, end);
      const isTrick = effect.reverses ? LATIN.test(content) : effect.forces && RIGHT_TO_LEFT.test(content);
      if (!isTrick || (!effect.forces && RIGHT_TO_LEFT.test(lineAround(text, at, end)))) continue;
      const sighting = sightingOf(effect.forces, at, end);
      if (effect.forces) return [sighting];
      weaker ??= sighting;
    }
  }
  return weaker === undefined ? [] : [weaker];
}

function sightingOf(forces: boolean, start: number, end: number): Sighting {
  const what = forces ? 'reverses text by a bidirectional override' : 'reorders Latin text by bidirectional controls';
  return { kind: 'unicode.bidi', severity: 'high', confidence: forces ? 0.95 : 0.85, what, start, end };
}

/** The text from `start` to `end` with its line, as far as the reach. */
function lineAround(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - REACH_CHARS), start);
  const behind = text.slice(end, end + REACH_CHARS);
  const feed = behind.indexOf('\n');
  return (
    before.slice(before.lastIndexOf('\n') + 1) + text.slice(start, end) + (feed < 0 ? behind : behind.slice(0, feed))
  );
}

/** Where the control at `at` stops to act: at the one that ends it, at the end of the line, or out of reach. */
function reachOf(text: string, at: number): number {
  const isIsolate = text.charCodeAt(at) >= 0x2066;
  const limit = Math.min(text.length, at + REACH_CHARS);
  for (let end = at + 1; end < limit; end++) {
    const code = text.charCodeAt(end);
    if (code === 0x0a || code === 0x2029 || code === (isIsolate ? 0x2069 : 0x202c)) return end;
  }
  return limit;
}

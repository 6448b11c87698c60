import { conceals, escapeSequenceEnd, type HiddenRun } from '../../texts/hidden-chars.ts';
import type { TextSource } from '../../texts/text.ts';
import type { Sighting } from './sighting.ts';

/** What a terminal does with a text and a reader does not see: concealed letters, clipboard writes, text typed over. */
export function terminalControls(text: string, runs: readonly HiddenRun[], source: TextSource): Sighting[] {
  for (const run of runs) {
    if (run.control === 0) continue;
    const what = trickAt(text, run, source);
    if (what === undefined) continue;
    const confidence = source === 'tool_description' ? 0.9 : 0.75;
    return [{ kind: 'unicode.control', severity: 'high', confidence, what, start: run.start, end: run.end }];
  }
  return [];
}

function trickAt(text: string, run: HiddenRun, source: TextSource): string | undefined {
  let backspaces = 0;
  for (let at = run.start; at < run.end; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSPACE) backspaces++;
    if (code !== ESCAPE) continue;
    const sequence = text.slice(at, escapeSequenceEnd(text, at));
    if (sequence.startsWith('\x1b[') && sequence.endsWith('m') && conceals(sequence.slice(2, -1))) {
      return 'conceals text from who looks at a terminal';
    }
    if (sequence.startsWith('\x1b]52;')) return 'writes to the clipboard by a terminal sequence';
    if (source === 'tool_description') return 'has terminal sequences in a description';
  }
  // `X\bX` is how manuals print bold; what wipes out more was to be seen by nobody.
  return backspaces >= OVERTYPED_MIN && isText(text, run) ? 'types over text with backspaces' : undefined;
}

const BACKSPACE = 0x08;
const ESCAPE = 0x1b;
const OVERTYPED_MIN = 4;

/** Not a binary file, where any control character may stand. */
function isText(text: string, run: HiddenRun): boolean {
  return /[\w ]{4}$/.test(text.slice(Math.max(0, run.start - 8), run.start)) && run.control === run.end - run.start;
}

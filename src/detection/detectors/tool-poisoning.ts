import type { Severity } from '../../domain/decision.ts';
import type { HiddenCounts, ReadText } from '../texts/text.ts';
import type { Detection, Detector, DetectorInput } from './detector.ts';
import { judge } from './injection/judgement.ts';
import { piecesOf } from './injection/pieces.ts';
import { SIGN } from './injection/signs.ts';
import { isOnlyTold, isSample, poisonIn } from './poisoning/orders.ts';
import { isStoringName } from './poisoning/parameters.ts';

/**
 * Descriptions of tools that command the model rather than describe the tool. "You must provide an id" is how tools are
 * described; what is looked for is what no description needs: other tools' business, files and secrets to be read first,
 * silence towards the user, instructions to be ignored.
 */
export const toolPoisoning: Detector = {
  id: 'tool-poisoning',
  version: 4,
  status: 'stable',
  title: 'Tool descriptions that give the model hidden orders.',
  kinds: ['poisoning.*'],
  falsePositives: [
    'Descriptions of credential or mail tools that tell in which order tools are to be called, secrets included.',
    'Emoji sequences and right-to-left scripts in descriptions, where they hold joiners or direction marks in odd places.',
  ],
  detect,
};

/** Findings of one event. A server with more poisoned tools is not trusted for the ones that are missing. */
const FINDINGS_MAX = 16;
const PIECES_MAX = 4_096;
/** Code units of all descriptions of one event that are read. */
const DESCRIPTION_CHARS_MAX = 262_144;

function detect(input: DetectorInput): Detection[] {
  const found: Detection[] = [];
  let charsLeft = DESCRIPTION_CHARS_MAX;
  for (const read of input.texts) {
    if (read.source.source !== 'tool_description') continue;
    if (charsLeft <= 0 || found.length >= FINDINGS_MAX) {
      input.allowance.cut('poisoning', charsLeft <= 0 ? `chars ${DESCRIPTION_CHARS_MAX}` : `findings ${FINDINGS_MAX}`);
      break;
    }
    charsLeft -= read.source.text.length;
    found.push(...detectionsOf(read, input));
  }
  return found.slice(0, FINDINGS_MAX);
}

function detectionsOf(read: ReadText, { allowance }: DetectorInput): Detection[] {
  const { source, readings, hidden } = read;
  const found = new Map<string, Detection>();
  const add = (
    kind: string,
    severity: Severity,
    confidence: number,
    what: string,
    start: number,
    end: number,
  ): void => {
    if ((found.get(kind)?.confidence ?? 0) >= confidence) return;
    found.set(kind, { kind: `poisoning.${kind}`, severity, confidence, what, place: source.place, start, end });
  };
  // The name of a parameter stands for itself; see `eventTexts`.
  if (source.key === '') {
    if (isStoringName(source.text)) {
      add('parameter', 'high', 0.7, 'has a parameter that asks for what the model knows', 0, source.text.length);
    }
    return [...found.values()];
  }
  const unseen = unseenCount(hidden, source.text);
  if (unseen > 0) {
    add(
      'hidden_text',
      hidden.tag > 0 ? 'critical' : 'high',
      0.8,
      'hides characters in a description',
      0,
      source.text.length,
    );
  }
  for (const reading of readings) {
    for (const { start, end } of piecesOf(reading.text, PIECES_MAX, () =>
      allowance.cut('poisoning', `pieces ${PIECES_MAX}`),
    )) {
      const poison = poisonIn(reading.text, start, end);
      if (poison === undefined) continue;
      const place = reading.locate(start, end);
      add(poison.kind, poison.severity, poison.confidence, poison.what, place.start, place.end);
    }
  }
  // What is only told of covers nothing.
  if ([...found.values()].every(isOnlyTold)) addJudged(read, allowance, add);
  return [...found.values()];
}

type Add = (kind: string, severity: Severity, confidence: number, what: string, start: number, end: number) => void;

/** Signs without which a description is not taken for poisoned on the scorer's word: descriptions are orders by nature. */
const TELLING =
  SIGN.override |
  SIGN.exfiltration |
  SIGN.concealment |
  SIGN.promptLeak |
  SIGN.roleMarker |
  SIGN.jailbreak |
  SIGN.hidden;

function addJudged({ source, readings }: ReadText, allowance: DetectorInput['allowance'], add: Add): void {
  const { level, confidence, worst } = judge(source, readings, allowance);
  const telling = worst.find(
    ({ signs, start, end }) => (signs & TELLING) !== 0 && !isSample(source.text, start, end, signs & TELLING),
  );
  if (level === 'none' || telling === undefined) return;
  add(
    'instruction',
    level === 'sure' ? 'high' : 'medium',
    confidence,
    'gives the model orders',
    telling.start,
    telling.end,
  );
}

/** Characters that no description needs: what the pipeline counts, and what stands unseen beside Latin letters. */
function unseenCount({ bidi, tag, zeroWidth }: HiddenCounts, text: string): number {
  return bidi + tag + Math.max(zeroWidth, BESIDE_LATIN.test(text) ? 1 : 0);
}

/** Joiners belong to emoji and to Indic and Arabic scripts, not behind an ASCII character. */
const BESIDE_LATIN = /[!-~][\u200b-\u200d\u2060\ufeff]/;

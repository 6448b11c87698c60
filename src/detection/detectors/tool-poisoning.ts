import { compareSeverities, type Severity } from '../../domain/decision.ts';
import type { HiddenCounts, ReadText } from '../texts/text.ts';
import type { Detection, Detector, DetectorInput } from './detector.ts';
import { judge, levelOf } from './injection/judgement.ts';
import { piecesOf } from './injection/pieces.ts';
import { SCORE_MIN, SCORE_UNIT } from './injection/scorer.ts';
import { SIGN } from './injection/signs.ts';
import { HEADS } from './injection/weights.ts';
import { isSample, ONLY_TOLD_MAX, onlyComesFirst, poisonIn } from './poisoning/orders.ts';
import { isStoringName } from './poisoning/parameters.ts';

/**
 * Descriptions of tools that command the model rather than describe the tool. "You must provide an id" is how tools are
 * described; what is looked for is what no description needs: other tools' business, files and secrets to be read first,
 * silence towards the user, instructions to be ignored.
 */
export const toolPoisoning: Detector = {
  id: 'tool-poisoning',
  version: 7,
  status: 'stable',
  title: 'Tool descriptions that give the model hidden orders.',
  kinds: ['poisoning.*'],
  falsePositives: [
    'Descriptions of credential or mail tools that tell in which order tools are to be called, secrets included.',
    'Emoji sequences and right-to-left scripts in descriptions, where they hold joiners or direction marks in odd places.',
  ],
  detect,
};

/** Findings of one event that are kept. A server with more poisoned tools is not trusted for the ones that are missing. */
const FINDINGS_MAX = 16;
const PIECES_MAX = 4_096;
/** Code units of all descriptions of one event that are read. */
const DESCRIPTION_CHARS_MAX = 262_144;

function detect(input: DetectorInput): Detection[] {
  const found: Detection[] = [];
  let charsLeft = DESCRIPTION_CHARS_MAX;
  for (const read of input.texts) {
    if (read.source.source !== 'tool_description') continue;
    if (charsLeft <= 0) {
      input.allowance.cut('poisoning', `chars ${DESCRIPTION_CHARS_MAX}`);
      break;
    }
    charsLeft -= read.source.text.length;
    found.push(...detectionsOf(read, input));
  }
  if (found.length <= FINDINGS_MAX) return found;
  input.allowance.cut('poisoning', `findings ${FINDINGS_MAX}`);
  // The gravest first: a server with many doubtful tools hides no other.
  return found.toSorted((a, b) => Number(isCertain(b)) - Number(isCertain(a))).slice(0, FINDINGS_MAX);
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
  const judged = judgedIn(read, allowance);
  for (const reading of readings) {
    for (const { start, end } of piecesOf(reading.text, PIECES_MAX, () =>
      allowance.cut('poisoning', `pieces ${PIECES_MAX}`),
    )) {
      const poison = poisonIn(reading.text, start, end);
      if (poison === undefined) continue;
      const place = reading.locate(start, end);
      const { severity, confidence } = isCertain(poison) && judged.isDoubted ? SUSPECTED : poison;
      add(poison.kind, severity, confidence, poison.what, place.start, place.end);
    }
  }
  const { level, confidence, start, end } = judged;
  // What is doubtful covers nothing.
  if (level !== 'none' && ![...found.values()].some(isCertain)) {
    add('instruction', level === 'sure' ? 'high' : 'medium', confidence, 'gives the model orders', start, end);
  }
  return [...found.values()];
}

/** Whether the policy `tools.poisoned` acts on it. */
function isCertain({ severity, confidence }: Pick<Detection, 'severity' | 'confidence'>): boolean {
  return compareSeverities(severity, 'high') >= 0 && confidence > ONLY_TOLD_MAX;
}

/** The score of a description from which a rule is believed; what it says of one that the scorer holds for harmless is for people to look at. */
const BELIEVED = (SCORE_UNIT * 3) / 4;
const SUSPECTED = { severity: 'medium', confidence: 0.6 } as const;

/** Signs that a description may have in a sample of what it is about. */
const TELLING =
  SIGN.override |
  SIGN.exfiltration |
  SIGN.concealment |
  SIGN.promptLeak |
  SIGN.roleMarker |
  SIGN.jailbreak |
  SIGN.hidden;

/** The piece that the scorer holds for the worst, and is neither a sample of what the description is about nor a mere claim to be called first. */
function judgedIn({ source, readings }: ReadText, allowance: DetectorInput['allowance']) {
  const { worst, rest } = judge(source, readings, allowance);
  const told = worst.find(
    ({ signs, start, end }) =>
      !isSample(source.text, start, end, signs & TELLING) && !onlyComesFirst(source.text, start, end),
  );
  const { score, start, end } = told ?? { score: SCORE_MIN, start: 0, end: 0 };
  // Of what could not be looked at, rules are believed.
  const isDoubted = worst.length > 0 && score + Math.max(0, rest) < BELIEVED;
  // What stands beside it decides whether people are told; no harmless paragraph takes a taint away, and none makes one.
  const own = levelOf('description', score);
  const beside = levelOf('description', Math.min(score + rest, HEADS.description.sure - 1));
  return { isDoubted, start, end, ...(own.level === 'sure' ? own : beside) };
}

/** Characters that no description needs: what the pipeline counts, and what stands unseen beside Latin letters. */
function unseenCount({ bidi, tag, zeroWidth }: HiddenCounts, text: string): number {
  return bidi + tag + Math.max(zeroWidth, BESIDE_LATIN.test(text) ? 1 : 0);
}

/** Joiners belong to emoji and to Indic and Arabic scripts, not behind an ASCII character. */
const BESIDE_LATIN = /[!-~][\u200b-\u200d\u2060\ufeff]/;

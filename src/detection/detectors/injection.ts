import type { Severity } from '../../domain/decision.ts';
import type { EventText, ReadText, TextSource } from '../texts/text.ts';
import { byWeight, type Detection, type Detector, type DetectorInput } from './detector.ts';
import { type JudgedPiece, type Judgement, judge, KIND_SIGNS } from './injection/judgement.ts';
import { isTooShort, TEXT_CHARS_MIN } from './injection/pieces.ts';
import { SIGN } from './injection/signs.ts';

/**
 * Orders to the assistant from who may not give them, and orders that nobody may give. Each sentence is scored by its
 * words and its structure (`injection/signs.ts`), what the user says and what a tool gives back by two different scorers,
 * since a user may ask for what a tool's output may not. There a call upon assistants counts together with the order behind
 * it (`injection/calls.ts`). Messages of the agent itself and inputs of tools are not scored, but for what one agent asks
 * of another. Descriptions of tools are the business of `tool-poisoning.ts`.
 *
 * Severities `medium` and up keep the stated budget of false positives; `low` is structure alone, for people to look at.
 */
export const injection: Detector = {
  id: 'injection',
  version: 9,
  status: 'stable',
  title: 'Text that tries to take over the assistant: prompt injection and jailbreaks.',
  kinds: ['injection.*'],
  findsOrders: true,
  falsePositives: [
    'Documentation and discussions of prompt injection that quote attacks as plain sentences.',
    'Mail from one person to another that asks for something an assistant could do ("please send me the report").',
    'Instructions for coding agents in a repository (AGENTS.md), which do command the assistant.',
    'Users who define a persona or rules for an assistant of their own.',
  ],
  detect,
};

/** Findings of one event that are kept: the gravest. More say nothing new. */
const FINDINGS_MAX = 16;
/** Code units of all texts of one event that are scored; a text is scored whole or not at all once it began. */
const SCORED_CHARS_MAX = 262_144;

function detect(input: DetectorInput): Detection[] {
  const found: Detection[] = [];
  let charsLeft = SCORED_CHARS_MAX;
  for (const read of input.texts) {
    const { source } = read;
    if (isTooShort(source.text, 0, source.text.length, TEXT_CHARS_MIN) || !isScored(source, input)) continue;
    if (charsLeft <= 0) {
      input.allowance.cut('injection', `chars ${SCORED_CHARS_MAX}`);
      break;
    }
    charsLeft -= source.text.length;
    found.push(...detectionsOf(read, judge(source, read.readings, input.allowance)));
  }
  if (found.length <= FINDINGS_MAX) return found;
  input.allowance.cut('injection', `findings ${FINDINGS_MAX}`);
  return found.sort(byWeight).slice(0, FINDINGS_MAX);
}

/** Keys under which a tool that starts another agent is told what to do. */
const PROMPT_KEYS: ReadonlySet<string> = new Set(
  'prompt instructions instruction task message messages content query question goal input request text'.split(' '),
);

function isScored({ source, key }: EventText, { facts }: DetectorInput): boolean {
  if (source === 'user' || source === 'tool_output') return true;
  return source === 'tool_input' && facts.tool?.kind === 'agent' && PROMPT_KEYS.has(key);
}

/** What a judgement comes to: one finding for each kind, at the piece that shows it best. */
function detectionsOf({ source }: ReadText, judgement: Judgement): Detection[] {
  const { level, confidence, worst } = judgement;
  const [first] = worst;
  if (first === undefined) return [];
  if (level === 'none') {
    const piece = worst.find(isSuspect);
    if (piece === undefined) return [];
    const [kind, what] = kindOf(piece);
    return [detection(source, piece, kind, what, 'low', confidence)];
  }
  const found = new Map<string, Detection>();
  for (const piece of worst) {
    const [kind, what] = kindOf(piece);
    if (piece !== first && piece.score < first.score - (kind === UNNAMED ? KEPT_BELOW : NAMED_BELOW)) continue;
    if (!found.has(kind))
      found.set(kind, detection(source, piece, kind, what, severityOf(source.source, level), confidence));
  }
  return [...found.values()];
}

const UNNAMED = 'injection.imperative';

/** How far below the worst piece, in score units, another is still told of: a logit, more where its structure says what it is. */
const KEPT_BELOW = 256;
const NAMED_BELOW = 1_024;

/** Structure that is worth a look whatever the words say: an override or a chat format's mark that is not quoted. */
function isSuspect({ signs, score }: JudgedPiece): boolean {
  const isQuoted = (signs & (SIGN.quoted | SIGN.mentioned)) !== 0;
  return !isQuoted && score > 0 && (signs & (SIGN.override | SIGN.roleMarker | SIGN.exfiltration)) !== 0;
}

function kindOf({ signs }: JudgedPiece): readonly [kind: string, what: string] {
  for (const [kind, sign, what] of KIND_SIGNS) if ((signs & sign) !== 0) return [`injection.${kind}`, what];
  return [UNNAMED, 'gives the assistant orders'];
}

/** A tool's output that commands is worse than a user who asks. */
function severityOf(source: TextSource, level: 'flagged' | 'sure'): Severity {
  if (source === 'tool_output') return level === 'sure' ? 'critical' : 'high';
  return level === 'sure' ? 'high' : 'medium';
}

function detection(
  { place, text }: EventText,
  piece: JudgedPiece,
  kind: string,
  what: string,
  severity: Severity,
  confidence: number,
): Detection {
  return { kind, severity, confidence, what, place, start: piece.start, end: Math.min(piece.end, text.length) };
}

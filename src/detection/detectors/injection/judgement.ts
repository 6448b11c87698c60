import type { Allowance } from '../../cuts.ts';
import type { EventText, Reading } from '../../texts/text.ts';
import { callsForOrders, endOfPose, NAMES_MAX } from './calls.ts';
import { ChanceAllowance, type ScoredPiece } from './chance.ts';
import { hiddenRangesOf, isHidden } from './hidden-ranges.ts';
import { LineMarks } from './line-marks.ts';
import { withoutMaterial } from './material.ts';
import { isTooShort, PIECE_CHARS_MIN, type Piece, piecesOf } from './pieces.ts';
import { isRuntimeNote } from './runtime-notes.ts';
import { PieceScores, RestOfText, SCORE_MIN, SCORE_UNIT } from './scorer.ts';
import { SIGN } from './signs.ts';
import { HEADS, type HeadName } from './weights.ts';

/** Pieces of one reading that are scored: more than the shortest that fit in what is read of it. */
export const PIECES_MAX = 20_000;

/** A piece that counts, with where it stands in the text as it came. */
export interface JudgedPiece {
  start: number;
  end: number;
  score: number;
  /** By itself, whatever stands around it. */
  own: number;
  signs: number;
}

/** What the scorer makes of one text. */
export interface Judgement {
  score: number;
  /** What the text beside the worst piece adds to that, in score units; it may take away. */
  rest: number;
  /** Probability that the text is an attack, 0 to 1 in thousandths, from held-out sources. */
  confidence: number;
  /** Whether the score is one that 1 % of harmless texts reach; and one that next to none does. */
  level: 'none' | 'flagged' | 'sure';
  /** The worst pieces, worst first, at most `WORST_MAX`. */
  worst: readonly JudgedPiece[];
}

const WORST_MAX = 4;

/** A text that somebody took the trouble to encode. */
const ENCODED_BONUS = SCORE_UNIT / 2;

/** Code units of one reading that are scored: at its start, and at its end where it is longer than both. */
const READ_CHARS_MAX = 131_072;
const TAIL_CHARS_MAX = 16_384;

/** Judges one text by its readings: what `source` may say decides which of the scorers is asked. */
export function judge(source: EventText, readings: readonly Reading[], allowance: Allowance): Judgement {
  const judgement = judgeReadings(source, readings, allowance);
  if (source.source !== 'user' || judgement.level === 'none') return judgement;
  // Only what would be told is looked at again: nearly all messages are spared it.
  // An order that somebody took the trouble to encode is none that a document happens to hold.
  const said = readings.map((reading) =>
    reading.encodings.some(isDisguise) ? reading : { ...reading, text: withoutMaterial(reading.text) },
  );
  const hasMaterial = said.some(({ text }, index) => text !== readings[index]?.text);
  if (!hasMaterial) return judgement;
  const own = judgeReadings(source, said, allowance);
  // What only stands in the material is for people to look at.
  return own.level === 'none' ? { ...own, worst: judgement.worst } : own;
}

function judgeReadings({ source, text }: EventText, readings: readonly Reading[], allowance: Allowance): Judgement {
  const head = headOf(source);
  const worst: JudgedPiece[] = [];
  const rest = new RestOfText();
  for (const reading of readings) {
    if (allowance.over('injection')) break;
    const { length } = reading.text;
    const job: Job = {
      head,
      ofTool: source === 'tool_output',
      reading,
      worst,
      rest,
      allowance,
      original: reading.encodings.length === 0 ? undefined : text,
      namesLeft: NAMES_MAX,
    };
    judgeReading(
      job,
      length <= READ_CHARS_MAX + TAIL_CHARS_MAX ? reading.text : reading.text.slice(0, READ_CHARS_MAX),
      0,
    );
    if (length <= READ_CHARS_MAX + TAIL_CHARS_MAX) continue;
    allowance.cut('injection', `chars ${READ_CHARS_MAX}`);
    judgeReading(job, reading.text.slice(-TAIL_CHARS_MAX), length - TAIL_CHARS_MAX);
  }
  return judgementOf(head, worst, rest);
}

function headOf(source: EventText['source']): HeadName {
  if (source === 'tool_output') return 'output';
  return source === 'tool_description' ? 'description' : 'user';
}

interface Job {
  head: HeadName;
  /** It is what a tool gave back: an order in it that is called out to assistants, or one that nobody weighs, is one whatever else it says. */
  ofTool: boolean;
  reading: Reading;
  /** The text as it came, where `reading` has something taken off. */
  original: string | undefined;
  worst: JudgedPiece[];
  rest: RestOfText;
  allowance: Allowance;
  /** Names of assistants that are still looked at. */
  namesLeft: number;
}

/** Scores `text`, which is the reading's from `offset` on. */
function judgeReading(job: Job, text: string, offset: number): void {
  const { head, ofTool, reading, original, worst, rest, allowance } = job;
  const isEncoded = reading.encodings.some(isDisguise);
  const bonus = isEncoded ? ENCODED_BONUS : 0;
  const hidden = hiddenRangesOf(text);
  let posedUntil = ofTool ? endOfPose(text) : -1;
  const pieces = piecesOf(text, PIECES_MAX, () => allowance.cut('injection', `pieces ${PIECES_MAX}`));
  const scores = new PieceScores(head, text, pieces.length);
  const marks = new LineMarks(text);
  const scored: MarkedPiece[] = [];
  for (const { start: from, end } of pieces) {
    if (original !== undefined && !isEncoded && standsAsItIs(reading, original, text, from, end, offset)) continue;
    const behind = marks.behind(from);
    const start = isTooShort(text, behind, end, PIECE_CHARS_MIN) ? from : behind;
    const { score, signs } = scores.of({ start, end }, isHidden(hidden, start, end));
    rest.add(score);
    scored.push({ from, start, end, score, signs });
  }
  const chance = new ChanceAllowance(head, pieces.length, scored);
  for (const piece of scored) {
    const { from, start, end, score: own } = piece;
    const poses = posedUntil >= 0 && from >= posedUntil;
    if (poses) posedUntil = -1;
    const calls = poses || (ofTool && isCalled(job, text, { start: from, end }, piece.signs));
    const signs = piece.signs | (calls ? SIGN.calls : 0) | (poses ? SIGN.roleMarker : 0);
    const weighed = own + bonus - chance.of(piece);
    const score = (signs & (SIGN.plain | SIGN.calls)) === 0 ? weighed : Math.max(weighed, HEADS[head].flagged);
    const least = worst.length < WORST_MAX ? SCORE_MIN : (worst[WORST_MAX - 1] as JudgedPiece).score;
    if (score > least && !(ofTool && isRuntimeNote(text, start, end)))
      keep(worst, reading, { start: start + offset, end: end + offset, score, own, signs });
  }
}

/** A piece that was scored from `start` on, in front of which its marks stand. */
interface MarkedPiece extends Piece, ScoredPiece {
  from: number;
}

/** Whether a piece calls on assistants to do something, and is not about such calls. */
function isCalled(job: Job, text: string, piece: Piece, signs: number): boolean {
  if ((signs & SIGN.mentioned) !== 0) return false;
  if ((signs & SIGN.names) === 0) return false;
  if (job.namesLeft <= 0) {
    job.allowance.cut('injection', `names ${NAMES_MAX}`);
    return false;
  }
  const { calls, namesCount } = callsForOrders(text, piece, job.namesLeft);
  job.namesLeft -= namesCount;
  return calls;
}

/** Whether a piece of an unescaped reading reads the same in the text as it came, where it was scored already. */
function standsAsItIs(
  reading: Reading,
  original: string,
  text: string,
  start: number,
  end: number,
  offset: number,
): boolean {
  const place = reading.locate(start + offset, end + offset);
  return place.end - place.start === end - start && original.startsWith(text.slice(start, end), place.start);
}

/** Escapes of a format are not there to deceive. */
function isDisguise(encoding: Reading['encodings'][number]): boolean {
  return encoding !== 'url' && encoding !== 'html' && encoding !== 'escape';
}

function keep(worst: JudgedPiece[], reading: Reading, piece: JudgedPiece): void {
  const { start, end } = reading.locate(piece.start, piece.end);
  const { score, signs } = piece;
  // The same words in two readings, as they stand and unescaped, are one piece.
  const same = worst.findIndex(
    (other) => other.start <= start + 2 && start <= other.end && other.signs === signs && overlaps(other, start, end),
  );
  if (same >= 0) {
    if ((worst[same] as JudgedPiece).score >= score) return;
    worst.splice(same, 1);
  }
  let at = worst.length;
  while (at > 0 && (worst[at - 1] as JudgedPiece).score < score) at--;
  worst.splice(at, 0, { ...piece, start, end });
  if (worst.length > WORST_MAX) worst.pop();
}

function overlaps(other: JudgedPiece, start: number, end: number): boolean {
  return other.start < end && start < other.end;
}

function judgementOf(head: HeadName, worst: readonly JudgedPiece[], restOfText: RestOfText): Judgement {
  const [first] = worst;
  if (first === undefined) return { score: SCORE_MIN, rest: 0, ...levelOf(head, SCORE_MIN), worst };
  const rest = restOfText.besides(head, first.own);
  const score = first.score + rest;
  // What is an order whatever its words score is one whatever stands beside it.
  const least = (first.signs & SIGN.plain) === 0 ? SCORE_MIN : HEADS[head].flagged;
  return { score, rest, ...levelOf(head, Math.max(score, least)), worst };
}

/** What a score of `head` is worth. */
export function levelOf(head: HeadName, score: number): Pick<Judgement, 'level' | 'confidence'> {
  const { flagged, sure, permille } = HEADS[head];
  const index = Math.max(0, Math.min(permille.length - 1, Math.floor((score * 8) / SCORE_UNIT) + 64));
  const level = score >= sure ? 'sure' : score >= flagged ? 'flagged' : 'none';
  return { level, confidence: (permille[index] as number) / 1000 };
}

/** Signs that name what an attack is after, by kind of finding; the first that is there names it. */
export const KIND_SIGNS: readonly (readonly [kind: string, sign: number, what: string])[] = [
  ['override', SIGN.override, 'tells the assistant to ignore its instructions'],
  ['jailbreak', SIGN.jailbreak | SIGN.unruled, 'talks the assistant into a role without rules'],
  ['prompt_leak', SIGN.promptLeak, 'asks for the hidden instructions of the assistant'],
  ['exfiltration', SIGN.exfiltration, 'tells the assistant to send data to an address'],
  ['concealment', SIGN.concealment, 'has orders that the user is not to see'],
  ['role_marker', SIGN.roleMarker, 'poses as another speaker of the dialogue'],
  ['guard_removal', SIGN.unguarded, 'tells the assistant to skip what protects'],
  ['task_takeover', SIGN.precondition, 'makes the task depend on something else'],
  ['call', SIGN.calls, 'calls upon the assistants that read it to do something'],
];

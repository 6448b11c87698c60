/** The texts of an event, each with the JSON pointer (RFC 6901) that findings name it by. */

export interface EventText {
  pointer: string;
  /** Where it stands, as a person reads it: `tool › input › command`. */
  label: string;
  text: string;
}

const TEXTS_MAX = 300;
const DEPTH_MAX = 32;
/** Shown in the heading of an event already. */
const ENVELOPE = new Set(['event_type', 'session_id', 'timestamp', 'agent', 'user']);

/** What an event carries beside its envelope; undefined where `body` is no JSON object. */
export function eventTexts(body: string): { texts: EventText[]; isCut: boolean } | undefined {
  let event: unknown;
  try {
    event = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return undefined;
  const texts: EventText[] = [];
  let isCut = false;
  const visit = (value: unknown, path: string[]): void => {
    if (texts.length >= TEXTS_MAX) {
      isCut = true;
    } else if (typeof value === 'object' && value !== null && path.length < DEPTH_MAX && size(value) > 0) {
      for (const [name, member] of Object.entries(value)) {
        if (isCut) return;
        visit(member, [...path, name]);
      }
    } else {
      texts.push({ pointer: pointerOf(path), label: path.join(' › '), text: written(value) });
    }
  };
  for (const [name, value] of Object.entries(event)) if (!ENVELOPE.has(name)) visit(value, [name]);
  return { texts, isCut };
}

function size(value: object): number {
  return Object.keys(value).length;
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function pointerOf(path: readonly string[]): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** JSON with an indent, for a person; what is no JSON, as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** One line that tells what an event is about. */
export function summaryOf(body: string, charsMax = 140): string {
  const text = eventTexts(body)?.texts.find(({ pointer }) => pointer !== '/tool/name')?.text ?? '';
  const line = text
    .slice(0, charsMax * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > charsMax ? `${line.slice(0, charsMax)}…` : line;
}

const FOLDED_CHARS = 1_200;
const FOLDED_LINES = 14;
const LEAD_CHARS = 200;

/**
 * The part of a long text that is shown at first: its beginning, or where the first mark is. Undefined where the whole of it
 * is short enough.
 */
export function foldedPart(text: string, firstMark = 0): { start: number; end: number } | undefined {
  if (text.length <= FOLDED_CHARS && text.split('\n', FOLDED_LINES + 2).length <= FOLDED_LINES + 1) return undefined;
  const start = firstMark > FOLDED_CHARS - LEAD_CHARS ? firstMark - LEAD_CHARS : 0;
  let end = start;
  for (let line = 0; line < FOLDED_LINES && end >= 0 && end - start < FOLDED_CHARS; line++) {
    const next = text.indexOf('\n', end);
    if (next < 0) {
      end = text.length;
      break;
    }
    end = next + 1;
  }
  return { start, end: Math.min(end, start + FOLDED_CHARS) };
}

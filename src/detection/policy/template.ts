import { named, REASON_CHARS_MAX, readable } from '../reason.ts';
import { CelFault } from './cel/ast.ts';
import { compileCel } from './cel/compile.ts';
import type { CompiledExpression, Vocabulary } from './cel/compiled.ts';
import { type Evaluation, EvaluationFault } from './cel/evaluation.ts';
import { BOOL, DOUBLE, INT, STRING, STRINGS } from './cel/types.ts';

/** A text with facts to be filled in. */
export interface Template {
  /** The text as a person reads it, at most `REASON_CHARS_MAX` long. Facts that cannot be computed are left out. */
  render(evaluation: Evaluation): string;
  /** The facts that it shows. */
  mentions: ReadonlySet<string>;
}

const OPEN = '{{';
const CLOSE = '}}';

/** Compiles `text`, in which `{{ … }}` holds an expression. Throws a `CelFault` with its offset in `text`. */
export function compileTemplate(text: string, vocabulary: Vocabulary): Template {
  const parts: (string | CompiledExpression)[] = [];
  let at = 0;
  for (let open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, at)) {
    const close = text.indexOf(CLOSE, open + OPEN.length);
    if (close < 0) throw new CelFault(open, 'this {{ is never closed: add }}');
    parts.push(
      text.slice(at, open),
      compileFact(text.slice(open + OPEN.length, close), open + OPEN.length, vocabulary),
    );
    at = close + CLOSE.length;
  }
  parts.push(text.slice(at));
  return {
    mentions: new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [...part.mentions]))),
    render: (evaluation) =>
      readable(
        parts.map((part) => (typeof part === 'string' ? part : shown(part, evaluation))).join(''),
        REASON_CHARS_MAX,
      ),
  };
}

const SHOWABLE = [STRING, STRINGS, INT, DOUBLE, BOOL];

function compileFact(text: string, start: number, vocabulary: Vocabulary): CompiledExpression {
  try {
    const compiled = compileCel(text, vocabulary, SHOWABLE);
    if (!compiled.raw) return compiled;
  } catch (error) {
    if (!(error instanceof CelFault)) throw error;
    error.at += start;
    throw error;
  }
  throw new CelFault(start, 'this is content of the event, which may hold secrets: show names, paths, hosts or kinds');
}

/** Elements of a list that are shown. */
const SHOWN_MAX = 5;

function shown({ run }: CompiledExpression, evaluation: Evaluation): string {
  try {
    const value = run(evaluation);
    if (!Array.isArray(value)) return named(String(value));
    const more = value.length > SHOWN_MAX ? ` and ${value.length - SHOWN_MAX} more` : '';
    return (
      value
        .slice(0, SHOWN_MAX)
        .map((item) => named(String(item)))
        .join(', ') + more
    );
  } catch (error) {
    if (error instanceof EvaluationFault) return '';
    throw error;
  }
}

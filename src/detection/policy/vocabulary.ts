import { CelFault } from './cel/ast.ts';
import { compileCel } from './cel/compile.ts';
import type { CompiledExpression, Doubt, Vocabulary } from './cel/compiled.ts';
import { type Evaluation, EvaluationFault } from './cel/evaluation.ts';
import { isForeign } from './cel/types.ts';
import { FACTS } from './facts-surface.ts';
import { POLICY_LIMITS } from './limits.ts';

/** A macro as it is written. */
export interface MacroText {
  text: string;
  /** Reports what is wrong with it, where it is written. */
  report(fault: CelFault): void;
  /** Tells what is hardly meant. */
  doubt(doubt: Doubt): void;
}

/** A fault that was reported where it lies, so that it need not be where it is noticed again. */
export class ReportedFault extends CelFault {}

/** The lists and macros of a policy set, with the facts. Macros are compiled when first asked for. */
export class SetVocabulary implements Vocabulary {
  readonly facts = FACTS;
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly labels: readonly string[];
  readonly #texts: ReadonlyMap<string, MacroText>;
  readonly #macros = new Map<string, CompiledExpression | 'compiling' | 'faulty'>();

  constructor(
    lists: ReadonlyMap<string, readonly string[]>,
    macros: ReadonlyMap<string, MacroText>,
    labels: readonly string[],
  ) {
    this.lists = lists;
    this.labels = labels;
    this.#texts = macros;
  }

  get macroNames(): readonly string[] {
    return [...this.#texts.keys()];
  }

  macro(name: string, at: number): CompiledExpression | undefined {
    const source = this.#texts.get(name);
    if (source === undefined) return undefined;
    const known = this.#macros.get(name);
    if (known === 'compiling') throw new CelFault(at, `the macro "${name}" is defined by itself`);
    if (known === 'faulty') throw new ReportedFault(at, `the macro "${name}" is faulty`);
    return known ?? this.#compile(name, source, at);
  }

  #compile(name: string, source: MacroText, at: number): CompiledExpression {
    this.#macros.set(name, 'compiling');
    try {
      const compiled = compileCel(source.text, this, []);
      if (isForeign(compiled.type))
        throw new CelFault(0, 'a macro cannot be a timestamp or duration: compare it inside');
      for (const doubt of compiled.doubts) source.doubt(doubt);
      const macro = 'constant' in compiled ? compiled : computedOnce(compiled);
      this.#macros.set(name, macro);
      return macro;
    } catch (error) {
      if (!(error instanceof CelFault)) throw error;
      this.#macros.set(name, 'faulty');
      if (!(error instanceof ReportedFault)) source.report(error);
      throw new ReportedFault(at, `the macro "${name}" is faulty`);
    }
  }
}

/**
 * A macro is computed once for an event, on a budget of its own: whoever asks first must not pay for the others, or
 * results would depend on who that is.
 */
function computedOnce(compiled: CompiledExpression): CompiledExpression {
  const run = (evaluation: Evaluation): unknown => {
    const known = evaluation.memo.get(compiled);
    if (known instanceof EvaluationFault) throw known;
    return known ?? compute(compiled, evaluation);
  };
  return { ...compiled, run };
}

function compute(compiled: CompiledExpression, evaluation: Evaluation): unknown {
  const { vars, stepsLeft } = evaluation;
  evaluation.vars = [];
  evaluation.stepsLeft = POLICY_LIMITS.evaluationStepsMax;
  try {
    const value = compiled.run(evaluation);
    evaluation.memo.set(compiled, value);
    return value;
  } catch (error) {
    if (error instanceof EvaluationFault) evaluation.memo.set(compiled, error);
    throw error;
  } finally {
    evaluation.vars = vars;
    evaluation.stepsLeft = stepsLeft;
  }
}

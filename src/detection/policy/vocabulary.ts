import type { EventType } from '../../domain/event-types.ts';
import { CelFault } from './cel/ast.ts';
import { compileCel } from './cel/compile.ts';
import type { CompiledExpression, Vocabulary, Warning } from './cel/compiled.ts';
import { type Evaluation, EvaluationFault } from './cel/evaluation.ts';
import { isForeign } from './cel/types.ts';
import { FACTS } from './facts-surface.ts';
import { narrowedFacts } from './narrowed-facts.ts';

/** A macro as it is written. */
export interface MacroText {
  text: string;
  /** Reports what is wrong with it, where it is written. */
  report(fault: CelFault): void;
  /** Tells what is hardly meant. */
  warn(warning: Warning): void;
}

/** A fault that was reported where it lies, so that it need not be where it is noticed again. */
export class ReportedFault extends CelFault {}

/** The lists and macros of a policy set, with the facts. Macros are compiled when first asked for. */
export class SetVocabulary implements Vocabulary {
  readonly facts = FACTS;
  readonly labels: readonly string[];
  readonly listNames: readonly string[];
  readonly macroNames: readonly string[];
  /** What expressions asked for so far: `lists.name`, `macros.name`. */
  readonly used = new Set<string>();
  readonly #lists: ReadonlyMap<string, readonly string[]>;
  readonly #texts: ReadonlyMap<string, MacroText>;
  readonly #macros = new Map<string, CompiledExpression | 'compiling' | 'faulty'>();
  readonly #narrowed = new Map<string, Vocabulary>();

  constructor(
    lists: ReadonlyMap<string, readonly string[]>,
    macros: ReadonlyMap<string, MacroText>,
    labels: readonly string[],
  ) {
    this.labels = labels;
    this.listNames = [...lists.keys()];
    this.macroNames = [...macros.keys()];
    this.#lists = lists;
    this.#texts = macros;
  }

  /** The same for conditions about events of `types` alone. Macros stay what they are: others use them, too. */
  about(types: readonly EventType[]): Vocabulary {
    const key = types.join();
    const { facts, labels, listNames, macroNames } = this;
    const known = this.#narrowed.get(key) ?? {
      facts,
      labels,
      listNames,
      macroNames,
      narrowed: narrowedFacts(types),
      list: (name) => this.list(name),
      macro: (name, at) => this.macro(name, at),
    };
    this.#narrowed.set(key, known);
    return known;
  }

  list(name: string): readonly string[] | undefined {
    this.used.add(`lists.${name}`);
    return this.#lists.get(name);
  }

  macro(name: string, at: number): CompiledExpression | undefined {
    this.used.add(`macros.${name}`);
    return this.#macro(name, at);
  }

  /** Reports what is wrong with a macro, even where nothing uses it. */
  check(name: string): void {
    try {
      this.#macro(name, 0);
    } catch (error) {
      if (!(error instanceof CelFault)) throw error;
    }
  }

  #macro(name: string, at: number): CompiledExpression | undefined {
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
      for (const warning of compiled.warnings) source.warn(warning);
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
  evaluation.stepsLeft = evaluation.stepsMax;
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

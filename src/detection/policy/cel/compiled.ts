import type { CelNode } from './ast.ts';
import { EvaluationFault, type Run } from './evaluation.ts';
import { type CelType, type Field, typeName } from './types.ts';

/** An expression ready to run. */
export interface Compiled {
  type: CelType;
  run: Run;
  /** It may fail where it runs. */
  canFail: boolean;
  /** Its value may hold content of the event. */
  raw: boolean;
  /** Its value, where that does not depend on the event. */
  constant?: unknown;
}

/** Something that can be meant, and hardly is: a comparison with what a fact never is. */
export interface Warning {
  /** Where it stands in the expression, in UTF-16 code units. */
  at: number;
  message: string;
}

/** A whole expression ready to run. */
export interface CompiledExpression extends Compiled {
  /** The facts that it mentions: `session`, and `session.labels` where it goes on. */
  mentions: ReadonlySet<string>;
  /** What is right, and hardly meant. */
  warnings: readonly Warning[];
}

/** Names that expressions of one policy set may use. */
export interface Vocabulary {
  facts: Readonly<Record<string, Field>>;
  /** What else is known of facts, by name or as `event.type`, where an expression is about some events only. */
  narrowed?: ReadonlyMap<string, Narrowing>;
  /** The list of that name. */
  list(name: string): readonly string[] | undefined;
  listNames: readonly string[];
  /** Taints that the policies of the set can set. */
  labels: readonly string[];
  /** The compiled macro of that name; throws a `CelFault` where it is defined by itself. */
  macro(name: string, at: number): CompiledExpression | undefined;
  macroNames: readonly string[];
}

/** What a fact is, or that asking for it is in vain, where an expression is about some events only. */
export interface Narrowing {
  type?: CelType;
  warning?: string;
}

/** A loop variable: its type, whether it holds content, and its place in the evaluation. */
export interface LoopVariable {
  type: CelType;
  raw: boolean;
  slot: number;
}

/** What is in scope at a node. */
export interface Scope {
  vocabulary: Vocabulary;
  loops: ReadonlyMap<string, LoopVariable>;
  /** Loops around the node: two of them may use one name. */
  loopsCount: number;
  /** Collects the facts that are mentioned. */
  mentions: Set<string>;
  /** Collects what is hardly meant. */
  warnings: Warning[];
  /** Compiles a node in a scope: handed along so that the parts of the compiler need not import each other. */
  compile(node: CelNode, scope: Scope): Compiled;
}

/** The type with its article, for messages. */
export const a = (type: CelType): string => (/^[aeiou]/.test(type.kind) ? 'an ' : 'a ') + typeName(type);

/** Stands in for the closure of a value that only the library can hold. */
export const FOREIGN: Run = () => {
  throw new EvaluationFault('library');
};

/** A value that does not depend on the event. */
export function constant(type: CelType, value: unknown): Compiled {
  return { type, run: () => value, canFail: false, raw: false, constant: value };
}

/** What a node made of `parts` is, apart from its type and its closure. */
export function madeOf(parts: readonly Compiled[]): Pick<Compiled, 'canFail' | 'raw'> {
  return { canFail: parts.some((part) => part.canFail), raw: parts.some((part) => part.raw) };
}

/** Whether the value of `compiled` is known before it runs. */
export function isConstant(compiled: Compiled): boolean {
  return 'constant' in compiled;
}

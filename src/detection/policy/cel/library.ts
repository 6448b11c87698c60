import { celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import type { CelNode } from './ast.ts';
import type { Compiled, Scope } from './compiled.ts';
import { EvaluationFault, type Run } from './evaluation.ts';
import { isForeign } from './types.ts';
import { unparse } from './unparse.ts';

const ENV = celEnv();

/** A part of an expression that is computed here and handed to the library as a variable. */
interface Binding {
  name: string;
  compiled: Compiled;
}

/**
 * Compiles `node`, whose value is a plain one but which computes with timestamps, durations or conversions, to a plan
 * of the CEL library. All inside it that the library is not needed for becomes a variable, so that the library sees
 * neither facts nor loops.
 */
export function fromLibrary(node: CelNode, compiled: Compiled, scope: Scope): Compiled {
  const bindings: Binding[] = [];
  const text = unparse(withVariables(node, scope, bindings, true));
  const evaluate = plan(ENV, parse(text));
  const isDouble = node.kind === 'call' && node.target === undefined && node.name === 'double';
  const run: Run = (evaluation) => {
    evaluation.spend(STEPS);
    const variables: Record<string, bigint | string | number | boolean> = {};
    for (const { name, compiled: part } of bindings) {
      const value = toLibrary(part, part.run(evaluation));
      variables[name] = value;
      if (typeof value !== 'string') continue;
      evaluation.spend(Math.floor(value.length / 64));
      // The library takes what JavaScript takes: nothing for 0, and other notations.
      if (isDouble && !DECIMAL.test(value)) throw new EvaluationFault('library');
    }
    return plain(evaluate(variables));
  };
  return { ...compiled, canFail: true, run };
}

const DECIMAL = /^[-+]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][-+]?\d{1,4})?$/;

/** What a call of the library costs, in loop rounds: about 20 µs. */
const STEPS = 64;

function withVariables(node: CelNode, scope: Scope, bindings: Binding[], root: boolean): CelNode {
  const inside = (child: CelNode): CelNode => withVariables(child, scope, bindings, false);
  if (node.kind === 'literal') return node;
  if (!root) {
    const compiled = scope.compile(node, scope);
    if (!isForeign(compiled.type)) {
      const name = `v${bindings.length}`;
      bindings.push({ name, compiled });
      return { kind: 'name', at: node.at, name };
    }
  }
  switch (node.kind) {
    case 'call':
      return {
        ...node,
        target: node.target === undefined ? undefined : inside(node.target),
        args: node.args.map(inside),
      };
    case 'binary':
      return { ...node, left: inside(node.left), right: inside(node.right) };
    case 'conditional':
      return { ...node, test: inside(node.test), whenTrue: inside(node.whenTrue), whenFalse: inside(node.whenFalse) };
    default:
      return node;
  }
}

function toLibrary({ type }: Compiled, value: unknown): bigint | string | number | boolean {
  return type.kind === 'int' ? BigInt(value as number) : (value as string | number | boolean);
}

function plain(value: unknown): string | number | boolean {
  if (isCelError(value)) throw new EvaluationFault('library');
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw new EvaluationFault('overflow');
    return number;
  }
  // The library gives NaN for what is no number, where the language wants a fault.
  if (Number.isNaN(value)) throw new EvaluationFault('library');
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new EvaluationFault('library');
}

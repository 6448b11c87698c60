import { CelFault, type CelNode } from './ast.ts';
import { a, type Compiled, madeOf, type Scope } from './compiled.ts';
import { type Evaluation, EvaluationFault, type Run } from './evaluation.ts';
import { BOOL, type CelType, isForeign, listOf } from './types.ts';

/** The functions that go through a list. */
export const LOOPS: ReadonlySet<string> = new Set(['exists', 'all', 'exists_one', 'existsOne', 'filter', 'map']);

type Call = CelNode & { kind: 'call' };

/** Compiles `list.exists(x, …)` and the like. Each round is paid for, so that loops inside loops stay bounded. */
export function compileLoop(call: Call, target: CelNode, scope: Scope): Compiled {
  const list = scope.compile(target, scope);
  if (list.type.kind !== 'list') {
    throw new CelFault(call.at, `${call.name}() needs a list in front, and this is ${a(list.type)}`);
  }
  const bodies = call.args.slice(1);
  if (bodies.length !== 1 && !(call.name === 'map' && bodies.length === 2)) {
    throw new CelFault(call.at, `${call.name}() takes a name and an expression, as in ${call.name}(x, x == "a")`);
  }
  const variable = variableOf(call);
  const slot = scope.loopsCount;
  const loops = new Map(scope.loops).set(variable, { type: list.type.of, raw: list.raw, slot });
  const inside = { ...scope, loops, loopsCount: slot + 1 };
  const compiled = bodies.map((body) => scope.compile(body, inside));
  return join(call, { list: list as ListOf, slot, bodies: compiled });
}

type ListOf = Compiled & { type: { kind: 'list'; of: CelType } };

interface Loop {
  list: ListOf;
  slot: number;
  bodies: readonly Compiled[];
}

function variableOf(call: Call): string {
  const [variable] = call.args;
  if (variable?.kind !== 'name') {
    throw new CelFault(
      variable?.at ?? call.at,
      `the first thing in ${call.name}() is the name of the element, as in ${call.name}(x, …)`,
    );
  }
  if (variable.name === 'lists' || variable.name === 'macros') {
    throw new CelFault(variable.at, `"${variable.name}" cannot be the name of an element`);
  }
  return variable.name;
}

function join(call: Call, loop: Loop): Compiled {
  const { list, bodies } = loop;
  const parts = madeOf([list, ...bodies]);
  const [first, second] = bodies as [Compiled, Compiled | undefined];
  if (call.name === 'map') {
    const value = second ?? first;
    if (isForeign(value.type)) throw new CelFault(call.at, 'a list of timestamps or durations cannot be made');
    if (second !== undefined) needBool(call, first, 1);
    const run = collecting(loop, second === undefined ? undefined : (first.run as Run<boolean>), value.run);
    return { ...parts, raw: value.raw, type: listOf(value.type), run };
  }
  needBool(call, first, 1);
  const test = first.run as Run<boolean>;
  if (call.name === 'filter')
    return { ...parts, raw: list.raw, type: list.type, run: collecting(loop, test, undefined) };
  const shared = { ...parts, raw: false, type: BOOL };
  if (call.name === 'exists') return { ...shared, run: searching(loop, test, true) };
  if (call.name === 'all') return { ...shared, run: searching(loop, test, false) };
  return { ...shared, run: countingOne(loop, test) };
}

function needBool(call: Call, body: Compiled, index: number): void {
  if (body.type.kind === 'bool') return;
  throw new CelFault(
    call.args[index]?.at ?? call.at,
    `${call.name}() needs a condition here, and this is ${a(body.type)}`,
  );
}

/** `exists` (until one is true) and `all` (until one is false). An element that fails only matters where none decides. */
function searching({ list, slot, bodies }: Loop, test: Run<boolean>, wanted: boolean): Run<boolean> {
  const items = list.run as Run<readonly unknown[]>;
  if (bodies[0]?.canFail !== true) {
    return (evaluation) => {
      for (const item of items(evaluation)) {
        evaluation.spend(1);
        evaluation.vars[slot] = item;
        if (test(evaluation) === wanted) return wanted;
      }
      return !wanted;
    };
  }
  return (evaluation) => {
    let fault: EvaluationFault | undefined;
    for (const item of items(evaluation)) {
      evaluation.spend(1);
      evaluation.vars[slot] = item;
      const result = tried(test, evaluation);
      if (result === wanted) return wanted;
      if (result instanceof EvaluationFault) fault ??= result;
    }
    if (fault !== undefined) throw fault;
    return !wanted;
  };
}

function tried(test: Run<boolean>, evaluation: Evaluation): boolean | EvaluationFault {
  try {
    return test(evaluation);
  } catch (error) {
    if (error instanceof EvaluationFault && error.reason !== 'cost') return error;
    throw error;
  }
}

function countingOne({ list, slot }: Loop, test: Run<boolean>): Run<boolean> {
  const items = list.run as Run<readonly unknown[]>;
  return (evaluation) => {
    let count = 0;
    for (const item of items(evaluation)) {
      evaluation.spend(1);
      evaluation.vars[slot] = item;
      if (test(evaluation)) count++;
    }
    return count === 1;
  };
}

function collecting({ list, slot }: Loop, test: Run<boolean> | undefined, value: Run | undefined): Run<unknown[]> {
  const items = list.run as Run<readonly unknown[]>;
  return (evaluation) => {
    const collected: unknown[] = [];
    for (const item of items(evaluation)) {
      evaluation.spend(1);
      evaluation.vars[slot] = item;
      if (test === undefined || test(evaluation)) collected.push(value === undefined ? item : value(evaluation));
    }
    return collected;
  };
}

import { closest } from '../spelling.ts';
import { type BinaryOperator, CelFault, type CelNode } from './ast.ts';
import { compileCall } from './calls.ts';
import {
  a,
  type Compiled,
  type CompiledExpression,
  constant,
  FOREIGN,
  isConstant,
  madeOf,
  type Scope,
  type Vocabulary,
  type Warning,
} from './compiled.ts';
import { EvaluationFault, type Run } from './evaluation.ts';
import { fromLibrary } from './library.ts';
import { compileBinary } from './operators.ts';
import { parseCel } from './parser.ts';
import { BOOL, type CelType, DOUBLE, INT, isForeign, listOf, STRING, sameType, typeName } from './types.ts';
import { logicWarningOf, warningOf } from './warnings.ts';

/** Compiles `text`, which must give a value of one of `wanted`. Throws a `CelFault`. */
export function compileCel(text: string, vocabulary: Vocabulary, wanted: readonly CelType[]): CompiledExpression {
  const node = parseCel(text);
  const mentions = new Set<string>();
  const warnings: Warning[] = [];
  const scope = { vocabulary, loops: new Map(), loopsCount: 0, mentions, warnings, compile: compileNode };
  const compiled = compileNode(node, scope);
  if (wanted.length === 0 || wanted.some((type) => sameType(type, compiled.type)))
    return { ...compiled, mentions, warnings };
  throw new CelFault(node.at, `this is ${a(compiled.type)}, but ${wanted.map(typeName).join(' or ')} is needed here`);
}

/** Compiles one node. What the library has to compute stays marked as foreign until its value is a plain one. */
function compileNode(node: CelNode, scope: Scope): Compiled {
  const compiled = compileKind(node, scope);
  return compiled.run === FOREIGN && !isForeign(compiled.type) ? fromLibrary(node, compiled, scope) : compiled;
}

function compileKind(node: CelNode, scope: Scope): Compiled {
  switch (node.kind) {
    case 'literal':
      return constant(LITERAL_TYPES[node.literal.type], node.literal.value);
    case 'name':
      return compileName(node.name, node.at, scope);
    case 'select':
      return compileSelect(node.operand, node.field, node.at, scope);
    case 'index':
      return compileIndex(node.operand, node.index, node.at, scope);
    case 'list':
      return compileList(node.items, node.at, scope);
    case 'logic':
      return compileLogic(node.operator === '&&', node.operands, scope);
    case 'binary':
      return compileOperation(node.operator, node, scope);
    case 'unary':
      return compileUnary(node.operator, node.operand, node.at, scope);
    case 'conditional':
      return compileConditional(node, scope);
    case 'call':
      return compileCall(node, scope);
  }
}

const LITERAL_TYPES = { string: STRING, int: INT, double: DOUBLE, bool: BOOL } as const;
function compileName(name: string, at: number, scope: Scope): Compiled {
  const { vocabulary, loops, mentions } = scope;
  const loop = loops.get(name);
  if (loop !== undefined) {
    const { slot, type, raw } = loop;
    return { type, raw, canFail: false, run: (evaluation) => evaluation.vars[slot] };
  }
  const field = own(vocabulary.facts, name);
  if (field !== undefined) {
    mentions.add(name);
    narrow(name, at, scope);
    const run: Run = ({ facts }) => (facts as Record<string, unknown>)[name];
    return { type: field.type, raw: field.raw, canFail: false, run };
  }
  if (name === 'lists' || name === 'macros') throw new CelFault(at, `write ${name}. and the name of one`);
  const known = [...loops.keys(), ...Object.keys(vocabulary.facts), 'lists', 'macros'];
  throw new CelFault(at, `"${name}" is unknown${closest(name, known)}`);
}

/** The type of a fact in the events that the expression is about; warns where it is asked for in vain, once. */
function narrow(name: string, at: number, { vocabulary, warnings }: Scope): CelType | undefined {
  const { type, warning } = vocabulary.narrowed?.get(name) ?? {};
  if (warning !== undefined && !warnings.some(({ message }) => message === warning))
    warnings.push({ at, message: warning });
  return type;
}

function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function compileSelect(operand: CelNode, field: string, at: number, scope: Scope): Compiled {
  const namespace = operand.kind === 'name' && !scope.loops.has(operand.name) ? operand.name : '';
  if (namespace === 'lists') return compileListName(field, at, scope.vocabulary);
  if (namespace === 'macros') return compileMacroName(field, at, scope);
  const compiled = compileNode(operand, scope);
  if (compiled.type.kind !== 'object') throw new CelFault(at, `${a(compiled.type)} has no field "${field}"`);
  const { fields } = compiled.type;
  const name = Object.hasOwn(fields, field) ? field : camelCase(field);
  const declared = own(fields, name);
  if (declared === undefined) {
    throw new CelFault(at, `there is no field "${field}" here${closest(field, Object.keys(fields))}`);
  }
  const { run } = compiled;
  if (namespace !== '') scope.mentions.add(`${namespace}.${name}`);
  const narrowed = namespace === '' ? undefined : narrow(`${namespace}.${name}`, at, scope);
  return {
    ...madeOf([compiled]),
    type: narrowed ?? declared.type,
    raw: compiled.raw || declared.raw,
    run: (evaluation) => (run(evaluation) as Record<string, unknown>)[name],
  };
}

/** Facts may be written in snake case too, as events have it: `origin_event` for `originEvent`. */
function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function compileListName(name: string, at: number, vocabulary: Vocabulary): Compiled {
  const items = vocabulary.list(name);
  if (items === undefined) throw new CelFault(at, `there is no list "${name}"${closest(name, vocabulary.listNames)}`);
  return constant(listOf(STRING), items);
}

function compileMacroName(name: string, at: number, { vocabulary, mentions }: Scope): Compiled {
  const macro = vocabulary.macro(name, at);
  if (macro === undefined) {
    throw new CelFault(at, `there is no macro "${name}"${closest(name, vocabulary.macroNames)}`);
  }
  for (const mentioned of macro.mentions) mentions.add(mentioned);
  return macro;
}

function compileIndex(operand: CelNode, index: CelNode, at: number, scope: Scope): Compiled {
  const list = compileNode(operand, scope);
  const position = compileNode(index, scope);
  if (list.type.kind !== 'list') throw new CelFault(at, `only lists have elements, and this is ${a(list.type)}`);
  if (position.type.kind !== 'int') throw new CelFault(index.at, `the index must be an int, not ${a(position.type)}`);
  const runList = list.run;
  const runIndex = position.run;
  return {
    ...madeOf([list, position]),
    raw: list.raw,
    type: list.type.of,
    canFail: true,
    run(evaluation) {
      const element = (runList(evaluation) as readonly unknown[])[runIndex(evaluation) as number];
      if (element === undefined) throw new EvaluationFault('index');
      return element;
    },
  };
}

function compileList(items: readonly CelNode[], at: number, scope: Scope): Compiled {
  const compiled = items.map((item) => compileNode(item, scope));
  const [first] = compiled;
  if (first === undefined) throw new CelFault(at, 'an empty list says nothing: compare size() with 0');
  for (const [index, item] of compiled.entries()) {
    if (isForeign(item.type)) throw new CelFault(at, `${typeName(item.type)} values cannot stand in a list`);
    if (!sameType(item.type, first.type)) {
      const problem = `all elements must have one type: this is ${a(item.type)}, the first is ${a(first.type)}`;
      throw new CelFault(items[index]?.at ?? at, problem);
    }
  }
  const type = listOf(first.type);
  if (compiled.every(isConstant)) {
    return constant(
      type,
      compiled.map((item) => item.constant),
    );
  }
  const runs = compiled.map((item) => item.run);
  return { ...madeOf(compiled), type, run: (evaluation) => runs.map((run) => run(evaluation)) };
}

function needBool(node: CelNode, scope: Scope): Compiled {
  const compiled = compileNode(node, scope);
  if (compiled.type.kind === 'bool') return compiled;
  throw new CelFault(node.at, `a condition is needed here, and this is ${a(compiled.type)}${nonBool(compiled.type)}`);
}

function nonBool(type: CelType): string {
  if (type.kind === 'list') return ': compare its size() with 0';
  if (type.kind === 'string') return ': compare it with ""';
  return type.kind === 'int' || type.kind === 'double' ? ': compare it with 0' : '';
}

/** `&&` and `||`. As CEL has it, an operand that fails does not matter where another one decides. */
function compileLogic(and: boolean, operands: readonly CelNode[], scope: Scope): Compiled {
  const compiled = operands.map((operand) => needBool(operand, scope));
  const warning = logicWarningOf(and, operands);
  if (warning !== undefined) scope.warnings.push(warning);
  const runs = compiled.map((part) => part.run as Run<boolean>);
  const facts = madeOf(compiled);
  const [first, second] = runs as [Run<boolean>, Run<boolean>];
  const type = BOOL;
  if (facts.canFail) return { ...facts, type, run: (evaluation) => decide(evaluation, runs, and) };
  if (runs.length > 2) {
    const run: Run = and
      ? (evaluation) => {
          for (const part of runs) if (!part(evaluation)) return false;
          return true;
        }
      : (evaluation) => {
          for (const part of runs) if (part(evaluation)) return true;
          return false;
        };
    return { ...facts, type, run };
  }
  if (and) return { ...facts, type, run: (evaluation) => first(evaluation) && second(evaluation) };
  return { ...facts, type, run: (evaluation) => first(evaluation) || second(evaluation) };
}

/** The value of `runs` joined; what fails is only thrown where no operand decides, and never hides that it cost too much; that time ran out is in the cuts. */
function decide(evaluation: Parameters<Run>[0], runs: readonly Run<boolean>[], and: boolean): boolean {
  let fault: unknown;
  for (const run of runs) {
    try {
      if (run(evaluation) !== and) return !and;
    } catch (error) {
      if (!(error instanceof EvaluationFault) || error.reason === 'cost') throw error;
      fault ??= error;
    }
  }
  if (fault !== undefined) throw fault;
  return and;
}

function compileUnary(operator: '!' | '-', operand: CelNode, at: number, scope: Scope): Compiled {
  if (operator === '!') {
    const compiled = needBool(operand, scope);
    const { run } = compiled;
    return { ...madeOf([compiled]), type: BOOL, run: (evaluation) => !run(evaluation) };
  }
  const compiled = compileNode(operand, scope);
  if (compiled.type.kind !== 'int' && compiled.type.kind !== 'double') {
    throw new CelFault(at, `only numbers can be negated, and this is ${a(compiled.type)}`);
  }
  const { run, type } = compiled;
  // An int has no negative zero.
  const negate: Run =
    type.kind === 'int'
      ? (evaluation) => 0 - (run(evaluation) as number)
      : (evaluation) => -(run(evaluation) as number);
  return { ...madeOf([compiled]), type, run: negate };
}

function compileOperation(operator: BinaryOperator, node: CelNode & { kind: 'binary' }, scope: Scope): Compiled {
  const left = compileNode(node.left, scope);
  const right = compileNode(node.right, scope);
  const warning = warningOf(operator, left, right, scope.vocabulary.labels);
  if (warning !== undefined) scope.warnings.push({ at: node.at, message: warning });
  return compileBinary(operator, left, right, node.at);
}

function compileConditional(node: CelNode & { kind: 'conditional' }, scope: Scope): Compiled {
  const test = needBool(node.test, scope);
  const then = compileNode(node.whenTrue, scope);
  const otherwise = compileNode(node.whenFalse, scope);
  if (!sameType(then.type, otherwise.type)) {
    const problem = `both sides of ? : must have one type: ${typeName(then.type)} and ${typeName(otherwise.type)}`;
    throw new CelFault(node.at, problem);
  }
  const parts = madeOf([test, then, otherwise]);
  if (isForeign(then.type)) return { ...parts, type: then.type, run: FOREIGN };
  const run: Run = (evaluation) => (test.run(evaluation) ? then.run(evaluation) : otherwise.run(evaluation));
  return { ...parts, raw: then.raw || otherwise.raw, type: then.type, run };
}

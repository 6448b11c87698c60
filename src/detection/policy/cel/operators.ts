import { type BinaryOperator, CelFault } from './ast.ts';
import { a, type Compiled, FOREIGN, isConstant, madeOf } from './compiled.ts';
import { EvaluationFault, type Run } from './evaluation.ts';
import { BOOL, type CelType, DURATION, isForeign, isNumeric, sameType, TIMESTAMP, typeName } from './types.ts';

/** Compiles `left operator right`, which stands at `at`. */
export function compileBinary(operator: BinaryOperator, left: Compiled, right: Compiled, at: number): Compiled {
  switch (operator) {
    case 'in':
      return compileIn(left, right, at);
    case '==':
    case '!=':
      return compileEquality(operator === '==', left, right, at);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compileOrder(operator, left, right, at);
    default:
      return compileArithmetic(operator, left, right, at);
  }
}

function mismatch(operator: string, left: CelType, right: CelType, at: number): CelFault {
  const hint = isNumeric(left) && isNumeric(right) ? ': write both as decimals (2.0) or both as whole numbers' : '';
  return new CelFault(at, `${a(left)} and ${a(right)} do not go together with ${operator}${hint}`);
}

const COMPARABLE: ReadonlySet<CelType['kind']> = new Set(['string', 'int', 'double', 'bool', 'timestamp', 'duration']);

function compileEquality(equal: boolean, left: Compiled, right: Compiled, at: number): Compiled {
  const parts = { ...madeOf([left, right]), raw: false, type: BOOL };
  const sameKind = sameType(left.type, right.type) || (isNumeric(left.type) && isNumeric(right.type));
  if (!sameKind) throw mismatch(equal ? '==' : '!=', left.type, right.type, at);
  if (!COMPARABLE.has(left.type.kind)) {
    throw new CelFault(
      at,
      `${typeName(left.type)} values cannot be compared as a whole: compare their fields or elements`,
    );
  }
  if (isForeign(left.type)) return { ...parts, canFail: true, run: FOREIGN };
  const runLeft = left.run;
  if (isConstant(right)) {
    const value = right.constant;
    if (equal) return { ...parts, run: (evaluation) => runLeft(evaluation) === value };
    return { ...parts, run: (evaluation) => runLeft(evaluation) !== value };
  }
  const runRight = right.run;
  if (equal) return { ...parts, run: (evaluation) => runLeft(evaluation) === runRight(evaluation) };
  return { ...parts, run: (evaluation) => runLeft(evaluation) !== runRight(evaluation) };
}

type Ordered = number | string | boolean;

const ORDERS: Readonly<Record<string, (left: Run<Ordered>, right: Run<Ordered>) => Run<boolean>>> = {
  '<': (left, right) => (evaluation) => left(evaluation) < right(evaluation),
  '<=': (left, right) => (evaluation) => left(evaluation) <= right(evaluation),
  '>': (left, right) => (evaluation) => left(evaluation) > right(evaluation),
  '>=': (left, right) => (evaluation) => left(evaluation) >= right(evaluation),
};

function compileOrder(operator: string, left: Compiled, right: Compiled, at: number): Compiled {
  const sameKind = left.type.kind === right.type.kind || (isNumeric(left.type) && isNumeric(right.type));
  if (!sameKind || !COMPARABLE.has(left.type.kind)) throw mismatch(operator, left.type, right.type, at);
  const parts = { ...madeOf([left, right]), raw: false, type: BOOL };
  if (isForeign(left.type)) return { ...parts, canFail: true, run: FOREIGN };
  const order = ORDERS[operator] as (typeof ORDERS)[string];
  return { ...parts, run: order(left.run as Run<Ordered>, right.run as Run<Ordered>) };
}

/** Constant lists longer than this are looked up in a set. */
const SCANNED_MAX = 4;

function compileIn(element: Compiled, list: Compiled, at: number): Compiled {
  if (list.type.kind !== 'list') {
    throw new CelFault(at, `"in" needs a list behind it, and this is ${a(list.type)}${containsHint(list.type)}`);
  }
  const { of } = list.type;
  if (!sameType(element.type, of) && !(isNumeric(element.type) && isNumeric(of))) {
    throw new CelFault(at, `${a(element.type)} is never in a ${typeName(list.type)}`);
  }
  if (!COMPARABLE.has(of.kind)) throw new CelFault(at, `use exists() to look into a ${typeName(list.type)}`);
  const parts = { ...madeOf([element, list]), raw: false, type: BOOL };
  const runElement = element.run;
  const items = isConstant(list) ? (list.constant as readonly unknown[]) : undefined;
  if (items === undefined) {
    const runList = list.run as Run<readonly unknown[]>;
    return { ...parts, run: (evaluation) => search(runList(evaluation), runElement(evaluation), evaluation) };
  }
  if (items.length <= SCANNED_MAX) {
    const [first, second, third, fourth] = items;
    // `undefined` is no value of an expression, so that missing ones match nothing.
    return {
      ...parts,
      run(evaluation) {
        const value = runElement(evaluation);
        return value === first || value === second || value === third || value === fourth;
      },
    };
  }
  const set = new Set(items);
  return { ...parts, run: (evaluation) => set.has(runElement(evaluation)) };
}

function search(items: readonly unknown[], value: unknown, evaluation: Parameters<Run>[0]): boolean {
  evaluation.spend(items.length >> 3);
  return items.includes(value) && !Number.isNaN(value);
}

function containsHint(type: CelType): string {
  return type.kind === 'string' ? ': write text.contains("…")' : '';
}

function compileArithmetic(
  operator: '+' | '-' | '*' | '/' | '%',
  left: Compiled,
  right: Compiled,
  at: number,
): Compiled {
  const parts = madeOf([left, right]);
  const foreign = foreignResult(operator, left.type, right.type);
  if (foreign !== undefined) return { ...parts, canFail: true, type: foreign, run: FOREIGN };
  if (!sameType(left.type, right.type)) throw mismatch(operator, left.type, right.type, at);
  const { type } = left;
  const runLeft = left.run as Run<number>;
  const runRight = right.run as Run<number>;
  if (type.kind === 'string' && operator === '+') {
    return { ...parts, type, run: concatenation(left.run as Run<string>, right.run as Run<string>) };
  }
  const operation = type.kind === 'double' ? DOUBLES[operator] : type.kind === 'int' ? INTS[operator] : undefined;
  if (operation === undefined) throw mismatch(operator, left.type, right.type, at);
  const canFail = parts.canFail || type.kind === 'int';
  return { ...parts, canFail, type, run: (evaluation) => operation(runLeft(evaluation), runRight(evaluation)) };
}

function concatenation(left: Run<string>, right: Run<string>): Run<string> {
  return (evaluation) => {
    const text = left(evaluation) + right(evaluation);
    evaluation.spend(text.length >> 6);
    return text;
  };
}

function foreignResult(operator: string, left: CelType, right: CelType): CelType | undefined {
  if (operator === '-' && left.kind === 'timestamp' && right.kind === 'timestamp') return DURATION;
  if (operator !== '+' && operator !== '-') return undefined;
  if (left.kind === 'timestamp' && right.kind === 'duration') return TIMESTAMP;
  if (operator === '+' && left.kind === 'duration' && right.kind === 'timestamp') return TIMESTAMP;
  return left.kind === 'duration' && right.kind === 'duration' ? DURATION : undefined;
}

type Operation = (left: number, right: number) => number;

const DOUBLES: Readonly<Record<string, Operation | undefined>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
};

/** CEL's ints have 64 bits, these 53: what does not fit is a failure in both, only sooner here. */
const INTS: Readonly<Record<string, Operation | undefined>> = {
  '+': (left, right) => fitting(left + right),
  '-': (left, right) => fitting(left - right),
  '*': (left, right) => fitting(left * right + 0),
  '/': (left, right) => (left - remainder(left, right)) / right + 0,
  '%': (left, right) => remainder(left, right) + 0,
};

function fitting(value: number): number {
  if (!Number.isSafeInteger(value)) throw new EvaluationFault('overflow');
  return value;
}

function remainder(left: number, right: number): number {
  if (right === 0) throw new EvaluationFault('division');
  return left % right;
}

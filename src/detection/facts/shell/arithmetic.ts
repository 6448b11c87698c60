import type { ArithmeticExpression } from 'unbash';

/** Operators within operators that are followed. */
const DEPTH_MAX = 16;

/**
 * The value of `$((…))` as a shell works it out, or undefined where it is not known: variables that `lookup` does not
 * know, assignments, divisions by zero, and what a JavaScript number cannot hold exactly.
 */
export function arithmeticValue(
  expression: ArithmeticExpression,
  lookup: (name: string) => string | undefined,
  depth = 0,
): number | undefined {
  if (depth > DEPTH_MAX) return undefined;
  const of = (inner: ArithmeticExpression): number | undefined => arithmeticValue(inner, lookup, depth + 1);
  switch (expression.type) {
    case 'ArithmeticWord':
      return wordValue(expression.value, lookup);
    case 'ArithmeticGroup':
      return of(expression.expression);
    case 'ArithmeticUnary':
      return unaryValue(expression.operator, of(expression.operand));
    case 'ArithmeticBinary':
      return exact(binaryValue(expression.operator, of(expression.left), of(expression.right)));
    case 'ArithmeticTernary': {
      const test = of(expression.test);
      return test === undefined ? undefined : of(test === 0 ? expression.alternate : expression.consequent);
    }
    default:
      return undefined;
  }
}

function exact(value: number | undefined): number | undefined {
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
}

/** Decimal, octal (`0251`), hexadecimal (`0xa9`), any base (`2#101`), or a variable that holds one of them. */
function wordValue(text: string, lookup: (name: string) => string | undefined): number | undefined {
  const name = /^\$?([A-Za-z_]\w{0,64})$|^\$\{([A-Za-z_]\w{0,64})\}$/.exec(text);
  const source = name === null ? text : lookup((name[1] ?? name[2]) as string);
  if (source === undefined) return undefined;
  if (/^0[xX][\da-fA-F]{1,13}$/.test(source)) return Number(source);
  if (/^0[0-7]{1,17}$/.test(source)) return exact(Number.parseInt(source, 8));
  const based = /^(\d{1,2})#([\da-zA-Z]{1,17})$/.exec(source);
  if (based !== null) {
    const base = Number(based[1]);
    return base >= 2 && base <= 36 ? exact(Number.parseInt(based[2] as string, base)) : undefined;
  }
  return /^\d{1,16}$/.test(source) ? exact(Number(source)) : undefined;
}

function unaryValue(operator: string, value: number | undefined): number | undefined {
  if (value === undefined) return undefined;
  switch (operator) {
    case '-':
      return -value;
    case '+':
      return value;
    case '!':
      return value === 0 ? 1 : 0;
    case '~':
      return -value - 1;
    default:
      return undefined;
  }
}

function binaryValue(operator: string, left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return undefined;
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? undefined : Math.trunc(left / right);
    case '%':
      return right === 0 ? undefined : left % right;
    case '**':
      return left ** right;
    case '<<':
      return right >= 0 && right < 53 ? left * 2 ** right : undefined;
    case '>>':
      return right >= 0 && right < 53 ? Math.floor(left / 2 ** right) : undefined;
    case '^':
      return Number(BigInt(left) ^ BigInt(right));
    case '&':
      return Number(BigInt(left) & BigInt(right));
    case '|':
      return Number(BigInt(left) | BigInt(right));
    default:
      return undefined;
  }
}

import { closest } from '../spelling.ts';
import type { BinaryOperator, CelNode, Literal } from './ast.ts';
import { type Compiled, isConstant, type Warning } from './compiled.ts';
import type { CelType } from './types.ts';
import { unparse } from './unparse.ts';

/** What to warn of about `left operator right`. `labels` are the taints that the policies of the set can set. */
export function warningOf(
  operator: BinaryOperator,
  left: Compiled,
  right: Compiled,
  labels: readonly string[],
): string | undefined {
  if (operator !== '==' && operator !== '!=' && operator !== 'in') return undefined;
  for (const [fact, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const known = knownValues(fact.type, labels);
    if (known === undefined || !isConstant(other)) continue;
    const unknown = [other.constant]
      .flat()
      .find((value) => typeof value === 'string' && value !== '' && !known.includes(value));
    if (unknown === undefined) continue;
    const shown = JSON.stringify((unknown as string).slice(0, 64));
    if (isLabel(fact.type)) return `no policy here sets the taint ${shown}${closest(unknown as string, known)}`;
    return `it is never ${shown}${closest(unknown as string, known)}`;
  }
  return undefined;
}

/**
 * What to warn of about operands joined by `&&` (`and`) or `||`: one that decides by itself, and two that say of the same thing that it
 * is one value and another, or that it is not one or not another.
 */
export function logicWarningOf(and: boolean, operands: readonly CelNode[]): Warning | undefined {
  const said = new Map<string, Literal['value']>();
  const verdict = and ? 'this is never true' : 'this is always true';
  for (const operand of operands) {
    if (operand.kind === 'literal' && operand.literal.value === !and)
      return { at: operand.at, message: `${verdict}, whatever stands beside it` };
    const compared = comparison(operand, and ? '==' : '!=');
    if (compared === undefined) continue;
    const { of, value } = compared;
    const other = said.get(of);
    if (other !== undefined && other !== value) {
      const [first, second] = [other, value].map((each) => JSON.stringify(each).slice(0, 64));
      const mend = and ? 'write ||, or in [ ]' : 'write &&';
      return { at: operand.at, message: `${verdict}, since it cannot be ${first} and ${second} at once: ${mend}` };
    }
    said.set(of, value);
  }
  return undefined;
}

/** What `node` compares with a literal, by `operator`. */
function comparison(node: CelNode, operator: BinaryOperator): { of: string; value: Literal['value'] } | undefined {
  if (node.kind !== 'binary' || node.operator !== operator) return undefined;
  const { left, right } = node;
  if (right.kind === 'literal') return { of: unparse(left), value: right.literal.value };
  return left.kind === 'literal' ? { of: unparse(right), value: left.literal.value } : undefined;
}

function knownValues(type: CelType, labels: readonly string[]): readonly string[] | undefined {
  if (type.kind === 'list') return knownValues(type.of, labels);
  if (type.kind !== 'string' || type.oneOf === undefined) return undefined;
  return type.oneOf === 'labels' ? labels : type.oneOf;
}

function isLabel(type: CelType): boolean {
  if (type.kind === 'list') return isLabel(type.of);
  return type.kind === 'string' && type.oneOf === 'labels';
}

import { closest } from '../spelling.ts';
import type { BinaryOperator } from './ast.ts';
import { type Compiled, isConstant } from './compiled.ts';
import type { CelType } from './types.ts';

/** What is doubtful about `left operator right`. `labels` are the taints that the policies of the set can set. */
export function doubtOf(
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

function knownValues(type: CelType, labels: readonly string[]): readonly string[] | undefined {
  if (type.kind === 'list') return knownValues(type.of, labels);
  if (type.kind !== 'string' || type.oneOf === undefined) return undefined;
  return type.oneOf === 'labels' ? labels : type.oneOf;
}

function isLabel(type: CelType): boolean {
  if (type.kind === 'list') return isLabel(type.of);
  return type.kind === 'string' && type.oneOf === 'labels';
}

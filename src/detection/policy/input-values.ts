import { FULL_LIMITS } from '../limits.ts';
import type { PolicyInput } from './facts-surface.ts';

type Value = PolicyInput['tool']['inputs'][number];

/** As far as the facts look: what is behind is told in the cuts. */
const { inputValuesMax: VALUES_MAX, inputDepthMax: DEPTH_MAX } = FULL_LIMITS;
/** A longer text is no number. */
const NUMBER_CHARS_MAX = 32;

/** The strings, numbers and booleans of a tool's input, with their paths, in document order. */
export function toolInputs(input: unknown): readonly Value[] {
  const values: Value[] = [];
  const visit = (value: unknown, path: string, depth: number): void => {
    if (values.length >= VALUES_MAX) return;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      values.push({ path, text: String(value), number: numberOf(value) });
    } else if (typeof value === 'object' && value !== null && depth < DEPTH_MAX) {
      for (const name of Object.keys(value)) {
        if (values.length >= VALUES_MAX) break;
        visit((value as Record<string, unknown>)[name], path === '' ? name : `${path}.${name}`, depth + 1);
      }
    }
  };
  visit(input, '', 0);
  return values;
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > NUMBER_CHARS_MAX || value.trim() === '') return 0;
  const number = Number(value);
  return Number.isFinite(number) ? number : 0;
}

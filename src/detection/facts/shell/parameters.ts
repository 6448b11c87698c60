import type { ParameterExpansionPart, ParameterOperation } from 'unbash';

/** What a variable may hold when it is used. Several values where a loop runs over them, or where it is an array. */
export type Value = { known: true; values: readonly string[]; array?: true } | { known: false };

export const UNKNOWN: Value = { known: false };

export function known(...values: readonly string[]): Value {
  return { known: true, values };
}

/** Variables that every shell starts with and whose first character is certain though the rest is not. */
const ABSOLUTE_PATHS = new Set(['HOME', 'PWD', 'OLDPWD', 'PATH', 'SHELL', 'BASH', 'TMPDIR']);

/** What a script that was given nothing finds in `name`. */
export function initialValue(name: string): Value {
  switch (name) {
    case 'HOME':
      return known('~');
    case 'PWD':
      return known('.');
    case 'IFS':
      return known(' \t\n');
    case 'TMPDIR':
      return known('/tmp');
    case 'SHELL':
    case 'BASH':
      return known('/bin/bash');
    default:
      return UNKNOWN;
  }
}

/** `${name<operation>}` over the value of `name`. `operand` expands an operand word, or says that it cannot. */
export function applyOperation(
  part: ParameterExpansionPart,
  value: Value,
  operand: (word: { value: string; text: string }) => string | undefined,
): Value {
  if (part.prefix === '#') return value.known ? known(...value.values.map((text) => String(text.length))) : UNKNOWN;
  const { operation } = part;
  if (operation === undefined) return value;
  if (operation.type === 'Default') return applyDefault(operation.operator, value, operand(operation.operand));
  if (!value.known) return UNKNOWN;
  const results: string[] = [];
  for (const text of value.values) {
    const result = transform(operation, part.parameter, text, operand);
    if (result === undefined) return UNKNOWN;
    results.push(result);
  }
  return known(...results);
}

function applyDefault(operator: string, value: Value, fallback: string | undefined): Value {
  const other: Value = fallback === undefined ? UNKNOWN : known(fallback);
  if (operator.endsWith('+')) return value.known ? other : UNKNOWN;
  if (operator.endsWith('?')) return value;
  // An unknown variable may well be unset: then the default is what runs.
  return value.known && (value.values[0] !== '' || !operator.startsWith(':')) ? value : other;
}

function transform(
  operation: Exclude<ParameterOperation, { type: 'Default' }>,
  name: string,
  text: string,
  operand: (word: { value: string; text: string }) => string | undefined,
): string | undefined {
  switch (operation.type) {
    case 'Slice':
      return slice(name, text, operand(operation.offset), operation.length && operand(operation.length));
    case 'CaseModification':
      return changeCase(operation.operator, text);
    case 'Replace':
      return replace(operation.operator, text, operand(operation.pattern), operand(operation.replacement) ?? '');
    case 'Remove':
      return remove(operation.operator, text, operand(operation.operand));
    default:
      return undefined;
  }
}

function slice(name: string, text: string, offset: string | undefined, length: string | undefined): string | undefined {
  const from = Number(offset);
  if (offset === undefined || !Number.isInteger(from)) return undefined;
  // `${HOME:0:1}` spells a slash without writing one; `~` stands for a path whose rest is not known.
  if (ABSOLUTE_PATHS.has(name) && /^[~.]/.test(text)) return from === 0 && length?.trim() === '1' ? '/' : undefined;
  const start = from < 0 ? Math.max(0, text.length + from) : from;
  if (length === undefined) return text.slice(start);
  const count = Number(length);
  if (!Number.isInteger(count)) return undefined;
  return count < 0 ? text.slice(start, text.length + count) : text.slice(start, start + count);
}

function changeCase(operator: string, text: string): string {
  const change = operator.startsWith('^') ? (part: string) => part.toUpperCase() : (part: string) => part.toLowerCase();
  return operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1);
}

/** Only patterns without pattern characters are followed. */
function replace(operator: string, text: string, pattern: string | undefined, replacement: string): string | undefined {
  if (pattern === undefined || pattern === '' || /[*?[\\]/.test(pattern)) return undefined;
  if (operator === '//') return text.split(pattern).join(replacement);
  if (operator === '/#') return text.startsWith(pattern) ? replacement + text.slice(pattern.length) : text;
  if (operator === '/%') return text.endsWith(pattern) ? text.slice(0, -pattern.length) + replacement : text;
  const at = text.indexOf(pattern);
  return at < 0 ? text : text.slice(0, at) + replacement + text.slice(at + pattern.length);
}

function remove(operator: string, text: string, pattern: string | undefined): string | undefined {
  if (pattern === undefined) return undefined;
  if (pattern === '*/' && operator === '##') return text.slice(text.lastIndexOf('/') + 1);
  if (pattern === '/*' && operator === '%') return text.includes('/') ? text.slice(0, text.lastIndexOf('/')) : text;
  if (/[*?[\\]/.test(pattern)) return undefined;
  if (operator.startsWith('#')) return text.startsWith(pattern) ? text.slice(pattern.length) : text;
  return pattern !== '' && text.endsWith(pattern) ? text.slice(0, -pattern.length) : text;
}

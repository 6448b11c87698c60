import type { CelNode, Literal } from './ast.ts';

/** `node` as CEL text, every operation in parentheses: for the library, which parses for itself. */
export function unparse(node: CelNode): string {
  switch (node.kind) {
    case 'literal':
      return literalText(node.literal);
    case 'name':
      return node.name;
    case 'select':
      return `${unparse(node.operand)}.${node.field}`;
    case 'index':
      return `${unparse(node.operand)}[${unparse(node.index)}]`;
    case 'call':
      return `${node.target === undefined ? '' : `${unparse(node.target)}.`}${node.name}(${node.args.map(unparse).join(', ')})`;
    case 'list':
      return `[${node.items.map(unparse).join(', ')}]`;
    case 'logic':
      return `(${node.operands.map(unparse).join(` ${node.operator} `)})`;
    case 'binary':
      return `(${unparse(node.left)} ${node.operator} ${unparse(node.right)})`;
    case 'unary':
      return `(${node.operator}${unparse(node.operand)})`;
    case 'conditional':
      return `(${unparse(node.test)} ? ${unparse(node.whenTrue)} : ${unparse(node.whenFalse)})`;
  }
}

function literalText(literal: Literal): string {
  if (literal.type === 'string') return stringText(literal.value);
  if (literal.type === 'bool') return String(literal.value);
  const text = Object.is(literal.value, -0) ? '-0' : String(literal.value);
  const number = literal.type === 'double' && /^-?[0-9]+$/.test(text) ? `${text}.0` : text;
  return literal.value < 0 ? `(${number})` : number;
}

function stringText(value: string): string {
  const escaped = value.replace(/[\\"\p{Cc}\p{Zl}\p{Zp}]/gu, (char) =>
    char === '\\' || char === '"' ? `\\${char}` : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

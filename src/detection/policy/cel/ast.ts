/** A value that is written in an expression. */
export type Literal =
  | { type: 'string'; value: string }
  | { type: 'int' | 'double'; value: number }
  | { type: 'bool'; value: boolean };

export type BinaryOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | '+' | '-' | '*' | '/' | '%';

/** One node of an expression. `at` is the offset in the expression that a fault about the node points at. */
export type CelNode = { at: number } & (
  | { kind: 'literal'; literal: Literal }
  | { kind: 'name'; name: string }
  | { kind: 'select'; operand: CelNode; field: string }
  | { kind: 'index'; operand: CelNode; index: CelNode }
  | { kind: 'call'; name: string; target: CelNode | undefined; args: readonly CelNode[] }
  | { kind: 'list'; items: readonly CelNode[] }
  | { kind: 'logic'; operator: '&&' | '||'; operands: readonly CelNode[] }
  | { kind: 'binary'; operator: BinaryOperator; left: CelNode; right: CelNode }
  | { kind: 'unary'; operator: '!' | '-'; operand: CelNode }
  | { kind: 'conditional'; test: CelNode; whenTrue: CelNode; whenFalse: CelNode }
);

/** What is wrong with an expression, and at which offset in it. */
export class CelFault extends Error {
  at: number;

  constructor(at: number, message: string) {
    super(message);
    this.name = 'CelFault';
    this.at = at;
  }
}

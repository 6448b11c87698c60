import { POLICY_LIMITS } from '../limits.ts';
import { type BinaryOperator, CelFault, type CelNode } from './ast.ts';
import { type Token, tokensOf } from './lexer.ts';

/**
 * Parses the part of CEL (https://github.com/google/cel-spec) that policies may use: all of it but bytes, unsigned
 * numbers, maps, messages and a dot in front of a name. Written by hand rather than taken from the library since that
 * one takes a millisecond for an expression, says little about faults, and overflows the stack on deep ones. Throws
 * a `CelFault`.
 */
export function parseCel(text: string): CelNode {
  const { expressionCharsMax } = POLICY_LIMITS;
  if (text.length > expressionCharsMax) {
    throw new CelFault(
      expressionCharsMax,
      `the expression is longer than ${expressionCharsMax} characters: use macros`,
    );
  }
  return new Parser(tokensOf(text)).parse();
}

const RELATIONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);
const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** Operators of other languages. */
const WORDS: Readonly<Record<string, string>> = { and: '&&', or: '||', not: '!', AND: '&&', OR: '||', NOT: '!' };

function noOperator(word: string): string {
  return `"${word}" is no operator: write ${WORDS[word]}`;
}

class Parser {
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): CelNode {
    if (this.#tokens.length === 1) throw new CelFault(0, 'the expression is empty');
    const node = this.#expression();
    if (this.#next.kind !== 'end') throw new CelFault(this.#next.at, this.#unexpected());
    return node;
  }

  get #next(): Token {
    return this.#tokens[this.#index] as Token;
  }

  #is(text: string): boolean {
    const { kind } = this.#next;
    return (kind === 'operator' || kind === 'name') && this.#next.text === text;
  }

  #take(): Token {
    const token = this.#next;
    this.#index++;
    return token;
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#index++;
    return true;
  }

  #expect(text: string, opened: Token): void {
    if (this.#accept(text)) return;
    if (this.#next.kind === 'end')
      throw new CelFault(opened.at, `this "${opened.text}" is never closed: add "${text}"`);
    throw new CelFault(this.#next.at, `${this.#unexpected()}, or "${text}" is missing in front of it`);
  }

  #unexpected(): string {
    const { kind, text } = this.#next;
    if (text === ')' || text === ']') return `there is nothing open that this "${text}" could close`;
    if (Object.hasOwn(WORDS, text)) return noOperator(text);
    const shown = kind === 'string' ? 'a string' : JSON.stringify(text.slice(0, 32));
    return `${shown} cannot stand here: an operator such as && or == is missing`;
  }

  #expression(): CelNode {
    if (++this.#depth > POLICY_LIMITS.expressionDepthMax) {
      throw new CelFault(this.#next.at, `nested deeper than ${POLICY_LIMITS.expressionDepthMax} levels: use macros`);
    }
    const test = this.#logic('||');
    const question = this.#next;
    let node = test;
    if (this.#accept('?')) {
      const whenTrue = this.#logic('||');
      this.#expect(':', question);
      node = { kind: 'conditional', at: question.at, test, whenTrue, whenFalse: this.#expression() };
    }
    this.#depth--;
    return node;
  }

  #logic(operator: '&&' | '||'): CelNode {
    const first = operator === '||' ? this.#logic('&&') : this.#relation();
    const { at } = this.#next;
    const operands = [first];
    while (this.#accept(operator)) operands.push(operator === '||' ? this.#logic('&&') : this.#relation());
    return operands.length === 1 ? first : { kind: 'logic', at, operator, operands };
  }

  #relation(): CelNode {
    return this.#binary(RELATIONS, () => this.#sum());
  }

  #sum(): CelNode {
    return this.#binary(SUMS, () => this.#product());
  }

  #product(): CelNode {
    return this.#binary(PRODUCTS, () => this.#unary());
  }

  #binary(operators: ReadonlySet<string>, operand: () => CelNode): CelNode {
    let left = operand();
    for (let count = 1; this.#next.kind !== 'string' && operators.has(this.#next.text); count++) {
      const token = this.#take();
      if (count > POLICY_LIMITS.expressionDepthMax) {
        throw new CelFault(
          token.at,
          `more than ${POLICY_LIMITS.expressionDepthMax} of ${token.text} in a row: use macros`,
        );
      }
      left = { kind: 'binary', at: token.at, operator: token.text as BinaryOperator, left, right: operand() };
    }
    return left;
  }

  #unary(): CelNode {
    const first = this.#next;
    if (!this.#is('!') && !this.#is('-')) return this.#member();
    let count = 0;
    while (this.#accept(first.text)) count++;
    let node = this.#member();
    if (first.text === '-' && node.kind === 'literal' && isNumber(node.literal)) {
      node = { ...node, at: first.at, literal: { ...node.literal, value: -node.literal.value } };
      count--;
    }
    // Two of them cancel each other out; the checker wants to see one, for the operand's type.
    if (count > 2) count = count % 2 === 0 ? 2 : 1;
    for (; count > 0; count--) {
      node = { kind: 'unary', at: first.at, operator: first.text as '!' | '-', operand: node };
    }
    return node;
  }

  #member(): CelNode {
    let node = this.#primary();
    for (let count = 0; ; count++) {
      const token = this.#next;
      if (count > POLICY_LIMITS.expressionDepthMax) {
        throw new CelFault(token.at, `more than ${POLICY_LIMITS.expressionDepthMax} steps in a row: use macros`);
      }
      if (this.#accept('.')) node = this.#selection(node, token);
      else if (this.#accept('[')) {
        const index = this.#expression();
        this.#expect(']', token);
        node = { kind: 'index', at: token.at, operand: node, index };
      } else return node;
    }
  }

  #selection(operand: CelNode, dot: Token): CelNode {
    const name = this.#next;
    if (name.kind !== 'name') throw new CelFault(dot.at, 'a field or function name is missing behind this dot');
    this.#take();
    if (!this.#is('(')) return { kind: 'select', at: name.at, operand, field: name.text };
    return { kind: 'call', at: name.at, name: name.text, target: operand, args: this.#arguments(')') };
  }

  #arguments(close: ')' | ']'): CelNode[] {
    const open = this.#take();
    const args: CelNode[] = [];
    while (!this.#is(close)) {
      args.push(this.#expression());
      if (!this.#accept(',')) break;
    }
    this.#expect(close, open);
    return args;
  }

  #primary(): CelNode {
    const token = this.#next;
    const { at } = token;
    switch (token.kind) {
      case 'string':
        this.#take();
        return { kind: 'literal', at, literal: { type: 'string', value: token.value } };
      case 'int':
      case 'double':
        this.#take();
        return { kind: 'literal', at, literal: { type: token.kind, value: token.value } };
      case 'name':
        return this.#named();
      default:
        return this.#grouped();
    }
  }

  #named(): CelNode {
    const token = this.#take();
    const { at, text } = token;
    if (text === 'true' || text === 'false') {
      return { kind: 'literal', at, literal: { type: 'bool', value: text === 'true' } };
    }
    if (text === 'null') throw new CelFault(at, 'no fact is ever null: compare with "" or 0');
    if (text === 'in') throw new CelFault(at, 'the value in front of "in" is missing');
    if (text === 'not' || text === 'NOT') throw new CelFault(at, noOperator(text));
    if (RESERVED.has(text)) throw new CelFault(at, `"${text}" is reserved in CEL and cannot be used as a name`);
    if (!this.#is('(')) return { kind: 'name', at, name: text };
    return { kind: 'call', at, name: text, target: undefined, args: this.#arguments(')') };
  }

  #grouped(): CelNode {
    const token = this.#next;
    if (this.#is('[')) return { kind: 'list', at: token.at, items: this.#arguments(']') };
    if (!this.#accept('(')) throw this.#missing(token);
    const node = this.#expression();
    this.#expect(')', token);
    return node;
  }

  #missing(token: Token): CelFault {
    const before = this.#tokens[this.#index - 1];
    if (before === undefined) return new CelFault(token.at, `an expression cannot start with "${token.text}"`);
    return new CelFault(before.at, `the value behind this "${before.text.slice(0, 32)}" is missing`);
  }
}

const SUMS: ReadonlySet<string> = new Set(['+', '-']);
const PRODUCTS: ReadonlySet<string> = new Set(['*', '/', '%']);

function isNumber(literal: { type: string }): literal is { type: 'int' | 'double'; value: number } {
  return literal.type === 'int' || literal.type === 'double';
}

import { type ParameterExpansionPart, parse, type Word, type WordPart } from 'unbash';
import { arithmeticValue } from './arithmetic.ts';
import { braceAlternatives } from './braces.ts';
import { FieldBuilder } from './field-builder.ts';
import type { ShellWord } from './model.ts';
import { applyOperation, known, UNKNOWN, type Value } from './parameters.ts';
import { type Frame, type Output, type RunScript, stdinOf, type Walk, WORD_WORK } from './state.ts';

/** How much of an unresolved expansion's source stands for it. */
const SOURCE_CHARS_MAX = 256;

/** Expands words of one script as a shell would, as far as that is possible without running anything. */
export class Expansion {
  readonly #walk: Walk;
  readonly #frame: Frame;
  readonly #run: RunScript;

  constructor(walk: Walk, frame: Frame, run: RunScript) {
    this.#walk = walk;
    this.#frame = frame;
    this.#run = run;
  }

  /** The fields that `word` becomes as a command's word or argument. */
  fields(word: Word, into: ShellWord[] = []): ShellWord[] {
    const { parts } = word;
    if (parts === undefined) {
      into.push({ text: bareValue(word), dynamic: false, glob: false });
      return into;
    }
    const plain = parts.length === 1 ? quotedValue(parts[0] as WordPart) : undefined;
    if (plain !== undefined) {
      into.push({ text: plain.startsWith('~') ? `./${plain}` : plain, dynamic: false, glob: false });
      return into;
    }
    if (parts.some((part) => part.type === 'BraceExpansion')) return this.#braces(parts, into);
    const builder = new FieldBuilder(this.#walk, this.#ifs());
    this.#addParts(parts, builder, false);
    builder.finish(into);
    return into;
  }

  /** The single text that `word` becomes where no splitting happens: in assignments, redirects, here-strings. */
  text(word: Word): ShellWord {
    const { parts } = word;
    if (parts === undefined) return { text: bareValue(word), dynamic: false, glob: false };
    const builder = new FieldBuilder(this.#walk, '');
    this.#addParts(parts, builder, true);
    const fields = builder.finish([]);
    return fields[0] ?? { text: '', dynamic: false, glob: false };
  }

  /** The text of a here-document or another list of parts without quotes. */
  partsText(parts: readonly WordPart[]): ShellWord {
    const builder = new FieldBuilder(this.#walk, '');
    this.#addParts(parts, builder, true);
    return builder.finish([])[0] ?? { text: '', dynamic: false, glob: false };
  }

  #ifs(): string {
    const value = this.#frame.lookup('IFS');
    return value.known ? (value.values[0] ?? '') : ' \t\n';
  }

  /** Braces come before all other expansions and work on source text: expand them there and read the result again. */
  #braces(parts: readonly WordPart[], into: ShellWord[]): ShellWord[] {
    let sources: readonly string[] = [''];
    let expanded = false;
    for (const part of parts) {
      const alternatives = part.type === 'BraceExpansion' ? braceAlternatives(part.text) : undefined;
      const options = this.#walk.withinAlternatives(alternatives ?? [part.text]);
      expanded ||= alternatives !== undefined;
      if (sources.length > 1 && !this.#walk.spend(sources.length * options.length * WORD_WORK)) {
        return this.#opaque(parts, into);
      }
      sources = this.#walk.withinCombinations(sources.flatMap((source) => options.map((option) => source + option)));
    }
    const source = sources.filter((text) => text !== '').join(' ');
    if (!expanded || source.includes('\n') || !this.#walk.spend(source.length)) return this.#opaque(parts, into);
    const statement = parse(`_ ${source}`).commands[0]?.command;
    if (statement?.type !== 'Command') return this.#opaque(parts, into);
    for (const argument of statement.args) {
      if (argument.type === 'Word') this.fields(argument, into);
    }
    return into;
  }

  #opaque(parts: readonly WordPart[], into: ShellWord[]): ShellWord[] {
    const text = parts.map((part) => part.text).join('');
    into.push({ text: text.slice(0, SOURCE_CHARS_MAX), dynamic: true, glob: false });
    return into;
  }

  #addParts(parts: readonly WordPart[], builder: FieldBuilder, quoted: boolean): void {
    for (const [index, part] of parts.entries()) {
      if (index > 0 && this.#isNothing(part, builder.lastChar, parts[index + 1])) continue;
      this.#addPart(part, builder, quoted);
    }
  }

  /** `r$@m`: arguments that nobody gave, amid a word, are nothing but a disguise of it. */
  #isNothing(part: WordPart, lastChar: string, next: WordPart | undefined): boolean {
    return (
      part.type === 'SimpleExpansion' &&
      this.#frame.positional === undefined &&
      next !== undefined &&
      /^\$[@*1-9]$/.test(part.text) &&
      /[\w/]/.test(lastChar) &&
      /^['"\\]{0,2}\w/.test(next.text)
    );
  }

  #addPart(part: WordPart, builder: FieldBuilder, quoted: boolean): void {
    switch (part.type) {
      case 'Literal':
        return builder.add(part.value);
      case 'Glob':
        return builder.add(part.value, { glob: true });
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return builder.addQuoted(part.value);
      case 'DoubleQuoted':
      case 'LocaleString':
        builder.addQuoted('');
        for (const child of part.parts) {
          if (child.type === 'Literal') builder.addQuoted(child.value);
          else this.#addPart(child, builder, true);
        }
        return;
      case 'SimpleExpansion':
        return this.#addParameter(part.text.slice(1), part.text, builder, quoted);
      case 'ParameterExpansion':
        return this.#addExpansion(part, builder, quoted);
      case 'CommandExpansion':
        return this.#addOutput(part, builder, quoted);
      case 'ProcessSubstitution':
        return this.#addProcess(part, builder);
      case 'ArithmeticExpansion':
        return this.#addArithmetic(part, builder);
      case 'ExtendedGlob':
        return builder.add(part.text.slice(0, SOURCE_CHARS_MAX), { glob: true });
      case 'BraceExpansion':
        return builder.add(part.text.slice(0, SOURCE_CHARS_MAX), { dynamic: true });
    }
  }

  #addParameter(name: string, source: string, builder: FieldBuilder, quoted: boolean): void {
    const { positional } = this.#frame;
    if ((name === '@' || name === '*') && positional !== undefined) {
      if (this.#walk.spend(positional.length * WORD_WORK)) return builder.addList(positional);
      return builder.add(source, { dynamic: true });
    }
    this.#addValue(this.#variable(name), source, builder, quoted);
  }

  #variable(name: string): Value {
    if (/^\d$/.test(name)) {
      if (name === '0') return this.#frame.lookup(name);
      const argument = this.#frame.positional?.[Number(name) - 1];
      if (argument === undefined) return this.#frame.positional === undefined ? UNKNOWN : known('');
      return argument.dynamic ? UNKNOWN : known(argument.text);
    }
    return name === '_' ? this.#lastArgument() : this.#frame.lookup(name);
  }

  /** `$_` is the last word of the command before. */
  #lastArgument(): Value {
    const word = this.#walk.commands.at(-1)?.args.at(-1);
    return word === undefined || word.dynamic ? UNKNOWN : known(word.text);
  }

  #parameterValue(part: ParameterExpansionPart): Value {
    if (part.operation !== undefined && !this.#walk.spend(part.text.length)) return UNKNOWN;
    const value = part.prefix === '!' ? this.#indirect(part.parameter) : this.#variable(part.parameter);
    const result = applyOperation(part, value, (operand) => {
      const word = this.text(operand as Word);
      return word.dynamic ? undefined : word.text;
    });
    // `${x:=value}` keeps what it gives.
    if (part.operation?.type === 'Default' && part.operation.operator.endsWith('='))
      this.#frame.assign(part.parameter, result);
    return result;
  }

  #addExpansion(part: ParameterExpansionPart, builder: FieldBuilder, quoted: boolean): void {
    const value = this.#parameterValue(part);
    if (!value.known || value.array !== true) return this.#addValue(value, part.text, builder, quoted);
    const index = part.index?.text;
    if (index === '@' || index === '*') {
      return builder.addList(value.values.map((text) => ({ text, dynamic: false, glob: false })));
    }
    const element = value.values[index === undefined ? 0 : Number(index)];
    this.#addValue(element === undefined ? UNKNOWN : known(element), part.text, builder, quoted);
  }

  #indirect(name: string): Value {
    const target = this.#variable(name);
    return target.known && target.values.length === 1 ? this.#variable(target.values[0] as string) : UNKNOWN;
  }

  #addValue(value: Value, source: string, builder: FieldBuilder, quoted: boolean): void {
    if (!value.known) return builder.add(source.slice(0, SOURCE_CHARS_MAX), { dynamic: true });
    if (value.array === true)
      return this.#addValue(value.values[0] === undefined ? UNKNOWN : known(value.values[0]), source, builder, quoted);
    let length = 0;
    for (const text of value.values) length += text.length;
    if (!this.#walk.spend(length)) return builder.add(source.slice(0, SOURCE_CHARS_MAX), { dynamic: true });
    if (value.values.length === 1) builder.addExpansion(value.values[0] as string, quoted);
    else builder.fork(value.values);
  }

  #addOutput(part: Extract<WordPart, { type: 'CommandExpansion' }>, builder: FieldBuilder, quoted: boolean): void {
    const output = this.#scriptOutput(part, builder.begun);
    if (output?.complete !== true) return builder.add(part.text.slice(0, SOURCE_CHARS_MAX), { dynamic: true });
    builder.addExpansion(output.text.replace(/\n+$/, ''), quoted);
  }

  #addProcess(part: Extract<WordPart, { type: 'ProcessSubstitution' }>, builder: FieldBuilder): void {
    const content = stdinOf(this.#scriptOutput(part, builder.begun));
    builder.add(part.text.slice(0, SOURCE_CHARS_MAX), { dynamic: true });
    if (content !== undefined && part.operator === '<') builder.setContent(content);
  }

  #scriptOutput(
    part: Extract<WordPart, { type: 'CommandExpansion' | 'ProcessSubstitution' }>,
    before: string,
  ): Output | undefined {
    if (!this.#walk.mayEnter(this.#frame) || !this.#walk.spend(part.text.length)) return undefined;
    const { script } = part;
    return script === undefined
      ? undefined
      : this.#run(script, this.#frame, {
          before,
          isFed: part.type === 'ProcessSubstitution' && part.operator === '>',
        });
  }

  #addArithmetic(part: Extract<WordPart, { type: 'ArithmeticExpansion' }>, builder: FieldBuilder): void {
    this.#visitArithmetic(part);
    const { expression } = part;
    const value =
      expression === undefined || !this.#walk.spend(part.text.length)
        ? undefined
        : arithmeticValue(expression, (name) => {
            const variable = this.#variable(name);
            return variable.known && variable.values.length === 1 ? variable.values[0] : undefined;
          });
    if (value === undefined) builder.add(part.text.slice(0, SOURCE_CHARS_MAX), { dynamic: true });
    else builder.add(String(value));
  }

  /** Commands inside of arithmetic run. */
  #visitArithmetic(part: Extract<WordPart, { type: 'ArithmeticExpansion' }>): void {
    if (!/\$\(|`/.test(part.text.slice(3)) || !this.#walk.mayEnter(this.#frame)) return;
    if (!this.#walk.spend(part.text.length)) return;
    const nested = parse(part.text.slice(3, -2));
    this.#run(nested, this.#frame, { before: '$((', isFed: false });
  }
}

/** The value of a word without structure. A backslash makes its tilde an ordinary letter. */
function bareValue(word: Word): string {
  const { text, value } = word;
  return value.startsWith('~') && !text.startsWith('~') ? `./${value}` : value;
}

/** The value of a part in quotes without expansions: what most quoted words are. */
function quotedValue(part: WordPart): string | undefined {
  if (part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') return part.value;
  if (part.type !== 'DoubleQuoted') return undefined;
  let value = '';
  for (const child of part.parts) {
    if (child.type !== 'Literal') return undefined;
    value += child.value;
  }
  return value;
}

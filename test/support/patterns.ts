import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import ts from 'typescript';
import { pickOf } from './random.ts';

/** A regular expression of the sources. */
export interface SourcePattern {
  /** File and line. */
  at: string;
  pattern: RegExp;
}

/** Every regular expression that is written as a literal in the TypeScript files under `directory`. */
export function patternsWrittenIn(directory: string): SourcePattern[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => patternsOfFile(join(directory, name)));
}

function patternsOfFile(path: string): SourcePattern[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const found: SourcePattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      const end = node.text.lastIndexOf('/');
      const pattern = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
      found.push({ at: `${path}:${line + 1}`, pattern });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** A text that gives a backtracking engine much to try: `head`, and then `unit` over and over. */
export interface Pump {
  head: string;
  unit: string;
}

/** Made for each part that repeats: more of them find more of its alternatives. */
const SAMPLES = 3;
/** Repetitions that a whole sample is repeated with, so that a start at each of them runs through the others. */
const RUN = 8;

/**
 * Texts made from `pattern` itself, on which it is slow if it is slow on any of this kind: each part that repeats,
 * repeated, alone and behind what stands before it; what stands before it, repeated with it; and whole matches.
 */
export function pumpsOf(pattern: RegExp, random: () => number): Pump[] {
  const { source, flags } = pattern;
  const options = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const root = new RegExpParser().parsePattern(source, 0, source.length, options);
  const sampler = new Sampler(flags, random);
  const pumps = new Map<string, Pump>();
  const add = (head: string, unit: string): void => {
    if (unit !== '') pumps.set(`${head}\0${unit}`, { head, unit });
  };
  for (const { repeated, before } of repetitionsOf(root)) {
    for (let n = 0; n < SAMPLES; n++) {
      const head = before.map((element) => sampler.sample(element)).join('');
      const unit = sampler.sample(repeated.element);
      add('', unit);
      add(head, unit);
      add(head, unit + sampler.sample(repeated.element));
      add('', head + unit);
      add('', head + unit.repeat(RUN));
    }
  }
  for (let n = 0; n < SAMPLES; n++) {
    const whole = sampler.sample(root);
    add('', whole);
    add('', whole.slice(0, -1));
  }
  return [...pumps.values()];
}

interface Repetition {
  repeated: AST.Quantifier;
  /** What matches before it, in its own alternative and those around it. */
  before: readonly AST.Element[];
}

/** Below this, a repetition is one of a few optional parts. */
const TIMES_MIN = 3;

function repetitionsOf(root: AST.Pattern): Repetition[] {
  const found: Repetition[] = [];
  const visit = (node: AST.Pattern | AST.Alternative | AST.Element, before: readonly AST.Element[]): void => {
    if (node.type === 'Alternative') {
      for (const [index, element] of node.elements.entries())
        visit(element, [...before, ...node.elements.slice(0, index)]);
    } else if (node.type === 'Quantifier') {
      if (node.max >= TIMES_MIN) found.push({ repeated: node, before });
      visit(node.element, before);
    } else if ('alternatives' in node) {
      for (const alternative of node.alternatives) if (alternative.type === 'Alternative') visit(alternative, before);
    }
  };
  visit(root, []);
  return found;
}

const ASCII = Array.from({ length: 127 }, (_, code) => String.fromCharCode(code));
const OTHERS = ['é', 'ſ', '漢', '\u200b', '\u202e', '😀'];

/** Makes texts that a part of a pattern matches; what it looks around for is left out. */
class Sampler {
  readonly #flags: string;
  readonly #random: () => number;
  readonly #captured = new Map<AST.CapturingGroup, string>();
  readonly #characters = new Map<string, readonly string[]>();

  constructor(flags: string, random: () => number) {
    this.#flags = flags.replace(/[dgy]/g, '');
    this.#random = random;
  }

  sample(node: AST.Pattern | AST.Element): string {
    switch (node.type) {
      case 'Pattern':
      case 'Group':
      case 'CapturingGroup': {
        const text = pickOf(this.#random, node.alternatives)
          .elements.map((element) => this.sample(element))
          .join('');
        if (node.type === 'CapturingGroup') this.#captured.set(node, text);
        return text;
      }
      case 'Quantifier': {
        const times = Math.min(node.max, node.min + Math.floor(this.#random() * 2));
        return Array.from({ length: times }, () => this.sample(node.element)).join('');
      }
      case 'Character':
        return String.fromCodePoint(node.value);
      case 'CharacterClass':
      case 'CharacterSet':
      case 'ExpressionCharacterClass':
        return pickOf(this.#random, this.#charactersOf(node.raw));
      case 'Backreference':
        return this.#captured.get([node.resolved].flat()[0] as AST.CapturingGroup) ?? '';
      case 'Assertion':
        return '';
    }
  }

  /** Characters that the class `raw` takes; at least one, be it none of them. */
  #charactersOf(raw: string): readonly string[] {
    const known = this.#characters.get(raw);
    if (known !== undefined) return known;
    const pattern = new RegExp(`^${raw}$`, this.#flags);
    const taken = [...ASCII, ...OTHERS].filter((character) => pattern.test(character));
    const characters = taken.length > 0 ? taken : OTHERS;
    this.#characters.set(raw, characters);
    return characters;
  }
}

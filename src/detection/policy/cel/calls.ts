import { pathSetOf } from '../glob-set.ts';
import { POLICY_LIMITS } from '../limits.ts';
import { compilePattern, type Pattern } from '../pattern.ts';
import { closest } from '../spelling.ts';
import { CelFault, type CelNode } from './ast.ts';
import { a, type Compiled, FOREIGN, isConstant, madeOf, type Scope } from './compiled.ts';
import { conversionType, TIME_PARTS } from './conversions.ts';
import { EvaluationFault, type Run } from './evaluation.ts';
import { compileLoop, LOOPS } from './loops.ts';
import { BOOL, type CelType, INT, STRING } from './types.ts';

type Call = CelNode & { kind: 'call' };

/** Compiles a call of a function, a method or a loop such as `exists`. */
export function compileCall(call: Call, scope: Scope): Compiled {
  if (call.target !== undefined && LOOPS.has(call.name)) return compileLoop(call, call.target, scope);
  if (call.name === 'has')
    throw new CelFault(call.at, 'every fact is always there: compare it with "" or 0 instead of has()');
  if (call.target !== undefined && !METHODS.has(call.name) && !TIME_PARTS.has(call.name) && call.name !== 'size') {
    const hint = FUNCTIONS.includes(call.name) ? `: write ${call.name}(…) around it` : closest(call.name, METHOD_NAMES);
    throw new CelFault(call.at, `there is no function "${call.name}" to call on a value${hint}`);
  }
  const target = call.target === undefined ? undefined : scope.compile(call.target, scope);
  const args = call.args.map((arg) => scope.compile(arg, scope));
  if (call.name === 'size') return compileSize(call, target, args);
  const conversion = target === undefined ? conversionType(call, args) : undefined;
  if (conversion !== undefined) return { ...madeOf(args), canFail: true, type: conversion, run: FOREIGN };
  if (target !== undefined) return compileMethod(call, target, args);
  const hint = METHODS.has(call.name)
    ? `: write it behind its text, as in tool.name.${call.name}(…)`
    : closest(call.name, FUNCTIONS);
  throw new CelFault(call.at, `there is no function "${call.name}"${hint}`);
}

/** Names of what can be called without a value in front. */
const FUNCTIONS: readonly string[] = ['size', 'timestamp', 'duration', 'string', 'int', 'double'];

function compileSize(call: Call, target: Compiled | undefined, args: readonly Compiled[]): Compiled {
  const operand = target ?? args[0];
  if (operand === undefined || args.length !== (target === undefined ? 1 : 0)) {
    throw new CelFault(call.at, 'size() takes one value: write size(x) or x.size()');
  }
  const parts = { ...madeOf([operand]), raw: false, type: INT };
  if (operand.type.kind === 'list') {
    const run = operand.run as Run<readonly unknown[]>;
    return { ...parts, run: (evaluation) => run(evaluation).length };
  }
  if (operand.type.kind !== 'string') throw new CelFault(call.at, `${a(operand.type)} has no size()`);
  const run = operand.run as Run<string>;
  return { ...parts, run: (evaluation) => codePointsCount(search(evaluation, run)) };
}

function codePointsCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const paired = (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
    if (paired) {
      count--;
      index++;
    }
  }
  return count;
}

/** The text of `run`, paid for as one that is searched. */
function search(evaluation: Parameters<Run>[0], run: Run<string>): string {
  const text = run(evaluation);
  evaluation.spend(text.length >> 6);
  return text;
}

type Search = (text: string, part: string) => boolean;

const SEARCHES: ReadonlyMap<string, Search> = new Map<string, Search>([
  ['startsWith', (text, part) => text.startsWith(part)],
  ['endsWith', (text, part) => text.endsWith(part)],
  ['contains', (text, part) => text.includes(part)],
]);

type Method = (call: Call, target: Compiled, args: readonly Compiled[]) => Compiled;

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ...[...SEARCHES].map(([name, test]): [string, Method] => [name, searching(test)]),
  ['matches', matching],
  ['like', liking],
  ['likeAny', likingAny],
  ['lowerAscii', folding((text) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase()))],
  ['upperAscii', folding((text) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()))],
]);

/** Names of what can be called behind a text or a list. */
const METHOD_NAMES: readonly string[] = [...METHODS.keys(), ...LOOPS];

function compileMethod(call: Call, target: Compiled, args: readonly Compiled[]): Compiled {
  if (TIME_PARTS.has(call.name)) return timePart(call, target, args);
  if (target.type.kind !== 'string') {
    const hint = target.type.kind === 'list' ? `: write .exists(x, x.${call.name}(…))` : '';
    throw new CelFault(call.at, `${call.name}() needs a string in front, and this is ${a(target.type)}${hint}`);
  }
  return (METHODS.get(call.name) as Method)(call, target, args);
}

function timePart(call: Call, target: Compiled, args: readonly Compiled[]): Compiled {
  if (target.type.kind !== 'timestamp' && target.type.kind !== 'duration') {
    throw new CelFault(call.at, `${call.name}() needs a timestamp in front, and this is ${a(target.type)}`);
  }
  if (target.type.kind === 'duration' && !/^get(?:Hours|Minutes|Seconds|Milliseconds)$/.test(call.name)) {
    throw new CelFault(call.at, `a duration has no ${call.name}()`);
  }
  if (args.length > 0) throw new CelFault(call.at, 'time zones cannot be used: this is in UTC, add a duration to it');
  return { ...madeOf([target]), canFail: true, type: INT, run: FOREIGN };
}

function only(call: Call, args: readonly Compiled[], wanted: CelType): Compiled {
  const [arg] = args;
  if (arg !== undefined && args.length === 1 && arg.type.kind === wanted.kind) return arg;
  const given = arg !== undefined && args.length === 1 ? a(arg.type) : `${args.length} values`;
  throw new CelFault(call.at, `${call.name}() takes one ${wanted.kind}, and this is ${given}`);
}

function searching(test: Search): Method {
  return (call, target, args) => {
    const arg = only(call, args, STRING);
    const runText = target.run as Run<string>;
    const runPart = arg.run as Run<string>;
    const run: Run = (evaluation) => test(search(evaluation, runText), runPart(evaluation));
    return { ...madeOf([target, arg]), raw: false, type: BOOL, run };
  };
}

function matching(call: Call, target: Compiled, args: readonly Compiled[]): Compiled {
  const arg = only(call, args, STRING);
  if (!isConstant(arg)) throw new CelFault(call.at, 'the pattern of matches() must be a literal: it is compiled once');
  const pattern = compiledPattern(arg.constant as string, call.args[0]?.at ?? call.at);
  const runText = target.run as Run<string>;
  const run: Run = (evaluation) => {
    const text = runText(evaluation);
    if (text.length > POLICY_LIMITS.matchCharsMax) throw new EvaluationFault('text_length');
    evaluation.spend(1 + Math.floor(text.length / 4) + Math.floor((text.length * pattern.repeatedSize) / 128));
    return pattern.test(text);
  };
  return { ...madeOf([target]), canFail: true, raw: false, type: BOOL, run };
}

function compiledPattern(pattern: string, at: number): Pattern {
  const { patternCharsMax, patternSizeMax } = POLICY_LIMITS;
  if (pattern.length > patternCharsMax)
    throw new CelFault(at, `the pattern is longer than ${patternCharsMax} characters`);
  const compiled = parsedPattern(pattern, at);
  const { size } = compiled;
  if (size > patternSizeMax)
    throw new CelFault(
      at,
      `the pattern has ${size} parts, its repetitions written out, and ${patternSizeMax} is the most`,
    );
  return compiled;
}

function parsedPattern(pattern: string, at: number): Pattern {
  try {
    return compilePattern(pattern);
  } catch (error) {
    const why = (error as Error).message.replace(/^error parsing regexp: /, '');
    throw new CelFault(at, `this is no RE2 pattern: ${why}`);
  }
}

function liking(call: Call, target: Compiled, args: readonly Compiled[]): Compiled {
  const arg = only(call, args, STRING);
  if (!isConstant(arg)) throw new CelFault(call.at, 'the pattern of like() must be a literal: it is compiled once');
  return like([arg.constant as string], target);
}

function likingAny(call: Call, target: Compiled, args: readonly Compiled[]): Compiled {
  const arg = only(call, args, { kind: 'list', of: STRING });
  if (!isConstant(arg)) {
    throw new CelFault(call.at, 'likeAny() takes a list under spec.lists or one of literals: it is compiled once');
  }
  return like(arg.constant as readonly string[], target);
}

function like(patterns: readonly string[], target: Compiled): Compiled {
  const globs = pathSetOf(patterns);
  const runText = target.run as Run<string>;
  const run: Run = (evaluation) => {
    const text = runText(evaluation);
    evaluation.spend(1);
    return globs.matches(text, (steps) => evaluation.spend(steps));
  };
  return { ...madeOf([target]), raw: false, type: BOOL, run };
}

function folding(fold: (text: string) => string): Method {
  return (call, target, args) => {
    if (args.length > 0) throw new CelFault(call.at, `${call.name}() takes no value`);
    const runText = target.run as Run<string>;
    return { ...madeOf([target]), type: STRING, run: (evaluation) => fold(search(evaluation, runText)) };
  };
}

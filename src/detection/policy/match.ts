import { compareSeverities, type Severity } from '../../domain/decision.ts';
import type { MatchDocument } from './document.ts';
import type { PolicyInput } from './facts-surface.ts';
import { globSet } from './glob-set.ts';

/** A compiled `match`: what is cheap to tell of an event. */
export interface CompiledMatch {
  /** Whether everything asked for holds. */
  test(input: PolicyInput): boolean;
  /** The findings that `findings` is about, as indices; those of any kind where it is left out. Empty where none is asked for. */
  findingsOf(input: PolicyInput): number[];
  /** Kinds of findings, as patterns, that it rests on. */
  findingKinds: readonly string[];
  document: MatchDocument;
}

type Test = (input: PolicyInput) => boolean;

/** `value` as a list: most fields of `match` take one or several. */
export function asList<T extends string>(value: T | readonly T[] | undefined): readonly T[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/** Compiles `match`; one that is left out matches everything. */
export function compileMatch(document: MatchDocument = {}): CompiledMatch {
  const tests = [...simpleTests(document)];
  const finding = findingTest(document);
  if (finding !== undefined) tests.push((input) => input.findings.some(finding));
  return {
    document,
    findingKinds: finding === undefined ? [] : asList(document.findings ?? '*'),
    test: all(tests),
    findingsOf: ({ findings }) =>
      finding === undefined ? [] : findings.flatMap((found, index) => (finding(found) ? [index] : [])),
  };
}

function all(tests: readonly Test[]): Test {
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (tests.length === 2) return (input) => first(input) && second(input);
  return (input) => {
    for (const test of tests) if (!test(input)) return false;
    return true;
  };
}

function* simpleTests(document: MatchDocument): Generator<Test> {
  const kinds = one(document.toolKind);
  if (kinds !== undefined) yield ({ tool }) => kinds(tool.kind);
  const effects = one(document.toolEffect);
  if (effects !== undefined) yield ({ tool }) => effects(tool.effect);
  const names = glob(document.toolName);
  if (names !== undefined) yield ({ tool }) => tool.kind !== '' && names(tool.name);
  const agents = glob(document.agent);
  if (agents !== undefined) yield ({ agent }) => agents(agent.id);
  const agentRoles = glob(document.agentRole);
  if (agentRoles !== undefined) yield ({ agent }) => agentRoles(agent.role);
  const users = glob(document.user);
  if (users !== undefined) yield ({ user }) => users(user.email);
  const userRoles = glob(document.userRole);
  if (userRoles !== undefined) yield ({ user }) => user.roles.some(userRoles);
  const taints = one(document.taint);
  if (taints !== undefined) yield ({ session }) => session.labels.some(taints);
}

function one(values: string | readonly string[] | undefined): ((value: string) => boolean) | undefined {
  if (values === undefined) return undefined;
  const list = asList(values);
  const [first] = list;
  if (list.length === 1) return (value) => value === first;
  const set = new Set<string>(list);
  return (value) => set.has(value);
}

/** Tests names by patterns in which a star stands for anything. */
export function glob(patterns: string | readonly string[] | undefined): ((value: string) => boolean) | undefined {
  if (patterns === undefined) return undefined;
  const globs = globSet(asList(patterns), 'name');
  return (value) => globs.matches(value);
}

type FindingInput = PolicyInput['findings'][number];

function findingTest(document: MatchDocument): ((finding: FindingInput) => boolean) | undefined {
  const { findings, minConfidence = 0, minSeverity = 'informational', source } = document;
  if (
    findings === undefined &&
    source === undefined &&
    document.minConfidence === undefined &&
    document.minSeverity === undefined
  ) {
    return undefined;
  }
  const kinds = glob(findings ?? '*') as (kind: string) => boolean;
  const sources = one(source) ?? (() => true);
  return (finding) =>
    finding.confidence >= minConfidence &&
    compareSeverities(finding.severity as Severity, minSeverity) >= 0 &&
    sources(finding.source) &&
    kinds(finding.kind);
}

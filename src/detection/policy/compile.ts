import { compareSeverities } from '../../domain/decision.ts';
import type { PolicyFault } from '../../domain/policy-work.ts';
import type { ToolTaxonomy } from '../facts/tools.ts';
import { CandidateIndex } from './candidate-index.ts';
import { canonicalJson, sha256 } from './canonical.ts';
import { compilePolicy } from './compile-policy.ts';
import type { CompiledPolicy, InlineTest } from './compiled-policy.ts';
import type { PolicyDocument, ToolDocument } from './document.ts';
import { type DocumentPath, FaultList, pathText } from './faults.ts';
import { POLICY_LIMITS } from './limits.ts';
import { asList } from './match.ts';
import { PolicyCompiling } from './place.ts';
import type { PolicySource } from './source.ts';
import { toolTaxonomy } from './tool-taxonomy.ts';
import { type MacroText, SetVocabulary } from './vocabulary.ts';

/** Policies ready to be evaluated. Immutable. */
export interface CompiledPolicySet {
  /** SHA-256 of the canonical JSON of all documents: which set decided. */
  hash: string;
  /** All but those that are off: the gravest first, ties by id. */
  policies: readonly CompiledPolicy[];
  index: CandidateIndex;
  /** What the set says of tools; absent where it says nothing. */
  tools: ToolTaxonomy | undefined;
  /** What the policies rest on, so that nothing else need be computed. */
  needs: PolicyNeeds;
  tests: readonly InlineTest[];
  /** What is right, and hardly meant. */
  warnings: readonly PolicyFault[];
}

export interface PolicyNeeds {
  /** The facts that conditions and reasons mention: `flow`, and `flow.top` where they go on. */
  facts: ReadonlySet<string>;
  /** Kinds of findings that policies ask for, as patterns; `*` where a condition looks at all of them. */
  findings: readonly string[];
}

export type CompiledPolicies = { ok: true; set: CompiledPolicySet } | { ok: false; faults: PolicyFault[] };

/**
 * Compiles documents to one set. Ids are unique among all of them; lists and macros are shared, and may be repeated
 * where they are equal. The order of documents and policies does not matter.
 */
export function compilePolicySet(sources: readonly PolicySource[], hash?: string): CompiledPolicies {
  const steps = compilingPolicySet(sources, hash);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same a policy at a time, for a thread that has more to do meanwhile. `hash`: the set's, where it is known. */
export function* compilingPolicySet(
  sources: readonly PolicySource[],
  hash: string = hashOf(sources),
): Generator<void, CompiledPolicies> {
  const found = new FaultList();
  const tools = toolTaxonomy(declaredTools(sources, found));
  const warnings = new FaultList();
  const vocabulary = vocabularyOf(sources, found, warnings);
  for (const name of vocabulary.macroNames) vocabulary.check(name);
  const entries = uniquePolicies(sources, found);
  const compiling = new PolicyCompiling(vocabulary, found, warnings);
  // What only a policy mentions that is off, nothing rests on.
  const unused = new PolicyCompiling(vocabulary, found, warnings);
  const policies: CompiledPolicy[] = [];
  for (const { source, document, path } of entries) {
    if (found.full) break;
    const policy = compilePolicy(document, (document.mode === 'off' ? unused : compiling).at(source, path));
    if (policy !== undefined) policies.push(policy);
    yield;
  }
  if (found.faults.length > 0) return { ok: false, faults: found.faults };
  warnOfUnused(sources, vocabulary, warnings);
  const ordered = inOrder(policies);
  return {
    ok: true,
    set: {
      hash,
      policies: ordered,
      index: new CandidateIndex(ordered),
      tools,
      needs: { facts: compiling.mentions, findings: needsOf(ordered, compiling.mentions) },
      tests: entries.flatMap(({ source, document }) =>
        (document.tests ?? []).map((test) => ({ policy: test.policy ?? document.id, test, file: source.file })),
      ),
      warnings: warnings.faults,
    },
  };
}

function hashOf(sources: readonly PolicySource[]): string {
  const documents = sources.map(({ document }) => canonicalJson(document)).sort();
  // Canonical JSON holds no line break, so that joined texts differ where the documents do.
  return sha256(documents.join('\n'));
}

function inOrder(policies: readonly CompiledPolicy[]): CompiledPolicy[] {
  return [...policies]
    .sort((left, right) => compareSeverities(right.severity, left.severity) || (left.id < right.id ? -1 : 1))
    .map((policy, order) => ({ ...policy, order }));
}

function needsOf(policies: readonly CompiledPolicy[], mentions: ReadonlySet<string>): string[] {
  const kinds = new Set<string>(mentions.has('findings') ? ['*'] : []);
  for (const policy of policies) {
    for (const { match } of [policy, ...policy.exceptions, ...(policy.sequence?.steps ?? [])]) {
      for (const kind of match.findingKinds) kinds.add(kind);
    }
    if (remembersAnyFinding(policy)) kinds.add('*');
  }
  return kinds.has('*') ? ['*'] : [...kinds].sort();
}

/** Whether the values of whatever is found are remembered: where a policy names no findings, all are meant. */
function remembersAnyFinding({ effects, match }: CompiledPolicy): boolean {
  const { fingerprint } = effects ?? {};
  if (fingerprint === undefined || match.findingKinds.length > 0) return false;
  return fingerprint.of === undefined || fingerprint.of.includes('findings');
}

interface Entry {
  source: PolicySource;
  document: PolicyDocument;
  path: DocumentPath;
}

function uniquePolicies(sources: readonly PolicySource[], found: FaultList): Entry[] {
  const entries: Entry[] = [];
  const ids = new Map<string, Entry>();
  for (const source of sources) {
    for (const [index, document] of (source.document.spec.policies ?? []).entries()) {
      const entry = { source, document, path: ['spec', 'policies', index] };
      const other = ids.get(document.id);
      if (other === undefined) ids.set(document.id, entry);
      else {
        const place = other.source.locate([...other.path, 'id']);
        const where = `${other.source.file}:${place.line}`;
        report(
          found,
          source,
          [...entry.path, 'id'],
          `the policy "${document.id}" is already defined at ${where}: ids must be unique`,
        );
      }
      entries.push(entry);
    }
  }
  const { policiesMax } = POLICY_LIMITS;
  const [first] = sources;
  if (entries.length > policiesMax && first !== undefined) {
    report(found, first, [], `${entries.length} policies are more than ${policiesMax}`);
  }
  return entries.slice(0, policiesMax);
}

function report(
  found: FaultList,
  source: PolicySource,
  path: DocumentPath,
  message: string,
  at?: number | 'name',
): void {
  found.add({ file: source.file, path: pathText(path), message, ...source.locate(path, at) });
}

/** The tools of all documents. The same name may be declared twice where both are equal, whatever its case. */
function declaredTools(sources: readonly PolicySource[], found: FaultList): Map<string, ToolDocument> {
  const tools = new Map<string, ToolDocument>();
  for (const source of sources) {
    for (const [name, tool] of Object.entries(source.document.spec.tools ?? {})) {
      const path = ['spec', 'tools', name];
      const known = tools.get(name.toLowerCase());
      if (!/[^*?]/.test(name)) report(found, source, path, 'this fits every tool: name some characters');
      else if (known === undefined) tools.set(name.toLowerCase(), tool);
      else if (canonicalJson(known) !== canonicalJson(tool))
        report(found, source, path, `the tool "${name}" is already declared otherwise: rename one of them`);
    }
  }
  const { toolsMax } = POLICY_LIMITS;
  const [first] = sources;
  if (tools.size > toolsMax && first !== undefined)
    report(found, first, [], `${tools.size} tools are more than ${toolsMax}: use patterns`);
  return tools;
}

function vocabularyOf(sources: readonly PolicySource[], found: FaultList, warnings: FaultList): SetVocabulary {
  const lists = new Map<string, readonly string[]>();
  const macros = new Map<string, MacroText>();
  for (const source of sources) {
    const { spec } = source.document;
    for (const [name, items] of Object.entries(spec.lists ?? {})) {
      const known = lists.get(name);
      if (known === undefined) lists.set(name, items);
      else if (canonicalJson(known) !== canonicalJson(items)) {
        report(
          found,
          source,
          ['spec', 'lists', name],
          `the list "${name}" is already defined otherwise: rename one of them`,
        );
      }
    }
    for (const [name, text] of Object.entries(spec.macros ?? {})) {
      const path = ['spec', 'macros', name];
      const known = macros.get(name);
      if (known === undefined) {
        macros.set(name, {
          text,
          report: ({ at, message }) => report(found, source, path, message, at),
          warn: ({ at, message }) => report(warnings, source, path, message, at),
        });
      } else if (known.text !== text) {
        report(found, source, path, `the macro "${name}" is already defined otherwise: rename one of them`);
      }
    }
  }
  return new SetVocabulary(lists, macros, labelsOf(sources));
}

/** The taints that policies can set. */
function labelsOf(sources: readonly PolicySource[]): string[] {
  const labels = sources
    .flatMap(({ document }) => document.spec.policies ?? [])
    .flatMap(({ taint }) =>
      typeof taint === 'object' && 'add' in taint ? asList(taint.add) : isLabels(taint) ? asList(taint) : [],
    );
  return [...new Set(labels)];
}

function isLabels(taint: PolicyDocument['taint']): taint is string | string[] {
  return typeof taint === 'string' || Array.isArray(taint);
}

/** A list that nothing uses is taken for one that counts: of hosts, say, that are allowed. */
function warnOfUnused(sources: readonly PolicySource[], { used }: SetVocabulary, warnings: FaultList): void {
  for (const source of sources) {
    const { lists = {}, macros = {} } = source.document.spec;
    for (const [kind, names] of Object.entries({ lists: Object.keys(lists), macros: Object.keys(macros) })) {
      for (const name of names.filter((each) => !used.has(`${kind}.${each}`)))
        report(warnings, source, ['spec', kind, name], `nothing here uses ${kind}.${name}`, 'name');
    }
  }
}

import type { EventType } from '../../domain/event-types.ts';
import type { CompiledPolicy, Selector } from './compiled-policy.ts';
import type { MatchDocument } from './document.ts';
import type { PolicyInput } from './facts-surface.ts';
import { asList } from './match.ts';

/** What policies are told apart by, the most telling first. */
const DIMENSIONS = ['family', 'taint', 'agent', 'user', 'toolName', 'toolKind'] as const;
type Dimension = (typeof DIMENSIONS)[number];

interface Buckets {
  /** Policies that any event of the type may match. */
  any: CompiledPolicy[];
  by: Readonly<Record<Dimension, Map<string, CompiledPolicy[]>>>;
}

/**
 * Finds the policies that an event can match, so that the others cost nothing: by event type, and then by the most
 * telling of the values that a policy's `match` demands.
 */
export class CandidateIndex {
  readonly #byType = new Map<EventType, Buckets>();

  constructor(policies: readonly CompiledPolicy[]) {
    for (const policy of policies) {
      for (const selector of policy.sequence?.steps ?? [policy]) this.#add(policy, selector);
    }
  }

  /** The policies to evaluate for an event, in their order, each once. */
  candidates(type: EventType, input: PolicyInput): readonly CompiledPolicy[] {
    const buckets = this.#byType.get(type);
    if (buckets === undefined) return [];
    const found: (readonly CompiledPolicy[])[] = buckets.any.length > 0 ? [buckets.any] : [];
    for (const dimension of DIMENSIONS) {
      const map = buckets.by[dimension];
      if (map.size === 0) continue;
      for (const value of valuesOf(dimension, input)) {
        const policies = map.get(value);
        if (policies !== undefined) found.push(policies);
      }
    }
    const [first = []] = found;
    return found.length > 1 ? inOrder(found) : first;
  }

  #add(policy: CompiledPolicy, { on, match }: Selector): void {
    for (const type of on) {
      const buckets = this.#byType.get(type) ?? emptyBuckets();
      this.#byType.set(type, buckets);
      const demand = demandOf(match.document);
      if (demand === undefined) addTo(buckets.any, policy);
      else {
        const map = buckets.by[demand.dimension];
        for (const value of demand.values) {
          const policies = map.get(value) ?? [];
          map.set(value, policies);
          addTo(policies, policy);
        }
      }
    }
  }
}

function addTo(policies: CompiledPolicy[], policy: CompiledPolicy): void {
  // The steps of a sequence come one after the other.
  if (policies.at(-1) !== policy) policies.push(policy);
}

function inOrder(found: readonly (readonly CompiledPolicy[])[]): CompiledPolicy[] {
  return [...new Set(found.flat())].sort((left, right) => left.order - right.order);
}

function emptyBuckets(): Buckets {
  const map = (): Map<string, CompiledPolicy[]> => new Map();
  return {
    any: [],
    by: { family: map(), taint: map(), agent: map(), user: map(), toolName: map(), toolKind: map() },
  };
}

interface Demand {
  dimension: Dimension;
  values: readonly string[];
}

/** The values of which an event must have one; undefined where the match demands none that could be looked up. */
function demandOf(match: MatchDocument): Demand | undefined {
  for (const dimension of DIMENSIONS) {
    const values = demanded(dimension, match);
    if (values !== undefined && values.length > 0) return { dimension, values };
  }
  return undefined;
}

function demanded(dimension: Dimension, match: MatchDocument): readonly string[] | undefined {
  switch (dimension) {
    case 'family':
      return exact(asList(match.findings).map(familyOf));
    case 'toolName':
    case 'agent':
    case 'user':
      return exact(asList(match[dimension]).map((value) => value.toLowerCase()));
    case 'taint':
    case 'toolKind':
      return asList<string>(match[dimension]);
  }
}

/** The values, if none of them is a pattern. */
function exact(values: readonly string[]): readonly string[] | undefined {
  return values.some((value) => /[*?]/.test(value)) ? undefined : [...new Set(values)];
}

function familyOf(kind: string): string {
  const dot = kind.indexOf('.');
  return (dot < 0 ? kind : kind.slice(0, dot)).toLowerCase();
}

function valuesOf(dimension: Dimension, input: PolicyInput): readonly string[] {
  switch (dimension) {
    case 'family':
      return input.findings.length === 0 ? [] : [...new Set(input.findings.map(({ kind }) => familyOf(kind)))];
    case 'taint':
      return input.session.labels;
    case 'agent':
      return [input.agent.id.toLowerCase()];
    case 'user':
      return [input.user.email.toLowerCase()];
    case 'toolName':
      return [input.tool.name.toLowerCase()];
    case 'toolKind':
      return [input.tool.kind];
  }
}

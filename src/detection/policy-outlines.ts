import type { PolicyOutline } from '../domain/policy-work.ts';
import { asList } from './policy/match.ts';
import type { PolicySource } from './policy/source.ts';

/** The policies of checked documents as a list shows them, by file and place. */
export function outlinesOf(sources: readonly PolicySource[]): PolicyOutline[] {
  return sources.flatMap(outlinesIn);
}

function outlinesIn(source: PolicySource): PolicyOutline[] {
  return (source.document.spec.policies ?? []).map((policy, at) => ({
    id: policy.id,
    title: policy.title,
    description: policy.description,
    on: policy.on === undefined ? [] : asList<string>(policy.on),
    severity: policy.severity,
    mode: policy.mode ?? 'enforce',
    effect: policy.effect ?? 'log',
    tags: policy.tags ?? [],
    testsCount: policy.tests?.length ?? 0,
    file: source.file,
    line: source.locate(['spec', 'policies', at]).line,
  }));
}

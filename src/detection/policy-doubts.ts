import type { PolicyFault } from '../domain/policy-work.ts';
import { kindsCanMeet, REPORTED_KINDS } from './detectors/needed-detectors.ts';
import type { MatchDocument, PolicyTestDocument } from './policy/document.ts';
import { type DocumentPath, pathText } from './policy/faults.ts';
import { testEvents, writtenEvents, writtenPath } from './policy/inline-tests.ts';
import { asList } from './policy/match.ts';
import type { PolicySource } from './policy/source.ts';
import { closest } from './policy/spelling.ts';

/**
 * What is right, and hardly meant: a set without policies, patterns of findings that no detector reports, so that a policy which asks for them alone never matches,
 * and fields of a test's tools that are spelt almost as those that count.
 */
export function policyDoubts(sources: readonly PolicySource[]): PolicyFault[] {
  return [
    ...lackOfPolicies(sources),
    ...sources.flatMap((source) =>
      (source.document.spec.policies ?? []).flatMap((policy, at) => {
        const path = ['spec', 'policies', at];
        const steps = policy.sequence?.steps ?? [];
        return [
          ...(policy.tests ?? []).flatMap((test, n) => misspeltFields(source, test, [...path, 'tests', n])),
          ...unknownKinds(source, policy.match, [...path, 'match']),
          ...(policy.exceptions ?? []).flatMap(({ match }, n) =>
            unknownKinds(source, match, [...path, 'exceptions', n, 'match']),
          ),
          ...steps.flatMap(({ match }, n) => unknownKinds(source, match, [...path, 'sequence', 'steps', n, 'match'])),
        ];
      }),
    ),
  ];
}

function lackOfPolicies(sources: readonly PolicySource[]): PolicyFault[] {
  const [first] = sources;
  if (first === undefined || sources.some(({ document }) => (document.spec.policies ?? []).length > 0)) return [];
  const path = ['spec', 'policies'];
  const message = 'the set has no policies: it allows everything';
  return [{ file: first.file, path: pathText(path), message, ...first.locate(path) }];
}

/** Fields that the contract does not name are kept, so that these are no faults. */
function misspeltFields(source: PolicySource, test: PolicyTestDocument, path: DocumentPath): PolicyFault[] {
  const complete = testEvents(test);
  if (!complete.ok) return [];
  const events = [...complete.events.given, complete.events.event];
  return writtenEvents(test).flatMap(({ path: event, written }, index) => {
    const fields = Object.keys(events[index]?.['tool'] ?? {}).filter((field) => !TOOL_FIELDS.includes(field));
    return fields.flatMap((field) => {
      const hint = closest(field, TOOL_FIELDS);
      if (!hint.includes('did you mean')) return [];
      const at = [...path, ...event, ...writtenPath(written, ['tool', field])];
      const message = `${JSON.stringify(field.slice(0, 64))} is no field of a tool${hint}`;
      return [{ file: source.file, path: pathText(at), message, ...source.locate(at, 'name') }];
    });
  });
}

const FAMILIES: readonly string[] = [...new Set(REPORTED_KINDS.map(familyOf))];

function familyOf(kind: string): string {
  return kind.split('.', 1)[0] as string;
}

const TOOL_FIELDS: readonly string[] = ['name', 'input', 'output'];

function unknownKinds(source: PolicySource, match: MatchDocument | undefined, path: DocumentPath): PolicyFault[] {
  const { findings } = match ?? {};
  return asList<string>(findings).flatMap((pattern, index) => {
    if (REPORTED_KINDS.some((kind) => kindsCanMeet(kind, pattern))) return [];
    const at = [...path, 'findings', ...(typeof findings === 'string' ? [] : [index])];
    const message = `no detector reports ${JSON.stringify(pattern)}${closest(familyOf(pattern), FAMILIES)}`;
    return [{ file: source.file, path: pathText(at), message, ...source.locate(at) }];
  });
}

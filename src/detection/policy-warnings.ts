import { isBlocking } from '../domain/event-types.ts';
import type { PolicyFault } from '../domain/policy-work.ts';
import { kindsCanMeet, REPORTED_KINDS } from './detectors/needed-detectors.ts';
import { typesOf } from './policy/compile-policy.ts';
import type { MatchDocument, PolicyDocument, PolicyTestDocument } from './policy/document.ts';
import { type DocumentPath, pathText } from './policy/faults.ts';
import { testEvents, writtenEvents, writtenPath } from './policy/inline-tests.ts';
import { asList } from './policy/match.ts';
import type { PolicySource } from './policy/source.ts';
import { closest, nearest } from './policy/spelling.ts';
import { tagWarning } from './policy/tags.ts';

/**
 * What is right, and hardly meant: a set without policies, patterns of findings that no detector reports, so that a policy which asks for them alone never matches,
 * fields of a test's tools that are spelt almost as those that count, holds that do not say why, tags that do not exist, and blocks of what cannot be blocked.
 */
export function policyWarnings(sources: readonly PolicySource[]): PolicyFault[] {
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
          ...blockInVain(source, policy, [...path, 'effect']),
          ...holdWithoutReason(source, policy, [...path, 'hold']),
          ...unknownTags(source, policy, [...path, 'tags']),
        ];
      }),
    ),
  ];
}

function warning(
  source: PolicySource,
  { path, at, message }: { path: DocumentPath; at?: number | 'name'; message: string },
): PolicyFault {
  return { file: source.file, path: pathText(path), message, ...source.locate(path, at) };
}

function lackOfPolicies(sources: readonly PolicySource[]): PolicyFault[] {
  const [first] = sources;
  if (first === undefined || sources.some(({ document }) => (document.spec.policies ?? []).length > 0)) return [];
  return [warning(first, { path: ['spec', 'policies'], message: 'the set has no policies: it allows everything' })];
}

/** Nobody waits for the answer. */
function blockInVain(source: PolicySource, policy: PolicyDocument, path: DocumentPath): PolicyFault[] {
  const on = typesOf(policy);
  if (policy.effect !== 'block' || on.some(isBlocking)) return [];
  const message = `${on.join(' and ')} events cannot be blocked: this is told as an alert; hold or taint has consequences`;
  return [warning(source, { path, message })];
}

function holdWithoutReason(source: PolicySource, policy: PolicyDocument, path: DocumentPath): PolicyFault[] {
  const { id, hold, reason, title } = policy;
  if (hold === undefined || (reason ?? title) !== undefined) return [];
  if (hold !== true && hold.reason !== undefined) return [];
  const message = `events that it blocks are told no more than "matches the policy ${id}": add a reason, or a title`;
  return [warning(source, { path, message })];
}

function unknownTags(source: PolicySource, { tags = [] }: PolicyDocument, path: DocumentPath): PolicyFault[] {
  return tags.flatMap((tag, index) => {
    const message = tagWarning(tag);
    return message === undefined ? [] : [warning(source, { path: [...path, index], message })];
  });
}

/** Fields that the contract does not name are kept, so that these are no faults. */
function misspeltFields(source: PolicySource, test: PolicyTestDocument, path: DocumentPath): PolicyFault[] {
  const complete = testEvents(test);
  if (!complete.ok) return [];
  const events = [...complete.events.given, complete.events.event];
  return writtenEvents(test).flatMap(({ path: event, written }, index) => {
    const fields = Object.keys(events[index]?.['tool'] ?? {}).filter((field) => !TOOL_FIELDS.includes(field));
    return fields.flatMap((field) => {
      if (nearest(field, TOOL_FIELDS) === undefined) return [];
      const message = `${JSON.stringify(field.slice(0, 64))} is no field of a tool${closest(field, TOOL_FIELDS)}`;
      return [
        warning(source, { path: [...path, ...event, ...writtenPath(written, ['tool', field])], at: 'name', message }),
      ];
    });
  });
}

const FAMILIES: readonly string[] = [...new Set(REPORTED_KINDS.map(familyOf))];

function familyOf(kind: string): string {
  return kind.split('.', 1)[0] as string;
}

const TOOL_FIELDS: readonly string[] = ['name', 'input', 'output'];

/** `: did you mean "secret.*"?` */
function meantKind(pattern: string): string {
  const kind = nearest(pattern, REPORTED_KINDS);
  if (kind !== undefined) return `: did you mean "${kind}"?`;
  const family = nearest(familyOf(pattern), FAMILIES);
  return family === undefined ? closest('', FAMILIES) : `: did you mean "${family}.*"?`;
}

function unknownKinds(source: PolicySource, match: MatchDocument | undefined, path: DocumentPath): PolicyFault[] {
  const { findings } = match ?? {};
  return asList<string>(findings).flatMap((pattern, index) => {
    if (REPORTED_KINDS.some((kind) => kindsCanMeet(kind, pattern))) return [];
    const at = [...path, 'findings', ...(typeof findings === 'string' ? [] : [index])];
    const message = `no detector reports ${JSON.stringify(pattern)}${meantKind(pattern)}`;
    return [warning(source, { path: at, message })];
  });
}

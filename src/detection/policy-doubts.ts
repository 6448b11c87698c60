import { type EventType, isBlocking } from '../domain/event-types.ts';
import type { PolicyFault } from '../domain/policy-work.ts';
import { kindsCanMeet, REPORTED_KINDS } from './detectors/needed-detectors.ts';
import { typesOf } from './policy/compile-policy.ts';
import type { MatchDocument, PolicyDocument, PolicyTestDocument } from './policy/document.ts';
import { type DocumentPath, pathText } from './policy/faults.ts';
import { HeldMentions } from './policy/held.ts';
import { testEvents, writtenEvents, writtenPath } from './policy/inline-tests.ts';
import { asList } from './policy/match.ts';
import type { PolicySource } from './policy/source.ts';
import { closest, nearest } from './policy/spelling.ts';
import { tagDoubt } from './policy/tags.ts';

/**
 * What is right, and hardly meant: a set without policies, patterns of findings that no detector reports, so that a policy which asks for them alone never matches,
 * fields of a test's tools that are spelt almost as those that count, holds that do not say why, tags that do not exist, and asking of blocking events whether
 * their session is on hold.
 */
export function policyDoubts(sources: readonly PolicySource[]): PolicyFault[] {
  const held = new HeldMentions(new Map(sources.flatMap(({ document }) => Object.entries(document.spec.macros ?? {}))));
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
          ...heldInVain(policy, held).map(({ path: inner, at }) =>
            doubt(source, { path: [...path, ...inner], at, message: HELD_IN_VAIN }),
          ),
          ...holdWithoutReason(source, policy, [...path, 'hold']),
          ...unknownTags(source, policy, [...path, 'tags']),
        ];
      }),
    ),
  ];
}

function doubt(
  source: PolicySource,
  { path, at, message }: { path: DocumentPath; at?: number | 'name'; message: string },
): PolicyFault {
  return { file: source.file, path: pathText(path), message, ...source.locate(path, at) };
}

function lackOfPolicies(sources: readonly PolicySource[]): PolicyFault[] {
  const [first] = sources;
  if (first === undefined || sources.some(({ document }) => (document.spec.policies ?? []).length > 0)) return [];
  return [doubt(first, { path: ['spec', 'policies'], message: 'the set has no policies: it allows everything' })];
}

const HELD_IN_VAIN =
  'session.held is never true here: events that wait for an answer are blocked before any policy is asked while the session is on hold';

/** Where conditions about blocking events alone ask for a hold, from the policy. */
function heldInVain(policy: PolicyDocument, held: HeldMentions): { path: DocumentPath; at: number }[] {
  const on = typesOf(policy);
  const conditions: { path: DocumentPath; text: string | undefined; types: readonly EventType[] }[] = [
    { path: ['when'], text: policy.when, types: on },
    { path: ['unless'], text: policy.unless, types: on },
    ...(policy.exceptions ?? []).map(({ when }, n) => ({ path: ['exceptions', n, 'when'], text: when, types: on })),
    ...(policy.sequence?.steps ?? []).flatMap((step, n) => {
      const types = step.on === undefined ? on : asList<EventType>(step.on);
      const path = ['sequence', 'steps', n];
      return [
        { path: [...path, 'when'], text: step.when, types },
        { path: [...path, 'unless'], text: step.unless, types },
      ];
    }),
  ];
  return conditions.flatMap(({ path, text = '', types }) => {
    const at = types.every(isBlocking) ? held.in(text) : undefined;
    return at === undefined ? [] : [{ path, at }];
  });
}

function holdWithoutReason(source: PolicySource, policy: PolicyDocument, path: DocumentPath): PolicyFault[] {
  const { id, hold, reason, title } = policy;
  if (hold === undefined || (reason ?? title) !== undefined) return [];
  if (hold !== true && hold.reason !== undefined) return [];
  const message = `events that it blocks are told no more than "matches the policy ${id}": add a reason, or a title`;
  return [doubt(source, { path, message })];
}

function unknownTags(source: PolicySource, { tags = [] }: PolicyDocument, path: DocumentPath): PolicyFault[] {
  return tags.flatMap((tag, index) => {
    const message = tagDoubt(tag);
    return message === undefined ? [] : [doubt(source, { path: [...path, index], message })];
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
        doubt(source, { path: [...path, ...event, ...writtenPath(written, ['tool', field])], at: 'name', message }),
      ];
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
    return [doubt(source, { path: at, message })];
  });
}

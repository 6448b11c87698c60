import { parseEvent } from '../domain/event.ts';
import type { PolicyFault } from '../domain/policy-work.ts';
import type { PolicyDocument, PolicyTestDocument } from './policy/document.ts';
import { type DocumentPath, pathText } from './policy/faults.ts';
import { type TestEventProblem, testEvents, writtenEvents, writtenPath } from './policy/inline-tests.ts';
import type { PolicySource } from './policy/source.ts';
import { closest } from './policy/spelling.ts';

/** What is wrong with the tests that stand beside the policies of one set: events that are none, and policies that are not there. */
export function testFaults(sources: readonly PolicySource[]): PolicyFault[] {
  const ids = new Set(sources.flatMap(({ document }) => (document.spec.policies ?? []).map(({ id }) => id)));
  return sources.flatMap((source) =>
    (source.document.spec.policies ?? []).flatMap((policy, at) =>
      (policy.tests ?? []).flatMap((test, index) =>
        [...policyProblems(test, ids), ...eventProblems(test)].map((problem) =>
          faultOf(source, ['spec', 'policies', at, 'tests', index], nameOf(policy, test), problem),
        ),
      ),
    ),
  );
}

function nameOf({ id }: PolicyDocument, { name }: PolicyTestDocument): string {
  return `${id}: test ${JSON.stringify(name)}`;
}

function faultOf(
  source: PolicySource,
  test: DocumentPath,
  name: string,
  { path, atName, problem }: TestEventProblem,
): PolicyFault {
  const at = [...test, ...path];
  const place = source.locate(at, atName ? 'name' : undefined);
  return { file: source.file, path: pathText(at), message: `${name}: ${problem}`, ...place };
}

/** A misspelt policy never matches, so that a test which expects that would pass for ever. */
function policyProblems({ policy }: PolicyTestDocument, ids: ReadonlySet<string>): TestEventProblem[] {
  if (policy === undefined || ids.has(policy)) return [];
  const problem = `there is no policy ${JSON.stringify(policy)}${closest(policy, [...ids])}`;
  return [{ path: ['policy'], atName: false, problem }];
}

/** Lanes are handed the events of tests as they are, to warm up with. */
function eventProblems(test: PolicyTestDocument): TestEventProblem[] {
  const complete = testEvents(test);
  if (!complete.ok) return [complete];
  const events = [...complete.events.given, complete.events.event];
  return writtenEvents(test).flatMap(({ path, written }, index) => {
    const parsed = parseEvent(events[index]);
    if (parsed.ok) return [];
    return parsed.faults.map(({ pointer, expected }) => ({
      path: [...path, ...writtenPath(written, pointer.split('/').slice(1))],
      atName: false,
      problem: `${pointer || 'it'} must ${expected}`,
    }));
  });
}

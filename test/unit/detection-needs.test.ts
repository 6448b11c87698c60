import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { DETECTORS } from '../../src/detection/detectors/all-detectors.ts';
import type { Detector } from '../../src/detection/detectors/detector.ts';
import { kindsCanMeet } from '../../src/detection/detectors/needed-detectors.ts';
import { type Engine, openEngine } from '../../src/detection/engine.ts';
import { inspect } from '../../src/detection/pipeline.ts';
import type { PolicySetDocument } from '../../src/detection/policy/document.ts';
import { testEvents, testTimeMs } from '../../src/detection/policy/inline-tests.ts';
import { parsePolicies } from '../../src/detection/policy/parse.ts';
import type { SessionEffect } from '../../src/detection/session-memory.ts';
import type { Inspection } from '../../src/domain/decision.ts';
import type { AgentEvent } from '../../src/domain/event.ts';
import { Replay } from '../../src/session/replay.ts';
import { corpusIsPresent, readCorpus } from '../support/corpus.ts';
import { ALONE, BUILTIN_POLICIES, builtinEngine, TEST_SECRET } from '../support/engine.ts';
import { policySetText } from '../support/policies.ts';

/** A detector runs where a policy can use what it finds, and nowhere else. */

function documentOf(...policies: string[]): PolicySetDocument {
  const lines = policies.map(
    (policy) => `    - { severity: high, on: [user_message, tool_invocation, tool_result], ${policy} }\n`,
  );
  const parsed = parsePolicies(policySetText(`  policies:\n${lines.join('')}`), 'p.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return (parsed.sources[0] as (typeof parsed.sources)[0]).document;
}

const engineOf = (...policies: string[]): Engine => openEngine([documentOf(...policies)], TEST_SECRET);
const idsOf = ({ detectors }: Engine): string[] => detectors.map(({ id }) => id);

t.test('only detectors of kinds that a policy asks for run', async (t) => {
  t.same(idsOf(engineOf('id: a, effect: log, match: { toolKind: shell }')), []);
  t.same(idsOf(engineOf('id: a, effect: log, match: { findings: "injection.*" }')), ['injection']);
  t.same(idsOf(engineOf('id: a, effect: log, match: { findings: Pii.IBAN }')), ['pii'], 'case does not matter');
  for (const pattern of ['?nicode.*', 'unicod?.*', 'unicode?*'])
    t.ok(idsOf(engineOf(`id: a, effect: log, match: { findings: "${pattern}" }`)).includes('unicode'), pattern);
  t.same(
    idsOf(engineOf('id: a, effect: log, match: { findings: ["sql.unbounded", "ssrf.m*"] }')).sort(),
    ['sql_statements', 'ssrf'].sort(),
  );
  t.same(
    idsOf(engineOf('id: a, mode: shadow, effect: log, match: { findings: "pii.*" }')),
    ['pii'],
    'shadow policies count',
  );
  const off = 'id: b, mode: off, effect: log, match: { findings: "pii.*" }, when: "size(findings) > 0 && flow.private"';
  t.same(idsOf(engineOf('id: a, effect: log', off)), [], 'those that are off do not');
});

t.test('where findings are asked for without a kind, all detectors run', async (t) => {
  const all = idsOf({ ...builtinEngine, detectors: DETECTORS });
  for (const policy of [
    'id: a, effect: log, match: { findings: "*.override" }',
    'id: a, effect: log, match: { minSeverity: high }',
    'id: a, effect: log, when: "size(findings) > 0"',
    'id: a, effect: log, reason: "{{ size(findings) }}"',
    'id: a, fingerprint: private',
    'id: a, fingerprint: { label: private, of: findings }',
  ])
    t.same(idsOf(engineOf(policy)), all, policy);
  t.same(idsOf(engineOf('id: a, fingerprint: { label: private, of: output }')), []);
});

t.test('steps and exceptions ask, too, and data flow asks for what it remembers', async (t) => {
  const step =
    'sequence: { within: 1m, steps: [{ on: tool_result, match: { findings: "injection.*" } }, { on: tool_invocation }] }';
  t.same(idsOf(engineOf(`id: a, effect: log, ${step}`)), ['injection']);
  const exception = 'exceptions: [{ owner: o, until: 2100-01-01, match: { findings: "unicode.*" } }]';
  t.same(idsOf(engineOf(`id: a, effect: log, ${exception}`)), ['unicode']);
  t.same(idsOf(engineOf('id: a, effect: log, when: "flow.top.coverage > 0.5"')).sort(), ['pii', 'secrets']);
  t.same(idsOf(engineOf('id: a, effect: block, match: { findings: [flow.unasked] }')), ['injection']);
});

/** Sessions of every built-in policy's own tests. */
const SESSIONS: Record<string, unknown>[][] = builtinEngine.policies.tests.flatMap(({ test }) => {
  const written = testEvents(test);
  return written.ok ? [[...written.events.given, written.events.event]] : [];
});

function replayed(engine: Engine, detectors: readonly Detector[]): Inspection[] {
  return SESSIONS.flatMap((events) => {
    const replay = new Replay((event, facts) => inspect(event, facts, { ...engine, detectors }, unlimited));
    return events.map((event, index) => replay.next(event as unknown as AgentEvent, testTimeMs(index, event)));
  });
}

/** What of data flow a policy set asks for: values, and what nobody asked for. */
interface Followed {
  values: boolean;
  unasked: boolean;
}

/** What a policy set has decided, and left in the session for itself. Values and orders are for data flow, where the set asks for it. */
function outcomeOf({ action, reason, effects, explanation }: Inspection, { values, unasked }: Followed): object {
  const { policies, simulated, excepted, errors, policySet, engine } = explanation;
  const kept = (effects as readonly SessionEffect[]).filter(
    (effect) =>
      (values || (effect.kind !== 'flow.remember' && effect.kind !== 'flow.sent')) &&
      (unasked || effect.kind !== 'flow.words' || effect.from !== 'order'),
  );
  return { action, reason, effects: kept, policies, simulated, excepted, errors, policySet, engine };
}

t.test(
  'P5: what is left out changes no outcome: each built-in policy alone decides as with all detectors',
  async (t) => {
    let leftOut = 0;
    for (const { metadata, spec } of BUILTIN_POLICIES) {
      const document = { apiVersion: 'gatehouse/v1', kind: 'PolicySet', metadata, spec } as PolicySetDocument;
      const engine = openEngine([document], TEST_SECRET);
      const { facts, findings } = engine.policies.needs;
      const followed = {
        values: facts.has('flow'),
        unasked: findings.some((pattern) => kindsCanMeet('flow.unasked', pattern)),
      };
      const outcomes = (detectors: readonly Detector[]) =>
        replayed(engine, detectors).map((inspection) => outcomeOf(inspection, followed));
      t.same(outcomes(engine.detectors), outcomes(DETECTORS), metadata.name);
      leftOut += DETECTORS.length - engine.detectors.length;
    }
    t.ok(
      leftOut > BUILTIN_POLICIES.length * 15,
      `${leftOut} left out of ${BUILTIN_POLICIES.length * DETECTORS.length}`,
    );
  },
);

t.test('a detector that is left out is not called', async (t) => {
  const calls: string[] = [];
  const spying = DETECTORS.map((detector) => ({
    ...detector,
    detect: () => {
      calls.push(detector.id);
      return [];
    },
  }));
  const engine = engineOf('id: a, effect: block, match: { findings: "injection.*" }');
  const detectors = spying.filter(({ id }) => idsOf(engine).includes(id));
  const [events] = SESSIONS as [Record<string, unknown>[]];
  inspect(events.at(-1) as unknown as AgentEvent, ALONE, { ...engine, detectors }, unlimited);
  t.same(calls, ['injection']);
});

/** Those that have most kinds between them. */
const CORPUS_FILES = ['shell__dcg', 'shell__atomic_red_team', 'shell__tldr', 'secret__gitleaks', 'pii__presidio_tests'];

t.test('every kind that a detector finds is one that it lists', async (t) => {
  const seen = new Set<string>();
  const checked = DETECTORS.map(
    (detector): Detector => ({
      ...detector,
      detect(input) {
        const found = detector.detect(input);
        for (const { kind, value } of found) {
          seen.add(kind);
          const listed = detector.kinds.some((each) =>
            each.endsWith('*') ? kind.startsWith(each.slice(0, -1)) : kind === each,
          );
          if (!listed) t.fail(`${detector.id} finds ${kind}`);
          if (value !== undefined && !detector.hasValues) t.fail(`${detector.id} finds values`);
        }
        return found;
      },
    }),
  );
  replayed(builtinEngine, checked);
  t.ok(seen.size > 20, `${seen.size} kinds in the policies' own tests`);
  if (!corpusIsPresent) return t.comment('without the corpus, only those');
  for (const file of CORPUS_FILES) {
    for (const { events } of readCorpus(file))
      for (const event of events) inspect(event, ALONE, { ...builtinEngine, detectors: checked }, unlimited);
  }
  t.ok(seen.size > 140, `${seen.size} kinds`);
});

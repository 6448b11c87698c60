import { unlimited } from '../../src/detection/budget.ts';
import { Allowance } from '../../src/detection/cuts.ts';
import { type CompiledPolicySet, compilePolicySet } from '../../src/detection/policy/compile.ts';
import { evaluatePolicies } from '../../src/detection/policy/evaluate.ts';
import type { PolicyInput } from '../../src/detection/policy/facts-surface.ts';
import { faultText } from '../../src/detection/policy/faults.ts';
import { parsePolicies } from '../../src/detection/policy/parse.ts';
import type { PolicyResult } from '../../src/detection/policy/result.ts';
import { applyPolicyEffects, EMPTY_POLICY_STATE, type PolicyState } from '../../src/detection/policy/state.ts';

/** A PolicySet document around `spec`, which is indented by two spaces. */
export function policySetText(spec: string): string {
  return `apiVersion: gatehouse/v1\nkind: PolicySet\nmetadata: { name: test }\nspec:\n${spec}`;
}

/** A set of policies, each written as a flow mapping: `id: a.b, on: …`. Severity and effect may be left out. */
export function policySet(...policies: string[]): CompiledPolicySet {
  const spec = policies.map((policy) => `    - { ${withDefaults(policy)} }\n`).join('');
  return compiled(policySetText(`  policies:\n${spec}`));
}

function withDefaults(policy: string): string {
  const severity = policy.includes('severity:') ? '' : ', severity: medium';
  const effect = policy.includes('effect:') ? '' : ', effect: block';
  return policy + severity + effect;
}

/** The set of these texts; throws where they have faults. */
export function compiled(...texts: string[]): CompiledPolicySet {
  const sources = texts.flatMap((text, index) => {
    const parsed = parsePolicies(text, `p${index}.yaml`);
    if (!parsed.ok) throw new Error(parsed.faults.map(faultText).join('\n'));
    return parsed.sources;
  });
  const result = compilePolicySet(sources);
  if (!result.ok) throw new Error(result.faults.map(faultText).join('\n'));
  return result.set;
}

/** The faults of these texts, as compilers write them. */
export function faultsOf(...texts: string[]): string[] {
  const parsed = texts.map((text, index) => parsePolicies(text, `p${index}.yaml`));
  const faults = parsed.flatMap((result) => (result.ok ? [] : result.faults));
  if (faults.length > 0) return faults.map(faultText);
  const result = compilePolicySet(parsed.flatMap((each) => (each.ok ? each.sources : [])));
  return result.ok ? [] : result.faults.map(faultText);
}

type Overrides = { [Name in keyof PolicyInput]?: Partial<PolicyInput[Name]> };

export const T0_MS = 1_780_000_000_000;

/** Facts of a tool invocation that does nothing, with `overrides`. */
export function policyInput(overrides: Overrides = {}): PolicyInput {
  const flowMatch = { label: '', coverage: 0, encoding: '', originEvent: '', originTool: '' };
  const base: PolicyInput = {
    event: {
      type: 'tool_invocation',
      sessionId: 's',
      timestamp: '2026-05-28T20:26:40Z',
      timeMs: T0_MS,
      hour: 20,
      weekday: 4,
    },
    agent: { id: 'coder', name: 'Coder', role: '' },
    user: { email: 'ann@example.com', domain: 'example.com', roles: [] },
    tool: { name: 'Bash', kind: 'shell', effect: 'execute', basis: 'name', inputs: [] },
    shell: { commands: [], names: [], dynamic: 0, parseErrors: 0, forkBombs: 0 },
    files: { reads: [], loads: [], writes: [], deletes: [], lists: [], accesses: [] },
    net: { hosts: [] },
    sql: { statements: [] },
    code: { calls: [] },
    findings: [],
    flow: { matches: [], top: flowMatch, private: false, untrusted: false, outbound: false },
    session: { events: 0, blocked: 0, held: false, labels: [], taints: [], tools: [], toolKinds: [] },
    text: {
      length: 0,
      readings: [],
      encodings: [],
      hidden: 0,
      zeroWidth: 0,
      bidi: 0,
      tag: 0,
      variationSelector: 0,
      homoglyph: 0,
      control: 0,
    },
  };
  const merged = Object.entries(base).map(([name, value]) => {
    const override = overrides[name as keyof PolicyInput];
    if (override === undefined) return [name, value];
    return [name, Array.isArray(value) ? override : { ...value, ...override }];
  });
  return Object.fromEntries(merged) as PolicyInput;
}

export const host = (
  name: string,
  over: Partial<PolicyInput['net']['hosts'][number]> = {},
): PolicyInput['net']['hosts'][number] => ({
  host: name,
  class: 'public',
  scheme: 'https',
  port: 443,
  path: '/',
  method: 'GET',
  by: 'curl',
  disguised: false,
  disguises: [],
  ...over,
});

export const finding = (
  kind: string,
  over: Partial<PolicyInput['findings'][number]> = {},
): PolicyInput['findings'][number] => ({
  kind,
  family: kind.split('.')[0] as string,
  severity: 'high',
  confidence: 0.9,
  source: 'tool_input',
  named: false,
  ...over,
});

export function evaluated(
  set: CompiledPolicySet,
  input: PolicyInput = policyInput(),
  state = EMPTY_POLICY_STATE,
): PolicyResult {
  return evaluatePolicies(set, { event: 'e', input, state }, new Allowance(unlimited));
}

/** Evaluates one event after the other, a second apart or at `atMs`, with the state carried along. */
export function replayed(
  set: CompiledPolicySet,
  events: readonly (Overrides & { atMs?: number })[],
): { actions: string; results: PolicyResult[]; state: PolicyState } {
  let state = EMPTY_POLICY_STATE;
  const results: PolicyResult[] = [];
  for (const [index, { atMs = index * 1_000, ...overrides }] of events.entries()) {
    const timeMs = T0_MS + atMs;
    const labels = state.taints.filter(({ untilMs = Infinity }) => untilMs > timeMs).map(({ label }) => label);
    const input = policyInput({
      ...overrides,
      event: { ...overrides.event, timeMs },
      session: { ...overrides.session, labels, events: index },
    });
    const result = evaluated(set, input, state);
    results.push(result);
    state = applyPolicyEffects(state, result.effects, timeMs);
  }
  return { actions: results.map(({ matched }) => (matched[0]?.effect ?? '-')[0]).join(''), results, state };
}

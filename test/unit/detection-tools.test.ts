import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { Allowance } from '../../src/detection/cuts.ts';
import { type Engine, openEngine } from '../../src/detection/engine.ts';
import { eventFacts } from '../../src/detection/facts/gather-facts.ts';
import { classifyTool } from '../../src/detection/facts/tools.ts';
import { FULL_LIMITS } from '../../src/detection/limits.ts';
import { inspect } from '../../src/detection/pipeline.ts';
import type { PolicySetDocument } from '../../src/detection/policy/document.ts';
import { policySetJsonSchema } from '../../src/detection/policy/json-schema.ts';
import { POLICY_LIMITS } from '../../src/detection/policy/limits.ts';
import { parsePolicies } from '../../src/detection/policy/parse.ts';
import { runPolicyTest } from '../../src/session/policy-tests.ts';
import { ALONE, BUILTIN_POLICIES, TEST_SECRET } from '../support/engine.ts';
import { toolInvocation } from '../support/events.ts';
import { compiled, faultsOf, policySetText } from '../support/policies.ts';

/** A policy set says what a tool is, where its name and input do not tell. */

const toolsText = (tools: string, policies = ''): string => policySetText(`  tools:\n    ${tools}\n${policies}`);

function factsOf(tools: string, name: string, input: Record<string, unknown> = {}) {
  const set = compiled(toolsText(tools));
  return eventFacts(toolInvocation(name, input), FULL_LIMITS, new Allowance(unlimited), { tools: set.tools });
}

function engineOf(...texts: string[]): Engine {
  const documents = texts.flatMap((text): PolicySetDocument[] => {
    const parsed = parsePolicies(text, 'p.yaml');
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
    return parsed.sources.map(({ document }) => document);
  });
  return openEngine(documents, TEST_SECRET);
}

t.test('what is declared goes before what the name and the input say', async (t) => {
  t.match(factsOf('crm_lookup: { kind: db, effect: read }', 'crm_lookup').tool, {
    kind: 'db',
    effect: 'read',
    basis: 'policy',
  });
  t.match(factsOf('Bash: { kind: other }', 'Bash', { command: 'rm -rf /' }).tool, { kind: 'other', effect: 'unknown' });
  t.match(factsOf('x: { kind: db }', 'Bash').tool, { kind: 'shell', basis: 'name' }, 'other tools are as before');
  t.equal(compiled(policySetText('  lists: {}')).tools, undefined);
});

t.test('without an effect, it follows from the kind and the call', async (t) => {
  t.equal(factsOf('poster: { kind: net }', 'poster', { url: 'https://x.example' }).tool?.effect, 'read');
  t.equal(factsOf('poster: { kind: net }', 'poster', { url: 'https://x.example', body: 'b' }).tool?.effect, 'send');
  t.equal(factsOf('poster: { kind: net, effect: delete }', 'poster', { body: 'b' }).tool?.effect, 'delete');
  t.equal(factsOf('store: { kind: file_write }', 'store', { action: 'delete', path: 'x' }).tool?.effect, 'delete');
});

t.test('a name goes before patterns, the longer pattern before the shorter, whatever the order', async (t) => {
  const lines = [
    '"mcp__*": { kind: other }',
    '"mcp__pay__*": { kind: net }',
    '"*__pay__*": { kind: db }',
    'mcp__pay__list: { kind: message }',
  ];
  for (const tools of [lines, [...lines].reverse()]) {
    const kindOf = (name: string) => factsOf(tools.join('\n    '), name).tool?.kind;
    t.equal(kindOf('mcp__pay__list'), 'message');
    t.equal(kindOf('MCP__Pay__List'), 'message', 'case is ignored');
    t.equal(kindOf('mcp__pay__send'), 'net');
    t.equal(kindOf('mcp__git__send'), 'other');
    t.equal(kindOf('other__pay__send'), 'db');
  }
});

t.test('inputs are read as the declared kind means them', async (t) => {
  const engine = engineOf(toolsText('kaiju: { kind: shell }'));
  const builtin = openEngine(BUILTIN_POLICIES, TEST_SECRET);
  const call = toolInvocation('kaiju', { input: 'rm -rf ~' });
  const declared = openEngine(
    [
      ...BUILTIN_POLICIES,
      {
        apiVersion: 'gatehouse/v1',
        kind: 'PolicySet',
        metadata: { name: 'own' },
        spec: { tools: { kaiju: { kind: 'shell' } } },
      },
    ],
    TEST_SECRET,
  );
  t.equal(inspect(call, ALONE, builtin, unlimited).action, 'allow');
  const found = inspect(call, ALONE, declared, unlimited);
  t.equal(found.action, 'block');
  t.match(
    found.explanation,
    { toolKind: 'shell', policies: [{ id: 'shell.destructive' }] },
    'a blocked call tells its kind, too',
  );
  t.not(
    engine.policies.hash,
    engineOf(toolsText('kaiju: { kind: db }')).policies.hash,
    'the hash of the set tells them apart',
  );
});

t.test('a declared tool is read whatever it calls its inputs', async (t) => {
  const engines = new Map(
    ['shell', 'db', 'code_exec', 'file_read', 'file_write', 'net'].map((kind) => {
      const parsed = parsePolicies(toolsText(`kaiju: { kind: ${kind} }`), 'p.yaml');
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
      const documents = [...BUILTIN_POLICIES, ...parsed.sources.map(({ document }) => document)];
      return [kind, openEngine(documents, TEST_SECRET)] as const;
    }),
  );
  const cases: [kind: string, expected: 'allow' | 'block', input: Record<string, unknown>][] = [
    ['shell', 'block', { q: 'rm -rf /' }],
    ['shell', 'block', { body: 'rm -rf /' }],
    ['shell', 'block', { команда: 'rm -rf /' }],
    ['shell', 'block', { commands: [{ run: 'ls' }, { run: 'rm -rf /' }] }],
    ['shell', 'block', { programm: 'rm', argumente: ['-rf', '/'] }],
    ['shell', 'allow', { step: 'git status', description: 'never rm -rf /', cwd: '/', task_id: 'rm -rf /' }],
    ['shell', 'allow', { step: 'ls && cat a | grep x; echo done', timeout: '5s', env: { A: 'b c' } }],
    ['db', 'block', { step: 'DROP TABLE users' }],
    ['db', 'block', { run: '/* all */ -- of it\n delete from users' }],
    ['db', 'block', { value: "x' OR '1'='1" }],
    ['db', 'allow', { line: "SELECT * FROM users WHERE id = 1 OR name = 'x';" }],
    ['db', 'allow', { do: 'delete', table: 'users', where: 'id = 1', description: 'update all users' }],
    ['code_exec', 'block', { step: "import os; os.system('rm -rf /')" }],
    ['code_exec', 'allow', { step: "print('rm -rf /')" }],
    ['file_read', 'block', { q: '/root/.ssh/id_rsa' }],
    ['file_read', 'block', { q: '.env' }],
    ['file_read', 'allow', { q: 'src/main.ts', encoding: 'utf-8', pattern: '../../..' }],
    ['file_write', 'allow', { ziel: 'notes.md', text: 'see ~/.ssh/id_rsa' }],
    ['net', 'block', { query: 'http://169.254.169.254/latest/meta-data/iam' }],
    ['net', 'allow', { query: 'what is at http://169.254.169.254/latest/meta-data/iam' }],
  ];
  for (const [kind, expected, input] of cases) {
    const { action } = inspect(toolInvocation('kaiju', input), ALONE, engines.get(kind) as Engine, unlimited);
    t.equal(action, expected, `${kind} ${JSON.stringify(input)}`);
  }
});

t.test('a shell known by its name takes a program and its arguments', async (t) => {
  const engine = openEngine(BUILTIN_POLICIES, TEST_SECRET);
  const actionOf = (name: string, input: Record<string, unknown>): string =>
    inspect(toolInvocation(name, input), ALONE, engine, unlimited).action;
  t.equal(actionOf('run_in_terminal', { run: 'rm -rf /' }), 'block');
  t.equal(actionOf('terminal', { exec: 'rm -rf /' }), 'block');
  t.equal(actionOf('execute_command', { executable: 'rm', arguments: ['-rf', '/'] }), 'block');
  t.equal(actionOf('mcp__shell__exec', { program: 'rm', args: ['-rf', '/'] }), 'block');
  t.equal(actionOf('start_process', { program: 'npm', args: ['run', 'build'] }), 'allow');
  t.equal(classifyTool('execute_python', new Set(['program'])).kind, 'code_exec');
});

t.test('policies and their own tests see the declared kind', async (t) => {
  const engine = engineOf(
    toolsText(
      '"mcp__billing__*": { kind: net, effect: send }',
      `  policies:
    - id: billing.ask
      on: tool_invocation
      severity: high
      match: { toolKind: net, toolEffect: send }
      when: 'tool.basis == "policy"'
      effect: block
      tests:
        - { name: pays, event: { tool_invocation: { name: mcp__billing__pay, input: {} } }, expect: block }
        - { name: another, event: { tool_invocation: { name: mcp__other__pay, input: {} } }, expect: allow }
`,
    ),
  );
  for (const test of engine.policies.tests) t.match(runPolicyTest(test, engine), { ok: true });
  t.equal(engine.policies.tests.length, 2);
});

t.test('what is wrong is told with line and column, and what mends it', async (t) => {
  t.match(faultsOf(toolsText('crm: { kind: dbb }')), [
    /^p0\.yaml:6:18: .*kind: "dbb" is unknown here: did you mean "db"/,
  ]);
  t.match(faultsOf(toolsText('crm: { kind: db, efect: read }')), [/^p0\.yaml:6:22: .*efect.*effect/]);
  t.match(faultsOf(toolsText('crm: { effect: read }')), [/^p0\.yaml:6:\d+: .*kind.*missing/]);
  t.match(faultsOf(toolsText('"*": { kind: db }')), [/^p0\.yaml:6:\d+: .*every tool/]);
  t.match(faultsOf(toolsText('" x": { kind: db }')), [/^p0\.yaml:6:5: /]);
  t.match(faultsOf(toolsText('crm: { kind: db }'), toolsText('CRM: { kind: net }')), [
    /^p1\.yaml:6:\d+: .*declared otherwise/,
  ]);
  t.same(faultsOf(toolsText('crm: { kind: db }'), toolsText('crm: { kind: db }')), []);
});

t.test('P9: a set declares so many tools', async (t) => {
  const many = (count: number, name = 't') =>
    toolsText(Array.from({ length: count }, (_, n) => `${name}${n}: { kind: db }`).join('\n    '));
  t.same(faultsOf(many(POLICY_LIMITS.toolsMax)), []);
  t.equal(faultsOf(many(POLICY_LIMITS.toolsMax + 1)).length, 1);
  t.match(faultsOf(many(1_000, 'a'), many(1_000, 'b')), [/2000 tools are more than 1024/]);
});

t.test('the JSON Schema for editors has them', async (t) => {
  const { properties } = policySetJsonSchema() as {
    properties: { spec: { properties: { tools: Record<string, unknown> } } };
  };
  const [tool] = Object.values(properties.spec.properties.tools['patternProperties'] as object);
  t.match(tool, {
    required: ['kind'],
    additionalProperties: false,
    properties: { kind: { enum: ['shell'] }, effect: {} },
  });
});

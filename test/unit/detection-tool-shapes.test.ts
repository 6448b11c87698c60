import t from 'tap';
import { inspect, unlimited } from '../../src/detection/pipeline.ts';
import { ALONE, builtinEngine } from '../support/engine.ts';
import { toolInvocation } from '../support/events.ts';

/** The tools of agents that are widely used take the same command in many shapes, and none of them hides it. */

const REMOVE = 'rm -rf /';
const SYSTEM = "import os; os.system('rm -rf /')";

const actionOf = (name: string, input: Record<string, unknown>): string =>
  inspect(toolInvocation(name, input), ALONE, builtinEngine, unlimited).action;

const DESTRUCTIVE: readonly [string, Record<string, unknown>][] = [
  ['Bash', { command: REMOVE }],
  ['shell', { command: ['bash', '-lc', REMOVE] }],
  ['local_shell', { action: { type: 'exec', command: ['bash', '-lc', REMOVE] } }],
  ['exec_command', { cmd: REMOVE }],
  ['write_stdin', { session_id: 1, chars: `${REMOVE}\n` }],
  ['interact_with_process', { pid: 1, input: REMOVE }],
  ['send_keys', { keys: `${REMOVE} Enter` }],
  ['tmux_send', { keys: [REMOVE, 'Enter'] }],
  ['send_keystrokes', { keystrokes: `${REMOVE}\n` }],
  ['run_command', { CommandLine: REMOVE, Cwd: '/' }],
  ['execute_code_blocks', { code_blocks: [{ language: 'bash', code: REMOVE }] }],
  ['execute_ipython_cell', { code: `!${REMOVE}` }],
  ['python_repl_ast', { query: SYSTEM }],
  ['code_interpreter', { input: SYSTEM }],
  ['run_python', { python_code: SYSTEM }],
  ['run_js', { js: `require('child_process').execSync('${REMOVE}')` }],
  ['osascript', { script: `do shell script "${REMOVE}"` }],
  ['execute_applescript', { code_snippet: `do shell script "${REMOVE}"` }],
  ['Bash', { arguments: JSON.stringify({ command: REMOVE }) }],
  ['use_mcp_tool', { server_name: 's', tool_name: 'run', arguments: JSON.stringify({ command: REMOVE }) }],
  ['multi_tool_use.parallel', { tool_uses: [{ recipient_name: 'bash', parameters: { command: REMOVE } }] }],
  ['kubectl', { command: 'delete namespace prod' }],
  ['kubectl', { args: ['delete', 'namespace', 'prod'] }],
  ['gcloud', { args: ['projects', 'delete', 'prod'] }],
  ['aws_cli', { command: 's3 rb s3://prod --force' }],
  ['call_aws', { cli_command: 'aws s3 rb s3://prod --force' }],
  ['terraform', { command: 'destroy', args: ['-auto-approve'] }],
  ['execute_sql', { query: 'DROP TABLE users' }],
  ['apply_patch', { input: '*** Begin Patch\n*** Delete File: /etc/passwd\n*** End Patch' }],
  ['apply_patch', { patch: '*** Begin Patch\n*** Update File: /root/.ssh/authorized_keys\n@@\n+a\n*** End Patch' }],
  ['apply_diff', { diff: '--- /etc/passwd\n+++ /dev/null\n@@ -1 +0,0 @@\n-root\n' }],
  ['Bash', { command: "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: /etc/passwd\n*** End Patch\nEOF" }],
];

t.test('a command is found in whatever shape a tool takes it', async (t) => {
  for (const [name, input] of DESTRUCTIVE) t.equal(actionOf(name, input), 'block', `${name} ${JSON.stringify(input)}`);
});

t.test('ordinary work in the same shapes stays undisturbed', async (t) => {
  const ordinary: readonly [string, Record<string, unknown>][] = [
    ['docker_exec', { container: 'c', command: 'rm -rf build' }],
    ['docker', { command: 'ps -a' }],
    ['kubectl', { args: ['get', 'pods'] }],
    ['git', { args: ['commit', '-m', 'rm -rf / is gone'] }],
    ['aws', { command: 's3 ls' }],
    ['terraform', { command: 'plan' }],
    ['send_keys', { keys: 'hello world' }],
    ['python_repl', { query: '1 + 1' }],
    ['search_python_docs', { query: 'shutil.rmtree' }],
    ['Bash', { arguments: JSON.stringify({ command: 'ls -la' }) }],
    ['Bash', { arguments: '{"command": ' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch' }],
    ['verify', { code: '123456' }],
    ['set_tv', { command: 'volume up' }],
    ['deploy', { build_command: 'npm run build' }],
    ['translate', { text: 'rm -rf /', language: 'fr' }],
  ];
  for (const [name, input] of ordinary) t.equal(actionOf(name, input), 'allow', `${name} ${JSON.stringify(input)}`);
});

t.test('JSON in JSON is read as deep as anything else, and no deeper', async (t) => {
  const nested = (levels: number): Record<string, unknown> =>
    levels === 0 ? { command: REMOVE } : { arguments: JSON.stringify(nested(levels - 1)) };
  t.equal(actionOf('call', nested(3)), 'block');
  t.doesNotThrow(() => actionOf('call', { arguments: `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}` }));
  t.equal(actionOf('call', { arguments: '{"__proto__":{"command":"ls"}}' }), 'allow');
});

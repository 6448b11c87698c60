import { EVENT_BYTES_MAX, type Sensor, type SensorSite } from './sensor.ts';

const COMMAND = 'node ~/.claude/gatehouse.mjs';
/** Seconds after which the runtime gives up on the hook: more than the hook itself waits. */
const TIMEOUT = 10;

/** For Claude Code, and for runtimes that call hooks as it does: JSON on stdin, and exit code 2 to block. */
export const claudeCode: Sensor = {
  id: 'claude-code',
  label: 'Claude Code',
  steps: (site) => [
    {
      name: 'hook',
      what: 'Keep this as ~/.claude/gatehouse.mjs. It needs Node 20 or later:',
      text: hookOf(site),
    },
    {
      name: 'settings',
      what: 'Put this into ~/.claude/settings.json, beside what is there, with the address of who works there, and start a new session:',
      text: settingsOf(site),
    },
  ],
};

function settingsOf({ token, user }: SensorSite): string {
  const called = { hooks: [{ type: 'command', command: COMMAND, timeout: TIMEOUT }] };
  const ofTools = { matcher: '*', ...called };
  const hooks = {
    SessionStart: [called],
    UserPromptSubmit: [called],
    PreToolUse: [ofTools],
    PostToolUse: [ofTools],
    SessionEnd: [called],
  };
  const env = { GATEHOUSE_TOKEN: token ?? 'the token', GATEHOUSE_USER: user ?? 'me@example.com' };
  return JSON.stringify({ env, hooks }, undefined, 2);
}

function hookOf({ url, failsOpen }: SensorSite): string {
  return `import { readFileSync } from 'node:fs';

// The fail mode of the tenant: whether a call goes on where no answer comes.
const FAILS_OPEN = ${failsOpen};
const EVENT_BYTES_MAX = ${EVENT_BYTES_MAX};

const hook = JSON.parse(readFileSync(0, 'utf8'));
const asObject = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value };
const tool = () => ({ name: hook.tool_name, input: asObject(hook.tool_input) });
const EVENTS = {
  SessionStart: () => ({ event_type: 'session_start' }),
  UserPromptSubmit: () => ({ event_type: 'user_message', message: { content: hook.prompt } }),
  PreToolUse: () => ({ event_type: 'tool_invocation', tool: tool() }),
  PostToolUse: () => ({ event_type: 'tool_result', tool: { ...tool(), output: asObject(hook.tool_response) } }),
  SessionEnd: () => ({ event_type: 'session_end' }),
};
const waits = ['UserPromptSubmit', 'PreToolUse'].includes(hook.hook_event_name);

function block(reason) {
  console.error(\`Blocked by Gatehouse: \${reason}\`);
  process.exitCode = 2;
}

/** Gatehouse cannot judge the event: that is no reason to let the call run. */
class Refused extends Error {}

function write(event) {
  let body;
  try {
    body = JSON.stringify(event);
  } catch (error) {
    throw new Refused(\`it cannot be written: \${error}\`);
  }
  if (Buffer.byteLength(body) > EVENT_BYTES_MAX) throw new Refused(\`it is larger than \${EVENT_BYTES_MAX} bytes\`);
  return body;
}

async function detailOf(refusal) {
  try {
    return (await refusal.json()).detail;
  } catch {
    return \`status \${refusal.status}\`;
  }
}

try {
  const body = write({
    ...EVENTS[hook.hook_event_name](),
    session_id: hook.session_id,
    timestamp: new Date().toISOString(),
    agent: { id: 'claude-code', name: 'Claude Code' },
    user: { email: process.env.GATEHOUSE_USER ?? 'me@example.com' },
  });
  const answer = await fetch('${url}', {
    method: 'POST',
    headers: { authorization: \`Bearer \${process.env.GATEHOUSE_TOKEN}\`, 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(5_000),
  });
  if (answer.status === 400 || answer.status === 413) throw new Refused(await detailOf(answer));
  if (answer.status !== (waits ? 200 : 202)) throw new Error(\`status \${answer.status}: \${await answer.text()}\`);
  if (waits) {
    const { action, reason } = (await answer.json()).response;
    if (action !== 'allow') block(reason);
  }
} catch (error) {
  if (error instanceof Refused) {
    const reason = \`Gatehouse refused the event: \${error.message}\`;
    if (waits) block(reason);
    else console.error(reason);
  } else if (waits && !FAILS_OPEN) block(\`there was no answer: \${error}\`);
  else console.error(\`Gatehouse gave no answer: \${error}\`);
}
`;
}

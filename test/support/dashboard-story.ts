import type postgres from 'postgres';

/** Rows of one agent session for the dashboard to show: ordinary, blocked, undecided and hostile events. */

export const SESSION_KEY = '11111111-1111-4111-8111-111111111111';
/** Events of the story. */
export const EVENTS = 45;
/** Of those that were decided about. */
export const DECISIONS = { total: 42, blocked: 2, failedOpen: 1 };

export const HOSTILE = {
  html: `<img src=x onerror="alert(1)"><script>alert(2)</script>`,
  bidi: 'invoice\u202egpj.exe and \u200bzero width',
  nul: 'a\0b',
  long: `${'All work and no play. '.repeat(5_000)}\n`.slice(0, 100_000),
};

const base = Date.now() - 10 * 60_000;

export function eventId(n: number, variant = 'a'): string {
  const ms = (base + n * 1000).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${variant.padStart(4, '0')}${String(n).padStart(8, '0')}`;
}

const EXPLANATION = {
  policies: [],
  findings: [],
  cuts: [],
  policySet: 'f00d-policy-set',
  engine: 'engine-1',
  facts: 'session-facts-hash',
  tookUs: 40,
};
const BLOCKED = {
  ...EXPLANATION,
  policies: [
    {
      id: 'shell.destructive',
      severity: 'high',
      effect: 'block',
      reason: 'Deletes the home directory',
      agentHint: 'Ask the user first',
      tags: ['owasp.ASI02'],
    },
  ],
  past: {
    blocked: 3,
    taints: [{ label: `marked ${HOSTILE.html}`, policy: 'injection.order', event: eventId(2), atMs: base }],
    privateData: { event: eventId(1), tool: 'read_contacts' },
  },
  simulated: [{ id: 'shadow.one', severity: 'low', effect: 'alert', reason: 'Would have told', tags: [] }],
  findings: [
    {
      kind: 'destructive.delete',
      severity: 'high',
      confidence: 0.9,
      span: { pointer: '/tool/input/command', start: 6, end: 14 },
    },
    { kind: 'obfuscation.bidi', severity: 'medium', confidence: 1, span: { pointer: '/gone', start: 0, end: 5 } },
  ],
  cuts: [{ what: '/tool/input/rest', bound: 'text_chars' }],
};

interface Told {
  type: string;
  tool?: string;
  members: object;
}

function eventOf(n: number): Told {
  const bash = (input: object, tool = 'Bash'): Told => ({
    type: 'tool_invocation',
    tool,
    members: { tool: { name: tool, input } },
  });
  if (n === 1) return { type: 'session_start', members: {} };
  if (n === 2) return { type: 'user_message', members: { message: { content: 'Please tidy up' } } };
  if (n === 3) return bash({ command: 'ls && rm -rf ~', rest: 'x' });
  if (n === 5) return bash({ command: HOSTILE.html, [HOSTILE.html]: HOSTILE.bidi }, HOSTILE.html);
  if (n === 6) return { type: 'user_message', members: { message: { content: HOSTILE.long } } };
  if (n === 7)
    return {
      type: 'tool_result',
      tool: 'Bash',
      members: { tool: { name: 'Bash', input: {}, output: { text: HOSTILE.nul } } },
    };
  if (n === EVENTS) return { type: 'session_end', members: {} };
  return bash({ command: `echo ${n}` });
}

/** `variant` keeps the ids of several tenants apart. */
export async function insertStory(admin: postgres.Sql, tenantId: string, variant = 'a'): Promise<void> {
  const key = variant === 'a' ? SESSION_KEY : SESSION_KEY.replace(/^1/, variant);
  const agentName = `Coder ${HOSTILE.html}`;
  const email = `eve\u202e@example.com`;
  await admin`
    insert into agents (tenant_id, agent_key, agent_id, name, first_seen_at, last_seen_at, events_count)
    values (${tenantId}, ${key}, 'coder', ${agentName}, now(), now(), ${EVENTS})`;
  await admin`
    insert into agent_sessions (tenant_id, session_key, session_id, agent_key, user_email, started_at, last_at, ended_at, state,
      reopened_count, events_count, blocked_count, undecided_count)
    values (${tenantId}, ${key}, ${HOSTILE.bidi}, ${key}, ${email}, to_timestamp(${base / 1000}), now(), now(), 'ended', 0,
      ${EVENTS}, ${DECISIONS.blocked}, 1)`;
  for (let n = 1; n <= EVENTS; n++) {
    const { type, tool, members } = eventOf(n);
    const at = (base + n * 1000) / 1000;
    const timestamp = new Date(at * 1000).toISOString();
    const envelope = {
      session_id: 's',
      timestamp,
      agent: { id: 'coder', name: 'Coder' },
      user: { email: 'eve@example.com' },
    };
    const body = JSON.stringify({ event_type: type, ...envelope, ...members });
    await admin`
      insert into events (id, tenant_id, session_key, agent_key, event_type, event_at, received_at, user_email,
        tool_name, correlation_id, subject, dedupe, body)
      values (${eventId(n, variant)}, ${tenantId}, ${key}, ${key}, ${type}, to_timestamp(${at}), to_timestamp(${at}),
        ${email}, ${tool ?? null}, 'c', 's', ${`${variant}${n}`}, ${body})`;
    if (type === 'tool_invocation' || type === 'user_message')
      await insertDecision(admin, tenantId, { n, key, variant });
  }
  await admin`
    insert into audit_log (tenant_id, seq, at, actor, action, target, detail, address, previous_hash, hash)
    values (${tenantId}, 1, now(), 'operator', 'policy.activated', ${HOSTILE.html}, ${JSON.stringify({ note: HOSTILE.bidi })},
      '127.0.0.1', '\\x00', '\\x00')`;
  // What the projector counts as it writes.
  await admin`select rebuild_rollups()`;
}

async function insertDecision(
  admin: postgres.Sql,
  tenantId: string,
  { n, key, variant }: { n: number; key: string; variant: string },
): Promise<void> {
  const isBlocked = n === 3 || n === 5;
  const isUndecided = n === 4;
  const explanation = isUndecided ? null : JSON.stringify(isBlocked ? BLOCKED : EXPLANATION);
  await admin`
    insert into decisions (id, tenant_id, session_key, kind, action, reason, cause, answered, on_failure, effects,
      explanation, took_us, decided_at, late_action, late_explanation)
    values (${eventId(n, variant)}, ${tenantId}, ${key}, ${isUndecided ? 'undecided' : 'decided'},
      ${isUndecided ? null : isBlocked ? 'block' : 'allow'}, ${isBlocked ? 'Deletes the home directory' : null},
      ${isUndecided ? 'deadline' : null}, ${isUndecided ? 'fail_open' : null}, 'allow', '[]', ${explanation}, ${n * 100},
      to_timestamp(${(base + n * 1000) / 1000}), ${isUndecided ? 'block' : null},
      ${isUndecided ? JSON.stringify(BLOCKED) : null})`;
}

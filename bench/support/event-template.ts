/**
 * An event with two gaps, session number and serial number, so that a load generator makes any number of distinct events
 * by joining strings. Both numbers have a fixed width and all texts are ASCII, so every event of a template has the same
 * length. Distinct they must be: an event that is sent again byte for byte is only answered again, not decided again.
 */
export interface EventTemplate {
  beforeSession: string;
  beforeSerial: string;
  end: string;
}

/** What is sent: `blocking` small tool calls, or `observational` small tool results. */
export type LoadKind = 'blocking' | 'observational';

export const SESSIONS = 1000;
/** Session and serial numbers start at a power of ten, so that they keep their width. */
export const SESSION_BASE = 1000;
export const SERIAL_BASE = 1e12;

const SESSION_GAP = '<session>';
const SERIAL_GAP = '<serial>';

/**
 * Ordinary work of a coding agent, as a sensor would report it; the serial number stands where paths and names differ.
 * Nine, prime to the number of sessions, so that every session does all of them.
 */
const TOOL_CALLS: readonly (readonly [name: string, input: Record<string, unknown>])[] = [
  ['Bash', { command: `npm test -- --grep case-${SERIAL_GAP}`, description: 'Run one test' }],
  ['Bash', { command: `git log --oneline -n 20 | grep ${SERIAL_GAP}` }],
  ['Read', { file_path: `/work/app/src/part-${SERIAL_GAP}.ts`, offset: 1, limit: 200 }],
  ['Grep', { pattern: `createOrder${SERIAL_GAP}`, path: 'src', output_mode: 'content' }],
  [
    'Edit',
    { file_path: `/work/app/src/part-${SERIAL_GAP}.ts`, old_string: 'const a = 1;', new_string: 'const a = 2;' },
  ],
  ['WebFetch', { url: `https://registry.npmjs.org/left-pad/${SERIAL_GAP}`, prompt: 'Which version is newest?' }],
  ['Bash', { command: `mkdir -p build/${SERIAL_GAP} && cp -r public/. build/out/` }],
  ['Write', { file_path: `/work/app/docs/note-${SERIAL_GAP}.md`, content: '# Notes\n\nOrders are idempotent.\n' }],
  ['mcp__tracker__search', { query: `status:open number:${SERIAL_GAP}`, limit: 10 }],
];

/** The templates of `kind`; `run` keeps the sessions of two runs apart. */
export function eventTemplates(kind: LoadKind, run: string): EventTemplate[] {
  return TOOL_CALLS.map(([name, input]) => {
    const output = { stdout: 'ok: 12 passed, 0 failed\nin 348 ms', stderr: '', exit_code: 0, truncated: false };
    return template({
      ...ENVELOPE,
      event_type: kind === 'blocking' ? 'tool_invocation' : 'tool_result',
      session_id: `${run}-${SESSION_GAP}`,
      tool: kind === 'blocking' ? { name, input } : { name, input, output },
    });
  });
}

/** Calls whose inspection never ends by itself; for a service with its test triggers on. */
export function stuckTemplate(run: string): EventTemplate {
  return template({
    ...ENVELOPE,
    event_type: 'tool_invocation',
    session_id: `${run}-${SESSION_GAP}`,
    tool: { name: 'Bash', input: { gatehouse_test: 'stick', command: `echo ${SERIAL_GAP}` } },
  });
}

const ENVELOPE = {
  timestamp: '2026-01-15T09:30:00.000Z',
  agent: { id: 'coder-7', name: 'Coding agent' },
  user: { email: 'dev@example.com' },
};

function template(event: object): EventTemplate {
  const [beforeSession, rest] = JSON.stringify(event).split(SESSION_GAP) as [string, string];
  const [beforeSerial, end] = rest.split(SERIAL_GAP) as [string, string];
  return { beforeSession, beforeSerial, end };
}

/** Bytes of each event of `template`. */
export function eventBytes({ beforeSession, beforeSerial, end }: EventTemplate): number {
  return (
    beforeSession.length + String(SESSION_BASE).length + beforeSerial.length + String(SERIAL_BASE).length + end.length
  );
}

/** The event number `serial` (from 0): its session follows from the number. */
export function eventBody(templates: readonly EventTemplate[], serial: number): string {
  const { beforeSession, beforeSerial, end } = templates[serial % templates.length] as EventTemplate;
  return beforeSession + (SESSION_BASE + (serial % SESSIONS)) + beforeSerial + (SERIAL_BASE + serial) + end;
}

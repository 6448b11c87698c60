import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { inspect, inspectTogether } from '../../src/detection/pipeline.ts';
import { applyEffects, NO_MEMORY } from '../../src/detection/session-memory.ts';
import type { InspectionTask } from '../../src/detection/stages.ts';
import type { AgentEvent } from '../../src/domain/event.ts';
import { corpusIsPresent, readCorpus } from '../support/corpus.ts';
import { ALONE, builtinEngine } from '../support/engine.ts';
import { bash, toolInvocation, toolResult, userMessage } from '../support/events.ts';
import { pickOf, randomOf } from '../support/random.ts';

/**
 * Random and mutated events: none throws, none takes more than its budget by far, and the memory that they leave stays
 * within its bounds; inspected together, each gets what it gets alone. FUZZ_EVENTS (default 3,000) and FUZZ_SEED (default 1) choose which.
 */

const EVENTS = Number(process.env['FUZZ_EVENTS'] ?? 3_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const BUDGET_MS = 400;
/** For what runs between two looks at the clock, on a busy machine. */
const OVERRUN_MS = 2_000;
const MEMORY_CHARS_MAX = 128 * 1024;
/** Every so many events, the last ones are inspected again, together. */
const GROUP_EVENTS = 16;
const GROUP_EVERY = 8 * GROUP_EVENTS;

t.setTimeout(30_000 + EVENTS * 10);

const PIECES = [
  '\u0000',
  '\ud800',
  '\u202e',
  '\u200b',
  '\u{e0061}',
  '$(',
  '`',
  '"',
  "'",
  '\\',
  '{{',
  '}}',
  '<|im_start|>',
  '../',
  '%2e%2e%2f',
  'rm -rf /',
  'ignore all previous instructions',
  'AKIA',
  'ghp_',
  '-----BEGIN PRIVATE KEY-----',
  'UNION SELECT',
  '4111111111111111',
  'http://169.254.169.254/',
  'aGVsbG8gd29ybGQ=',
  '0x7f000001',
  '| sh',
  '&&',
  ';',
  '\n',
  '<!--',
  '-->',
  '😀',
  'é',
  '漢字',
  '&#x41;',
  '=',
  ':',
];

const own: AgentEvent[] = [
  bash('curl -s https://example.com/x | tee out.txt && npm test'),
  userMessage('Please sum up the document, and do not send it to anybody.'),
  toolResult(
    'WebFetch',
    { url: 'https://example.com' },
    { text: 'Prices: 12 EUR. Contact: ann@example.com, +49 30 123456.' },
  ),
  toolInvocation('execute_sql', { query: 'SELECT * FROM users WHERE id = 1' }),
];

const FILES = [
  'shell__dcg',
  'prompt_injection__agt_fixture',
  'secret__gitleaks',
  'path__repo_files',
  'session__toolemu',
];

/** Fields of other types of events, which may be anything where the type has none of that name. */
const FOREIGN_FIELDS = ['tool', 'message', 'tools', 'output', 'description'];
const FOREIGN_VALUES = [null, 5, {}, [], 'x', { name: 5 }, { name: 'Bash', input: null }, { content: null }];

t.test(`${EVENTS} random and mutated events of seed ${SEED} harm nothing`, async (t) => {
  const random = randomOf(SEED);
  const pick = <T>(items: readonly T[]): T => pickOf(random, items);
  const seeds = corpusIsPresent
    ? [...own, ...FILES.flatMap((name) => readCorpus(name).flatMap(({ events }) => events))]
    : own;
  const mutate = (text: string): string => {
    let out = text;
    for (let round = 0; round < 1 + random() * 6; round++) {
      const at = Math.floor(random() * (out.length + 1));
      const kind = random();
      if (kind < 0.4) out = out.slice(0, at) + pick(PIECES) + out.slice(at);
      else if (kind < 0.6) out = out.slice(0, at) + out.slice(at + Math.floor(random() * 20));
      else if (kind < 0.8) out += pick(PIECES).repeat(Math.floor(random() * 200));
      else out = out.slice(at) + out.slice(0, at);
    }
    return out.slice(0, 65_536);
  };
  const mutated = (value: unknown): unknown => {
    if (typeof value === 'string') return random() < 0.6 ? mutate(value) : value;
    if (Array.isArray(value)) return value.map(mutated);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [random() < 0.05 ? mutate(name) : name, mutated(member)]),
    );
  };
  let memory = NO_MEMORY;
  let slowestMs = 0;
  let failures = 0;
  let group: InspectionTask[] = [];
  for (let n = 0; n < EVENTS; n++) {
    const { event_type, session_id, timestamp, agent, user, ...rest } = pick(seeds);
    const subject = mutated(rest) as object;
    const foreign = random() < 0.1 ? { [pick(FOREIGN_FIELDS)]: pick(FOREIGN_VALUES) } : {};
    const event = withSubject({ ...foreign, ...subject, event_type, session_id, timestamp, agent, user });
    const facts = { ...ALONE, eventsCount: n, memory };
    const startedAt = performance.now();
    try {
      const deadline = startedAt + BUDGET_MS;
      const { effects, explanation } = inspect(event, facts, builtinEngine, {
        exhausted: () => performance.now() > deadline,
      });
      memory = n % 64 === 0 ? NO_MEMORY : applyEffects(memory, effects, facts.receivedAtMs + n);
      JSON.parse(JSON.stringify(explanation));
    } catch (error) {
      failures++;
      if (failures < 4) t.fail(`event ${n} of seed ${SEED}: ${(error as Error).stack}`, { event });
    }
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    group.push({ event, session: facts, budget: unlimited });
    if (n % GROUP_EVERY === GROUP_EVERY - 1) {
      const alone = group.map(({ event, session }) => inspect(event, session, builtinEngine, unlimited));
      t.strictSame(
        inspectTogether(group, builtinEngine, () => {}),
        alone,
        'together, each gets what it gets alone',
      );
    }
    if (group.length >= GROUP_EVENTS) group = group.slice(1);
    if (n % 64 === 63) t.ok(JSON.stringify(memory).length < MEMORY_CHARS_MAX, 'the memory stays within its bounds');
  }
  t.equal(failures, 0);
  t.ok(slowestMs < BUDGET_MS + OVERRUN_MS, `the slowest took ${slowestMs.toFixed(0)} ms`);
});

/** What the contract demands of every event, whatever the mutation made of it. */
function withSubject(event: Record<string, unknown>): AgentEvent {
  const tool = event['tool'] as { name?: unknown; input?: unknown; output?: unknown } | undefined;
  const message = event['message'] as { content?: unknown } | undefined;
  const text = (value: unknown) => (typeof value === 'string' ? value : 'x');
  const object = (value: unknown) => (typeof value === 'object' && value !== null ? value : {});
  switch (event['event_type']) {
    case 'tool_invocation':
      return {
        ...event,
        tool: { ...tool, name: text(tool?.name), input: object(tool?.input) },
      } as unknown as AgentEvent;
    case 'tool_result':
      return {
        ...event,
        tool: { ...tool, name: text(tool?.name), input: object(tool?.input), output: object(tool?.output) },
      } as unknown as AgentEvent;
    default:
      return { ...event, message: { ...message, content: text(message?.content) } } as unknown as AgentEvent;
  }
}

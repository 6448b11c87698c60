import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { unlimited } from '../detection/budget.ts';
import { type Engine, engineOf, PolicySetError } from '../detection/engine.ts';
import { inspect } from '../detection/pipeline.ts';
import { faultText } from '../detection/policy/faults.ts';
import { policySetJsonSchema } from '../detection/policy/json-schema.ts';
import { readPolicySet } from '../detection/read-policies.ts';
import { readable } from '../detection/reason.ts';
import type { AgentEvent } from '../domain/event.ts';
import { dateTimeMs } from '../domain/formats.ts';
import { parseRow } from '../domain/offline-row.ts';
import { BUILTIN_POLICIES_DIR, readPolicyFiles } from '../policy-files.ts';
import { runPolicyTest } from '../session/policy-tests.ts';
import { Replay } from '../session/replay.ts';
import { backtest } from './backtest.ts';
import { type Command, UsageError, unreadableWords } from './command.ts';
import { OFFLINE_SECRET } from './inspect.ts';
import { parseTime } from './time.ts';

const USAGE = `usage: gatehouse policy lint [PATH]
       gatehouse policy test [PATH]
       gatehouse policy explain [PATH] --event FILE
       gatehouse policy backtest --policy PATH [--since 7d]
       gatehouse policy schema

PATH is a file or a directory of *.yaml; the built-in set where it is left out.

  lint      check the policies: each fault with file, line and column, and what is right but hardly meant, such as
            a comparison with a value that a fact never has
  test      run the tests that stand beside the policies, with real events through the whole inspection
  explain   why an event is decided as it is; FILE holds the event as JSON, or {"session": […]}, "-" is standard input
  backtest  what PATH would change: lives through the stored sessions again, under the policies in force
            and under those of PATH, and prints newly blocked, newly allowed and unchanged, with samples. A session
            with an event since then is counted whole
  schema    print the JSON Schema of policy files, for editors

  npm run --silent gatehouse -- policy test policies/
`;

const ACTIONS = ['lint', 'test', 'explain', 'backtest', 'schema'] as const;
type Action = (typeof ACTIONS)[number];

/** The options of each action; all but `backtest` and `schema` take a path, too. */
const OPTIONS: Readonly<Record<Action, readonly Option[]>> = {
  lint: [],
  test: [],
  explain: ['event'],
  backtest: ['policy', 'since'],
  schema: [],
};
type Option = 'event' | 'policy' | 'since';

export const policyCommand: Command = {
  usage: USAGE,
  async run([word, ...words]) {
    const action = ACTIONS.find((each) => each === word);
    if (action === undefined) throw new UsageError(`policy takes one of: ${ACTIONS.join(', ')}`);
    const { values, positionals } = parse(action, words);
    const [path = BUILTIN_POLICIES_DIR] = positionals;
    switch (action) {
      case 'backtest':
        if (values.policy === undefined) throw new UsageError('policy backtest needs --policy PATH');
        return backtest(values.policy, parseTime(values.since ?? '7d', Date.now()));
      case 'schema':
        return print(JSON.stringify(policySetJsonSchema(), null, 2));
      case 'explain':
        return explain(path, values.event);
      case 'lint':
        return lint(path);
      case 'test':
        return test(path);
    }
  },
};

function parse(action: Action, words: string[]) {
  const { values, positionals } = parsed(words);
  const foreign = (Object.keys(values) as Option[]).find((option) => !OPTIONS[action].includes(option));
  if (foreign !== undefined) throw new UsageError(`policy ${action} takes no --${foreign}`);
  const paths = { backtest: 'its path as --policy PATH', schema: 'no path' };
  const isPathless = action === 'backtest' || action === 'schema';
  if (isPathless && positionals.length > 0) throw new UsageError(`policy ${action} takes ${paths[action]}`);
  if (positionals.length > 1) throw new UsageError(`policy ${action} takes one path`);
  return { values, positionals };
}

function parsed(words: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({ args: words, options: { event: text, policy: text, since: text }, allowPositionals: true });
  } catch (error) {
    throw unreadableWords('policy', error);
  }
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function engineAt(path: string): Engine {
  return engineOf(readPolicySet(readPolicyFiles(path)).set, OFFLINE_SECRET);
}

function lint(path: string): number {
  try {
    const { sources, set, warnings } = readPolicySet(readPolicyFiles(path));
    for (const warning of warnings)
      process.stdout.write(`${faultText({ ...warning, message: `warning: ${warning.message}` })}\n`);
    const all = sources.flatMap(({ document }) => document.spec.policies ?? []);
    const offCount = all.filter(({ mode }) => mode === 'off').length;
    const off = offCount === 0 ? '' : `, ${offCount} of them off`;
    const tests = set.tests.length === 1 ? '1 test' : `${set.tests.length} tests`;
    return print(
      `${all.length === 1 ? '1 policy is' : `${all.length} policies are`} right${off}, ${tests}, ${set.hash}`,
    );
  } catch (error) {
    if (!(error instanceof PolicySetError)) throw error;
    process.stdout.write(`${error.message}\n`);
    return 1;
  }
}

/** Of a test. */
const NAME_CHARS_MAX = 256;

function test(path: string): number {
  const engine = engineAt(path);
  const outcomes = engine.policies.tests.map((each) => runPolicyTest(each, engine));
  for (const { ok, policy, name, file, problem } of outcomes) {
    const test = `${policy}: ${readable(name, NAME_CHARS_MAX)}`;
    process.stdout.write(ok ? `ok      ${test}\n` : `FAILED  ${test}: ${problem} (${file})\n`);
  }
  const failed = outcomes.filter(({ ok }) => !ok).length;
  process.stdout.write(`${outcomes.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

function explain(path: string, file: string | undefined): number {
  if (file === undefined) throw new UsageError('policy explain needs --event FILE');
  const engine = engineAt(path);
  const replay = new Replay((event, facts) => inspect(event, facts, engine, unlimited));
  const told = eventsOf(file).map((event) => {
    const { explanation, ...answer } = replay.next(event, dateTimeMs(event.timestamp));
    // Nobody waited, and a first inspection says nothing of how long those of a service take.
    const { tookUs: _, ...why } = explanation;
    return { event: event.event_type, ...answer, explanation: why };
  });
  return print(JSON.stringify(told.length === 1 ? told[0] : told, null, 2));
}

/** The event of a file, or the events of the session in it. */
function eventsOf(file: string): AgentEvent[] {
  const name = file === '-' ? 'standard input' : file;
  const row = parseRow(rowText(textOf(file, name), name));
  if (!row.ok) throw new UsageError(`${name}: ${row.error}`);
  return row.row.events;
}

function textOf(file: string, name: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${name} (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** An event that stands by itself, as a row. */
function rowText(text: string, name: string): string {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${name} is not JSON: ${(error as Error).message}`);
  }
  const isRow = typeof written === 'object' && written !== null && ('session' in written || 'event' in written);
  return isRow ? text : JSON.stringify({ event: written });
}

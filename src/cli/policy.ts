import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openEngine, PolicySetError } from '../detection/engine.ts';
import { inspect, unlimited } from '../detection/pipeline.ts';
import { faultText } from '../detection/policy/faults.ts';
import { policySetJsonSchema } from '../detection/policy/json-schema.ts';
import { readPolicies, readPolicySet } from '../detection/read-policies.ts';
import { dateTimeMs } from '../domain/formats.ts';
import { parseRow } from '../domain/offline-row.ts';
import { BUILTIN_POLICIES_DIR, readPolicyFiles } from '../policy-files.ts';
import { runPolicyTest } from '../session/policy-tests.ts';
import { Replay } from '../session/replay.ts';
import { backtest } from './backtest.ts';
import { type Command, UsageError } from './command.ts';
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
            and under those of PATH, and prints newly blocked, newly allowed and unchanged, with samples
  schema    print the JSON Schema of policy files, for editors

  npm run --silent gatehouse -- policy test policies/
`;

export const policyCommand: Command = {
  usage: USAGE,
  async run([action, ...words]) {
    const { values, positionals } = parse(words);
    const [path = BUILTIN_POLICIES_DIR, ...rest] = positionals;
    if (rest.length > 0) throw new UsageError(`policy ${action} takes one path`);
    if (action === 'backtest') {
      if (values.policy === undefined) throw new UsageError('policy backtest needs --policy PATH');
      return backtest(values.policy, parseTime(values.since ?? '7d', Date.now()));
    }
    if (action === 'schema') return print(JSON.stringify(policySetJsonSchema(), null, 2));
    if (action === 'explain') return explain(path, values.event);
    if (action === 'lint') return lint(path);
    if (action === 'test') return test(path);
    throw new UsageError('policy takes one of: lint, test, explain, backtest, schema');
  },
};

function parse(words: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({ args: words, options: { event: text, policy: text, since: text }, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function engineOf(path: string) {
  const sources = readPolicies(readPolicyFiles(path));
  return openEngine(
    sources.map(({ document }) => document),
    OFFLINE_SECRET,
  );
}

function lint(path: string): number {
  try {
    const { set, doubts } = readPolicySet(readPolicyFiles(path));
    for (const doubt of doubts)
      process.stdout.write(`${faultText({ ...doubt, message: `doubtful: ${doubt.message}` })}\n`);
    return print(`${set.policies.length} policies are right, ${set.tests.length} tests, ${set.hash}`);
  } catch (error) {
    if (!(error instanceof PolicySetError)) throw error;
    process.stdout.write(`${error.message}\n`);
    return 1;
  }
}

function test(path: string): number {
  const engine = engineOf(path);
  const outcomes = engine.policies.tests.map((each) => runPolicyTest(each, engine));
  for (const { ok, policy, name, file, problem } of outcomes)
    process.stdout.write(ok ? `ok      ${policy}: ${name}\n` : `FAILED  ${policy}: ${name}: ${problem} (${file})\n`);
  const failed = outcomes.filter(({ ok }) => !ok).length;
  process.stdout.write(`${outcomes.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

function explain(path: string, file: string | undefined): number {
  if (file === undefined) throw new UsageError('policy explain needs --event FILE');
  const engine = engineOf(path);
  const written = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8')) as Record<string, unknown>;
  const parsed = parseRow(JSON.stringify('session' in written || 'event' in written ? written : { event: written }));
  if (!parsed.ok) throw new UsageError(`${file}: ${parsed.error}`);
  const replay = new Replay((event, facts) => inspect(event, facts, engine, unlimited));
  const told = parsed.row.events.map((event) => ({
    event: event.event_type,
    ...replay.next(event, dateTimeMs(event.timestamp)),
  }));
  return print(JSON.stringify(told.length === 1 ? told[0] : told, null, 2));
}

import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { unlimited } from '../src/detection/budget.ts';
import { type Engine, engineOf } from '../src/detection/engine.ts';
import { inspect } from '../src/detection/pipeline.ts';
import { outlinesOf } from '../src/detection/policy-outlines.ts';
import { checkPolicies, readEngine } from '../src/detection/read-policies.ts';
import { splitTreeEffects } from '../src/detection/session-memory.ts';
import type { Effect } from '../src/domain/decision.ts';
import type { AgentEvent } from '../src/domain/event.ts';
import type { PolicyFile } from '../src/domain/policies.ts';
import type { PolicyCheck, PolicyComparison, PolicyTests } from '../src/domain/policy-work.ts';
import type { PolicySetOf, PolicyTask, PolicyTaskResult, PolicyThreadStart } from '../src/inspection/policy-tasks.ts';
import { Backtest } from '../src/session/backtest.ts';
import { runPolicyTest } from '../src/session/policy-tests.ts';
import type { Inspect } from '../src/session/replay.ts';
import { inOrder } from '../src/session/verification.ts';

/** Nice value: what people ask about policies gives way to answers for sensors. */
const NICE = 10;
/** Differences of one session that are told one by one. */
const DIFFERENCES_MAX = 100;
/** Compiled sets that are remembered: those of two backtests. */
const ENGINES_MAX = 4;

// On Linux this is of the calling thread alone; elsewhere it would be of the whole process.
if (process.platform === 'linux') setPriority(0, NICE);

const { secret } = workerData as PolicyThreadStart;
const engines = new Map<string, Engine>();

/** Checks, tests and compares policy sets, in a thread that can be ended. */
export default function policies(task: PolicyTask): PolicyTaskResult {
  if (task.kind === 'check') return check(task.files);
  if (task.kind === 'test') return test(task.files);
  try {
    return compare(task);
  } catch {
    // One session must not cost the others. Without the error, which could quote it.
    return { ok: false, refused: 'failed' };
  }
}

function check(files: readonly PolicyFile[]): PolicyCheck {
  const checked = checkPolicies(files);
  if (!checked.ok) return checked;
  const { sources, set, warnings } = checked;
  return { ok: true, hash: set.hash, policies: outlinesOf(sources), warnings };
}

function test(files: readonly PolicyFile[]): PolicyTests {
  const checked = checkPolicies(files);
  if (!checked.ok) return checked;
  const engine = engineOf(checked.set, secret);
  return { ok: true, tests: checked.set.tests.map((each) => runPolicyTest(each, engine)) };
}

function compare({ before, after, session }: Extract<PolicyTask, { kind: 'compare' }>): PolicyComparison {
  const events = session.events.map(({ id, receivedAtMs, body, effects }) => {
    const recorded = effects.flatMap((text) => JSON.parse(text) as Effect[]);
    return { id, receivedAtMs, event: JSON.parse(body) as AgentEvent, tree: splitTreeEffects(recorded).tree };
  });
  const run = new Backtest(inspectWith(after));
  const lived = { tenant: session.tenant, today: inspectWith(before) };
  const differences = run.add(lived, inOrder(events, session.releases));
  const { sessions: _, ...counts } = run.counts;
  return { ...counts, differences: differences.slice(0, DIFFERENCES_MAX) };
}

function inspectWith(set: PolicySetOf): Inspect {
  const engine = engines.get(set.key) ?? open(set);
  return (event, facts) => inspect(event, facts, engine, unlimited);
}

function open({ key, files }: PolicySetOf): Engine {
  const engine = readEngine(files, secret);
  if (engines.size >= ENGINES_MAX) engines.clear();
  engines.set(key, engine);
  return engine;
}

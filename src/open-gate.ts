import { LANE_FILE, PROJECTOR_FILE } from './bundles.ts';
import type { Config } from './config.ts';
import { engineOf } from './detection/engine.ts';
import { inspectQuickly } from './detection/pipeline.ts';
import { readPolicySet } from './detection/read-policies.ts';
import { EventIds } from './domain/event-ids.ts';
import { PolicyGate } from './inspection/policy-gate.ts';
import { WorkerPool } from './inspection/worker-pool.ts';
import { systemClock } from './lib/clock.ts';
import { Deadlines } from './lib/deadlines.ts';
import { errorPlace } from './lib/error-text.ts';
import type { StartedParts } from './lib/started-parts.ts';
import { Surge } from './lib/surge.ts';
import { TimeShare } from './lib/time-share.ts';
import type { Installation } from './open-installation.ts';
import { policyDirectory } from './open-policies.ts';
import { journalOptions, type Storage } from './open-storage.ts';
import type { PolicyDirectory } from './policies/policy-directory.ts';
import { ProjectorThread } from './projector/projector-thread.ts';
import type { SessionObserver } from './session/actor-context.ts';
import { AgentSessions } from './session/registry.ts';
import type { LogOutput } from './telemetry/log-output.ts';
import type { Logger } from './telemetry/logger.ts';
import { Metrics } from './telemetry/metrics.ts';

const SESSION_MEMORY_DAYS = 7;
const DAY_MS = 86_400_000;
const SCAN_TEXT_CHARS_MAX = 32 * 1024 * 1024;
/** Of the active sessions, how many may have an inspection held back: those cannot make room for others. */
const HELD_BACK_SHARE = 0.25;
/** Of the main thread's time, for the quick rules of all tenants: however many events are undecided, answers go on. */
const QUICK_SHARE = { share: 0.2, mostMs: 100 };
/** What is not in the database by then is carried over after the next start. */
const PROJECTOR_DRAIN_MS = 5000;

export interface Gate {
  sessions: AgentSessions;
  inspector: WorkerPool;
  policySets: PolicyDirectory;
  projector: ProjectorThread;
  metrics: Metrics;
  deadlines: Deadlines;
  ids: EventIds;
  surge: Surge;
}

/** Opens what decides. */
export async function openGate(
  config: Config,
  log: Logger,
  parts: StartedParts,
  { storage, installation, logOutput }: { storage: Storage; installation: Installation; logOutput: LogOutput },
): Promise<Gate> {
  const { journal, databaseUrl } = storage;
  const monotonic = () => systemClock.monotonic();
  const surge = new Surge(monotonic, config.sessionsActiveMax * HELD_BACK_SHARE);
  const projector = new ProjectorThread({
    file: PROJECTOR_FILE,
    start: {
      journal: { ...journalOptions(config), id: journal.id },
      databaseUrl,
      retentionDays: config.retentionDays,
      logLevel: config.logLevel,
      surge: surge.flag,
    },
    journal,
    log,
    writeLog: (line) => logOutput.write(line),
  });
  const metrics = new Metrics();
  const deadlines = new Deadlines(monotonic);
  const ids = new EventIds();
  const { sources, set } = readPolicySet(installation.policyFiles);
  const { secret } = installation;
  const inspector = new WorkerPool({
    laneFile: LANE_FILE,
    policies: sources.map(({ document }) => document),
    secret,
    workers: config.workers,
    queueEventsMax: config.queueEventsMax,
    testTriggers: config.testTriggers === 'on',
    onLaneEnded: (reason) => {
      metrics.laneEnded(reason);
      log.warn({ reason }, 'an inspection thread was ended and replaced');
    },
    onLaneError: (error) => log.error({ error }, 'an inspection failed'),
  });
  const policyGate = new PolicyGate(inspector, { installation: engineOf(set, secret), secret });
  const policySets = policyDirectory(config, log, { ...storage, gate: policyGate });
  const sessions = new AgentSessions({
    context: {
      journal,
      inspector,
      clock: systemClock,
      ids,
      deadlines,
      decisionDurability: config.decisionDurability,
      inspectQuickly: (task) => inspectQuickly(task, policyGate.engine(policySets.of(task.tenant).active), monotonic),
      quickShare: new TimeShare(monotonic, QUICK_SHARE),
      policies: policySets,
      observer: sessionObserver(metrics, log),
      surge,
      scanText: { chars: 0, charsMax: SCAN_TEXT_CHARS_MAX },
    },
    sessionsActiveMax: config.sessionsActiveMax,
    sessionsRememberedMax: config.sessionsRememberedMax,
    idleMs: config.sessionIdleSeconds * 1000,
    memoryMs: SESSION_MEMORY_DAYS * DAY_MS,
  });
  parts.add('projector', () => projector.stop(PROJECTOR_DRAIN_MS));
  parts.add('inspection lanes', () => inspector.stop());
  await inspector.start();
  parts.addWatch('policy sets', () => policySets.stop());
  await policySets.restore();
  await storage.patience.outlasts(policySets.follow((problem) => log.warn(problem)));
  parts.add('agent sessions', () => sessions.stop());
  await sessions.start();
  void storage.prepared.then(() => projector.start());
  surge.start();
  parts.add('surge', () => surge.stop());
  return { sessions, inspector, policySets, projector, metrics, deadlines, ids, surge };
}

function sessionObserver(metrics: Metrics, log: Logger): SessionObserver {
  return {
    decided(event, decision) {
      metrics.decided(decision);
      if (decision.kind === 'decided' && decision.action === 'allow' && !log.isLevelEnabled('debug')) return;
      const fields = { event: event.id, tenant: event.tenant.slug, correlationId: event.correlationId };
      if (decision.kind === 'undecided')
        log.warn({ ...fields, cause: decision.cause, answered: decision.answered }, 'no decision was reached');
      else log[decision.action === 'block' ? 'info' : 'debug']({ ...fields, action: decision.action }, 'decided');
    },
    inspected: (outcome) => metrics.inspected(outcome),
    lateBlock(event) {
      metrics.lateBlock();
      log.warn({ event }, 'an event that went through should have been blocked; its session is on hold');
    },
    subAgent(event, outcome) {
      metrics.subAgent(outcome);
      if (outcome === 'other_owner' || outcome === 'loop')
        log.warn({ event, outcome }, 'a session names a parent that it cannot be a part of');
    },
    released({ tenant, session, event, subject, hold, taints }) {
      metrics.released();
      log.info({ tenant, session, release: event, subject, hold, taints }, 'a session was released');
    },
    mailboxOverflow: () => metrics.mailboxOverflow(),
    actorCrashed(error) {
      metrics.actorCrashed();
      log.error({ error: errorPlace(error) }, 'a session actor failed; it is built anew from the journal');
    },
    quickRulesFailed(error) {
      metrics.quickRulesFailed();
      log.error({ error: errorPlace(error) }, 'the quick rules failed');
    },
    sweepFailed: (error) => log.error({ error: errorPlace(error) }, 'idle sessions were not all saved; tried again'),
    unreadable: (what, where) =>
      log.error({ what, where }, 'what the journal keeps of a session cannot be used; it goes on without that'),
  };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import type { Engine } from '../../src/detection/engine.ts';
import { inspect } from '../../src/detection/pipeline.ts';
import { digestOfFacts } from '../../src/detection/session-facts.ts';
import type { Decision, Inspection, OnFailure } from '../../src/domain/decision.ts';
import type { AgentEvent } from '../../src/domain/event.ts';
import { EventIds } from '../../src/domain/event-ids.ts';
import { agentSessionKey, type TenantSlug } from '../../src/domain/ids.ts';
import type { ReleaseRecord } from '../../src/domain/record.ts';
import {
  type InspectionOutcome,
  type InspectionRequest,
  type Inspector,
  isClean,
  type PendingInspection,
} from '../../src/inspection/inspector.ts';
import { LmdbJournal } from '../../src/journal/lmdb-journal.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Deadlines } from '../../src/lib/deadlines.ts';
import { Surge } from '../../src/lib/surge.ts';
import type { ActorContext, PoliciesInForce, SessionObserver } from '../../src/session/actor-context.ts';
import type { ReceivedEvent } from '../../src/session/received-event.ts';
import { AgentSessions, type AgentSessionsOptions } from '../../src/session/registry.ts';
import { newEventId } from './event-ids.ts';

/** An inspection that a test finishes by hand. */
export interface HeldInspection {
  request: InspectionRequest;
  promoted: boolean;
  finish(outcome: InspectionOutcome): void;
  allow(): void;
  block(reason: string): void;
}

/** An inspector whose inspections end when the test says so, or at their deadline, as the port demands. */
export class HeldInspector implements Inspector {
  readonly held: HeldInspection[] = [];
  /** Answers at once instead of holding. */
  auto: ((request: InspectionRequest) => InspectionOutcome) | undefined;

  start(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    for (const inspection of this.held) inspection.finish({ kind: 'failed', cause: 'stopping' });
    return Promise.resolve();
  }

  inspect(request: InspectionRequest): PendingInspection {
    if (this.auto !== undefined) return { outcome: Promise.resolve(this.auto(request)), promote: () => {} };
    let finish!: (outcome: InspectionOutcome) => void;
    const outcome = new Promise<InspectionOutcome>((resolve) => {
      finish = resolve;
    });
    const timer = setTimeout(
      () => finish({ kind: 'failed', cause: 'deadline' }),
      request.deadlineAtMs - performance.now(),
    );
    void outcome.then(() => clearTimeout(timer));
    const held: HeldInspection = {
      request,
      promoted: false,
      finish,
      allow: () => finish(ALLOWED),
      block: (reason) => finish(blocked(reason)),
    };
    this.held.push(held);
    return {
      outcome,
      promote: () => {
        held.promoted = true;
      },
    };
  }

  /** The inspection of the event with this content, once it was asked for. */
  async next(content: string): Promise<HeldInspection> {
    return until(() => this.held.find(({ request }) => request.event.includes(content)));
  }
}

export const ALLOWED: InspectionOutcome = {
  kind: 'inspected',
  report: { action: 'allow', effects: [], explanation: '{}', clean: true },
};

/** What a lane would answer, at once and in this thread. */
export function inspecting(engine: Engine): (request: InspectionRequest) => InspectionOutcome {
  return ({ event, facts, priority }) => {
    const inspection = inspect(JSON.parse(event), JSON.parse(facts), engine, unlimited);
    inspection.explanation.facts = digestOfFacts(facts);
    const clean = isClean(inspection);
    // As lanes do: of a clean observational event nobody keeps the explanation.
    const explanation = clean && priority === 'observational' ? '' : JSON.stringify(inspection.explanation);
    return { kind: 'inspected', report: { ...inspection, explanation, clean } };
  };
}

export function blocked(reason: string): InspectionOutcome {
  return { kind: 'inspected', report: { action: 'block', reason, effects: [], explanation: '{}', clean: false } };
}

/** What the observer was told, by kind. */
export interface Told {
  decided: Decision[];
  inspected: string[];
  lateBlocks: string[];
  subAgents: string[];
  releases: ReleaseRecord[];
  overflows: number;
  crashes: unknown[];
  quickRuleFailures: unknown[];
  sweepFailures: unknown[];
  unreadable: { what: 'snapshot' | 'record'; where: string | number }[];
}

export interface SessionHouse {
  journal: LmdbJournal;
  inspector: HeldInspector;
  sessions: AgentSessions;
  context: ActorContext & { ids: EventIds };
  told: Told;
  /** As after `kill -9`: nothing is saved, a new process folds the same journal. */
  crash(): Promise<SessionHouse>;
}

export interface HouseOptions {
  journal?: LmdbJournal;
  quick?: (event: AgentEvent) => Inspection;
  policies?: PoliciesInForce;
  journalBytesMax?: number;
  sessions?: Partial<Omit<AgentSessionsOptions, 'context'>>;
}

/** Session actors on a real journal, with an inspector in the test's hands. */
export async function openHouse(t: Test, options: HouseOptions = {}): Promise<SessionHouse> {
  const journal = options.journal ?? openJournal(t, options.journalBytesMax);
  const told: Told = {
    decided: [],
    inspected: [],
    lateBlocks: [],
    subAgents: [],
    releases: [],
    overflows: 0,
    crashes: [],
    quickRuleFailures: [],
    sweepFailures: [],
    unreadable: [],
  };
  const inspector = new HeldInspector();
  const context: SessionHouse['context'] = {
    journal,
    inspector,
    clock: systemClock,
    ids: new EventIds(),
    deadlines: new Deadlines(() => systemClock.monotonic()),
    decisionDurability: 'disk',
    inspectQuickly: ({ event }) =>
      options.quick?.(event) ?? ({ action: 'allow', effects: [], explanation: { cuts: [] } } as unknown as Inspection),
    quickShare: { run: (_tenant, work) => work() },
    policies: options.policies ?? { of: () => ({}), has: () => false },
    observer: observe(told),
    surge: new Surge(() => systemClock.monotonic(), 1000),
    scanText: { chars: 0, charsMax: 1_000_000 },
  };
  const sessions = new AgentSessions({
    context,
    sessionsActiveMax: 1000,
    sessionsRememberedMax: 10_000,
    idleMs: 3_600_000,
    memoryMs: 86_400_000,
    ...options.sessions,
  });
  await sessions.start();
  t.teardown(async () => {
    await inspector.stop();
    await sessions.stop();
  });
  const crash = () => openHouse(t, { ...options, journal });
  return { journal, inspector, sessions, context, told, crash };
}

function openJournal(t: Test, bytesMax = 64 * 1024 * 1024): LmdbJournal {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-sessions-'));
  const journal = new LmdbJournal({ path, bytesMax, relaxed: false });
  t.teardown(async () => {
    await journal.close();
    rmSync(path, { recursive: true, force: true });
  });
  return journal;
}

function observe(told: Told): SessionObserver {
  return {
    decided: (_, decision) => told.decided.push(decision),
    inspected: (outcome) => told.inspected.push(outcome),
    lateBlock: (event) => told.lateBlocks.push(event),
    subAgent: (_, outcome) => told.subAgents.push(outcome),
    released: (record) => told.releases.push(record),
    mailboxOverflow: () => {
      told.overflows++;
    },
    actorCrashed: (error) => told.crashes.push(error),
    quickRulesFailed: (error) => told.quickRuleFailures.push(error),
    sweepFailed: (error) => told.sweepFailures.push(error),
    unreadable: (what, where) => told.unreadable.push({ what, where }),
  };
}

export interface EventOptions {
  type?: AgentEvent['event_type'];
  session?: string;
  tenant?: string;
  deadlineMs?: number;
  onFailure?: OnFailure;
  /** `session_id` of the parent. */
  parent?: string;
  subject?: string;
  email?: string;
  /** Of a tool event: what it is instead of `t` with the content. */
  tool?: object;
}

/** A received event whose content is `content`: the same content is the same event. */
export function received(content: string, options: EventOptions = {}): ReceivedEvent {
  const { type = 'user_message', session = 's', tenant = 'demo', deadlineMs = 5000, onFailure = 'allow' } = options;
  const slug = tenant as TenantSlug;
  const body = {
    event_type: type,
    session_id: session,
    timestamp: '2026-01-01T00:00:00Z',
    agent: { id: 'a', name: 'A' },
    user: { email: options.email ?? 'a@example.com' },
    ...(options.parent === undefined ? {} : { parent_session_id: options.parent }),
    ...(type.startsWith('tool_')
      ? { tool: options.tool ?? { name: 't', input: { content }, output: {} } }
      : { message: { content } }),
  };
  const text = JSON.stringify(body);
  const startedAtMs = performance.now();
  return {
    id: newEventId(Date.now()),
    tenant: { id: '00000000-0000-4000-8000-000000000000', slug, name: tenant, onFailure },
    session: agentSessionKey(slug, session),
    event: body as unknown as AgentEvent,
    body: Buffer.from(text),
    text,
    correlationId: `c-${content}`,
    subject: options.subject ?? 'ci',
    ...(options.parent === undefined ? {} : { parent: agentSessionKey(slug, options.parent) }),
    receivedAtMs: Date.now(),
    startedAtMs,
    deadlineAtMs: startedAtMs + deadlineMs,
  };
}

type Answer<T> = T | undefined | false;

/** Waits until `probe` gives something. */
export async function until<T>(probe: () => Answer<T> | Promise<Answer<T>>, tries = 6000): Promise<T> {
  for (let left = tries; left > 0; left--) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('what the test waits for never came');
}

import { applyRelease } from '../detection/policy/state.ts';
import { applyEffects, NO_MEMORY, type SessionMemory } from '../detection/session-memory.ts';
import { type Decision, type Effect, letThrough } from '../domain/decision.ts';
import { isBlocking } from '../domain/event-types.ts';
import { type AgentSessionKey, type EventId, eventIdTimeMs } from '../domain/ids.ts';
import type {
  DecisionRecord,
  EventRecord,
  InspectionRecord,
  JoinedRecord,
  LateDecisionRecord,
  ReleaseRecord,
  UnansweredRecord,
} from '../domain/record.ts';
import type { Seq, StoredRecord } from '../journal/journal.ts';
import { assert } from '../lib/assert.ts';
import { inspectionFailed } from './failure.ts';

/**
 * What is known of one agent session: a fold over its journal records. The live actor, recovery after a crash and backtests all use
 * `step`, so they cannot disagree. What a stored decision rested on is folded from the rows of the database instead, with the
 * same steps of the memory: see `factsBefore`.
 */
export interface AgentSessionState {
  /** The newest record folded in; 0 before the first. */
  seq: Seq;
  firstAtMs: number;
  lastAtMs: number;
  phase: 'open' | 'ended';
  /** How often an event came after `session_end`. */
  reopenedCount: number;
  eventsCount: number;
  blockedCount: number;
  /** Decisions that could not be made in time. */
  undecidedCount: number;
  hold: LateHold | undefined;
  /** See `ownerOf`; absent where the session began before owners were recorded. */
  owner?: string;
  /** The session that this one says it is a part of. Whether it is, `memory.tree` tells. */
  parent?: AgentSessionKey;
  /** Sessions that are a part of this one, the oldest first, at most `CHILDREN_MAX`. */
  children: AgentSessionKey[];
  /** What inspections remember. */
  memory: SessionMemory;
  /** Stored events whose inspection is still to come, in order. */
  pending: PendingScan[];
  /** The newest events by dedupe key, with how each was answered; oldest first, at most `RECENT_EVENTS_MAX`. */
  recent: Map<string, RecentEvent>;
}

/** Why every further blocking event is blocked: a block that came too late. */
export interface LateHold {
  reason: string;
  /** The event that was let through though it should have been blocked. */
  event: EventId;
}

export interface PendingScan {
  seq: Seq;
  event: EventId;
  /** `late`: a blocking event that was answered without an inspection. */
  kind: 'observational' | 'late';
  /** Events before it, and how many of them were blocked: whatever came since, its inspection is told these. */
  eventsCount: number;
  blockedCount: number;
  /** Only the quick rules look at it: its inspection failed, and would again. */
  quickly?: true;
  /** See `EventRecord`. */
  policySet?: string;
}

export interface RecentEvent {
  event: EventId;
  /** Absent for an observational event. */
  decision?: Decision;
}

/** How far back a re-sent event is recognised, in events of its session. At least the mailbox, so that retries are. */
export const RECENT_EVENTS_MAX = 256;

/** Stored events of one session that may wait for their inspection, of each kind: results must not crowd out calls that went through undecided. */
export const PENDING_SCANS_MAX = 256;

/** Sub-agents' sessions that one session knows of; with one more the first is forgotten. */
export const CHILDREN_MAX = 256;

export function initialState(): AgentSessionState {
  return {
    seq: 0,
    firstAtMs: 0,
    lastAtMs: 0,
    phase: 'open',
    reopenedCount: 0,
    eventsCount: 0,
    blockedCount: 0,
    undecidedCount: 0,
    hold: undefined,
    children: [],
    memory: NO_MEMORY,
    pending: [],
    recent: new Map(),
  };
}

/**
 * Folds one record into `state`, in place, and returns it. Depends on nothing but its arguments. A record that is
 * already in (`seq` not above the state's) changes nothing, so replaying an overlap is harmless.
 */
export function step(state: AgentSessionState, { seq, record }: StoredRecord): AgentSessionState {
  if (seq <= state.seq) return state;
  state.seq = seq;
  state.lastAtMs = Math.max(state.lastAtMs, record.atMs);
  for (const { event, effects } of record.untold ?? [])
    if (isPending(state, event)) foldInspected(state, event, effects);
  switch (record.kind) {
    case 'event':
    case 'decision':
      return stepReceived(state, seq, record);
    case 'inspection':
      return stepInspected(state, record);
    case 'late_decision':
      return stepLate(state, record);
    case 'unanswered':
      return stepUnanswered(state, record);
    case 'joined':
      return stepJoined(state, record);
    case 'release':
      return stepReleased(state, record);
  }
}

function stepReceived(state: AgentSessionState, seq: Seq, record: EventRecord | DecisionRecord): AgentSessionState {
  if (state.eventsCount === 0) state.firstAtMs = record.atMs;
  noteFamily(state, record);
  const before = { eventsCount: state.eventsCount, blockedCount: state.blockedCount };
  if (state.phase === 'ended') {
    state.phase = 'open';
    state.reopenedCount++;
  }
  state.eventsCount++;
  assert(isBlocking(record.eventType) === (record.kind === 'decision'), 'only blocking events have decisions');
  if (record.kind === 'decision') stepDecided(state, record, { seq, event: record.event, kind: 'late', ...before });
  else state.pending.push(scanOf(seq, record, before));
  remember(state, record);
  if (record.eventType === 'session_end') {
    state.phase = 'ended';
    state.hold = undefined;
  }
  return state;
}

function scanOf(
  seq: Seq,
  { event, policySet }: EventRecord,
  before: Pick<PendingScan, 'eventsCount' | 'blockedCount'>,
): PendingScan {
  return { seq, event, kind: 'observational', ...before, ...(policySet === undefined ? {} : { policySet }) };
}

/** The first parent named counts, and only where the session's owner names it. */
function noteFamily(state: AgentSessionState, { owner, parent }: EventRecord | DecisionRecord): void {
  if (state.eventsCount === 0 && owner !== undefined) state.owner = owner;
  if (parent !== undefined && owner === state.owner) state.parent ??= parent;
}

function stepJoined(state: AgentSessionState, { child }: JoinedRecord): AgentSessionState {
  if (!state.children.includes(child)) state.children = [...state.children, child].slice(-CHILDREN_MAX);
  return state;
}

function stepReleased(state: AgentSessionState, record: ReleaseRecord): AgentSessionState {
  if (record.hold) state.hold = undefined;
  const { memory } = state;
  state.memory = { ...memory, policy: applyRelease(memory.policy, record, eventIdTimeMs(record.event)) };
  return state;
}

/** `scan`: the inspection to come, if this one was answered without. Where that itself was what failed, no lane is given it again. */
function stepDecided(state: AgentSessionState, record: DecisionRecord, scan: PendingScan): void {
  if (!letThrough(record.decision)) state.blockedCount++;
  if (record.decision.kind === 'undecided') {
    state.undecidedCount++;
    const room = !isFullOf(state, 'late');
    if (record.decision.cause !== 'actor_error' && room)
      state.pending.push(inspectionFailed(record.decision.cause) ? { ...scan, quickly: true } : scan);
  }
  foldEffects(state, record.event, record.effects);
}

/** Whether no more of a kind may wait for their inspection. */
export function isFullOf({ pending }: Pick<AgentSessionState, 'pending'>, kind: PendingScan['kind']): boolean {
  if (pending.length < PENDING_SCANS_MAX) return false;
  return pending.filter((scan) => scan.kind === kind).length >= PENDING_SCANS_MAX;
}

/** Folds in the inspection of an observational event, whether it is recorded or not: it can be done again. */
export function foldInspected(state: AgentSessionState, event: EventId, effects: readonly Effect[]): void {
  takeOffPending(state, event);
  foldEffects(state, event, effects);
}

function isPending({ pending }: AgentSessionState, event: EventId): boolean {
  return pending.some((scan) => scan.event === event);
}

/** Takes an event off those whose inspection is to come. */
function takeOffPending(state: AgentSessionState, event: EventId): void {
  if (state.pending[0]?.event === event) state.pending.shift();
  else state.pending = state.pending.filter((scan) => scan.event !== event);
}

function stepInspected(state: AgentSessionState, record: InspectionRecord): AgentSessionState {
  foldInspected(state, record.event, record.effects);
  return state;
}

function stepLate(state: AgentSessionState, record: LateDecisionRecord): AgentSessionState {
  takeOffPending(state, record.event);
  const recent = findRecent(state, record.event);
  const wentThrough = recent?.decision === undefined || letThrough(recent.decision);
  if (record.action === undefined) return state;
  if (record.action === 'block' && wentThrough) holdSession(state, record.event, record.reason);
  if (recent !== undefined) recent.decision = decided(record.action, record.reason);
  foldEffects(state, record.event, record.effects);
  return state;
}

function stepUnanswered(state: AgentSessionState, record: UnansweredRecord): AgentSessionState {
  state.undecidedCount++;
  const decision = findRecent(state, record.event)?.decision;
  const wentThrough = record.answered !== 'block';
  if (wentThrough && decision !== undefined && !letThrough(decision)) holdSession(state, record.event, decision.reason);
  return state;
}

function decided(action: 'allow' | 'block', reason: string | undefined): Decision {
  return { kind: 'decided', action, ...(reason === undefined ? {} : { reason }) };
}

function holdSession(state: AgentSessionState, event: EventId, reason: string | undefined): void {
  state.hold = { event, reason: reason ?? 'an earlier event of this session' };
}

/** As of the receipt of `event`, so that it does not matter when its inspection was done. */
function foldEffects(state: AgentSessionState, event: EventId, effects: readonly Effect[]): void {
  state.memory = applyEffects(state.memory, effects, eventIdTimeMs(event));
}

function remember(state: AgentSessionState, record: EventRecord | DecisionRecord): void {
  const entry: RecentEvent = { event: record.event };
  if (record.kind === 'decision') entry.decision = record.decision;
  state.recent.set(record.dedupe, entry);
  if (state.recent.size <= RECENT_EVENTS_MAX) return;
  for (const oldest of state.recent.keys()) {
    state.recent.delete(oldest);
    break;
  }
}

/** What is remembered of how `event` was answered, among the newest ones. */
export function findRecent(state: AgentSessionState, event: EventId): RecentEvent | undefined {
  for (const recent of state.recent.values()) if (recent.event === event) return recent;
  return undefined;
}

/** The first record that a restart must still find in the journal, given that the state itself is saved. */
export function firstNeededSeq(state: AgentSessionState): Seq {
  return state.pending[0]?.seq ?? Number.POSITIVE_INFINITY;
}

/** 1 had no memory; 2 had `memory.open` as an object. */
const SNAPSHOT_VERSION = 3;

export function encodeState(state: AgentSessionState): Uint8Array {
  return Buffer.from(JSON.stringify({ version: SNAPSHOT_VERSION, ...state, recent: [...state.recent] }));
}

/** Inverse of `encodeState`. Throws on a snapshot of a version that no longer is, or is not yet. */
export function decodeState(bytes: Uint8Array): AgentSessionState {
  const { version, recent, ...rest } = upToDate(JSON.parse(Buffer.from(bytes).toString('utf8')) as WrittenState);
  assert(version === SNAPSHOT_VERSION, `session snapshots have version ${SNAPSHOT_VERSION}`);
  return { ...initialState(), ...rest, recent: new Map(recent) };
}

/** A state as `encodeState` wrote it. */
interface WrittenState extends Omit<AgentSessionState, 'recent'> {
  version: number;
  recent: [string, RecentEvent][];
}

function upToDate(written: WrittenState): WrittenState {
  if (written.version !== 2) return written;
  const { memory } = written;
  return {
    ...written,
    version: SNAPSHOT_VERSION,
    memory: { ...memory, open: Object.entries<number>(memory.open as never) },
  };
}

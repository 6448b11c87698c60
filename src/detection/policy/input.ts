import { type AgentEvent, toolOf } from '../../domain/event.ts';
import type { Detection } from '../detectors/detector.ts';
import type { EventFacts } from '../facts/event-facts.ts';
import type { Place } from '../facts/input.ts';
import type { CanonicalPath } from '../facts/paths.ts';
import { COVERAGE_MIN } from '../flow/match.ts';
import type { ReadText, TextSource } from '../texts/text.ts';
import type { PolicyInput } from './facts-surface.ts';
import { codeInput, filesInput, netInput, shellInput, sqlInput } from './input-actions.ts';
import { textFacts } from './input-texts.ts';
import { toolInputs } from './input-values.ts';
import { activeHold, activeTaints, type PolicyState } from './state.ts';

/** What data flow says of an event. */
export interface FlowView {
  matches: PolicyInput['flow']['matches'];
  private: boolean;
  untrusted: boolean;
  outbound: boolean;
}

/** What is known of the session before the event. */
export interface SessionView {
  eventsCount: number;
  blockedCount: number;
  /** Names and kinds of the tools called so far, each once. */
  tools: readonly string[];
  toolKinds: readonly string[];
  state: PolicyState;
}

/** All that the facts of policies are made from. */
export interface PolicyInputParts {
  event: AgentEvent;
  /** When the event was received, in milliseconds since 1970, as it is recorded: never a clock's present. */
  receivedAtMs: number;
  facts: EventFacts;
  texts: readonly ReadText[];
  detections: readonly Detection[];
  /** Whether the user named a file. */
  isNamed: (file: CanonicalPath) => boolean;
  session: SessionView;
  flow: FlowView;
}

/** The facts of an event as policies see them. Each group is only computed when a policy asks for it. */
export function policyInputOf(parts: PolicyInputParts): PolicyInput {
  return new LazyInput(parts);
}

/** Computes each group of facts once, when it is first asked for: most events are asked for few. */
class LazyInput implements PolicyInput {
  readonly #parts: PolicyInputParts;
  readonly #known: { -readonly [Name in keyof PolicyInput]?: PolicyInput[Name] } = {};

  constructor(parts: PolicyInputParts) {
    this.#parts = parts;
  }

  get event(): PolicyInput['event'] {
    this.#known.event ??= eventInput(this.#parts);
    return this.#known.event;
  }

  get agent(): PolicyInput['agent'] {
    this.#known.agent ??= agentInput(this.#parts.event);
    return this.#known.agent;
  }

  get user(): PolicyInput['user'] {
    this.#known.user ??= userInput(this.#parts.event);
    return this.#known.user;
  }

  get tool(): PolicyInput['tool'] {
    this.#known.tool ??= toolInput(this.#parts);
    return this.#known.tool;
  }

  get shell(): PolicyInput['shell'] {
    this.#known.shell ??= shellInput(this.#parts.facts.shell);
    return this.#known.shell;
  }

  get files(): PolicyInput['files'] {
    this.#known.files ??= filesInput(this.#parts.facts.files);
    return this.#known.files;
  }

  get net(): PolicyInput['net'] {
    this.#known.net ??= netInput(this.#parts.facts.hosts);
    return this.#known.net;
  }

  get sql(): PolicyInput['sql'] {
    this.#known.sql ??= sqlInput(this.#parts.facts.sql);
    return this.#known.sql;
  }

  get code(): PolicyInput['code'] {
    this.#known.code ??= codeInput(this.#parts.facts.code);
    return this.#known.code;
  }

  get findings(): PolicyInput['findings'] {
    this.#known.findings ??= findingsInput(this.#parts);
    return this.#known.findings;
  }

  get flow(): PolicyInput['flow'] {
    this.#known.flow ??= flowInput(this.#parts.flow);
    return this.#known.flow;
  }

  get session(): PolicyInput['session'] {
    this.#known.session ??= sessionInput(this.#parts);
    return this.#known.session;
  }

  get text(): PolicyInput['text'] {
    this.#known.text ??= textFacts(this.#parts.texts);
    return this.#known.text;
  }
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1970 began on a Thursday. */
const FIRST_WEEKDAY = 4;

function eventInput({ event, receivedAtMs: timeMs }: PolicyInputParts): PolicyInput['event'] {
  return {
    type: event.event_type,
    sessionId: event.session_id,
    timestamp: event.timestamp,
    timeMs,
    hour: Math.floor(timeMs / HOUR_MS) % 24,
    weekday: (Math.floor(timeMs / DAY_MS) + FIRST_WEEKDAY) % 7,
  };
}

const ROLES_MAX = 64;

/** Roles as a sensor may send them: beyond the wire contract, which lets further fields through. */
function agentInput({ agent }: AgentEvent): PolicyInput['agent'] {
  const role: unknown = (agent as { role?: unknown }).role;
  return { id: agent.id, name: agent.name, role: typeof role === 'string' ? role : '' };
}

function userInput({ user }: AgentEvent): PolicyInput['user'] {
  const roles: unknown = (user as { roles?: unknown }).roles;
  return {
    email: user.email,
    domain: user.email.slice(user.email.lastIndexOf('@') + 1).toLowerCase(),
    roles: Array.isArray(roles) ? roles.slice(0, ROLES_MAX).filter((role) => typeof role === 'string') : [],
  };
}

function toolInput({ event, facts }: PolicyInputParts): PolicyInput['tool'] {
  const { tool } = facts;
  const input = toolOf(event)?.input;
  let inputs: PolicyInput['tool']['inputs'] | undefined;
  return {
    name: tool?.name ?? '',
    kind: tool?.kind ?? '',
    effect: tool?.effect ?? '',
    basis: tool?.basis ?? '',
    get inputs() {
      inputs ??= tool === undefined ? [] : toolInputs(input);
      return inputs;
    },
  };
}

function findingsInput({ event, detections, isNamed }: PolicyInputParts): PolicyInput['findings'] {
  return detections.map(({ kind, severity, confidence, place, file }) => ({
    kind,
    family: kind.slice(0, Math.max(0, kind.indexOf('.'))) || kind,
    severity,
    confidence,
    source: sourceOf(event, place),
    named: file !== undefined && isNamed(file),
  }));
}

/** Who wrote what stands at `place`. */
function sourceOf({ event_type: type }: AgentEvent, place: Place): TextSource {
  if (type === 'user_message') return 'user';
  if (type === 'agent_message') return 'agent';
  let [root, member]: [Place, Place | undefined] = [place, undefined];
  for (let at = place.parent; at !== undefined; at = at.parent) [root, member] = [at, root];
  if (root.name !== 'tool') return 'tool_description';
  if (member?.name === 'input') return 'tool_input';
  return member?.name === 'output' ? 'tool_output' : 'tool_description';
}

const NO_FLOW: PolicyInput['flow']['top'] = { label: '', coverage: 0, encoding: '', originEvent: '', originTool: '' };

type Match = PolicyInput['flow']['top'];

/** What makes a match say more of why a call is held back: all of a value before a piece, what a tool showed before what a person wrote, a secret before others. */
const RANKS: readonly ((match: Match) => number)[] = [
  ({ coverage }) => Number(coverage >= COVERAGE_MIN),
  ({ originTool }) => Number(originTool !== ''),
  ({ label }) => Number(label === 'secret'),
  ({ coverage }) => coverage,
];

function isGraver(a: Match, b: Match): boolean {
  for (const rank of RANKS) if (rank(a) !== rank(b)) return rank(a) > rank(b);
  return false;
}

function flowInput(flow: FlowView): PolicyInput['flow'] {
  const top = flow.matches.reduce((best, match) => (isGraver(match, best) ? match : best), flow.matches[0] ?? NO_FLOW);
  return { matches: flow.matches, top, private: flow.private, untrusted: flow.untrusted, outbound: flow.outbound };
}

function sessionInput({ session, receivedAtMs }: PolicyInputParts): PolicyInput['session'] {
  const taints = activeTaints(session.state, receivedAtMs);
  return {
    events: session.eventsCount,
    blocked: session.blockedCount,
    held: activeHold(session.state, receivedAtMs) !== undefined,
    labels: taints.map(({ label }) => label),
    taints: taints.map(({ label, policy, atMs }) => ({ label, policy, ageMs: Math.max(0, receivedAtMs - atMs) })),
    tools: session.tools,
    toolKinds: session.toolKinds,
  };
}

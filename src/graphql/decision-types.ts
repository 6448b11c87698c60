import type {
  Cut,
  Explanation,
  Finding,
  FlowTrace,
  Past,
  PastEffect,
  PastSight,
  PolicyMatch,
  ShadowOutcome,
} from '../domain/decision.ts';
import type { DecisionRow, InspectionRow } from '../store/activity.ts';
import type { EventRow } from '../store/event-rows.ts';
import { originalText } from '../store/storable-text.ts';
import { builder } from './builder.ts';
import type { OfTenant } from './of-tenant.ts';

/** Why something was decided: the types of an explanation, and the decisions that have one. */

export const Action = builder.enumType('Action', {
  description: 'What the sender was told to do.',
  values: { ALLOW: { value: 'allow' }, BLOCK: { value: 'block' } } as const,
});

export const DecisionKind = builder.enumType('DecisionKind', {
  description: 'DECIDED: an inspection said so. UNDECIDED: none was done in time, and the tenant’s fail mode answered.',
  values: { DECIDED: { value: 'decided' }, UNDECIDED: { value: 'undecided' } } as const,
});

const SpanType = builder.objectRef<NonNullable<Finding['span']>>('Span').implement({
  description: 'Where in the event the evidence stands.',
  fields: (t) => ({
    pointer: t.exposeString('pointer', { description: 'JSON pointer of the string.' }),
    start: t.exposeInt('start', { description: 'UTF-16 offset into it.' }),
    end: t.exposeInt('end'),
  }),
});

const FindingType = builder.objectRef<Finding>('Finding').implement({
  description: 'A problem that a detector saw. Holds where the evidence is, never the evidence itself.',
  fields: (t) => ({
    kind: t.exposeString('kind'),
    severity: t.exposeString('severity'),
    confidence: t.exposeFloat('confidence', { description: 'How sure the detector is, 0 to 1.' }),
    span: t.field({ type: SpanType, nullable: true, resolve: ({ span }) => span }),
  }),
});

const PolicyMatchType = builder.objectRef<PolicyMatch>('PolicyMatch').implement({
  description: 'A policy that matched, and what it asked for.',
  fields: (t) => ({
    id: t.exposeString('id'),
    severity: t.exposeString('severity'),
    effect: t.exposeString('effect'),
    reason: t.exposeString('reason'),
    agentHint: t.exposeString('agentHint', {
      nullable: true,
      description: 'What the agent may do instead; not sent to the sensor.',
    }),
    tags: t.exposeStringList('tags'),
  }),
});

const CutType = builder.objectRef<Cut>('Cut').implement({
  description: 'A part of the event that was not looked at, and the bound that cut it.',
  fields: (t) => ({ what: t.exposeString('what'), bound: t.exposeString('bound') }),
});

const FlowTraceType = builder.objectRef<FlowTrace>('FlowTrace').implement({
  description: 'Something remembered that the event would have sent out.',
  fields: (t) => ({
    eventId: t.id({ description: 'The event in which it was first seen.', resolve: ({ event }) => event }),
    toolName: t.exposeString('tool', { description: 'Whose result it was; empty for what a person wrote.' }),
    label: t.exposeString('label', {
      description: 'Why it is remembered: secret, pii, private, or a policy’s own word.',
    }),
    encoding: t.exposeString('encoding'),
    coverage: t.exposeFloat('coverage', { description: 'How much of it, 0 to 1.' }),
  }),
});

/** Stored within the row and read with it, and short: a list of these costs little. */
const INLINE_LIST = { field: 1, multiplier: 2 };

const PastEffectType = builder.objectRef<PastEffect>('PastEffect').implement({
  description: 'What a policy did to the session before, when it did so last: a label, or a hold.',
  fields: (t) => ({
    label: t.exposeString('label', { nullable: true, description: 'Null for a hold.' }),
    policy: t.exposeString('policy', {
      description:
        'The policy that did it; late_decision where a parent’s hold was taken over after an event that went through.',
    }),
    eventId: t.id({
      nullable: true,
      description: 'The event that it matched, in this session or another one of its tree.',
      resolve: ({ event }) => event,
    }),
    at: t.field({ type: 'DateTime', resolve: ({ atMs }) => new Date(atMs) }),
  }),
});

const PastSightType = builder.objectRef<PastSight>('PastSight').implement({
  description: 'Where something was first seen.',
  fields: (t) => ({
    eventId: t.id({ resolve: ({ event }) => event }),
    toolName: t.exposeString('tool', { description: 'Whose result it was.' }),
  }),
});

const PastType = builder.objectRef<Past>('Past').implement({
  description:
    'What of the session’s past the policies that matched, in shadow mode or not, asked about, as it was then. Null where none asked, or there was nothing.',
  fields: (t) => ({
    events: t.exposeInt('events', { nullable: true, description: 'Events before.' }),
    blocked: t.exposeInt('blocked', { nullable: true, description: 'How many of them were blocked.' }),
    taints: t.field({
      type: [PastEffectType],
      description: 'Labels that held.',
      complexity: INLINE_LIST,
      resolve: ({ taints }) => taints ?? [],
    }),
    hold: t.field({ type: PastEffectType, nullable: true, resolve: ({ hold }) => hold }),
    privateData: t.field({
      type: PastSightType,
      nullable: true,
      description: 'Where private data was first seen.',
      resolve: ({ privateData }) => privateData,
    }),
    untrusted: t.field({
      type: PastSightType,
      nullable: true,
      description: 'Where content from outside was first seen.',
      resolve: ({ untrusted }) => untrusted,
    }),
  }),
});

const ExceptedType = builder.objectRef<{ policy: string; owner: string }>('Excepted').implement({
  description: 'A policy that an exception kept from matching.',
  fields: (t) => ({ policy: t.exposeString('policy'), owner: t.exposeString('owner') }),
});

const ShadowOutcomeType = builder.objectRef<ShadowOutcome>('ShadowOutcome').implement({
  description: 'What the set that was tried beside the one that decided would have answered.',
  fields: (t) => ({
    policySet: t.exposeString('policySet', { description: 'Its hash.' }),
    action: t.field({
      type: Action,
      nullable: true,
      description: 'Null: not known in time.',
      resolve: ({ action }) => action,
    }),
    reason: t.string({ nullable: true, resolve: ({ reason }) => reason }),
    policies: t.field({
      type: [PolicyMatchType],
      complexity: INLINE_LIST,
      resolve: ({ policies }) => policies ?? [],
    }),
  }),
});

const ExplanationType = builder.objectRef<Explanation>('Explanation').implement({
  description: 'Everything needed to understand, and to compute again, what was decided.',
  fields: (t) => ({
    policies: t.field({ type: [PolicyMatchType], complexity: INLINE_LIST, resolve: ({ policies }) => policies }),
    simulated: t.field({
      type: [PolicyMatchType],
      description: 'What policies in shadow mode would have done.',
      complexity: INLINE_LIST,
      resolve: ({ simulated }) => simulated ?? [],
    }),
    findings: t.field({ type: [FindingType], complexity: INLINE_LIST, resolve: ({ findings }) => findings }),
    flows: t.field({ type: [FlowTraceType], complexity: INLINE_LIST, resolve: ({ flows }) => flows ?? [] }),
    past: t.field({ type: PastType, nullable: true, resolve: ({ past }) => past }),
    excepted: t.field({ type: [ExceptedType], complexity: INLINE_LIST, resolve: ({ excepted }) => excepted ?? [] }),
    cuts: t.field({ type: [CutType], complexity: INLINE_LIST, resolve: ({ cuts }) => cuts }),
    shadow: t.field({ type: ShadowOutcomeType, nullable: true, resolve: ({ shadow }) => shadow }),
    policySet: t.exposeString('policySet', { description: 'Hash of the policies that decided.' }),
    engine: t.exposeString('engine', { description: 'Version of the code that applied them.' }),
    sessionFacts: t.exposeString('facts', { nullable: true, description: 'Hash of what was known of the session.' }),
    tookUs: t.exposeInt('tookUs', { description: 'Microseconds of work, without waiting.' }),
  }),
});

/** The explanation as it was stored; what is not readable any more is none. */
export function explanationOf(text: string | null): Explanation | undefined {
  return text === null ? undefined : (JSON.parse(text) as Explanation);
}

/** A decision with its event, which is read with it. */
export interface DecisionWithEvent extends OfTenant {
  decision: DecisionRow;
  event: EventRow | undefined;
}

export const DecisionType = builder.objectRef<DecisionWithEvent>('Decision').implement({
  description: 'How a blocking event was answered, and why.',
  fields: (t) => ({
    id: t.id({ resolve: ({ decision }) => decision.id }),
    sessionKey: t.id({ resolve: ({ decision }) => decision.sessionKey }),
    kind: t.field({ type: DecisionKind, resolve: ({ decision }) => decision.kind }),
    action: t.field({ type: Action, nullable: true, resolve: ({ decision }) => decision.action }),
    reason: t.string({ nullable: true, resolve: ({ decision }) => readable(decision.reason) }),
    cause: t.string({
      nullable: true,
      description: 'Why there was no decision.',
      resolve: ({ decision }) => decision.cause,
    }),
    answered: t.string({
      nullable: true,
      description: 'How an undecided event was answered.',
      resolve: ({ decision }) => decision.answered,
    }),
    tookUs: t.int({
      description: 'Microseconds from the request to the decision.',
      resolve: ({ decision }) => decision.tookUs,
    }),
    decidedAt: t.field({ type: 'DateTime', resolve: ({ decision }) => decision.decidedAt }),
    eventType: t.string({ nullable: true, resolve: ({ event }) => event?.eventType }),
    toolName: t.string({ nullable: true, resolve: ({ event }) => readable(event?.toolName) }),
    userEmail: t.string({ nullable: true, resolve: ({ event }) => readable(event?.userEmail) }),
    body: t.string({
      nullable: true,
      description:
        'The event as it was sent: JSON text. Empty where what an operation asks for is too large together: ask for it alone.',
      resolve: ({ event }) => event?.body,
    }),
    explanation: t.field({
      type: ExplanationType,
      nullable: true,
      resolve: ({ decision }) => explanationOf(decision.explanation),
    }),
    shadowAction: t.field({
      type: Action,
      nullable: true,
      description: 'What the set that was tried beside would have answered. Null: none was, or it is not known.',
      resolve: ({ decision }) => decision.shadowAction,
    }),
    simulatedAction: t.field({
      type: Action,
      nullable: true,
      description: 'BLOCK where it was allowed, and policies in shadow mode would have blocked it.',
      resolve: ({ decision }) => decision.simulatedAction,
    }),
    lateAction: t.field({
      type: Action,
      nullable: true,
      description: 'What an inspection said that finished after the answer.',
      resolve: ({ decision }) => decision.lateAction,
    }),
    lateExplanation: t.field({
      type: ExplanationType,
      nullable: true,
      resolve: ({ decision }) => explanationOf(decision.lateExplanation),
    }),
  }),
});

/** An event with what became of it. */
export interface TimelineEntry extends OfTenant {
  event: EventRow;
  decision: DecisionRow | undefined;
  inspection: InspectionRow | undefined;
}

export const TimelineEntryType = builder.objectRef<TimelineEntry>('TimelineEntry').implement({
  description: 'An event, and what was decided or found.',
  fields: (t) => ({
    id: t.id({ resolve: ({ event }) => event.id }),
    sessionKey: t.id({ resolve: ({ event }) => event.sessionKey }),
    agentKey: t.id({ resolve: ({ event }) => event.agentKey }),
    eventType: t.string({ resolve: ({ event }) => event.eventType }),
    eventAt: t.field({ type: 'DateTime', description: 'The sensor’s clock.', resolve: ({ event }) => event.eventAt }),
    receivedAt: t.field({ type: 'DateTime', description: 'Our clock.', resolve: ({ event }) => event.receivedAt }),
    toolName: t.string({ nullable: true, resolve: ({ event }) => readable(event.toolName) }),
    correlationId: t.string({ resolve: ({ event }) => event.correlationId }),
    body: t.string({
      description:
        'The event as it was sent: JSON text. Empty where what an operation asks for is too large together: ask for it alone.',
      resolve: ({ event }) => event.body,
    }),
    decision: t.field({
      type: DecisionType,
      nullable: true,
      resolve: ({ tenantId, decision, event }) => (decision === undefined ? undefined : { tenantId, decision, event }),
    }),
    explanation: t.field({
      type: ExplanationType,
      nullable: true,
      description: 'What was found in an event that nobody waited for.',
      resolve: ({ inspection }) => explanationOf(inspection?.explanation ?? null),
    }),
  }),
});

function readable(text: string | null | undefined): string | undefined {
  return text === null || text === undefined ? undefined : originalText(text);
}

import type { Past, PastEffect, PastSight } from '../domain/decision.ts';
import type { FlowOrigin } from './flow/memory.ts';
import type { MatchedPolicy } from './policy/result.ts';
import { activeHold, activeTaints, type Hold, type Taint } from './policy/state.ts';
import type { SessionFacts } from './session-facts.ts';

/** What there is in `session` of what `policies` asked for; undefined where that is nothing. */
export function pastOf(policies: readonly Pick<MatchedPolicy, 'past'>[], session: SessionFacts): Past | undefined {
  if (policies.length === 0) return undefined;
  const asked = new Set(policies.flatMap(({ past }) => past));
  const past: Past = {};
  const { memory, receivedAtMs } = session;
  const { privateData, untrusted } = memory.flow;
  const hold = activeHold(memory.policy, receivedAtMs);
  const taints = activeTaints(memory.policy, receivedAtMs);
  if (asked.has('session.events')) past.events = session.eventsCount;
  if (asked.has('session.blocked')) past.blocked = session.blockedCount;
  if ((asked.has('session.labels') || asked.has('session.taints')) && taints.length > 0)
    past.taints = taints.map((taint) => ({ label: taint.label, ...effectOf(taint) }));
  if (asked.has('session.held') && hold !== undefined) past.hold = effectOf(hold);
  if (asked.has('flow.private') && privateData !== undefined) past.privateData = sightOf(privateData);
  if (asked.has('flow.untrusted') && untrusted !== undefined) past.untrusted = sightOf(untrusted);
  return Object.keys(past).length === 0 ? undefined : past;
}

/** What a hold or taint goes back to. */
export function effectOf({ policy, event, atMs }: Hold | Taint): PastEffect {
  return { policy, ...(event === undefined ? {} : { event }), atMs };
}

function sightOf({ event, tool }: FlowOrigin): PastSight {
  return { event, tool };
}

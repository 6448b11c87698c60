/** Facts about what happened before in the session, of which an explanation can say how they came to be. */
export const PAST_FACTS = [
  'session.labels',
  'session.taints',
  'session.held',
  'session.events',
  'session.blocked',
  'flow.private',
  'flow.untrusted',
] as const;

export type PastFact = (typeof PAST_FACTS)[number];

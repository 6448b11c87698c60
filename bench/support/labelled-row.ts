/** A row of a labelled corpus. */
export interface LabelledRow {
  id: string;
  label: 'attack' | 'benign';
  category: string;
  hard?: boolean;
  weak_label?: boolean;
  outcome?: string;
  event?: Record<string, unknown>;
  session?: Record<string, unknown>[];
}

/** What `gatehouse inspect` says of one event. */
export interface InspectedEvent {
  action: 'allow' | 'block';
  policies: string[];
  findings: { kind: string; confidence: number }[];
}

/** Categories whose label says that something is there, not that something must be stopped. */
const PRESENCE: Readonly<Record<string, string>> = { secret: 'secret.', pii: 'pii.', unicode: 'unicode.' };

/**
 * Whether the set saw what the label is about: for what a sensor waits for, a block; for what it only tells, a policy
 * that matched; for secrets, personal data and hidden characters, a finding of that family.
 */
export function isFlagged(row: LabelledRow, events: readonly InspectedEvent[]): boolean {
  if (row.session !== undefined) return events.some(({ action }) => action === 'block');
  const [event] = events;
  if (event === undefined) return false;
  const family = PRESENCE[row.category];
  if (family !== undefined) return event.findings.some(({ kind }) => kind.startsWith(family));
  return event.action === 'block' || (!isBlocking(row.event) && event.policies.length > 0);
}

function isBlocking(event: Record<string, unknown> | undefined): boolean {
  return event?.['event_type'] === 'tool_invocation' || event?.['event_type'] === 'user_message';
}

const TEMPLATE_CHARS = 200;

/** What rows have in common that differ only in numbers and mail addresses. */
export function templateOf({ event, session }: LabelledRow): string {
  const text = JSON.stringify(event ?? session);
  return text
    .slice(0, 20_000)
    .toLowerCase()
    .replace(/[\w.+-]+@[\w.-]+/g, 'M')
    .replace(/[0-9a-f]{8,}|\d+/g, '0')
    .slice(0, TEMPLATE_CHARS);
}

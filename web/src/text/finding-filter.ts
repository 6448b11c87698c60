/** Which findings are looked at, as the address of the page says it, so that a list can be sent to somebody. */

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'informational'] as const;
export const VERDICTS = ['true_positive', 'false_positive', 'accepted_risk'] as const;
export const STATUSES = ['open', 'closed', 'all'] as const;
/** Days back; 0 for everything that is kept. */
export const DAYS = [1, 7, 30, 0] as const;

export type SeverityName = (typeof SEVERITIES)[number];
export type VerdictName = (typeof VERDICTS)[number];
export type StatusName = (typeof STATUSES)[number];

export interface FindingFilter {
  severities: readonly SeverityName[];
  status: StatusName;
  days: number;
  verdict: VerdictName | undefined;
  /** Texts are empty where they do not matter. */
  search: string;
  kind: string;
  policy: string;
  assignee: string;
  agent: string;
  session: string;
}

const TEXTS = ['search', 'kind', 'policy', 'assignee', 'agent', 'session'] as const;
const TEXT_CHARS_MAX = 256;
/** Keys of agents, sessions and people. */
const KEYS = ['assignee', 'agent', 'session'] as const;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** What an address asks for; what it cannot ask for is left out. */
export function readFilter(params: URLSearchParams): FindingFilter {
  const severities = params.getAll('severity');
  const texts = Object.fromEntries(TEXTS.map((name) => [name, (params.get(name) ?? '').slice(0, TEXT_CHARS_MAX)]));
  for (const name of KEYS) if (!UUID.test(texts[name] ?? '')) texts[name] = '';
  return {
    severities: SEVERITIES.filter((severity) => severities.includes(severity)),
    status: STATUSES.find((status) => status === params.get('status')) ?? 'open',
    days: DAYS.find((days) => String(days) === params.get('days')) ?? 0,
    verdict: VERDICTS.find((verdict) => verdict === params.get('verdict')),
    ...(texts as Record<(typeof TEXTS)[number], string>),
  };
}

/** The inverse of `readFilter`: what is as it is anyway is left out. */
export function writeFilter(filter: FindingFilter): string {
  const params = new URLSearchParams();
  for (const severity of filter.severities) params.append('severity', severity);
  if (filter.status !== 'open') params.set('status', filter.status);
  if (filter.days !== 0) params.set('days', String(filter.days));
  if (filter.verdict !== undefined) params.set('verdict', filter.verdict);
  for (const name of TEXTS) if (filter[name] !== '') params.set(name, filter[name]);
  return params.toString();
}

/** As the graph writes the names of its enumerations. */
export function upperCase<T extends string>(name: T): Uppercase<T> {
  return name.toUpperCase() as Uppercase<T>;
}

/** What the graph is asked for. */
export function variablesOf(filter: FindingFilter, nowMs: number) {
  const { severities, status, days, verdict } = filter;
  const text = (value: string) => (value === '' ? null : value);
  return {
    severities: severities.length === 0 ? null : severities.map(upperCase),
    status: status === 'all' ? null : upperCase(status),
    verdict: verdict === undefined ? null : upperCase(verdict),
    since: days === 0 ? null : new Date(nowMs - days * 86_400_000).toISOString(),
    search: text(filter.search.trim()),
    kind: text(filter.kind),
    policy: text(filter.policy),
    assignee: text(filter.assignee),
    agentKey: text(filter.agent),
    sessionKey: text(filter.session),
  };
}

/** What a person says of a finding. */
export const VERDICTS = ['true_positive', 'false_positive', 'accepted_risk'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const FINDING_STATUSES = ['open', 'closed'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/** UTF-16 units of a note. */
export const NOTE_CHARS_MAX = 2_000;
/** Findings that one request judges. */
export const TRIAGE_FINDINGS_MAX = 200;

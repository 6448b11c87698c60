import type { Explanation, Finding, PolicyMatch } from '../domain/decision.ts';
import type { DecisionRecord, InspectionRecord, LateDecisionRecord } from '../domain/record.ts';
import type { RowOf } from './row-columns.ts';
import { type RowTexts, RowTextsBuilder } from './row-texts.ts';
import { storableText } from './storable-text.ts';

/** What explanations say, for `findings`, `finding_hours` and `policy_hits`: one row for each that says something. */

/** Which explanation of an event: each counts once, however often its record comes. */
export type SightingSource = 'decision' | 'inspection' | 'late';

export const SIGHTING_COLUMNS = 'id uuid, src text, at bigint, why text, pol text[], hits json, finds json';
export const HIT_COLUMNS = 'p text, e int, s int';
export const FIND_COLUMNS = 'n smallint, k text, v text, c real, p text, a int, z int';

/** Findings of a late decision are numbered from here, since the decision may have some of its own. */
export const LATE_FINDINGS_FROM = 1_000;
/** Of what is searched for the reasons of one event. */
const WHY_CHARS_MAX = 2_000;

type Explained = DecisionRecord | InspectionRecord | LateDecisionRecord;

export class Sightings {
  readonly #rows = new RowTextsBuilder();
  readonly #seen = new Set<string>();

  /** Adds what `record` explains, unless a record of the same event did. */
  add(source: SightingSource, record: Explained): void {
    const key = `${source} ${record.event}`;
    if (record.explanation === undefined || this.#seen.has(key)) return;
    this.#seen.add(key);
    const explanation = readExplanation(record.explanation);
    if (explanation === undefined) return;
    const { policies, simulated, findings } = explanation;
    if (policies.length + simulated.length + findings.length === 0) return;
    const matches = [...policies, ...simulated];
    const row = {
      id: record.event,
      src: source,
      at: Math.round(record.atMs),
      why: storableText(
        matches
          .map(({ reason }) => reason)
          .join(' ')
          .slice(0, WHY_CHARS_MAX),
      ),
      pol: matches.map(({ id }) => id),
      hits: [
        ...policies.map(({ id }) => ({ p: id, e: 1, s: 0 })),
        ...simulated.map(({ id }) => ({ p: id, e: 0, s: 1 })),
      ] satisfies RowOf<typeof HIT_COLUMNS>[],
      finds: findings.map((finding, index) => findRow(finding, index + (source === 'late' ? LATE_FINDINGS_FROM : 0))),
    } satisfies RowOf<typeof SIGHTING_COLUMNS>;
    this.#rows.add(row, 200 + row.why.length + 120 * findings.length);
  }

  finish(): RowTexts {
    return this.#rows.finish();
  }
}

function findRow({ kind, severity, confidence, span }: Finding, n: number): RowOf<typeof FIND_COLUMNS> {
  return {
    n,
    k: kind,
    v: severity,
    c: confidence,
    p: span === undefined ? null : storableText(span.pointer),
    a: span?.start ?? null,
    z: span?.end ?? null,
  };
}

interface Told {
  policies: readonly PolicyMatch[];
  simulated: readonly PolicyMatch[];
  findings: readonly Finding[];
}

/** An explanation is our own making. One that an older version made otherwise keeps no event from being stored. */
function readExplanation(text: string): Told | undefined {
  try {
    const { policies, simulated, findings } = JSON.parse(text) as Partial<Explanation>;
    return {
      policies: (policies ?? []).filter(isMatch),
      simulated: (simulated ?? []).filter(isMatch),
      findings: (findings ?? []).filter(isFinding),
    };
  } catch {
    return undefined;
  }
}

function isMatch({ id, reason }: PolicyMatch): boolean {
  return typeof id === 'string' && typeof reason === 'string';
}

function isFinding({ kind, severity, confidence }: Finding): boolean {
  return typeof kind === 'string' && typeof severity === 'string' && typeof confidence === 'number';
}

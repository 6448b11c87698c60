import { type DecisionRow, findDecisions, findEvents, findInspections } from '../store/activity.ts';
import type { EventRow } from '../store/event-rows.ts';
import type { TenantTransaction } from '../store/tenant-database.ts';
import type { DecisionWithEvent, TimelineEntry } from './decision-types.ts';

/** Rows with the rows that belong to them. */

export function byId<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Decisions with what they were about. */
export async function withEvents(
  tx: TenantTransaction,
  tenantId: string,
  rows: readonly DecisionRow[],
): Promise<DecisionWithEvent[]> {
  const eventOf = byId(await findEvents(tx, idsOf(rows)));
  return rows.map((decision) => ({ tenantId, decision, event: eventOf.get(decision.id) }));
}

/** Events with what became of them. */
export async function withOutcomes(
  tx: TenantTransaction,
  tenantId: string,
  rows: readonly EventRow[],
): Promise<TimelineEntry[]> {
  const ids = idsOf(rows);
  const [decisions, inspections] = await Promise.all([findDecisions(tx, ids), findInspections(tx, ids)]);
  const [decisionOf, inspectionOf] = [byId(decisions), byId(inspections)];
  return rows.map((event) => ({
    tenantId,
    event,
    decision: decisionOf.get(event.id),
    inspection: inspectionOf.get(event.id),
  }));
}

import { getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import { events } from './schema/events.ts';
import type { TenantTransaction } from './tenant-database.ts';

export type EventRow = typeof events.$inferSelect;

/**
 * Bytes of bodies that one reading, or all of one operation, bring along: what people look at is put together on the thread that
 * answers sensors. The first event's body comes whatever its size; those that do not fit any more are left empty, and are read one by one.
 */
const BODIES_BYTES_MAX = 8 * 1024 * 1024;

/** What is left of that. */
export interface BodiesBudget {
  bytes: number;
}

export function bodiesBudget(): BodiesBudget {
  return { bytes: BODIES_BYTES_MAX };
}

const budgets = new WeakMap<TenantTransaction, BodiesBudget>();

/** Has what is read in `tx` come from `budget`, which several transactions may share. Returns `tx`. */
export function sharingBodies(tx: TenantTransaction, budget: BodiesBudget): TenantTransaction {
  budgets.set(tx, budget);
  return tx;
}

const { body: _, ...WITHOUT_BODY } = getTableColumns(events);
/** Of a text in the table's other storage this is known without reading it. */
const WITH_LENGTH = { ...WITHOUT_BODY, bodyBytes: sql<number>`octet_length(${events.body})`.mapWith(Number) };

/** Events in the order and number that are asked for. */
export async function selectEvents(
  tx: TenantTransaction,
  { where, orderBy, limit }: { where: SQL | undefined; orderBy?: SQL; limit: number },
): Promise<EventRow[]> {
  const query = tx.select(WITH_LENGTH).from(events).where(where).limit(limit);
  const heads = await (orderBy === undefined ? query : query.orderBy(orderBy));
  const budget = budgets.get(tx) ?? bodiesBudget();
  const fitting: string[] = [];
  for (const { id, bodyBytes } of heads) {
    if (bodyBytes > budget.bytes && budget.bytes < BODIES_BYTES_MAX) continue;
    fitting.push(id);
    budget.bytes -= bodyBytes;
  }
  const bodies = fitting.length === 0 ? [] : await selectBodies(tx, fitting);
  const bodyOf = new Map(bodies.map(({ id, body }) => [id, body]));
  return heads.map(({ bodyBytes: _bytes, ...head }) => ({ ...head, body: bodyOf.get(head.id) ?? '' }));
}

function selectBodies(tx: TenantTransaction, ids: string[]): Promise<{ id: string; body: string }[]> {
  return tx.select({ id: events.id, body: events.body }).from(events).where(inArray(events.id, ids));
}

import { and, asc, desc, eq, notInArray } from 'drizzle-orm';
import { savedFilters } from './schema/saved-filters.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** A list of findings that somebody gave a name. */
export interface SavedFilter {
  name: string;
  /** What the address of the list says of it. */
  query: string;
}

/** Whose: a member of the tenant. */
export interface FilterOwner {
  tenantId: string;
  userId: string;
}

/** Of one person in one tenant. */
export const SAVED_FILTERS_MAX = 20;

const of = ({ tenantId, userId }: FilterOwner) =>
  and(eq(savedFilters.tenantId, tenantId), eq(savedFilters.userId, userId));

/** The person's filters in the tenant, the oldest first. */
export function listSavedFilters(tx: TenantTransaction, owner: FilterOwner): Promise<SavedFilter[]> {
  return tx
    .select({ name: savedFilters.name, query: savedFilters.query })
    .from(savedFilters)
    .where(of(owner))
    .orderBy(asc(savedFilters.savedAt), asc(savedFilters.name))
    .limit(SAVED_FILTERS_MAX);
}

/** Keeps the filter, in the place of one of the same name; the oldest makes room. */
export async function putSavedFilter(tx: TenantTransaction, owner: FilterOwner, filter: SavedFilter): Promise<void> {
  const { tenantId, userId } = owner;
  const { name, query } = filter;
  const savedAt = new Date();
  await tx
    .insert(savedFilters)
    .values({ tenantId, userId, name, query, savedAt })
    .onConflictDoUpdate({
      target: [savedFilters.tenantId, savedFilters.userId, savedFilters.name],
      set: { query, savedAt },
    });
  const kept = tx
    .select({ name: savedFilters.name })
    .from(savedFilters)
    .where(of(owner))
    .orderBy(desc(savedFilters.savedAt), desc(savedFilters.name))
    .limit(SAVED_FILTERS_MAX);
  await tx.delete(savedFilters).where(and(of(owner), notInArray(savedFilters.name, kept)));
}

/** Returns whether there was one of the name. */
export async function removeSavedFilter(tx: TenantTransaction, owner: FilterOwner, name: string): Promise<boolean> {
  const removed = await tx
    .delete(savedFilters)
    .where(and(of(owner), eq(savedFilters.name, name)))
    .returning({ name: savedFilters.name });
  return removed.length > 0;
}

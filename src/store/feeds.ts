import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import type { Database } from './database.ts';
import { feedBatches, feedHeads } from './schema/feeds.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** What became visible to a tenant, in the order in which it did: see `schema/feeds.ts`. */

/** What a batch tells of: each has ids of its own. */
export type FeedTopic = 'events' | 'decisions' | 'sessions' | 'findings';

export interface FeedBatch {
  /** Of one tenant without gaps, from 1 on; those that retention removed are the first. */
  seq: number;
  ids: string[];
}

/** The number of the tenant's newest batch; 0 where there never was one. */
export async function readFeedHead(tx: TenantTransaction, tenantId: string): Promise<number> {
  const [row] = await tx.select({ seq: feedHeads.seq }).from(feedHeads).where(eq(feedHeads.tenantId, tenantId));
  return row?.seq ?? 0;
}

/** The batches behind `after`, at most `limit`, oldest first. */
export function readFeed(
  tx: TenantTransaction,
  tenantId: string,
  topic: FeedTopic,
  { after, limit }: { after: number; limit: number },
): Promise<FeedBatch[]> {
  return tx
    .select({ seq: feedBatches.seq, ids: feedBatches[topic] })
    .from(feedBatches)
    .where(and(eq(feedBatches.tenantId, tenantId), gt(feedBatches.seq, after)))
    .orderBy(asc(feedBatches.seq))
    .limit(limit);
}

/** The newest numbers of several tenants: for the service itself, which asks whether there is anything to read. */
export async function readFeedHeads(
  { db }: Database,
  tenantIds: readonly string[],
): Promise<{ tenantId: string; seq: number }[]> {
  return tenantIds.length === 0
    ? []
    : db
        .select()
        .from(feedHeads)
        .where(inArray(feedHeads.tenantId, [...tenantIds]));
}

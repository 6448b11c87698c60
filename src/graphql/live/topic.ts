import type { FeedTopic } from '../../store/feeds.ts';
import type { TenantTransaction } from '../../store/tenant-database.ts';

/** Something that can be watched. A new one needs a column of `feed_batches`, a topic, and a field of the subscription type. */
export interface LiveTopic<Item> {
  name: FeedTopic;
  /**
   * Whether who is slow, or was away, gets everything all the same, later and read from the database. Of other topics they get what
   * is new, and are told how much they missed.
   */
  resumes: boolean;
  /** What the ids stand for, by id; those that the tenant cannot see (any more) are left out. */
  load: (tx: TenantTransaction, tenantId: string, ids: readonly string[]) => Promise<Map<string, Item>>;
  /** What an item keeps in memory, roughly, in UTF-16 units. */
  charsOf: (item: Item) => number;
}

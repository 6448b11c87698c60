import type { EventId, TenantSlug } from '../domain/ids.ts';
import type { JournalRecord } from '../domain/record.ts';

/** What a run of records changes for those who watch: pure, so that it can be tested without a database. */

/** An event that is new, or of which more became known. Without `id`, only the session changed. */
export interface FeedRow {
  session: string;
  id: EventId | null;
  isDecision: boolean;
}

export class FeedRowsBuilder {
  readonly #ofTenant = new Map<TenantSlug, Map<string, FeedRow>>();

  add({ kind, tenant, session, event }: JournalRecord): void {
    if (kind === 'joined') return;
    const rows = this.#ofTenant.get(tenant) ?? new Map<string, FeedRow>();
    this.#ofTenant.set(tenant, rows);
    if (kind === 'release') {
      rows.set(session, { session, id: null, isDecision: false });
      return;
    }
    const isDecision = (kind !== 'event' && kind !== 'inspection') || rows.get(event)?.isDecision === true;
    rows.set(event, { session, id: event, isDecision });
  }

  /** The rows of each tenant, each event once. */
  finish(): Map<TenantSlug, FeedRow[]> {
    return new Map([...this.#ofTenant].map(([tenant, rows]) => [tenant, [...rows.values()]]));
  }
}

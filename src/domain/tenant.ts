import type { OnFailure } from './decision.ts';
import type { TenantSlug } from './ids.ts';

/** The settings of a tenant that the gate needs to answer an event. */
export interface Tenant {
  /** UUID in the database. */
  id: string;
  slug: TenantSlug;
  name: string;
  onFailure: OnFailure;
}

import type { OnFailure } from './decision.ts';
import type { TenantSlug } from './ids.ts';

/** The settings of a tenant that the gate needs to answer an event. */
export interface Tenant {
  /** UUID in the database. */
  id: string;
  slug: TenantSlug;
  name: string;
  onFailure: OnFailure;
  /** Milliseconds to an answer, where the tenant wants it sooner than the service promises. */
  deadlineMs?: number;
}

/** Below this a decision would hardly ever be reached. */
export const TENANT_DEADLINE_MS_MIN = 50;

import { asc, eq } from 'drizzle-orm';
import type { OnFailure } from '../domain/decision.ts';
import type { TenantSlug } from '../domain/ids.ts';
import type { Tenant } from '../domain/tenant.ts';
import { assert } from '../lib/assert.ts';
import { audit } from './audit-log.ts';
import type { Database } from './database.ts';
import { findOrganization } from './organizations.ts';
import { organizations } from './schema/organizations.ts';
import { tenants } from './schema/tenants.ts';
import type { TenantTransaction } from './tenant-database.ts';

const COLUMNS = { id: tenants.id, slug: tenants.slug, name: tenants.name, onFailure: tenants.onFailure };
const SETTINGS = {
  name: tenants.name,
  onFailure: tenants.onFailure,
  deadlineMs: tenants.deadlineMs,
  retentionDays: tenants.retentionDays,
};

/** The tenant `slug`, made with these settings if there is none. An existing one keeps its own. */
export async function ensureTenant({ db }: Database, wanted: Omit<Tenant, 'id'>): Promise<Tenant> {
  const { slug, name, onFailure } = wanted;
  const made = await db.insert(tenants).values({ slug, name, onFailure }).onConflictDoNothing().returning(COLUMNS);
  const [row] = made.length > 0 ? made : await db.select(COLUMNS).from(tenants).where(eq(tenants.slug, slug));
  assert(row !== undefined, 'a tenant that was not inserted is there');
  return { ...row, slug };
}

/** Every tenant, by slug. */
export async function listTenants({ db }: Database): Promise<Tenant[]> {
  const rows = await db
    .select({ ...COLUMNS, deadlineMs: tenants.deadlineMs })
    .from(tenants)
    .orderBy(asc(tenants.slug));
  return rows.map(({ slug, deadlineMs, ...row }) => {
    return { ...row, slug: slug as TenantSlug, ...(deadlineMs === null ? {} : { deadlineMs }) };
  });
}

/** What the operator may change of a tenant. */
export interface OperatorChanges extends TenantChanges {
  /** Whom it belongs to, by name. */
  organization?: string;
}

/** Changes a tenant in the operator's name, and writes so to its audit log. */
export function updateTenant(
  { db }: Database,
  slug: TenantSlug,
  given: OperatorChanges,
): Promise<'changed' | 'no_tenant' | 'no_organization'> {
  return db.transaction(async (tx) => {
    const { organization, ...changes } = given;
    const organizationId = organization === undefined ? undefined : await findOrganization(tx, organization);
    if (organization !== undefined && organizationId === undefined) return 'no_organization';
    const changed = await tx
      .update(tenants)
      .set({ ...changes, ...(organizationId === undefined ? {} : { organizationId }) })
      .where(eq(tenants.slug, slug))
      .returning({ id: tenants.id });
    const detail: Record<string, unknown> = { ...given };
    for (const { id } of changed)
      await audit(tx, { tenantId: id, actor: 'operator', action: 'tenant.changed', target: id, detail });
    return changed.length > 0 ? 'changed' : 'no_tenant';
  });
}

/** A tenant as its own people see it. */
export interface TenantRow extends TenantSettings {
  id: string;
  slug: string;
  createdAt: Date;
  organization: { id: string; name: string };
}

/** The tenant of the transaction. */
export async function readTenant(tx: TenantTransaction, tenantId: string): Promise<TenantRow | undefined> {
  const [row] = await tx
    .select({
      ...COLUMNS,
      ...SETTINGS,
      createdAt: tenants.createdAt,
      organization: { id: organizations.id, name: organizations.name },
    })
    .from(tenants)
    .innerJoin(organizations, eq(organizations.id, tenants.organizationId))
    .where(eq(tenants.id, tenantId));
  return row;
}

/** What the people of a tenant may set. */
export interface TenantSettings {
  name: string;
  onFailure: OnFailure;
  /** Milliseconds to a decision; null for the service's own. */
  deadlineMs: number | null;
  /** Days that events are kept; null for as long as the service keeps them. */
  retentionDays: number | null;
}

export type TenantChanges = Partial<TenantSettings>;

/** Changes the tenant of the transaction. Returns the settings before. */
export async function changeTenant(
  tx: TenantTransaction,
  tenantId: string,
  changes: TenantChanges,
): Promise<TenantSettings | undefined> {
  const own = eq(tenants.id, tenantId);
  const [before] = await tx.select(SETTINGS).from(tenants).where(own).for('no key update');
  if (before !== undefined && Object.keys(changes).length > 0) await tx.update(tenants).set(changes).where(own);
  return before;
}

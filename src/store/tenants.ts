import { asc, eq } from 'drizzle-orm';
import type { TenantSlug } from '../domain/ids.ts';
import type { Tenant } from '../domain/tenant.ts';
import { assert } from '../lib/assert.ts';
import type { Database } from './database.ts';
import { tenants } from './schema/tenants.ts';
import type { TenantTransaction } from './tenant-database.ts';

const COLUMNS = { id: tenants.id, slug: tenants.slug, name: tenants.name, onFailure: tenants.onFailure };

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
  const rows = await db.select(COLUMNS).from(tenants).orderBy(asc(tenants.slug));
  return rows.map((row) => ({ ...row, slug: row.slug as TenantSlug }));
}

/** Changes a tenant's settings. Returns whether it exists. */
export async function updateTenant(
  { db }: Database,
  slug: TenantSlug,
  changes: Partial<Pick<Tenant, 'name' | 'onFailure'>>,
): Promise<boolean> {
  const changed = await db.update(tenants).set(changes).where(eq(tenants.slug, slug)).returning({ id: tenants.id });
  return changed.length > 0;
}

/** The tenant's settings as its own people see them. */
export async function readTenant(tx: TenantTransaction, id: string): Promise<Tenant | undefined> {
  const [row] = await tx.select(COLUMNS).from(tenants).where(eq(tenants.id, id));
  return row === undefined ? undefined : { ...row, slug: row.slug as TenantSlug };
}

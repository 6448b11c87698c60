import { asc, eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { organizations } from './schema/organizations.ts';
import { tenants } from './schema/tenants.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** Whoever runs tenants, as the operator of the installation sees them. */
export interface Organization {
  id: string;
  name: string;
  /** Short names of its tenants. */
  tenants: string[];
}

/** Makes an organization. Returns false where there is one of this name: it would not be told apart. */
export function addOrganization({ db }: Database, name: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    if ((await findOrganization(tx, name)) !== undefined) return false;
    await tx.insert(organizations).values({ name });
    return true;
  });
}

/** The id of the first organization of this name. */
export async function findOrganization(tx: TenantTransaction, name: string): Promise<string | undefined> {
  const [found] = await tx
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.name, name))
    .orderBy(asc(organizations.createdAt))
    .limit(1);
  return found?.id;
}

/** Every organization, the oldest first. */
export async function listOrganizations({ db }: Database): Promise<Organization[]> {
  const rows = await db
    .select({ id: organizations.id, name: organizations.name, slug: tenants.slug })
    .from(organizations)
    .leftJoin(tenants, eq(tenants.organizationId, organizations.id))
    .orderBy(asc(organizations.createdAt), asc(organizations.id), asc(tenants.slug));
  const byId = new Map<string, Organization>();
  for (const { id, name, slug } of rows) {
    const known = byId.get(id) ?? { id, name, tenants: [] };
    if (slug !== null) known.tenants.push(slug);
    byId.set(id, known);
  }
  return [...byId.values()];
}

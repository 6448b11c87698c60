import { type Column, type SQL, sql } from 'drizzle-orm';
import { memberships } from './schema/memberships.ts';
import { users } from './schema/organizations.ts';
import { originalText } from './storable-text.ts';

/**
 * Beside a column of a tenant's table that says who: the name of that person, who is written by id or as actors are (`user:<id>`).
 * Null where it is nobody who belongs to the tenant and has accepted.
 */
export function personName(who: Column, tenantId: string): SQL<string | null> {
  // Named by hand: a query of one table writes the columns of all of them without their table.
  const name = sql<string | null>`(
    select u.name from ${memberships} m join ${users} u on u.id = m.user_id
    where m.tenant_id = ${tenantId} and m.accepted_at is not null
      and m.user_id = substring(${who} from '^(?:user:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$')::uuid)`;
  return name.mapWith(originalText);
}

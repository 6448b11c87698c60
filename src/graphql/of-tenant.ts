import type { Permission } from '../domain/roles.ts';

/** What is seen of a tenant. Objects carry the tenant that they were reached through, under whose rights they are read on. */
export interface OfTenant {
  tenantId: string;
}

/** Of the name beside an id that says who. */
export const PERSON_NAME =
  'The name of who that is, where it is a person who belongs to the tenant. Others may have the same.';

/** Rows as they are seen from the tenant. */
export function seenFrom<Row extends object>(tenantId: string, rows: readonly Row[]): (Row & OfTenant)[] {
  return rows.map((row) => ({ ...row, tenantId }));
}

/** Demands a permission in the tenant that the object was reached through. */
export const needs =
  (permission: Permission) =>
  ({ tenantId }: OfTenant) => ({ permission: { tenantId, permission } });

/** What a person may be in a tenant, from the most to the least powerful. */
export const ROLES = ['owner', 'admin', 'analyst', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** What may be done in a tenant. */
export const PERMISSIONS = [
  /** See agents, sessions, decisions, findings, policies. */
  'read',
  /** Give verdicts, release holds. */
  'triage',
  /** Save and activate policies. */
  'policies',
  /** Mint, list and revoke access tokens. */
  'tokens',
  /** Invite, change and remove members (but owners: `owners`). */
  'members',
  /** Share agents with other tenants. */
  'shares',
  /** Connect identity providers. */
  'sso',
  /** Retention, fail mode and the like. */
  'settings',
  /** Read the audit log. */
  'audit',
  /** Make and unmake owners. */
  'owners',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

const VIEWER: readonly Permission[] = ['read'];
const ANALYST: readonly Permission[] = [...VIEWER, 'triage'];
const ADMIN: readonly Permission[] = PERMISSIONS.filter((permission) => permission !== 'owners');

const PERMISSIONS_OF: Readonly<Record<Role, readonly Permission[]>> = {
  owner: PERMISSIONS,
  admin: ADMIN,
  analyst: ANALYST,
  viewer: VIEWER,
};

/** Everything that `roles` allow together. */
export function permissionsOf(roles: readonly Role[]): Permission[] {
  return PERMISSIONS.filter((permission) => allows(roles, permission));
}

/** Whether one of `roles` allows `permission`. */
export function allows(roles: readonly Role[], permission: Permission): boolean {
  return roles.some((role) => PERMISSIONS_OF[role].includes(permission));
}

export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}

const ROLES = ['owner', 'admin', 'analyst', 'viewer'];

/** The roles that somebody with these permissions may give and take: none that allows more than they may do. */
export function rolesToGive(permissions: readonly string[]): string[] {
  return ROLES.filter((role) => role !== 'owner' || permissions.includes('owners'));
}

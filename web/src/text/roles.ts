/** What the roles of somebody in a tenant allow them here; the service decides in any case. */

const ADMINS = ['owner', 'admin'];
const ANALYSTS = [...ADMINS, 'analyst'];

export function mayTriage(roles: readonly string[]): boolean {
  return roles.some((role) => ANALYSTS.includes(role));
}

export function mayShare(roles: readonly string[]): boolean {
  return roles.some((role) => ADMINS.includes(role));
}

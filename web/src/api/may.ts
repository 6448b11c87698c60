/** What roles allow, as far as the dashboard must know: the service has the last word. */

const TRIAGE_ROLES = ['owner', 'admin', 'analyst'];

/** Whether one of `roles` allows to release what holds in a session. */
export function mayTriage(roles: readonly string[]): boolean {
  return roles.some((role) => TRIAGE_ROLES.includes(role));
}

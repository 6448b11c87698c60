import { type Membership, useTenant } from './viewer.ts';

/** Roles that may save and activate policies. The service decides; this only keeps controls from being in vain. */
const POLICY_ROLES = ['owner', 'admin'];

/** Why the viewer may not change policies here; undefined if they may. */
export function usePoliciesLock(): string | undefined {
  return policiesLock(useTenant());
}

function policiesLock({ roles }: Membership): string | undefined {
  if (roles.some((role) => POLICY_ROLES.includes(role))) return undefined;
  return 'You can look, but not change: changing policies needs the role owner or admin in this tenant.';
}

export type Kind = 'INGEST' | 'PLATFORM';

/** What each scope of the platform interface stands for, by its permission. */
const PERMISSIONS: Record<string, string> = {
  read: 'See agents, sessions, decisions',
  triage: 'Give verdicts, release holds',
  policies: 'Change policies',
  tokens: 'Mint and revoke tokens',
  members: 'Invite and change members',
  shares: 'Share agents',
  sso: 'Set up single sign-on',
  settings: 'Change settings',
  audit: 'Read the audit log',
};

/** The scopes that somebody with these permissions may give: nobody gives what they may not do. */
export function scopesToGive(kind: Kind, permissions: readonly string[]): { value: string; label: string }[] {
  if (kind === 'PLATFORM')
    return permissions.flatMap((permission) => {
      const label = PERMISSIONS[permission];
      return label === undefined ? [] : [{ value: `platform:${permission}`, label }];
    });
  const send = { value: 'events:write', label: 'Send events' };
  return permissions.includes('triage')
    ? [send, { value: 'sessions:release', label: 'Release holds (not for sensors)' }]
    : [send];
}

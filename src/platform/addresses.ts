/** Where the platform interface lives, below the base URL. */
export const PLATFORM_PATH = '/api/v1';

export const LOGIN_PATH = `${PLATFORM_PATH}/auth/login`;
export const LOGOUT_PATH = `${PLATFORM_PATH}/auth/logout`;
export const SESSION_PATH = `${PLATFORM_PATH}/auth/session`;
export const SESSIONS_PATH = `${PLATFORM_PATH}/auth/sessions`;
export const REVOKE_OTHERS_PATH = `${PLATFORM_PATH}/auth/sessions/revoke-others`;
export const REVOKE_ALL_PATH = `${PLATFORM_PATH}/auth/sessions/revoke-all`;
export const MAGIC_LINK_PATH = `${PLATFORM_PATH}/auth/magic-link`;

/** Where a sign-in at an identity provider starts. */
export function ssoStartPath(connectionId: string, returnTo: string): string {
  const query = new URLSearchParams({ return_to: returnTo }).toString();
  return `${PLATFORM_PATH}/auth/sso/${encodeURIComponent(connectionId)}/start?${query}`;
}

/** The path of a sign-in link, as it is mailed. */
export function magicLinkPath(token: string, returnTo = '/'): string {
  const query = new URLSearchParams({ token });
  if (returnTo !== '/') query.set('return_to', returnTo);
  return `${MAGIC_LINK_PATH}?${query.toString()}`;
}

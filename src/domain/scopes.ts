import type { Permission } from './roles.ts';

/** What an access token may be used for. A token is for one interface, and its scopes are of that one. */

/** `sessions:release`: take back holds and taints. A token that sends events does not need it, and should not have it. */
export const INGEST_SCOPES = ['events:write', 'sessions:release'] as const;

/** Each stands for the permission behind its colon. There is none for `owners`: no token makes or unmakes owners. */
export const PLATFORM_SCOPES = [
  'platform:read',
  'platform:triage',
  'platform:policies',
  'platform:tokens',
  'platform:members',
  'platform:shares',
  'platform:sso',
  'platform:settings',
  'platform:audit',
] as const satisfies readonly `platform:${Permission}`[];

export type PlatformScope = (typeof PLATFORM_SCOPES)[number];
export type IngestScope = (typeof INGEST_SCOPES)[number];
export type Scope = IngestScope | PlatformScope;

/** `ingest` tokens send events; `platform` tokens ask the platform interface. */
export const TOKEN_KINDS = ['ingest', 'platform'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** The audience ("aud") of the tokens of each interface: a token for one opens no other. */
export const AUDIENCES = {
  ingest: 'gatehouse-events',
  platform: 'gatehouse-platform',
} as const satisfies Record<TokenKind, string>;
export type Audience = (typeof AUDIENCES)[TokenKind];

export const SCOPES_OF: Readonly<Record<TokenKind, readonly Scope[]>> = {
  ingest: INGEST_SCOPES,
  platform: PLATFORM_SCOPES,
};

/** The permission that `scope` stands for; undefined for any text that is no scope of the platform interface. */
export function permissionOf(scope: string): Permission | undefined {
  const known = PLATFORM_SCOPES.find((each) => each === scope);
  return known === undefined ? undefined : (known.slice('platform:'.length) as Permission);
}

/** Which interface an audience is of. */
export function tokenKindOf(audience: string): TokenKind | undefined {
  return TOKEN_KINDS.find((kind) => AUDIENCES[kind] === audience);
}

export function isScope(value: string): value is Scope {
  return TOKEN_KINDS.some((kind) => SCOPES_OF[kind].some((scope) => scope === value));
}

import type { TenantSlug } from './ids.ts';

/** What a token may be used for. */
export const SCOPES = ['events:write', 'sessions:release'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who acts, as proven by a verified access token. */
export interface Principal {
  tenant: TenantSlug;
  subject: string;
  /** The token's id, by which it can be revoked. */
  tokenId: string;
  scopes: readonly string[];
  /** Unix seconds after which the token is refused. */
  expiresAt: number;
}

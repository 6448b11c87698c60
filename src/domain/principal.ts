import type { TenantSlug } from './ids.ts';

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

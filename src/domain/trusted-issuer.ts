import type { TenantSlug } from './ids.ts';
import type { Scope } from './scopes.ts';

/** Somebody else whose access tokens a tenant takes, and for what. */
export interface TrustedIssuer {
  id: string;
  tenant: TenantSlug;
  /** The claim "iss", letter by letter. */
  issuer: string;
  /** Where its public keys are (a JWK Set). */
  jwksUrl: string;
  /** The claim "aud", or one of its values. */
  audience: string;
  /** A claim that must be there with `tenantClaimValue`, where the issuer serves more than this tenant; null for none. */
  tenantClaim: string | null;
  tenantClaimValue: string | null;
  /** The most that its tokens may do. */
  scopes: readonly Scope[];
}

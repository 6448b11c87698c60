import type { TenantSlug } from '../domain/ids.ts';
import type { Principal } from '../domain/principal.ts';
import { type IngestScope, permissionOf } from '../domain/scopes.ts';
import type { Verified } from '../identity/access-token-verifier.ts';
import type { Authenticate, Caller } from './caller.ts';
import { isRefusal, type Refusal, refuse } from './http.ts';

export interface BearerOptions {
  /** Of the platform's audience: tokens of sensors must not pass. */
  verifier: { verify(authorization: string): Verified | Promise<Verified> };
  findTenant: (slug: TenantSlug) => { id: string } | undefined;
}

/** Finds out who asks by the access token in the `Authorization` header. */
export function bearerAuthenticate({ verifier, findTenant }: BearerOptions): Authenticate {
  return async ({ headers }) => {
    const holder = tokenHolder(await verifier.verify(headers.get('authorization') ?? ''), findTenant);
    return isRefusal(holder) ? holder : callerOf(holder.principal, holder.tenant.id);
  };
}

/** Who holds a token that was `verified`, and its tenant. */
export function tokenHolder<T>(
  verified: Verified,
  findTenant: (slug: TenantSlug) => T | undefined,
): { principal: Principal; tenant: T } | Refusal {
  if (!verified.ok) return refuse(verified.cause === 'busy' ? 'internal-error' : 'unauthorized', verified.detail);
  const { principal } = verified;
  const tenant = findTenant(principal.tenant);
  return tenant === undefined
    ? refuse('unauthorized', "the token's tenant does not exist here")
    : { principal, tenant };
}

/** As `tokenHolder`, of a token that sensors use for what `scope` allows. */
export function sensorOf<T>(
  verified: Verified,
  findTenant: (slug: TenantSlug) => T | undefined,
  scope: IngestScope,
): { principal: Principal; tenant: T } | Refusal {
  if (verified.ok && !verified.principal.scopes.includes(scope))
    return refuse('unauthorized', `the token lacks the scope ${scope}`);
  return tokenHolder(verified, findTenant);
}

/** A token of another issuer may be good for events alone: it opens nothing here. */
function callerOf({ tokenId, subject, scopes, expiresAt }: Principal, tenantId: string): Caller | Refusal {
  const permissions = scopes.map(permissionOf).filter((permission) => permission !== undefined);
  if (permissions.length === 0) return refuse('unauthorized', 'the token has no scope of the platform interface');
  return { kind: 'token', tokenId, subject, tenantId, permissions, expiresAt };
}

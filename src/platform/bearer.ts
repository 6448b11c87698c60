import type { TenantSlug } from '../domain/ids.ts';
import type { Principal } from '../domain/principal.ts';
import { permissionOf } from '../domain/scopes.ts';
import type { Verified } from '../identity/access-token-verifier.ts';
import type { Authenticate, Caller } from './caller.ts';
import { type Refusal, refuse } from './http.ts';

export interface BearerOptions {
  /** Of the platform's audience: tokens of sensors must not pass. */
  verifier: { verify(authorization: string): Verified | Promise<Verified> };
  findTenant: (slug: TenantSlug) => { id: string } | undefined;
}

/** Finds out who asks by the access token in the `Authorization` header. */
export function bearerAuthenticate({ verifier, findTenant }: BearerOptions): Authenticate {
  return async ({ headers }) => {
    const verified = await verifier.verify(headers.get('authorization') ?? '');
    if (!verified.ok) return refuse(verified.cause === 'busy' ? 'internal-error' : 'unauthorized', verified.detail);
    const tenant = findTenant(verified.principal.tenant);
    if (tenant === undefined) return refuse('unauthorized', "the token's tenant does not exist here");
    return callerOf(verified.principal, tenant.id);
  };
}

/** A token of another issuer may be good for events alone: it opens nothing here. */
function callerOf({ tokenId, subject, scopes, expiresAt }: Principal, tenantId: string): Caller | Refusal {
  const permissions = scopes.map(permissionOf).filter((permission) => permission !== undefined);
  if (permissions.length === 0) return refuse('unauthorized', 'the token has no scope of the platform interface');
  return { kind: 'token', tokenId, subject, tenantId, permissions, expiresAt };
}

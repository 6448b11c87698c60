import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { TenantSlug } from '../domain/ids.ts';
import type { Scope } from '../domain/principal.ts';
import { assert } from '../lib/assert.ts';
import type { Clock } from '../lib/clock.ts';
import { EVENTS_AUDIENCE, isSubject, LIFETIME_SECONDS_MAX } from './claims.ts';
import { TOKEN_TYPE } from './compact-token.ts';
import { type SigningKeys, TOKEN_ALGORITHM } from './signing-keys.ts';

/** What a new token allows, to whom, and for how long. */
export interface TokenGrant {
  tenant: TenantSlug;
  /** Who will hold it: `isSubject`. */
  subject: string;
  scopes: readonly Scope[];
  /** 1 to `LIFETIME_SECONDS_MAX`. */
  lifetimeSeconds: number;
}

export interface MintedToken {
  token: string;
  /** By which it can be revoked. */
  tokenId: string;
  /** Unix seconds. */
  expiresAt: number;
}

type TokenIssuer = Pick<SigningKeys, 'issuer' | 'signing'>;

/** Mints an access token for the event endpoint, valid from now on. Tenant and grant must have been checked. */
export async function mintAccessToken(keys: TokenIssuer, clock: Clock, grant: TokenGrant): Promise<MintedToken> {
  const { tenant, subject, scopes, lifetimeSeconds } = grant;
  assert(isSubject(subject) && scopes.length > 0, 'a token names its holder and a scope');
  assert(
    Number.isInteger(lifetimeSeconds) && lifetimeSeconds >= 1 && lifetimeSeconds <= LIFETIME_SECONDS_MAX,
    'a token lives for whole seconds within the bound',
  );
  const { kid, privateKey } = keys.signing;
  const issuedAt = Math.floor(clock.now() / 1000);
  const expiresAt = issuedAt + lifetimeSeconds;
  const tokenId = randomUUID();
  const token = await new SignJWT({ tenant, scope: scopes.join(' ') })
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid, typ: TOKEN_TYPE })
    .setIssuer(keys.issuer)
    .setAudience(EVENTS_AUDIENCE)
    .setSubject(subject)
    .setJti(tokenId)
    .setIssuedAt(issuedAt)
    .setNotBefore(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(privateKey);
  return { token, tokenId, expiresAt };
}

import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { TenantSlug } from '../domain/ids.ts';
import { AUDIENCES, SCOPES_OF, type Scope, type TokenKind } from '../domain/scopes.ts';
import { assert } from '../lib/assert.ts';
import type { Clock } from '../lib/clock.ts';
import { isSubject, LIFETIME_SECONDS_MAX } from './claims.ts';
import { TOKEN_TYPE } from './compact-token.ts';
import { type SigningKeys, TOKEN_ALGORITHM } from './signing-keys.ts';

/** What a new token allows, to whom, and for how long. */
export interface TokenGrant {
  tenant: TenantSlug;
  /** The interface it is for: that of sensors unless given. */
  kind?: TokenKind;
  /** Who will hold it: `isSubject`. */
  subject: string;
  /** Of that interface. */
  scopes: readonly Scope[];
  /** 1 to `LIFETIME_SECONDS_MAX`. */
  lifetimeSeconds: number;
}

export interface MintedToken {
  token: string;
  /** By which it can be revoked. */
  tokenId: string;
  /** The key that signed it: it ends with that. */
  keyId: string;
  /** Unix seconds. */
  expiresAt: number;
}

export type TokenIssuer = Pick<SigningKeys, 'issuer' | 'signing' | 'find'>;

/** Mints an access token, valid from now on. Tenant and grant must have been checked. */
export async function mintAccessToken(keys: TokenIssuer, clock: Clock, grant: TokenGrant): Promise<MintedToken> {
  const { tenant, kind = 'ingest', subject, scopes, lifetimeSeconds } = grant;
  assert(isSubject(subject) && scopes.length > 0, 'a token names its holder and a scope');
  assert(
    scopes.every((scope) => SCOPES_OF[kind].includes(scope)),
    'scopes are of the interface that the token is for',
  );
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
    .setAudience(AUDIENCES[kind])
    .setSubject(subject)
    .setJti(tokenId)
    .setIssuedAt(issuedAt)
    .setNotBefore(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(privateKey);
  return { token, tokenId, keyId: kid, expiresAt };
}

/** What the books keep of a token, which is all but the token itself. */
export function bookEntry({ kind = 'ingest', subject, scopes }: TokenGrant, minted: MintedToken, createdAtMs: number) {
  const { tokenId, keyId, expiresAt } = minted;
  const times = { createdAt: new Date(createdAtMs), expiresAt: new Date(expiresAt * 1000) };
  return { tokenId, keyId, subject, audience: AUDIENCES[kind], scopes: [...scopes], ...times };
}

import Type, { type Static } from 'typebox';
import { isTokenId } from '../domain/ids.ts';
import {
  isScope,
  permissionOf,
  SCOPES_OF,
  type Scope,
  TOKEN_KINDS,
  type TokenKind,
  tokenKindOf,
} from '../domain/scopes.ts';
import { bookEntry, type MintedToken, mintAccessToken, type TokenIssuer } from '../identity/access-tokens.ts';
import { isSubject, LIFETIME_DAYS_MAX } from '../identity/claims.ts';
import type { Clock } from '../lib/clock.ts';
import {
  type AccessTokenRow,
  countUnexpiredTokens,
  findParent,
  holdRevocations,
  listAccessTokens,
  recordAccessToken,
  revokeAccessToken,
} from '../store/access-tokens.ts';
import { rolesOfNow, sameRoles } from '../store/members.ts';
import type { TenantTransaction } from '../store/tenant-database.ts';
import type { Admission } from './admission.ts';
import { isRefusal, json, noContent, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { type Cursor, encodePlace, oneOf, PAGED, pageOf, placeDecoder, readPage } from './input.ts';
import { type Admitted, jsonRoute, type TenantContext, tenantRoute } from './tenant-route.ts';

export interface TokenContext extends TenantContext {
  keys: TokenIssuer;
  clock: Clock;
}

const DAY_SECONDS = 86_400;
const DAYS_DEFAULT = 30;

export const NewToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    kind: oneOf(TOKEN_KINDS),
    scopes: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 16 })),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: LIFETIME_DAYS_MAX })),
  },
  { additionalProperties: false },
);
const PATH = '/api/v1/tenants/:tenant/tokens';

/** Access tokens: minted, listed, revoked. */
export function tokenRoutes(context: TokenContext): Route[] {
  return [
    jsonRoute(context, ['POST', PATH, 'tokens', 'Mint an access token'], NewToken, async (admitted, given) => {
      const minted = await mintToken(context, admitted, given);
      if (isRefusal(minted)) return minted;
      const location: [string, string] = ['location', `${admitted.request.path}/${minted.row.tokenId}`];
      return json({ ...show(minted.row, context.keys), token: minted.token }, 201, [location]);
    }),
    tenantRoute(context, ['GET', PATH, 'tokens', 'List access tokens', PAGED], (admitted) => list(context, admitted)),
    tenantRoute(context, ['DELETE', `${PATH}/:id`, 'tokens', 'Revoke an access token'], async (admitted) => {
      const revoked = await revokeToken(admitted, admitted.request.params['id'] ?? '');
      return isRefusal(revoked) ? revoked : noContent();
    }),
  ];
}

interface Wanted {
  subject: string;
  kind: TokenKind;
  scopes: Scope[];
  lifetimeSeconds: number;
}

export interface MintedAccessToken {
  row: AccessTokenRow;
  /** The token itself, which is kept nowhere. */
  token: string;
}

/**
 * Tokens of a tenant that did not expire yet. Each may be revoked, every server holds all that are until they expire, and what it
 * holds has a bound for all tenants together: no tenant may take all of it.
 */
export const TOKENS_OF_TENANT_MAX = 1000;

/** Signed, then recorded: a token that could not be recorded is never shown. */
export async function mintToken(
  context: TokenContext,
  admission: Admission,
  given: Static<typeof NewToken>,
): Promise<MintedAccessToken | Refusal> {
  const { tenantId, caller } = admission;
  const wanted = readWanted(admission, given, context.clock);
  if (isRefusal(wanted)) return wanted;
  const tenant = context.tenants.findById(tenantId);
  if (tenant === undefined) return refuse('not-found', 'the tenant was made a moment ago; send the request again');
  const grant = { tenant: tenant.slug, ...wanted };
  const minted = await mintAccessToken(context.keys, context.clock, grant);
  const parentId = caller.kind === 'token' ? caller.tokenId : null;
  const row = { ...bookEntry(grant, minted, context.clock.now()), tenantId, parentId };
  return admission.inTenant(async (tx) => {
    const minter = await minterOf(tx, admission);
    if (isRefusal(minter)) return minter;
    if ((await countUnexpiredTokens(tx, tenantId)) >= TOKENS_OF_TENANT_MAX)
      return refuse(
        'conflict',
        `the tenant has ${TOKENS_OF_TENANT_MAX} tokens that did not expire yet, revoked ones among them: wait until some did, and let tokens live for less long`,
      );
    const { createdBy } = minter;
    await recordAccessToken(tx, { ...row, createdBy });
    await admission.audit(tx, { action: 'token.minted', target: minted.tokenId, detail: auditDetail(wanted, minted) });
    return { row: { ...row, createdBy, revokedAt: null }, token: minted.token };
  });
}

/**
 * The person behind a token, with whom it ends: whoever mints it, or minted the token that does. They may have lost the right to since
 * they were asked who they are, and what they minted ended then.
 */
async function minterOf(
  tx: TenantTransaction,
  { caller, tenantId }: Admission,
): Promise<{ createdBy: string | null } | Refusal> {
  await holdRevocations(tx);
  if (caller.kind === 'person') {
    const { userId, tenants } = caller;
    if (sameRoles(await rolesOfNow(tx, { tenantId, userId }), tenants.get(tenantId) ?? []))
      return { createdBy: userId };
    return refuse('forbidden', 'what you may do here changed meanwhile; look again');
  }
  const parent = await findParent(tx, tenantId, caller.tokenId);
  return parent.isRevoked ? refuse('unauthorized', 'the token was revoked') : parent;
}

function auditDetail({ subject, kind, scopes }: Wanted, { expiresAt }: MintedToken) {
  return { name: subject, kind, scopes, expiresAt: new Date(expiresAt * 1000).toISOString() };
}

function readWanted(admission: Admission, given: Static<typeof NewToken>, clock: Clock): Wanted | Refusal {
  const { name, kind, scopes = ['events:write'], days = DAYS_DEFAULT } = given;
  if (!isSubject(name)) return refuse('invalid-request', '/name must be 1 to 128 printable characters');
  if (kind === 'platform' && given.scopes === undefined)
    return refuse('invalid-request', `/scopes must name some of ${SCOPES_OF.platform.join(', ')}`);
  const known = grantable(admission, scopes, SCOPES_OF[kind]);
  if (isRefusal(known)) return known;
  const lifetimeSeconds = days * DAY_SECONDS;
  const { caller } = admission;
  if (caller.kind === 'token' && Math.floor(clock.now() / 1000) + lifetimeSeconds > caller.expiresAt)
    return refuse('forbidden', '/days: a token mints none that outlives it; ask for fewer days, or ask as a person');
  return { subject: name, kind, scopes: known, lifetimeSeconds };
}

/** `names` as scopes, if each is among `known` and the caller may do what it stands for. */
export function grantable(
  { may }: Pick<Admission, 'may'>,
  names: readonly string[],
  known: readonly Scope[],
): Scope[] | Refusal {
  const scopes = [...new Set(names)].filter(isScope).filter((scope) => known.includes(scope));
  if (scopes.length !== new Set(names).size)
    return refuse('invalid-request', `/scopes must be some of ${known.join(', ')}`);
  for (const scope of scopes) {
    const permission = scope === 'sessions:release' ? 'triage' : permissionOf(scope);
    if (permission !== undefined && !may(permission))
      return refuse('forbidden', `/scopes: you may not do yourself what "${scope}" allows`);
  }
  return scopes;
}

export const tokenCursor: Cursor<AccessTokenRow> = {
  decode: placeDecoder((keys) => keys.length === 1 && isTokenId(keys[0])),
  of: ({ createdAt, tokenId }) => encodePlace({ at: createdAt, keys: [tokenId] }),
};

async function list({ keys }: TokenContext, { request, tenantId, inTenant }: Admitted): Promise<PlatformAnswer> {
  const page = readPage(request.query, tokenCursor.decode);
  if (isRefusal(page)) return page;
  const rows = await inTenant((tx) => listAccessTokens(tx, tenantId, page.after, page.first + 1));
  return json(pageOf(rows, page.first, tokenCursor.of, (row) => show(row, keys)));
}

/** Revoking twice is the same as once: the second time records nothing, unless something that it minted was left to end. */
export async function revokeToken(admission: Admission, id: string): Promise<{ tokenId: string } | Refusal> {
  const revocation = await admission.inTenant(async (tx) => {
    const revoked = isTokenId(id) ? await revokeAccessToken(tx, admission.tenantId, id) : { kind: 'unknown' as const };
    if (revoked.kind === 'revoked')
      await admission.audit(tx, {
        action: 'token.revoked',
        target: id,
        detail: { name: revoked.subject, ended: revoked.ended },
      });
    return revoked;
  });
  return revocation.kind === 'unknown' ? refuse('not-found', 'the tenant has no such token') : { tokenId: id };
}

/** Whether the key that signed a token was retired since: it is refused then. Not known of rows of before keys were put down. */
export function isKeyRetired(keys: TokenIssuer, { keyId }: Pick<AccessTokenRow, 'keyId'>): boolean {
  return keyId !== null && keys.find(keyId) === undefined;
}

function show(row: AccessTokenRow, keys: TokenIssuer) {
  const { tokenId, subject, audience, scopes, createdBy, createdAt, expiresAt, revokedAt } = row;
  return {
    id: tokenId,
    name: subject,
    kind: tokenKindOf(audience) ?? null,
    scopes,
    createdBy,
    createdAt,
    expiresAt,
    revokedAt,
    keyRetired: isKeyRetired(keys, row),
  };
}

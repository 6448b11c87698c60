import Type from 'typebox';
import {
  AUDIENCES,
  isScope,
  permissionOf,
  SCOPES_OF,
  type Scope,
  TOKEN_KINDS,
  type TokenKind,
  tokenKindOf,
} from '../domain/scopes.ts';
import { type MintedToken, mintAccessToken, type TokenIssuer } from '../identity/access-tokens.ts';
import { isSubject, isTokenId, LIFETIME_DAYS_MAX } from '../identity/claims.ts';
import type { Clock } from '../lib/clock.ts';
import { type AccessTokenRow, listAccessTokens, recordAccessToken, revokeAccessToken } from '../store/access-tokens.ts';
import { json, noContent, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { encodePlace, isRefusal, jsonReader, oneOf, pageOf, placeDecoder, readPage } from './input.ts';
import { type Admitted, type TenantContext, tenantRoute } from './tenant-route.ts';

export interface TokenContext extends TenantContext {
  keys: TokenIssuer;
  clock: Clock;
}

const DAY_SECONDS = 86_400;
const DAYS_DEFAULT = 30;

const NewToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    kind: oneOf(TOKEN_KINDS),
    scopes: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 16 })),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: LIFETIME_DAYS_MAX })),
  },
  { additionalProperties: false },
);
const readNewToken = jsonReader(NewToken);

const PATH = '/api/v1/tenants/:tenant/tokens';

/** Access tokens: minted, listed, revoked. */
export function tokenRoutes(context: TokenContext): Route[] {
  return [
    tenantRoute(context, ['POST', PATH, 'tokens'], (admitted) => mint(context, admitted)),
    tenantRoute(context, ['GET', PATH, 'tokens'], list),
    tenantRoute(context, ['DELETE', `${PATH}/:id`, 'tokens'], revoke),
  ];
}

interface Wanted {
  subject: string;
  kind: TokenKind;
  scopes: Scope[];
  lifetimeSeconds: number;
}

/** Signed, then recorded: a token that could not be recorded is never shown. */
async function mint(context: TokenContext, admitted: Admitted): Promise<PlatformAnswer> {
  const { request, tenantId, caller } = admitted;
  const wanted = readWanted(admitted, context.clock);
  if (isRefusal(wanted)) return wanted;
  const tenant = context.tenants.findById(tenantId);
  if (tenant === undefined) return refuse('not-found', 'the tenant was made a moment ago; send the request again');
  const minted = await mintAccessToken(context.keys, context.clock, { tenant: tenant.slug, ...wanted });
  const row = {
    tokenId: minted.tokenId,
    tenantId,
    subject: wanted.subject,
    audience: AUDIENCES[wanted.kind],
    scopes: wanted.scopes,
    createdBy: caller.kind === 'person' ? caller.userId : null,
    createdAt: new Date(context.clock.now()),
    expiresAt: new Date(minted.expiresAt * 1000),
  };
  await admitted.inTenant(async (tx) => {
    await recordAccessToken(tx, row);
    await admitted.audit(tx, { action: 'token.minted', target: minted.tokenId, detail: auditDetail(wanted, minted) });
  });
  const location: [string, string] = ['location', `${request.path}/${minted.tokenId}`];
  return json({ ...show({ ...row, revokedAt: null }), token: minted.token }, 201, [location]);
}

function auditDetail({ subject, kind, scopes }: Wanted, { expiresAt }: MintedToken) {
  return { name: subject, kind, scopes, expiresAt: new Date(expiresAt * 1000).toISOString() };
}

function readWanted(admitted: Admitted, clock: Clock): Wanted | Refusal {
  const given = readNewToken(admitted.request);
  if (isRefusal(given)) return given;
  const { name, kind, scopes = ['events:write'], days = DAYS_DEFAULT } = given;
  if (!isSubject(name)) return refuse('invalid-request', '/name must be 1 to 128 printable characters');
  if (kind === 'platform' && given.scopes === undefined)
    return refuse('invalid-request', `/scopes must name some of ${SCOPES_OF.platform.join(', ')}`);
  const known = grantable(admitted, scopes, SCOPES_OF[kind]);
  if (isRefusal(known)) return known;
  const lifetimeSeconds = days * DAY_SECONDS;
  const { caller } = admitted;
  if (caller.kind === 'token' && Math.floor(clock.now() / 1000) + lifetimeSeconds > caller.expiresAt)
    return refuse('forbidden', '/days: a token mints none that outlives it; ask for fewer days, or ask as a person');
  return { subject: name, kind, scopes: known, lifetimeSeconds };
}

/** `names` as scopes, if each is among `known` and the caller may do what it stands for. */
export function grantable(
  { may }: Pick<Admitted, 'may'>,
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

const decodePlace = placeDecoder((keys) => keys.length === 1 && isTokenId(keys[0]));

async function list({ request, tenantId, inTenant }: Admitted): Promise<PlatformAnswer> {
  const page = readPage(request.query, decodePlace);
  if (isRefusal(page)) return page;
  const rows = await inTenant((tx) => listAccessTokens(tx, tenantId, page.after, page.first + 1));
  const cursorOf = ({ createdAt, tokenId }: AccessTokenRow) => encodePlace({ at: createdAt, keys: [tokenId] });
  return json(pageOf(rows, page.first, cursorOf, show));
}

/** Revoking twice is the same as once: the second time changes and records nothing. */
async function revoke(admitted: Admitted): Promise<PlatformAnswer> {
  const id = admitted.request.params['id'] ?? '';
  const revocation = await admitted.inTenant(async (tx) => {
    const revoked = isTokenId(id) ? await revokeAccessToken(tx, admitted.tenantId, id) : { kind: 'unknown' as const };
    if (revoked.kind === 'revoked')
      await admitted.audit(tx, { action: 'token.revoked', target: id, detail: { name: revoked.subject } });
    return revoked;
  });
  return revocation.kind === 'unknown' ? refuse('not-found', 'the tenant has no such token') : noContent();
}

function show({ tokenId, subject, audience, scopes, ...row }: Omit<AccessTokenRow, 'tenantId'>) {
  const { createdBy, createdAt, expiresAt, revokedAt } = row;
  return {
    id: tokenId,
    name: subject,
    kind: tokenKindOf(audience) ?? null,
    scopes,
    createdBy,
    createdAt,
    expiresAt,
    revokedAt,
  };
}

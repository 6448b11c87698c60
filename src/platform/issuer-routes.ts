import Type, { type Static } from 'typebox';
import { isUuid } from '../domain/ids.ts';
import { INGEST_SCOPES, PLATFORM_SCOPES, permissionOf, type Scope } from '../domain/scopes.ts';
import { isKeySetUrl } from '../identity/remote-keys.ts';
import {
  AmbiguousIssuer,
  addTrustedIssuer,
  ISSUERS_MAX,
  listTrustedIssuers,
  removeTrustedIssuer,
  type TrustedIssuerRow,
} from '../store/trusted-issuers.ts';
import type { Admission } from './admission.ts';
import { isRefusal, json, noContent, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { type Cursor, encodePlace, isPrintable, PAGED, pageOf, readPage, uuidPlaces } from './input.ts';
import { type Admitted, jsonRoute, type TenantContext, tenantRoute } from './tenant-route.ts';
import { grantable } from './token-routes.ts';

export interface IssuerContext extends TenantContext {
  /** The name that our own tokens are issued under. */
  ownIssuer: string;
}

const name = (maxLength: number) => Type.String({ minLength: 1, maxLength });

export const NewIssuer = Type.Object(
  {
    issuer: name(512),
    jwksUrl: name(1024),
    audience: name(512),
    tenantClaim: Type.Optional(name(128)),
    tenantClaimValue: Type.Optional(name(512)),
    scopes: Type.Array(name(64), { minItems: 1, maxItems: 16 }),
  },
  { additionalProperties: false },
);

const PATH = '/api/v1/tenants/:tenant/issuers';
const SCOPES: readonly Scope[] = [...INGEST_SCOPES, ...PLATFORM_SCOPES];

/** Whose access tokens the tenant takes beside those minted here. */
export function issuerRoutes(context: IssuerContext): Route[] {
  return [
    jsonRoute(context, ['POST', PATH, 'tokens', 'Trust an issuer'], NewIssuer, async (admitted, given) => {
      const made = await trustIssuer(context, admitted, given);
      if (isRefusal(made)) return made;
      return json(show(made), 201, [['location', `${admitted.request.path}/${made.id}`]]);
    }),
    tenantRoute(context, ['GET', PATH, 'tokens', 'List trusted issuers', PAGED], list),
    tenantRoute(context, ['DELETE', `${PATH}/:id`, 'tokens', 'Trust an issuer no longer'], async (admitted) => {
      const removed = await distrustIssuer(admitted, admitted.request.params['id'] ?? '');
      return isRefusal(removed) ? removed : noContent();
    }),
  ];
}

/** Takes the tokens of another issuer from now on. */
export async function trustIssuer(
  { ownIssuer }: IssuerContext,
  admission: Admission,
  given: Static<typeof NewIssuer>,
): Promise<TrustedIssuerRow | Refusal> {
  const { tenantId } = admission;
  const wanted = readWanted(admission, given, ownIssuer);
  if (isRefusal(wanted)) return wanted;
  try {
    return await admission.inTenant(async (tx) => {
      const row = await addTrustedIssuer(tx, { ...wanted, tenantId });
      if (row === undefined) return refuse('conflict', `a tenant trusts at most ${ISSUERS_MAX} issuers`);
      const { id: target, issuer, audience, tenantClaim, tenantClaimValue, scopes } = row;
      const detail = { issuer, audience, tenantClaim, tenantClaimValue, scopes };
      await admission.audit(tx, { action: 'issuer.trusted', target, detail });
      return row;
    });
  } catch (error) {
    if (error instanceof AmbiguousIssuer) return refuse('conflict', AMBIGUOUS);
    throw error;
  }
}

const AMBIGUOUS =
  'this issuer is trusted here already, and its tokens could not be told apart; use the same claim with another value';

type Wanted = Omit<TrustedIssuerRow, 'id' | 'tenantId' | 'createdAt' | 'scopes'> & { scopes: readonly Scope[] };

function readWanted(admission: Admission, given: Static<typeof NewIssuer>, ownIssuer: string): Wanted | Refusal {
  const { tenantClaim = null, tenantClaimValue = null, ...rest } = given;
  for (const [field, value] of Object.entries({ ...rest, tenantClaim, tenantClaimValue })) {
    if (typeof value === 'string' && !isPrintable(value))
      return refuse('invalid-request', `/${field} must be printable characters on one line`);
  }
  if (given.issuer === ownIssuer) return refuse('invalid-request', '/issuer is this service itself');
  if (!isKeySetUrl(given.jwksUrl))
    return refuse('invalid-request', '/jwksUrl must be an https URL without credentials (http on this machine alone)');
  if ((tenantClaim === null) !== (tenantClaimValue === null))
    return refuse('invalid-request', '/tenantClaim and /tenantClaimValue go together');
  const scopes = grantable(admission, given.scopes, SCOPES);
  // Tokens of the issuer live on when the one that added it is revoked.
  if (
    admission.caller.kind === 'token' &&
    !isRefusal(scopes) &&
    scopes.some((scope) => permissionOf(scope) !== undefined)
  )
    return refuse('forbidden', '/scopes: only a person may trust an issuer with the platform interface');
  return isRefusal(scopes) ? scopes : { ...rest, tenantClaim, tenantClaimValue, scopes };
}

export const issuerCursor: Cursor<TrustedIssuerRow> = {
  decode: uuidPlaces(1),
  of: ({ createdAt, id }) => encodePlace({ at: createdAt, keys: [id] }),
};

async function list({ request, tenantId, inTenant }: Admitted): Promise<PlatformAnswer> {
  const page = readPage(request.query, issuerCursor.decode);
  if (isRefusal(page)) return page;
  const rows = await inTenant((tx) => listTrustedIssuers(tx, tenantId, page.after, page.first + 1));
  return json(pageOf(rows, page.first, issuerCursor.of, show));
}

/** Takes no more tokens of the issuer. */
export async function distrustIssuer(admission: Admission, id: string): Promise<{ id: string } | Refusal> {
  const removed = await admission.inTenant(async (tx) => {
    const row = isUuid(id) ? await removeTrustedIssuer(tx, admission.tenantId, id) : undefined;
    if (row !== undefined)
      await admission.audit(tx, { action: 'issuer.removed', target: id, detail: { issuer: row.issuer } });
    return row;
  });
  return removed === undefined ? refuse('not-found', 'the tenant trusts no such issuer') : { id };
}

function show(row: TrustedIssuerRow) {
  const { id, issuer, jwksUrl, audience, tenantClaim, tenantClaimValue, scopes, createdAt } = row;
  return { id, issuer, jwksUrl, audience, tenantClaim, tenantClaimValue, scopes, createdAt };
}

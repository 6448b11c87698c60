import Type from 'typebox';
import { isUuid } from '../domain/ids.ts';
import { INGEST_SCOPES, PLATFORM_SCOPES, permissionOf, type Scope } from '../domain/scopes.ts';
import { isKeySetUrl } from '../identity/remote-keys.ts';
import {
  AmbiguousIssuer,
  addTrustedIssuer,
  listTrustedIssuers,
  removeTrustedIssuer,
  type TrustedIssuerRow,
} from '../store/trusted-issuers.ts';
import { json, noContent, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { encodePlace, isPrintable, isRefusal, jsonReader, pageOf, readPage, uuidPlaces } from './input.ts';
import { type Admitted, type TenantContext, tenantRoute } from './tenant-route.ts';
import { grantable } from './token-routes.ts';

export interface IssuerContext extends TenantContext {
  /** The name that our own tokens are issued under. */
  ownIssuer: string;
}

const name = (maxLength: number) => Type.String({ minLength: 1, maxLength });

const NewIssuer = Type.Object(
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
const readNewIssuer = jsonReader(NewIssuer);

const PATH = '/api/v1/tenants/:tenant/issuers';
const SCOPES: readonly Scope[] = [...INGEST_SCOPES, ...PLATFORM_SCOPES];

/** Whose access tokens the tenant takes beside those minted here. */
export function issuerRoutes(context: IssuerContext): Route[] {
  return [
    tenantRoute(context, ['POST', PATH, 'tokens'], (admitted) => trust(context, admitted)),
    tenantRoute(context, ['GET', PATH, 'tokens'], list),
    tenantRoute(context, ['DELETE', `${PATH}/:id`, 'tokens'], remove),
  ];
}

async function trust({ ownIssuer }: IssuerContext, admitted: Admitted): Promise<PlatformAnswer> {
  const { tenantId } = admitted;
  const wanted = readWanted(admitted, ownIssuer);
  if (isRefusal(wanted)) return wanted;
  try {
    const made = await admitted.inTenant(async (tx) => {
      const row = await addTrustedIssuer(tx, { ...wanted, tenantId });
      const { id: target, issuer, audience, tenantClaim, tenantClaimValue, scopes } = row;
      const detail = { issuer, audience, tenantClaim, tenantClaimValue, scopes };
      await admitted.audit(tx, { action: 'issuer.trusted', target, detail });
      return row;
    });
    return json(show(made), 201, [['location', `${admitted.request.path}/${made.id}`]]);
  } catch (error) {
    if (error instanceof AmbiguousIssuer) return refuse('conflict', AMBIGUOUS);
    throw error;
  }
}

const AMBIGUOUS =
  'this issuer is trusted here for this audience already, and its tokens could not be told apart; use another audience, or the same claim with another value';

type Wanted = Omit<TrustedIssuerRow, 'id' | 'tenantId' | 'createdAt' | 'scopes'> & { scopes: readonly Scope[] };

function readWanted(admitted: Admitted, ownIssuer: string): Wanted | Refusal {
  const given = readNewIssuer(admitted.request);
  if (isRefusal(given)) return given;
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
  const scopes = grantable(admitted, given.scopes, SCOPES);
  // Tokens of the issuer live on when the one that added it is revoked.
  if (
    admitted.caller.kind === 'token' &&
    !isRefusal(scopes) &&
    scopes.some((scope) => permissionOf(scope) !== undefined)
  )
    return refuse('forbidden', '/scopes: only a person may trust an issuer with the platform interface');
  return isRefusal(scopes) ? scopes : { ...rest, tenantClaim, tenantClaimValue, scopes };
}

const decodePlace = uuidPlaces(1);

async function list({ request, tenantId, inTenant }: Admitted): Promise<PlatformAnswer> {
  const page = readPage(request.query, decodePlace);
  if (isRefusal(page)) return page;
  const rows = await inTenant((tx) => listTrustedIssuers(tx, tenantId, page.after, page.first + 1));
  const cursorOf = ({ createdAt, id }: TrustedIssuerRow) => encodePlace({ at: createdAt, keys: [id] });
  return json(pageOf(rows, page.first, cursorOf, show));
}

async function remove(admitted: Admitted): Promise<PlatformAnswer> {
  const id = admitted.request.params['id'] ?? '';
  const removed = await admitted.inTenant(async (tx) => {
    const row = isUuid(id) ? await removeTrustedIssuer(tx, admitted.tenantId, id) : undefined;
    if (row !== undefined)
      await admitted.audit(tx, { action: 'issuer.removed', target: id, detail: { issuer: row.issuer } });
    return row;
  });
  return removed === undefined ? refuse('not-found', 'the tenant trusts no such issuer') : noContent();
}

function show(row: TrustedIssuerRow) {
  const { id, issuer, jwksUrl, audience, tenantClaim, tenantClaimValue, scopes, createdAt } = row;
  return { id, issuer, jwksUrl, audience, tenantClaim, tenantClaimValue, scopes, createdAt };
}

import type { Static, TObject } from 'typebox';
import { isUuid, type TenantSlug } from '../domain/ids.ts';
import type { Permission } from '../domain/roles.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { TenantDatabase } from '../store/tenant-database.ts';
import { type Admission, admissionOf } from './admission.ts';
import { type Authenticate, may, tenantOf } from './caller.ts';
import {
  isRefusal,
  type Method,
  type PlatformAnswer,
  type PlatformRequest,
  type Refusal,
  type Route,
  refuse,
} from './http.ts';
import { jsonReader } from './input.ts';

/** The tenants, as every server knows them. */
export interface TenantFinder {
  find(slug: TenantSlug): Tenant | undefined;
  findById(id: string): Tenant | undefined;
}

/** What the routes about a tenant need. */
export interface TenantContext {
  authenticate: Authenticate;
  /** Asked in the name of a tenant. */
  tenantDatabase: TenantDatabase;
  tenants: TenantFinder;
}

/** A request that was found to be allowed, in the tenant that it is about. */
export interface Admitted extends Admission {
  request: PlatformRequest;
}

/** Method and path, what the caller needs in the tenant, what it is for in a few words, and parameters of its query. */
type At = readonly [
  method: Method,
  path: string,
  permission: Permission,
  summary?: string,
  query?: Readonly<Record<string, string>>,
];

/**
 * A route about the tenant that `:tenant` names (by id or short name), else `?tenant=`. It is reached with `permission` in
 * that tenant alone; a tenant that the caller does not belong to is not found, whether it exists or not.
 */
export function tenantRoute(
  context: TenantContext,
  at: At,
  handle: (admitted: Admitted) => Promise<PlatformAnswer>,
  bodyBytesMax?: number,
): Route {
  const [method, path, permission, summary, query] = at;
  return {
    method,
    path,
    needs: 'caller',
    permission,
    ...(query === undefined ? {} : { query }),
    ...(summary === undefined ? {} : { summary }),
    ...(bodyBytesMax === undefined ? {} : { bodyBytesMax }),
    async handle(request) {
      const admitted = await admit(context, request, permission);
      return isRefusal(admitted) ? admitted : handle(admitted);
    },
  };
}

/** The same for a route whose body is JSON of `schema`. It is read once the caller is known to be allowed. */
export function jsonRoute<T extends TObject>(
  context: TenantContext,
  at: At,
  schema: T,
  handle: (admitted: Admitted, given: Static<T>) => Promise<PlatformAnswer>,
  bodyBytesMax?: number,
): Route {
  const read = jsonReader(schema);
  const readFirst = async (admitted: Admitted): Promise<PlatformAnswer> => {
    const given = read(admitted.request);
    return isRefusal(given) ? given : handle(admitted, given);
  };
  return { ...tenantRoute(context, at, readFirst, bodyBytesMax), body: schema };
}

async function admit(
  context: TenantContext,
  request: PlatformRequest,
  permission: Permission,
): Promise<Admitted | Refusal> {
  const caller = await context.authenticate(request);
  if (caller.kind === 'refusal') return caller;
  const named = request.params['tenant'] ?? request.query.get('tenant');
  const tenantId = tenantOf(caller, idOf(context.tenants, named));
  if (typeof tenantId !== 'string') return tenantId;
  if (!may(caller, tenantId, permission))
    return refuse('forbidden', `this needs the permission "${permission}" in the tenant`);
  return { request, ...admissionOf(context.tenantDatabase, { caller, tenantId, address: request.address }) };
}

/** What is no id may be a short name. One that is unknown stays what it is, and is found in nobody's list. */
function idOf(tenants: TenantFinder, named: string | null): string | null {
  if (named === null || isUuid(named)) return named;
  return tenants.find(named as TenantSlug)?.id ?? named;
}

import { allows, type Permission, type Role } from '../domain/roles.ts';
import { type PlatformRequest, type Refusal, refuse } from './http.ts';

/** Who asks: a person with a login session, or a program with a bearer token of one tenant. */
export type Caller = PersonCaller | TokenCaller;

export interface PersonCaller {
  kind: 'person';
  userId: string;
  email: string;
  name: string;
  organization: { id: string; name: string };
  loginSessionId: string;
  /** Roles by the id of each tenant that the person belongs to. */
  tenants: ReadonlyMap<string, readonly Role[]>;
}

export interface TokenCaller {
  kind: 'token';
  tokenId: string;
  subject: string;
  tenantId: string;
  /** What its scopes amount to. */
  permissions: readonly Permission[];
  /** Unix seconds. What it mints ends no later. */
  expiresAt: number;
}

/** Finds out who asks. For a person's request that changes something, this includes the proof against CSRF. */
export type Authenticate = (request: PlatformRequest) => Promise<Caller | Refusal>;

/** Whether `caller` may do `permission` in the tenant. */
export function may(caller: Caller, tenantId: string, permission: Permission): boolean {
  if (caller.kind === 'token') return caller.tenantId === tenantId && caller.permissions.includes(permission);
  return allows(caller.tenants.get(tenantId) ?? [], permission);
}

/** Whether the tenant is one of those that `caller` acts in. */
export function belongsTo(caller: Caller, tenantId: string): boolean {
  return caller.kind === 'token' ? caller.tenantId === tenantId : caller.tenants.has(tenantId);
}

/** Which tenant a request is about: the one it names, else the caller's only one. A tenant that is not theirs is not found. */
export function tenantOf(caller: Caller, named: string | null | undefined): string | Refusal {
  const own = caller.kind === 'token' ? [caller.tenantId] : [...caller.tenants.keys()];
  if (named !== null && named !== undefined)
    return own.includes(named) ? named : refuse('not-found', 'no such tenant among those you belong to');
  const [only, ...others] = own;
  if (only === undefined) return refuse('forbidden', 'you belong to no tenant; ask an owner of one to invite you');
  return others.length === 0
    ? only
    : refuse('invalid-request', 'you belong to several tenants; name one in ?tenant=<id>');
}

/** Who did it, as the audit log names them. */
export function actorOf(caller: Caller): string {
  return caller.kind === 'person' ? `user:${caller.userId}` : `token:${caller.tokenId}`;
}

import { agentSessionKey, type TenantSlug } from '../domain/ids.ts';
import type { Principal } from '../domain/principal.ts';
import { parseRelease, type ReleaseRequest } from '../domain/release.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { Releases } from '../platform/agent-sessions.ts';
import { json, type PlatformAnswer, type PlatformRequest, type Route, refuse } from '../platform/http.ts';
import { isRefusal } from '../platform/input.ts';
import { parseBody } from './body.ts';
import type { Authentication } from './events-route.ts';

export const RELEASE_PATH = '/v1/sessions/release';

export interface ReleaseRouteOptions {
  authenticate(authorization: string): Authentication | Promise<Authentication>;
  findTenant(slug: TenantSlug): Tenant | undefined;
  releases: Releases;
}

/** `POST /v1/sessions/release`: a person takes back a hold or taints. For tokens of the scope `sessions:release` only. */
export function releaseRoute(options: ReleaseRouteOptions): Route {
  return { method: 'POST', path: RELEASE_PATH, handle: (request) => take(options, request) };
}

async function take(options: ReleaseRouteOptions, { headers, body }: PlatformRequest): Promise<PlatformAnswer> {
  const result = await options.authenticate(headers.get('authorization') ?? '');
  if (!result.ok) return refuse(result.cause === 'busy' ? 'internal-error' : 'unauthorized', result.detail);
  const { principal } = result;
  if (!principal.scopes.includes('sessions:release'))
    return refuse('unauthorized', 'the token lacks the scope sessions:release');
  if (options.findTenant(principal.tenant) === undefined)
    return refuse('unauthorized', "the token's tenant does not exist here");
  const parsed = parseBody(body);
  if (!parsed.ok) return refuse('invalid-request', parsed.detail);
  const wanted = parseRelease(parsed.value);
  if (wanted.ok) return release(options, principal, wanted.release);
  const faults = wanted.faults.map(({ pointer, expected }) => `${pointer || 'the body'} must ${expected}`);
  return refuse('invalid-request', faults.join('; '));
}

async function release(
  options: ReleaseRouteOptions,
  { tenant, subject }: Principal,
  wanted: ReleaseRequest,
): Promise<PlatformAnswer> {
  const { session_id, taints = [], hold = taints.length === 0, reason } = wanted;
  const key = agentSessionKey(tenant, session_id);
  const released = await options.releases.release(tenant, key, { subject, reason, hold, taints });
  return isRefusal(released) ? released : json({ released });
}

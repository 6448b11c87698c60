import { faultsText } from '../domain/event.ts';
import { agentSessionKey, type TenantSlug } from '../domain/ids.ts';
import type { Principal } from '../domain/principal.ts';
import { parseRelease, type ReleaseRequest } from '../domain/release.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { Verified } from '../identity/access-token-verifier.ts';
import type { Releases } from '../platform/agent-sessions.ts';
import { sensorOf } from '../platform/bearer.ts';
import { isRefusal, json, type PlatformAnswer, type PlatformRequest, type Route, refuse } from '../platform/http.ts';
import { parseBody } from './body.ts';

export const RELEASE_PATH = '/v1/sessions/release';

export interface ReleaseRouteOptions {
  authenticate(authorization: string): Verified | Promise<Verified>;
  findTenant: (slug: TenantSlug) => Tenant | undefined;
  releases: Releases;
}

/** `POST /v1/sessions/release`: a person takes back a hold or taints. For tokens of the scope `sessions:release` only. */
export function releaseRoute(options: ReleaseRouteOptions): Route {
  return { method: 'POST', path: RELEASE_PATH, handle: (request) => take(options, request) };
}

async function take(options: ReleaseRouteOptions, { headers, body }: PlatformRequest): Promise<PlatformAnswer> {
  const verified = await options.authenticate(headers.get('authorization') ?? '');
  const sensor = sensorOf(verified, options.findTenant, 'sessions:release');
  if (isRefusal(sensor)) return sensor;
  const parsed = parseBody(body);
  if (!parsed.ok) return refuse('invalid-request', parsed.detail);
  const wanted = parseRelease(parsed.value);
  if (!wanted.ok) return refuse('invalid-request', faultsText(wanted.faults));
  return release(options, sensor.principal, wanted.release);
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

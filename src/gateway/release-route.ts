import { agentSessionKey, newEventId, type TenantSlug } from '../domain/ids.ts';
import type { Principal } from '../domain/principal.ts';
import { parseRelease, type ReleaseRequest } from '../domain/release.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { Clock } from '../lib/clock.ts';
import { json, type PlatformAnswer, type PlatformRequest, type Route, refuse } from '../platform/http.ts';
import { describeCause } from '../session/failure.ts';
import type { ReleaseOrder } from '../session/items.ts';
import type { AgentSessions } from '../session/registry.ts';
import { parseBody } from './body.ts';
import type { Authentication } from './events-route.ts';

export const RELEASE_PATH = '/v1/sessions/release';

/** Requests under way at once: people order releases one by one. */
const UNDER_WAY_MAX = 64;

export interface ReleaseRouteOptions {
  clock: Clock;
  authenticate(authorization: string): Authentication | Promise<Authentication>;
  findTenant(slug: TenantSlug): Tenant | undefined;
  release: AgentSessions['release'];
}

/** `POST /v1/sessions/release`: a person takes back a hold or taints. For tokens of the scope `sessions:release` only. */
export function releaseRoute(options: ReleaseRouteOptions): Route {
  let underWay = 0;
  return {
    method: 'POST',
    path: RELEASE_PATH,
    async handle(request) {
      if (underWay >= UNDER_WAY_MAX) return refuse('internal-error', 'try again later');
      underWay++;
      try {
        return await take(options, request);
      } finally {
        underWay--;
      }
    },
  };
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
  const order: ReleaseOrder = { id: newEventId(options.clock.now()), subject, reason, hold, taints };
  const outcome = await options.release(tenant, agentSessionKey(tenant, session_id), order);
  switch (outcome.kind) {
    case 'released':
      return json({ released: { hold: outcome.hold, taints: outcome.taints } });
    case 'unknown_session':
      return refuse('unknown-session', 'nothing is remembered of this session');
    case 'failed':
      return refuse('internal-error', `nothing was released: ${describeCause(outcome.cause)}`);
  }
}

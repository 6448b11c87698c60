import type { AgentSessionKey, TenantSlug } from '../domain/ids.ts';
import { parseRelease } from '../domain/release.ts';
import { findAgentSession } from '../store/activity.ts';
import { readTenant } from '../store/tenants.ts';
import type { Admission } from './admission.ts';
import type { Released, Releases } from './agent-sessions.ts';
import { actorOf } from './caller.ts';
import { type Refusal, refuse } from './http.ts';
import { isRefusal } from './input.ts';

export interface WantedRelease {
  sessionKey: string;
  /** Whether the hold ends; true where no taints are named. */
  hold?: boolean | undefined;
  taints?: readonly string[] | undefined;
  reason: string;
}

/** Ends a hold or taints of a session of the tenant's own, as the caller orders. */
export async function releaseSession(
  admission: Admission,
  releases: Releases,
  { sessionKey, hold, taints, reason }: WantedRelease,
): Promise<Released | Refusal> {
  const { tenantId } = admission;
  const found = await admission.inTenant(async (tx) => ({
    session: await findAgentSession(tx, sessionKey),
    tenant: await readTenant(tx, tenantId),
  }));
  // What others share may be looked at, and no more.
  if (found.session?.tenantId !== tenantId || found.tenant === undefined)
    return refuse('not-found', 'the tenant has no session of this key');
  const parsed = parseRelease({
    session_id: found.session.sessionId,
    reason,
    ...(hold === undefined ? {} : { hold }),
    ...(taints === undefined ? {} : { taints: [...taints] }),
  });
  if (!parsed.ok)
    return refuse(
      'invalid-request',
      parsed.faults.map(({ pointer, expected }) => `${pointer} must ${expected}`).join('; '),
    );
  const wanted = parsed.release;
  const order = {
    subject: actorOf(admission.caller),
    reason,
    hold: wanted.hold ?? (wanted.taints ?? []).length === 0,
    taints: wanted.taints ?? [],
  };
  const released = await releases.release(found.tenant.slug as TenantSlug, sessionKey as AgentSessionKey, order);
  if (isRefusal(released) || (!released.hold && released.taints.length === 0)) return released;
  // The journal has it by now: the log tells of what was done, and nothing undoes it.
  const detail = { hold: released.hold, taints: released.taints, reason };
  await admission.inTenant((tx) => admission.audit(tx, { action: 'session.released', target: sessionKey, detail }));
  return released;
}

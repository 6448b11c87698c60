import { faultsText } from '../domain/event.ts';
import type { AgentSessionKey } from '../domain/ids.ts';
import { parseRelease } from '../domain/release.ts';
import { findAgentSession } from '../store/activity.ts';
import { isManagedBy } from '../store/shares.ts';
import type { Admission } from './admission.ts';
import type { Released, Releases } from './agent-sessions.ts';
import { actorOf } from './caller.ts';
import { isRefusal, type Refusal, refuse } from './http.ts';
import type { TenantFinder } from './tenant-route.ts';

export interface WantedRelease {
  sessionKey: string;
  /** Whether the hold ends; true where no taints are named. */
  hold?: boolean | undefined;
  taints?: readonly string[] | undefined;
  reason: string;
}

/** Ends a hold or taints of a session of the tenant's own, or of an agent that it manages for another, as the caller orders. */
export async function releaseSession(
  admission: Admission,
  { releases, tenants }: { releases: Releases; tenants: TenantFinder },
  { sessionKey, hold, taints, reason }: WantedRelease,
): Promise<Released | Refusal> {
  const { tenantId } = admission;
  const session = await admission.inTenant((tx) => findAgentSession(tx, sessionKey));
  const ownerId = session?.tenantId ?? tenantId;
  const owner = tenants.findById(ownerId);
  if (session === undefined || owner === undefined || !isManagedBy(tenantId, { ...session, ownerId }))
    return refuse('not-found', 'the tenant has no session of this key that it may release');
  const isOwn = ownerId === tenantId;
  const parsed = parseRelease({
    session_id: session.sessionId,
    reason,
    ...(hold === undefined ? {} : { hold }),
    ...(taints === undefined ? {} : { taints: [...taints] }),
  });
  if (!parsed.ok) return refuse('invalid-request', faultsText(parsed.faults));
  const wanted = parsed.release;
  const order = {
    // An owner is told which tenant did it, and nobody in it.
    subject: isOwn ? actorOf(admission.caller) : `tenant:${tenantId}`,
    reason,
    hold: wanted.hold ?? (wanted.taints ?? []).length === 0,
    taints: wanted.taints ?? [],
  };
  const released = await releases.release(owner.slug, sessionKey as AgentSessionKey, order);
  if (isRefusal(released) || (!released.hold && released.taints.length === 0)) return released;
  // The journal has it by now: the log tells of what was done, and nothing undoes it.
  const detail = { hold: released.hold, taints: released.taints, reason };
  const entry = { action: 'session.released' as const, target: sessionKey, detail };
  const own = isOwn ? entry : { ...entry, detail: { ...detail, owner: ownerId } };
  await admission.inTenant((tx) => admission.audit(tx, own));
  if (!isOwn) await admission.tell(ownerId, entry);
  return released;
}

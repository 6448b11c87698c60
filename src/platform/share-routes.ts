import Type, { type Static } from 'typebox';
import { isUuid, type TenantSlug } from '../domain/ids.ts';
import type { Clock } from '../lib/clock.ts';
import { TokenBuckets } from '../lib/token-buckets.ts';
import type { Place } from '../store/paging.ts';
import {
  findOwnAgent,
  leaveShare,
  listShares,
  putShare,
  removeShare,
  SHARE_PERMISSIONS,
  type SharePermission,
  type ShareRow,
} from '../store/shares.ts';
import type { Admission } from './admission.ts';
import { isRefusal, json, noContent, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { type Cursor, encodePlace, oneOf, PAGED, pageOf, readPage, uuidPlaces } from './input.ts';
import { type Admitted, jsonRoute, type TenantContext, tenantRoute } from './tenant-route.ts';

export const NewShare = Type.Object({ permission: oneOf(SHARE_PERMISSIONS) }, { additionalProperties: false });

/** How often one tenant may share with one other: each time is an entry in the guest's audit log. */
export const newShareLimits = () => new TokenBuckets({ burst: 200, everyMs: 60_000 });

export interface ShareContext extends TenantContext {
  clock: Clock;
  /** By owner and guest. */
  shareLimits: TokenBuckets;
}

const PATH = '/api/v1/tenants/:tenant/agents/:agent/shares';
const ONE = `${PATH}/:guest`;

/** With whom a tenant shares its agents. A guest can give back what it was given, and neither pass it on nor widen it. */
export function shareRoutes(context: ShareContext): Route[] {
  return [
    tenantRoute(context, ['GET', PATH, 'shares', 'List with whom an agent is shared', PAGED], (by) =>
      list(context, by),
    ),
    jsonRoute(context, ['PUT', ONE, 'shares', 'Share an agent'], NewShare, async (admitted, given) => {
      const shared = await shareAgent(context, admitted, { ...namedIn(admitted), ...given });
      return isRefusal(shared) ? shared : json(shared);
    }),
    tenantRoute(
      context,
      ['DELETE', ONE, 'shares', 'Share an agent no longer, or give back one that was shared'],
      async (admitted) => {
        const ended = await unshareAgent(context, admitted, namedIn(admitted));
        return isRefusal(ended) ? ended : noContent();
      },
    ),
  ];
}

/** An agent of the tenant by its key, and another tenant by id or by short name. */
interface Named {
  agent: string;
  guest: string;
}

function namedIn({ request }: Admitted): Named {
  return { agent: request.params['agent'] ?? '', guest: request.params['guest'] ?? '' };
}

export const shareCursor: Cursor<ShareRow> = {
  decode: uuidPlaces(1),
  of: ({ createdAt, sharedWith }) => encodePlace({ at: createdAt, keys: [sharedWith] }),
};
const noAgent = () => refuse('not-found', 'the tenant has no such agent of its own');

async function list({ tenants }: TenantContext, admitted: Admitted): Promise<PlatformAnswer> {
  const page = readPage(admitted.request.query, shareCursor.decode);
  if (isRefusal(page)) return page;
  const rows = await sharesOf(admitted, admitted.request.params['agent'] ?? '', page.after, page.first + 1);
  if (rows === undefined) return noAgent();
  const show = ({ sharedWith, permission, createdAt }: ShareRow) => {
    const slug = tenants.findById(sharedWith)?.slug ?? null;
    return { tenantId: sharedWith, slug, permission, createdAt };
  };
  return json(pageOf(rows, page.first, shareCursor.of, show));
}

interface Shared {
  /** The guest. */
  tenantId: string;
  permission: SharePermission;
}

/** With whom an agent is shared, newest first, at most `limit`; undefined where the tenant has no such agent of its own. */
export async function sharesOf(
  admission: Pick<Admission, 'tenantId' | 'inTenant'>,
  agentKey: string,
  after: Place | undefined,
  limit: number,
): Promise<ShareRow[] | undefined> {
  const agent = agentOf(admission, agentKey);
  if (agent === undefined) return undefined;
  return admission.inTenant(async (tx) =>
    (await findOwnAgent(tx, agent)) === undefined ? undefined : listShares(tx, agent, after, limit),
  );
}

/** Lets another tenant see an agent, or changes what it may do. */
export async function shareAgent(
  context: ShareContext,
  admission: Admission,
  { permission, ...named }: Named & Static<typeof NewShare>,
): Promise<Shared | Refusal> {
  const agent = agentOf(admission, named.agent);
  const guest = guestOf(context, named.guest);
  if (agent === undefined) return noAgent();
  if (guest === undefined) return refuse('not-found', 'there is no such tenant to share with');
  if (guest === admission.tenantId) return refuse('invalid-request', 'the agent belongs to this tenant itself');
  const wait = context.shareLimits.take(`${admission.tenantId} ${guest}`, context.clock.monotonic());
  if (wait > 0) return tooManyShares(wait);
  const done = await admission.inTenant(async (tx) => {
    const agentId = await findOwnAgent(tx, agent);
    if (agentId === undefined) return undefined;
    const before = await putShare(tx, agent, guest, permission);
    const detail = { agentId, guest, permission, before: before ?? null };
    if (before !== permission) await admission.audit(tx, { action: 'agent.shared', target: agent.agentKey, detail });
    return { agentId, isNews: before !== permission };
  });
  if (done === undefined) return noAgent();
  const detail = { owner: admission.tenantId, permission };
  if (done.isNews) await admission.tell(guest, { action: 'agent.shared', target: agent.agentKey, detail });
  return { tenantId: guest, permission };
}

function tooManyShares(seconds: number): Refusal {
  const detail = `too much was shared with this tenant in a short time; try again in ${seconds} seconds`;
  return refuse('too-many-requests', detail, [['retry-after', String(seconds)]]);
}

/** Takes an agent back from another tenant; or, where the guest is the tenant itself, gives it back to its owner. */
export async function unshareAgent(
  context: TenantContext,
  admission: Admission,
  named: Named,
): Promise<{ tenantId: string } | Refusal> {
  const agent = agentOf(admission, named.agent);
  const guest = guestOf(context, named.guest);
  if (agent === undefined || guest === undefined) return noShare();
  if (guest === admission.tenantId) return leaveAgent(admission, agent.agentKey);
  const removed = await admission.inTenant(async (tx) => {
    const wasShared = await removeShare(tx, agent, guest);
    const detail = { guest };
    if (wasShared) await admission.audit(tx, { action: 'agent.unshared', target: agent.agentKey, detail });
    return wasShared;
  });
  if (!removed) return noShare();
  const detail = { owner: admission.tenantId };
  await admission.tell(guest, { action: 'agent.unshared', target: agent.agentKey, detail });
  return { tenantId: guest };
}

const noShare = () => refuse('not-found', 'there is no such share');

async function leaveAgent(admission: Admission, agentKey: string): Promise<{ tenantId: string } | Refusal> {
  const { tenantId } = admission;
  const left = await admission.inTenant(async (tx) => {
    const left = await leaveShare(tx, { agentKey, guest: tenantId });
    if (left !== undefined) await admission.audit(tx, { action: 'agent.left', target: agentKey, detail: { ...left } });
    return left;
  });
  if (left === undefined) return noShare();
  const detail = { agentId: left.agentId, guest: tenantId };
  await admission.tell(left.ownerId, { action: 'agent.left', target: agentKey, detail });
  return { tenantId };
}

function agentOf({ tenantId }: Pick<Admission, 'tenantId'>, agentKey: string) {
  return isUuid(agentKey) ? { tenantId, agentKey } : undefined;
}

/** The guest by id or by short name. */
function guestOf({ tenants }: TenantContext, named: string): string | undefined {
  return (isUuid(named) ? tenants.findById(named) : tenants.find(named as TenantSlug))?.id;
}

import Type from 'typebox';
import { isUuid, type TenantSlug } from '../domain/ids.ts';
import { audit } from '../store/audit-log.ts';
import {
  findOwnAgent,
  listShares,
  putShare,
  removeShare,
  SHARE_PERMISSIONS,
  type SharePermission,
  type ShareRow,
} from '../store/shares.ts';
import { json, noContent, type PlatformAnswer, type Route, refuse } from './http.ts';
import { encodePlace, isRefusal, jsonReader, oneOf, pageOf, readPage, uuidPlaces } from './input.ts';
import { type Admitted, type TenantContext, tenantRoute } from './tenant-route.ts';

const readShare = jsonReader(Type.Object({ permission: oneOf(SHARE_PERMISSIONS) }, { additionalProperties: false }));

const PATH = '/api/v1/tenants/:tenant/agents/:agent/shares';

/** With whom a tenant shares its agents. A guest cannot pass on, widen or end what it was given. */
export function shareRoutes(context: TenantContext): Route[] {
  return [
    tenantRoute(context, ['GET', PATH, 'shares'], (admitted) => list(context, admitted)),
    tenantRoute(context, ['PUT', `${PATH}/:guest`, 'shares'], (admitted) => share(context, admitted)),
    tenantRoute(context, ['DELETE', `${PATH}/:guest`, 'shares'], (admitted) => unshare(context, admitted)),
  ];
}

const decodePlace = uuidPlaces(1);
const noAgent = () => refuse('not-found', 'the tenant has no such agent of its own');

async function list({ tenants }: TenantContext, admitted: Admitted): Promise<PlatformAnswer> {
  const page = readPage(admitted.request.query, decodePlace);
  if (isRefusal(page)) return page;
  const agent = agentOf(admitted);
  if (agent === undefined) return noAgent();
  const rows = await admitted.inTenant(async (tx) =>
    (await findOwnAgent(tx, agent)) === undefined ? undefined : listShares(tx, agent, page.after, page.first + 1),
  );
  if (rows === undefined) return noAgent();
  const cursorOf = ({ createdAt, sharedWith }: ShareRow) => encodePlace({ at: createdAt, keys: [sharedWith] });
  const show = ({ sharedWith, permission, createdAt }: ShareRow) => {
    const slug = tenants.findById(sharedWith)?.slug ?? null;
    return { tenantId: sharedWith, slug, permission, createdAt };
  };
  return json(pageOf(rows, page.first, cursorOf, show));
}

async function share(context: TenantContext, admitted: Admitted): Promise<PlatformAnswer> {
  const given = readShare(admitted.request);
  if (isRefusal(given)) return given;
  const { permission } = given;
  const agent = agentOf(admitted);
  const guest = guestOf(context, admitted);
  if (agent === undefined) return noAgent();
  if (guest === undefined) return refuse('not-found', 'there is no such tenant to share with');
  if (guest === admitted.tenantId) return refuse('invalid-request', 'the agent belongs to this tenant itself');
  const done = await admitted.inTenant(async (tx) => {
    const agentId = await findOwnAgent(tx, agent);
    if (agentId === undefined) return undefined;
    const before = await putShare(tx, agent, guest, permission);
    const detail = { agentId, guest, permission, before: before ?? null };
    if (before !== permission) await admitted.audit(tx, { action: 'agent.shared', target: agent.agentKey, detail });
    return { agentId, isNews: before !== permission };
  });
  if (done === undefined) return noAgent();
  if (done.isNews) await tellGuest(context, admitted, { guest, agentKey: agent.agentKey, permission });
  return json({ tenantId: guest, permission });
}

async function unshare(context: TenantContext, admitted: Admitted): Promise<PlatformAnswer> {
  const agent = agentOf(admitted);
  const guest = guestOf(context, admitted);
  if (agent === undefined || guest === undefined) return refuse('not-found', 'there is no such share');
  const removed = await admitted.inTenant(async (tx) => {
    const wasShared = await removeShare(tx, agent, guest);
    const detail = { guest };
    if (wasShared) await admitted.audit(tx, { action: 'agent.unshared', target: agent.agentKey, detail });
    return wasShared;
  });
  if (!removed) return refuse('not-found', 'there is no such share');
  await tellGuest(context, admitted, { guest, agentKey: agent.agentKey });
  return noContent();
}

/**
 * Writes to the guest's audit log too, in a transaction of the guest, which sees nothing of the owner. It names the
 * owner's tenant, and nobody in it.
 */
async function tellGuest(
  { people }: TenantContext,
  { tenantId: owner }: Admitted,
  { guest, agentKey, permission }: { guest: string; agentKey: string; permission?: SharePermission },
): Promise<void> {
  const action = permission === undefined ? 'agent.unshared' : 'agent.shared';
  const detail = { owner, ...(permission === undefined ? {} : { permission }) };
  await people.inTenant({ tenantId: guest }, (tx) =>
    audit(tx, { tenantId: guest, actor: `tenant:${owner}`, action, target: agentKey, detail }),
  );
}

function agentOf({ request, tenantId }: Admitted) {
  const agentKey = request.params['agent'] ?? '';
  return isUuid(agentKey) ? { tenantId, agentKey } : undefined;
}

/** The guest by id or by short name. */
function guestOf({ tenants }: TenantContext, { request }: Admitted): string | undefined {
  const named = request.params['guest'] ?? '';
  return (isUuid(named) ? tenants.findById(named) : tenants.find(named as TenantSlug))?.id;
}

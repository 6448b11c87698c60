import Type from 'typebox';
import { ON_FAILURE } from '../domain/decision.ts';
import { listAuditBefore, type StoredAuditRow } from '../store/audit-log.ts';
import { changeTenant, readTenant, type TenantChanges, type TenantRow } from '../store/tenants.ts';
import type { Admission } from './admission.ts';
import { json, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { isPrintable, isRefusal, jsonReader, oneOf, pageOf, readPage } from './input.ts';
import { type Admitted, type TenantContext, tenantRoute } from './tenant-route.ts';

const NAME_CHARS_MAX = 128;

const readChanges = jsonReader(
  Type.Object(
    {
      name: Type.Optional(Type.String()),
      onFailure: Type.Optional(oneOf(ON_FAILURE)),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
);

const PATH = '/api/v1/tenants/:tenant';

/** A tenant's settings, and its audit log. */
export function tenantRoutes(context: TenantContext): Route[] {
  return [
    tenantRoute(context, ['GET', PATH, 'read'], read),
    tenantRoute(context, ['PATCH', PATH, 'settings'], change),
    tenantRoute(context, ['GET', `${PATH}/audit`, 'audit'], listAudit),
  ];
}

const GONE = 'the tenant is not there any more';

async function read({ tenantId, inTenant }: Admitted): Promise<PlatformAnswer> {
  const row = await inTenant((tx) => readTenant(tx, tenantId));
  return row === undefined ? refuse('not-found', GONE) : json(row);
}

async function change(admitted: Admitted): Promise<PlatformAnswer> {
  const given = readChanges(admitted.request);
  if (isRefusal(given)) return given;
  const changed = await changeSettings(admitted, given);
  return isRefusal(changed) ? changed : json(changed);
}

/** Changes the settings of the tenant. Returns them as they are then. */
export async function changeSettings(admission: Admission, given: TenantChanges): Promise<TenantRow | Refusal> {
  const { tenantId } = admission;
  if (given.name !== undefined && !isTenantName(given.name))
    return refuse('invalid-request', `/name must be 1 to ${NAME_CHARS_MAX} printable characters on one line`);
  const row = await admission.inTenant(async (tx) => {
    const before = await changeTenant(tx, tenantId, given);
    const detail = before === undefined ? {} : differences(before, given);
    if (Object.keys(detail).length > 0)
      await admission.audit(tx, { action: 'tenant.changed', target: tenantId, detail });
    return readTenant(tx, tenantId);
  });
  return row ?? refuse('not-found', GONE);
}

const isTenantName = (name: string) => isPrintable(name) && name.length <= NAME_CHARS_MAX;

/** What changes, each with its value before and after. */
function differences(before: Required<TenantChanges>, given: TenantChanges): Record<string, [string, string]> {
  const all: Record<string, [string, string]> = {};
  for (const name of ['name', 'onFailure'] as const) {
    const after = given[name];
    if (after !== undefined && after !== before[name]) all[name] = [before[name], after];
  }
  return all;
}

/** The cursor of an entry is its number, which never changes. */
const decodeSeq = (cursor: string) => (/^[1-9]\d{0,14}$/.test(cursor) ? Number(cursor) : undefined);

async function listAudit({ request, tenantId, inTenant }: Admitted): Promise<PlatformAnswer> {
  const page = readPage(request.query, decodeSeq);
  if (isRefusal(page)) return page;
  const rows = await inTenant((tx) => listAuditBefore(tx, tenantId, page.after, page.first + 1));
  return json(pageOf(rows, page.first, ({ seq }) => String(seq), showEntry));
}

function showEntry({ seq, at, actor, action, target, detail, address, hash }: StoredAuditRow) {
  const read: unknown = JSON.parse(detail);
  return { seq, at, actor, action, target, detail: read, address, hash: Buffer.from(hash).toString('hex') };
}

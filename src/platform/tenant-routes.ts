import Type, { type Static, type TSchema } from 'typebox';
import { ON_FAILURE } from '../domain/decision.ts';
import { TENANT_DEADLINE_MS_MIN } from '../domain/tenant.ts';
import { listAuditBefore, type StoredAuditRow } from '../store/audit-log.ts';
import { changeTenant, readTenant, type TenantRow, type TenantSettings } from '../store/tenants.ts';
import type { Admission } from './admission.ts';
import { isRefusal, json, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { isPrintable, oneOf, PAGED, pageOf, readPage } from './input.ts';
import { type Admitted, jsonRoute, type TenantContext, tenantRoute } from './tenant-route.ts';

const NAME_CHARS_MAX = 128;

const orNull = (schema: TSchema) => Type.Optional(Type.Unsafe<number | null>(Type.Union([schema, Type.Null()])));

export const SettingChanges = Type.Object(
  {
    name: Type.Optional(Type.String()),
    onFailure: Type.Optional(oneOf(ON_FAILURE)),
    deadlineMs: orNull(Type.Integer({ minimum: TENANT_DEADLINE_MS_MIN })),
    retentionDays: orNull(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false, minProperties: 1 },
);

/** What the service does for every tenant, which a tenant may only make stricter. */
export interface SettingBounds {
  /** Milliseconds to a decision. */
  deadlineMs: number;
  /** Days that events are kept. */
  retentionDays: number;
}

export interface SettingsContext extends TenantContext {
  bounds: SettingBounds;
}

const PATH = '/api/v1/tenants/:tenant';

/** A tenant's settings, and its audit log. */
export function tenantRoutes(context: SettingsContext): Route[] {
  return [
    tenantRoute(context, ['GET', PATH, 'read', "Read a tenant's settings"], read),
    jsonRoute(context, ['PATCH', PATH, 'settings', "Change a tenant's settings"], SettingChanges, async (by, given) => {
      const changed = await changeSettings(context, by, given);
      return isRefusal(changed) ? changed : json(changed);
    }),
    tenantRoute(context, ['GET', `${PATH}/audit`, 'audit', 'Read the audit log', PAGED], listAudit),
  ];
}

const GONE = 'the tenant is not there any more';

async function read({ tenantId, inTenant }: Admitted): Promise<PlatformAnswer> {
  const row = await inTenant((tx) => readTenant(tx, tenantId));
  return row === undefined ? refuse('not-found', GONE) : json(row);
}

/** Changes the settings of the tenant. Returns them as they are then. */
export async function changeSettings(
  { bounds }: SettingsContext,
  admission: Admission,
  given: Static<typeof SettingChanges>,
): Promise<TenantRow | Refusal> {
  const { tenantId } = admission;
  for (const name of ['deadlineMs', 'retentionDays'] as const)
    if ((given[name] ?? 0) > bounds[name])
      return refuse('invalid-request', `/${name} must be at most ${bounds[name]}, as for the whole service`);
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

/** What a tenant may be called. */
export const isTenantName = (name: string): boolean => isPrintable(name) && name.length <= NAME_CHARS_MAX;

/** What changes, each with its value before and after. */
function differences(before: TenantSettings, given: Partial<TenantSettings>): Record<string, [unknown, unknown]> {
  const all: Record<string, [unknown, unknown]> = {};
  for (const name of ['name', 'onFailure', 'deadlineMs', 'retentionDays'] as const) {
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

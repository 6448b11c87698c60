import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { PolicyFile } from '../domain/policies.ts';
import type { Database } from './database.ts';
import { personName } from './person-names.ts';
import { policyActivations, policySets } from './schema/policy-sets.ts';
import { tenants } from './schema/tenants.ts';
import { originalText, storableText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** The policy sets of tenants, and which of them count. */

export interface PolicySetRow {
  version: number;
  hash: string;
  note: string;
  createdBy: string;
  /** What they are called, where they are a person of the tenant. */
  createdByName: string | null;
  createdAt: Date;
}

/** Which set decides, and which is tried beside it. Null: the installation's policies; none. */
export interface PolicyState {
  activeVersion: number | null;
  shadowVersion: number | null;
}

export interface PolicyActivationRow extends PolicyState {
  seq: number;
  changedBy: string;
  /** What they are called, where they are a person of the tenant. */
  changedByName: string | null;
  changedAt: Date;
}

function setColumns(tenantId: string) {
  return {
    version: policySets.version,
    hash: policySets.hash,
    note: policySets.note,
    createdBy: policySets.createdBy,
    createdByName: personName(policySets.createdBy, tenantId),
    createdAt: policySets.createdAt,
  };
}

function activationColumns(tenantId: string) {
  return {
    seq: policyActivations.seq,
    activeVersion: policyActivations.activeVersion,
    shadowVersion: policyActivations.shadowVersion,
    changedBy: policyActivations.changedBy,
    changedByName: personName(policyActivations.changedBy, tenantId),
    changedAt: policyActivations.changedAt,
  };
}

export type NewPolicySet = Pick<PolicySetRow, 'version' | 'hash' | 'note' | 'createdBy'> & {
  files: readonly PolicyFile[];
};

/** The tenant's newest version, 0 for none. Writers of one tenant take turns: until the end of the transaction there is no newer one. */
export async function newestPolicySet(tx: TenantTransaction, tenantId: string): Promise<number> {
  await tx.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId)).for('no key update');
  const [newest] = await listPolicySets(tx, tenantId, undefined, 1);
  return newest?.version ?? 0;
}

/** Keeps a set as `version` of the tenant: one more than the newest, of which `newestPolicySet` told in this transaction. */
export async function savePolicySet(
  tx: TenantTransaction,
  tenantId: string,
  { version, hash, note, createdBy, files }: NewPolicySet,
): Promise<PolicySetRow> {
  const set = { hash, note: storableText(note), createdBy, files: storableText(JSON.stringify(files)) };
  const [row] = await tx
    .insert(policySets)
    .values({ tenantId, version, ...set })
    .returning(setColumns(tenantId));
  return shown(row as PolicySetRow);
}

/** The tenant's sets before `before`, newest first. */
export async function listPolicySets(
  tx: TenantTransaction,
  tenantId: string,
  before: number | undefined,
  limit: number,
): Promise<PolicySetRow[]> {
  const older = before === undefined ? undefined : lt(policySets.version, before);
  const rows = await tx
    .select(setColumns(tenantId))
    .from(policySets)
    .where(and(eq(policySets.tenantId, tenantId), older))
    .orderBy(desc(policySets.version))
    .limit(limit);
  return rows.map(shown);
}

/** Those of `versions` that the tenant has, without their files. */
export async function findPolicySetVersions(
  tx: TenantTransaction,
  tenantId: string,
  versions: readonly number[],
): Promise<PolicySetRow[]> {
  const rows = await tx
    .select(setColumns(tenantId))
    .from(policySets)
    .where(and(eq(policySets.tenantId, tenantId), inArray(policySets.version, [...versions])));
  return rows.map(shown);
}

export async function findPolicySet(
  tx: TenantTransaction,
  tenantId: string,
  version: number,
): Promise<(PolicySetRow & { files: PolicyFile[] }) | undefined> {
  const [row] = await tx
    .select({ ...setColumns(tenantId), files: policySets.files })
    .from(policySets)
    .where(and(eq(policySets.tenantId, tenantId), eq(policySets.version, version)));
  return row === undefined ? undefined : { ...shown(row), files: filesOf(row.files) };
}

/** What counts for the tenant now. */
export async function readPolicyState(tx: TenantTransaction, tenantId: string): Promise<PolicyState> {
  const [newest] = await listPolicyActivations(tx, tenantId, undefined, 1);
  return { activeVersion: newest?.activeVersion ?? null, shadowVersion: newest?.shadowVersion ?? null };
}

/** Hash of the set that is tried beside the one that decides; undefined where there is none. */
export async function readShadowHash(tx: TenantTransaction, tenantId: string): Promise<string | undefined> {
  const { shadowVersion } = await readPolicyState(tx, tenantId);
  if (shadowVersion === null) return undefined;
  const [row] = await tx
    .select({ hash: policySets.hash })
    .from(policySets)
    .where(and(eq(policySets.tenantId, tenantId), eq(policySets.version, shadowVersion)));
  return row?.hash;
}

/** What counted for the tenant before `before`, newest first. */
export function listPolicyActivations(
  tx: TenantTransaction,
  tenantId: string,
  before: number | undefined,
  limit: number,
): Promise<PolicyActivationRow[]> {
  const older = before === undefined ? undefined : lt(policyActivations.seq, before);
  return tx
    .select(activationColumns(tenantId))
    .from(policyActivations)
    .where(and(eq(policyActivations.tenantId, tenantId), older))
    .orderBy(desc(policyActivations.seq))
    .limit(limit);
}

/** Lets `change` say what counts from now on; the gate follows within about a second. Returns what counted before. */
export async function changePolicyState(
  tx: TenantTransaction,
  tenantId: string,
  changedBy: string,
  change: (before: PolicyState) => PolicyState,
): Promise<PolicyState> {
  await tx.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId)).for('no key update');
  const [newest] = await listPolicyActivations(tx, tenantId, undefined, 1);
  const before = { activeVersion: newest?.activeVersion ?? null, shadowVersion: newest?.shadowVersion ?? null };
  const after = change(before);
  if (after.activeVersion !== before.activeVersion || after.shadowVersion !== before.shadowVersion)
    await tx.insert(policyActivations).values({ tenantId, seq: (newest?.seq ?? 0) + 1, changedBy, ...after });
  return before;
}

/** Sets that count for a tenant, by hash. */
export interface TenantPolicyHashes {
  tenantId: string;
  active: string | null;
  shadow: string | null;
}

/** What counts for each tenant that has sets of its own. The service's own view. */
export async function listPolicyHashes({ db }: Database): Promise<TenantPolicyHashes[]> {
  const rows = await db.execute<{ tenant_id: string; active: string | null; shadow: string | null }>(sql`
    select a.tenant_id, active.hash as active, shadow.hash as shadow
    from (
      select distinct on (tenant_id) tenant_id, active_version, shadow_version
      from policy_activations order by tenant_id, seq desc
    ) a
    left join policy_sets active on active.tenant_id = a.tenant_id and active.version = a.active_version
    left join policy_sets shadow on shadow.tenant_id = a.tenant_id and shadow.version = a.shadow_version`);
  return rows.map(({ tenant_id: tenantId, active, shadow }) => ({ tenantId, active, shadow }));
}

/** The files of a tenant's set of this hash. The service's own view. */
export async function loadPolicyFiles(
  { db }: Database,
  tenantId: string,
  hash: string,
): Promise<PolicyFile[] | undefined> {
  const [row] = await db
    .select({ files: policySets.files })
    .from(policySets)
    .where(and(eq(policySets.tenantId, tenantId), eq(policySets.hash, hash)))
    .orderBy(desc(policySets.version))
    .limit(1);
  return row === undefined ? undefined : filesOf(row.files);
}

function filesOf(text: string): PolicyFile[] {
  return JSON.parse(originalText(text)) as PolicyFile[];
}

function shown({ version, hash, note, createdBy, createdByName, createdAt }: PolicySetRow): PolicySetRow {
  return { version, hash, note: originalText(note), createdBy, createdByName, createdAt };
}

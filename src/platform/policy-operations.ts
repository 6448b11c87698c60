import type { PolicyFile } from '../domain/policies.ts';
import type { PolicyCheck, PolicyTests } from '../domain/policy-work.ts';
import {
  changePolicyState,
  findPolicySet,
  newestPolicySet,
  type PolicySetRow,
  type PolicyState,
  readPolicyState,
  savePolicySet,
} from '../store/policy-sets.ts';
import type { TenantTransaction } from '../store/tenant-database.ts';
import type { Admission } from './admission.ts';
import { actorOf } from './caller.ts';
import { isRefusal, type Refusal, refuse } from './http.ts';
import { type PolicyContext, unusable, workRefusal } from './policy-context.ts';
import { filesFault } from './policy-files.ts';

/** What people do with the policy sets of their tenant. */

const NOTE_CHARS_MAX = 1_000;

/** What is wrong with files, without keeping them. */
export async function checkFiles(
  { work }: PolicyContext,
  tenantId: string,
  files: readonly PolicyFile[],
): Promise<PolicyCheck | Refusal> {
  const fault = filesFault(files);
  if (fault !== undefined) return fault;
  const checked = await work.check(tenantId, files);
  return 'refused' in checked ? workRefusal(checked) : checked;
}

/** Runs the tests that stand beside the policies of `files`. */
export async function testFiles(
  { work }: PolicyContext,
  tenantId: string,
  files: readonly PolicyFile[],
): Promise<PolicyTests | Refusal> {
  const fault = filesFault(files);
  if (fault !== undefined) return fault;
  const tested = await work.test(tenantId, files);
  return 'refused' in tested ? workRefusal(tested) : tested;
}

export interface NewVersion {
  files: readonly PolicyFile[];
  /** What it changes, and why. */
  note: string;
  /** The newest version that was there when the files were begun, 0 for none: with a newer one meanwhile, nothing is kept. */
  newestSeen?: number;
}

/** Keeps files as the tenant's next version; where they are not right, the refusal is a `FaultyFiles`. Nothing follows them until they are activated. */
export async function saveFiles(
  { outlines }: PolicyContext,
  admission: Admission,
  { files, note, newestSeen }: NewVersion,
): Promise<PolicySetRow | Refusal> {
  const fault = filesFault(files);
  if (fault !== undefined) return fault;
  if (note.length > NOTE_CHARS_MAX) return refuse('invalid-request', `a note has at most ${NOTE_CHARS_MAX} characters`);
  const { tenantId } = admission;
  const outlined = await outlines.of(tenantId, files);
  if (isRefusal(outlined)) return outlined;
  const { hash } = outlined;
  return admission.inTenant(async (tx) => {
    const createdBy = actorOf(admission.caller);
    const newest = await newestPolicySet(tx, tenantId);
    if (newest > (newestSeen ?? newest)) return savedMeanwhile(newest);
    const row = await savePolicySet(tx, tenantId, { version: newest + 1, hash, note, createdBy, files });
    const detail = { hash, files: files.length };
    await admission.audit(tx, { action: 'policies.saved', target: String(row.version), detail });
    return row;
  });
}

function savedMeanwhile(version: number): Refusal {
  const what = `version ${version} was saved since these files were begun`;
  return refuse('conflict', `${what}; look at what it changes, and save again if these shall follow it`);
}

/** Lets `version` decide from now on; null: the policies of the installation. A set that was tried beside is so no longer. */
export function activateVersion(
  context: PolicyContext,
  admission: Admission,
  version: number | null,
): Promise<PolicyState | Refusal> {
  const change = ({ shadowVersion }: PolicyState): PolicyState => ({
    activeVersion: version,
    shadowVersion: shadowVersion === version ? null : shadowVersion,
  });
  return changeState(context, admission, { version, action: 'policies.activated', change });
}

/** Tries `version` beside what decides; null: none. */
export function shadowVersion(
  context: PolicyContext,
  admission: Admission,
  version: number | null,
): Promise<PolicyState | Refusal> {
  const change = ({ activeVersion }: PolicyState): PolicyState => ({ activeVersion, shadowVersion: version });
  return changeState(context, admission, { version, action: 'policies.shadowed', change });
}

interface StateChange {
  version: number | null;
  action: 'policies.activated' | 'policies.shadowed';
  change: (before: PolicyState) => PolicyState;
}

async function changeState(
  { outlines }: PolicyContext,
  admission: Admission,
  { version, action, change }: StateChange,
): Promise<PolicyState | Refusal> {
  const { tenantId } = admission;
  if (version !== null) {
    const set = await findVersion(admission, version);
    if (isRefusal(set)) return set;
    // Saved under an older version of the service, perhaps: a set that compiles no more must not become what decides.
    const outlined = await outlines.of(tenantId, set.files);
    if (isRefusal(outlined)) return unusable(outlined, 'it cannot be used');
  }
  return admission.inTenant(async (tx) => {
    const before = await changePolicyState(tx, tenantId, actorOf(admission.caller), change);
    const after = await readPolicyState(tx, tenantId);
    if (before.activeVersion === after.activeVersion && before.shadowVersion === after.shadowVersion) return after;
    const target = version === null ? undefined : String(version);
    await admission.audit(tx, { action, ...(target === undefined ? {} : { target }), detail: { before, after } });
    return after;
  });
}

/** A version of the tenant with its files. */
export async function findVersion(
  { tenantId, inTenant }: Pick<Admission, 'tenantId' | 'inTenant'>,
  version: number,
): Promise<(PolicySetRow & { files: PolicyFile[] }) | Refusal> {
  const found = Number.isInteger(version) && version > 0 && version <= VERSION_MAX;
  const set = found ? await inTenant((tx) => findPolicySet(tx, tenantId, version)) : undefined;
  return set ?? refuse('not-found', `the tenant has no version ${version} of its policies`);
}

const VERSION_MAX = 2_147_483_647;

/** The files that decide for the tenant now. */
export async function activeFiles(
  { installation }: PolicyContext,
  tx: TenantTransaction,
  tenantId: string,
): Promise<readonly PolicyFile[]> {
  const { activeVersion } = await readPolicyState(tx, tenantId);
  const set = activeVersion === null ? undefined : await findPolicySet(tx, tenantId, activeVersion);
  return set?.files ?? installation;
}

/** A file that is not the same in two sets; null where it is not there. */
export interface FileDifference {
  file: string;
  before: string | null;
  after: string | null;
}

/** The files in which two sets differ, by name. */
export function fileDifferences(before: readonly PolicyFile[], after: readonly PolicyFile[]): FileDifference[] {
  const old = new Map(before.map(({ file, text }) => [file, text]));
  const young = new Map(after.map(({ file, text }) => [file, text]));
  return [...new Set([...old.keys(), ...young.keys()])]
    .sort()
    .map((file) => ({ file, before: old.get(file) ?? null, after: young.get(file) ?? null }))
    .filter((each) => each.before !== each.after);
}

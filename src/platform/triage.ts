import { isUuid } from '../domain/ids.ts';
import { NOTE_CHARS_MAX, TRIAGE_FINDINGS_MAX } from '../domain/triage.ts';
import { isAssignee } from '../store/assignees.ts';
import {
  type FindingKey,
  type FindingRow,
  findFindings,
  readFindingKey,
  type TriageChange,
  writeFindingKey,
  writeTriage,
} from '../store/findings.ts';
import { isManagedBy } from '../store/shares.ts';
import type { Admission } from './admission.ts';
import { actorOf } from './caller.ts';
import { isRefusal, type Refusal, refuse } from './http.ts';

/** Findings to judge, by id, and what is said of all of them. */
export interface TriageRequest extends TriageChange {
  ids: readonly string[];
}

/**
 * Writes what a person says of findings of the tenant, and of agents that it manages for others: of all of them, or of none. Returns
 * them as they are then.
 */
export async function triageFindings(
  admission: Admission,
  { ids, ...change }: TriageRequest,
): Promise<{ findings: FindingRow[] } | Refusal> {
  const keys = readKeys(ids);
  if (keys === undefined)
    return refuse(
      'invalid-request',
      `ids must be those of 1 to ${TRIAGE_FINDINGS_MAX} findings, as the list gives them`,
    );
  const fault = faultOf(change);
  if (fault !== undefined) return refuse('invalid-request', fault);
  const { tenantId, caller } = admission;
  const { note, ...told } = change;
  const entryOf = (judged: readonly FindingKey[]) => ({
    action: 'findings.triaged' as const,
    target: writeFindingKey(judged[0] as FindingKey),
    detail: { ...told, findings: judged.map(writeFindingKey), ...(note === undefined ? {} : { note: 'changed' }) },
  });
  const done = await admission.inTenant(async (tx) => {
    const found = (await findFindings(tx, tenantId, keys)).filter((row) => isManagedBy(tenantId, row));
    if (found.length < keys.length)
      return refuse('not-found', 'the tenant may judge no such finding; it may be older than what is kept');
    const owners = [...new Set(found.map(({ ownerId }) => ownerId))];
    const byOwner = owners.map((owner) => [owner, found.filter(({ ownerId }) => ownerId === owner)] as const);
    const { assignee } = change;
    if (assignee !== undefined && found.some(({ ownerId }) => ownerId !== tenantId))
      return refuse('invalid-request', 'who looks after the findings of another tenant, its own people say');
    if (typeof assignee === 'string' && !(await isAssignee(tx, tenantId, assignee)))
      return refuse('invalid-request', 'the assignee must be a member whose roles allow triage');
    for (const [owner, judged] of byOwner) {
      const changedBy = owner === tenantId ? actorOf(caller) : `tenant:${tenantId}`;
      await writeTriage(tx, { tenantId: owner, changedBy }, judged, change);
    }
    await admission.audit(tx, entryOf(keys));
    return { byOwner, findings: await findFindings(tx, tenantId, keys) };
  });
  if (isRefusal(done)) return done;
  for (const [owner, judged] of done.byOwner) if (owner !== tenantId) await admission.tell(owner, entryOf(judged));
  return { findings: done.findings };
}

function readKeys(ids: readonly string[]): FindingKey[] | undefined {
  const unique = [...new Set(ids)];
  const keys = unique.flatMap((id) => readFindingKey(id) ?? []);
  return keys.length === unique.length && keys.length >= 1 && keys.length <= TRIAGE_FINDINGS_MAX ? keys : undefined;
}

function faultOf({ status, verdict, note, assignee }: TriageChange): string | undefined {
  if ([status, verdict, note, assignee].every((value) => value === undefined))
    return 'give at least one of status, verdict, note and assignee';
  if (typeof note === 'string' && note.length > NOTE_CHARS_MAX)
    return `a note has at most ${NOTE_CHARS_MAX} characters`;
  if (typeof assignee === 'string' && !isUuid(assignee)) return 'the assignee is named by the id of a person';
  return undefined;
}

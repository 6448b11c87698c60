import type { PolicyFile } from '../domain/policies.ts';
import type { PastStretch } from '../store/past-sessions.ts';
import type { Admission } from './admission.ts';
import type { ShownBacktest } from './backtests.ts';
import { isRefusal, type Refusal, refuse } from './http.ts';
import { type PolicyContext, unusable } from './policy-context.ts';
import { filesFault } from './policy-files.ts';
import { activeFiles, findVersion } from './policy-operations.ts';

/** A set to try on the stored sessions of a stretch of time: a version of the tenant, or files that are not saved yet. */
export interface Trial extends PastStretch {
  version?: number;
  files?: readonly PolicyFile[];
}

/** Starts to live through the tenant's stored sessions, under the policies that count and under those of `trial`. */
export async function startBacktest(
  context: PolicyContext,
  admission: Admission,
  trial: Trial,
): Promise<ShownBacktest | Refusal> {
  const { since, until } = trial;
  if (since >= until) return refuse('invalid-request', 'since must be before until');
  const after = await triedFiles(admission, trial);
  if (isRefusal(after)) return after;
  const outlined = await context.outlines.of(admission.tenantId, after);
  if (isRefusal(outlined)) return outlined;
  const before = await admission.inTenant((tx) => activeFiles(context, tx, admission.tenantId));
  const active = await context.outlines.of(admission.tenantId, before);
  if (isRefusal(active)) return unusable(active, 'what decides now');
  const { hash } = outlined;
  return context.backtests.start(admission, { since, until, before, after, hash, version: trial.version ?? null });
}

async function triedFiles(admission: Admission, { version, files }: Trial): Promise<readonly PolicyFile[] | Refusal> {
  if ((version === undefined) === (files === undefined))
    return refuse('invalid-request', 'a backtest is of a version or of files: give one of both');
  if (files !== undefined) return filesFault(files) ?? files;
  const set = await findVersion(admission, version ?? 0);
  return isRefusal(set) ? set : set.files;
}

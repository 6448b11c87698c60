import { createHash } from 'node:crypto';
import type { PolicyFile, RefusedPolicySet } from '../domain/policies.ts';
import type { PolicyFault, PolicyOutline, PolicyWorkRefused } from '../domain/policy-work.ts';
import { Lru } from '../lib/lru.ts';
import type { Backtests } from './backtests.ts';
import { type Refusal, refuse } from './http.ts';
import type { PolicyWork } from './policy-work.ts';

/** What operations on policies need beside the database. */
export interface PolicyContext {
  work: PolicyWork;
  outlines: PolicyOutlines;
  backtests: Backtests;
  /** What counts where a tenant has no set of its own. */
  installation: readonly PolicyFile[];
  /** Sets that a tenant chose and that the gate cannot use. Absent where no agents are watched. */
  refusedOf?: ((tenantId: string) => readonly RefusedPolicySet[]) | undefined;
}

/** A set that is known to be right. */
export interface OutlinedSet {
  hash: string;
  policies: readonly PolicyOutline[];
}

/** Files that cannot be used: a refusal that says where they are wrong. */
interface FaultyFiles extends Refusal {
  faults: readonly PolicyFault[];
}

/** Outlines of the sets that were asked for last. */
const OUTLINES_MAX = { entriesMax: 64, bytesMax: 32 * 1024 * 1024 };

/** What sets hold, each looked into once. */
export class PolicyOutlines {
  readonly #work: Pick<PolicyWork, 'check'>;
  readonly #known = new Lru<OutlinedSet>(OUTLINES_MAX);

  constructor(work: Pick<PolicyWork, 'check'>) {
    this.#work = work;
  }

  /** What a set holds, asked for by a tenant; the refusal of one that is not right is a `FaultyFiles`. */
  async of(tenantId: string, files: readonly PolicyFile[]): Promise<OutlinedSet | Refusal> {
    const text = JSON.stringify(files);
    const key = createHash('sha256').update(text).digest('hex');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const checked = await this.#work.check(tenantId, files);
    if ('refused' in checked) return workRefusal(checked);
    if (!checked.ok) return faulty(checked.faults);
    const { hash, policies } = checked;
    this.#known.set(key, { hash, policies }, text.length);
    return { hash, policies };
  }
}

const REASONS: Readonly<Record<PolicyWorkRefused['refused'], Refusal>> = {
  busy: refuse('too-many-requests', 'too many policies are being looked at; try again in a moment'),
  share_used_up: refuse(
    'too-many-requests',
    'this tenant has too many policies looked at; try again when they are done',
  ),
  too_long: refuse('invalid-request', 'the policies take too long to read: split or simplify them'),
  failed: refuse('internal-error', 'the policies could not be applied'),
  too_much_memory: refuse('invalid-request', 'the policies take too much memory: split or simplify them'),
};

export function workRefusal({ refused }: PolicyWorkRefused): Refusal {
  return REASONS[refused];
}

/** Why a stored set cannot be used, where that lies with the set; a refusal for want of room or for a failure stays what it is. */
export function unusable(refusal: Refusal, what: string): Refusal {
  return refusal.slug === 'invalid-request'
    ? { ...refusal, slug: 'conflict', detail: `${what}: ${refusal.detail}` }
    : refusal;
}

/** The faults that a refusal tells one by one. */
export function faultsIn(result: object): readonly PolicyFault[] {
  return 'faults' in result ? (result as FaultyFiles).faults : [];
}

function faulty(faults: readonly PolicyFault[]): FaultyFiles {
  const [first] = faults;
  const more = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
  const detail = `${first?.file}:${first?.line}:${first?.column}: ${first?.message}${more}`;
  return { ...refuse('invalid-request', detail), faults };
}

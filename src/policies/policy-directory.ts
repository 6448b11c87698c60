import type { TenantSlug } from '../domain/ids.ts';
import type { PolicyFile, RefusedPolicySet, TenantPolicies } from '../domain/policies.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { Unusable } from '../inspection/lane-sets.ts';
import type { PolicyGate } from '../inspection/policy-gate.ts';
import type { Clock } from '../lib/clock.ts';
import { errorText } from '../lib/error-text.ts';
import { Following } from '../lib/following.ts';
import type { KeptPolicies, PolicyCopies } from './policy-copies.ts';

/** Where tenants say which policy sets count: the database. */
export interface PolicyChoices {
  /** Of each tenant that ever said so. Null: the installation's policies; none. */
  listPolicyHashes(): Promise<{ tenantId: string; active: string | null; shadow: string | null }[]>;
  loadPolicyFiles(tenantId: string, hash: string): Promise<PolicyFile[] | undefined>;
}

export interface PolicyDirectoryOptions {
  source: PolicyChoices;
  /** What inspects under them. */
  gate: Pick<PolicyGate, 'add' | 'keep'>;
  copies: PolicyCopies;
  tenants: { findById(id: string): Tenant | undefined };
  /** Hash of the installation's policies. */
  installation: string;
  clock: Clock;
  /** A set that a tenant chose cannot be used, or a copy not be kept. Told once. */
  report: (problem: { tenant?: TenantSlug; policySet?: string; why: string }) => void;
}

const REFRESH_MS = 1000;
/** How long a set that no longer decides is kept for events that came under it and wait for their inspection. */
const FORMER_MS = 3_600_000;
const FORMER_MAX = 4;
/** Characters of the files of one set, and of all sets of all tenants together. */
const SET_CHARS_MAX = 8 * 1024 * 1024;
const ALL_SETS_CHARS_MAX = 64 * 1024 * 1024;
const HASH = /^[0-9a-f]{64}$/;

/** When a set that could not be used is tried again: what kept it (no room, a thread that had no time) may be over. One that no thread tried is, at the next look. */
const RETRY_MS = 600_000;

interface Refused extends RefusedPolicySet {
  tenant: TenantSlug;
  /** By the monotonic clock. */
  retryAtMs: number;
}

const NOTHING: Omit<KeptPolicies, 'tenant'> = { former: [] };

/**
 * Which policy sets count for which tenant, in memory, since every event needs it. Follows the database within about a
 * second: a set counts once everything is ready for it. One that cannot be used changes nothing: the set before it goes on
 * deciding. Keeps copies, so that a start while the database is down decides as before.
 */
export class PolicyDirectory {
  readonly #options: PolicyDirectoryOptions;
  readonly #following = new Following({ what: 'policy sets', everyMs: REFRESH_MS, look: () => this.refresh() });
  readonly #inForce = new Map<TenantSlug, KeptPolicies>();
  /** Sets that can be inspected under, with the characters of their files. */
  readonly #ready = new Map<string, number>();
  /** By tenant and hash: what was chosen and cannot be used, and why. */
  #refused = new Map<string, Refused>();
  #saved = '';
  #saves = true;

  constructor(options: PolicyDirectoryOptions) {
    this.#options = options;
  }

  /** What counts for `tenant`. */
  of(tenant: TenantSlug): TenantPolicies {
    return this.#inForce.get(tenant) ?? NOTHING;
  }

  /** Whether a set is ready: it counts for a tenant, or did lately. */
  has(hash: string): boolean {
    return this.#ready.has(hash);
  }

  /** Sets that tenants chose and that cannot be used. */
  get refusedCount(): number {
    return this.#refused.size;
  }

  /** Sets that `tenant` chose and that cannot be used: what counted before goes on counting. */
  refusedOf(tenant: TenantSlug): RefusedPolicySet[] {
    return [...this.#refused.values()]
      .filter((each) => each.tenant === tenant)
      .map(({ policySet, why }) => ({ policySet, why }));
  }

  /** Tenants with a policy set of their own in force. */
  get tenantsCount(): number {
    return [...this.#inForce.values()].filter(({ active }) => active !== undefined).length;
  }

  /** Takes up what counted when the last copy was written. */
  async restore(): Promise<void> {
    for (const { tenant, active, shadow, former } of await this.#options.copies.readInForce()) {
      const kept = new Set<string>();
      for (const hash of [active, shadow, ...former.map((each) => each.hash)]) {
        if (hash === undefined) continue;
        const unusable = await this.#makeReady(hash, await this.#options.copies.read(hash));
        if (unusable === undefined) kept.add(hash);
        else this.#options.report({ tenant, policySet: hash, why: unusable.why });
      }
      const ifKept = (hash: string | undefined) => (hash !== undefined && kept.has(hash) ? hash : undefined);
      const formerKept = former.filter(({ hash }) => kept.has(hash));
      this.#inForce.set(tenant, { tenant, active: ifKept(active), shadow: ifKept(shadow), former: formerKept });
    }
  }

  /** Reads the database now. Rejects if it cannot be reached; what counted goes on. */
  async refresh(): Promise<void> {
    const chosen = new Set<string>();
    for (const { tenantId, active, shadow } of await this.#options.source.listPolicyHashes()) {
      const tenant = this.#options.tenants.findById(tenantId);
      if (tenant === undefined) continue;
      for (const hash of [active, shadow]) if (hash !== null) chosen.add(refusal(tenant, hash));
      await this.#follow(tenant, { active: active ?? undefined, shadow: shadow ?? undefined });
    }
    this.#refused = new Map([...this.#refused].filter(([each]) => chosen.has(each)));
    this.#forgetFormer();
    await this.#save();
    await this.#keepNeeded();
  }

  /** Follows the database until `stop`. `report` is told in one line when that begins to fail. */
  follow(report: (problem: string) => void): Promise<void> {
    return this.#following.start(report);
  }

  stop(): Promise<void> {
    return this.#following.stop();
  }

  async #follow(tenant: Tenant, chosen: TenantPolicies): Promise<void> {
    const { slug } = tenant;
    const before = this.#inForce.get(slug) ?? { tenant: slug, ...NOTHING };
    const { installation } = this.#options;
    const active =
      chosen.active === installation ? undefined : await this.#usable(tenant, chosen.active, before.active);
    // The set that decides is not tried beside itself; the installation's may be, beside another.
    const isTried = chosen.shadow !== (active ?? installation);
    const shadow = isTried ? await this.#usable(tenant, chosen.shadow, undefined) : undefined;
    if (active === before.active && shadow === before.shadow) return;
    const former = before.former.filter(({ hash }) => hash !== active);
    if (before.active !== undefined && before.active !== active)
      former.unshift({ hash: before.active, untilMs: this.#options.clock.now() + FORMER_MS });
    this.#inForce.set(slug, { tenant: slug, active, shadow, former: former.slice(0, FORMER_MAX) });
    await this.#save();
  }

  /** `hash` once everything is ready for it; `otherwise` if it cannot be used. Undefined where none is named. */
  async #usable(tenant: Tenant, hash: string | undefined, otherwise: string | undefined): Promise<string | undefined> {
    if (hash === undefined) return undefined;
    if (this.#ready.has(hash)) return hash;
    const { clock, report } = this.#options;
    const key = refusal(tenant, hash);
    const before = this.#refused.get(key);
    if (before !== undefined && clock.monotonic() < before.retryAtMs) return otherwise;
    const unusable = await this.#load(tenant, hash);
    if (unusable === undefined) {
      this.#refused.delete(key);
      return hash;
    }
    const { why, untried = false } = unusable;
    const retryAtMs = clock.monotonic() + (untried ? 0 : RETRY_MS);
    this.#refused.set(key, { tenant: tenant.slug, policySet: hash, why, retryAtMs });
    if (why !== before?.why) report({ tenant: tenant.slug, policySet: hash, why });
    return otherwise;
  }

  async #load(tenant: Tenant, hash: string): Promise<Unusable | undefined> {
    if (!HASH.test(hash)) return { why: 'it is named by no hash' };
    const { source, copies } = this.#options;
    if ((await this.#makeReady(hash, await copies.read(hash))) === undefined) return undefined;
    const files = await source.loadPolicyFiles(tenant.id, hash);
    const unusable = await this.#makeReady(hash, files);
    if (unusable === undefined && files !== undefined) await this.#copied(() => copies.write(hash, files));
    return unusable;
  }

  /** Resolves to why the set cannot be used. */
  async #makeReady(hash: string, files: readonly PolicyFile[] | undefined): Promise<Unusable | undefined> {
    if (this.#ready.has(hash)) return undefined;
    if (files === undefined) return { why: 'its files are not stored' };
    const chars = files.reduce((sum, { file, text }) => sum + file.length + text.length, 0);
    if (chars > SET_CHARS_MAX) return { why: `its files are longer than ${SET_CHARS_MAX} characters` };
    const taken = [...this.#ready.values()].reduce((sum, each) => sum + each, 0);
    if (taken + chars > ALL_SETS_CHARS_MAX)
      return { why: `all policy sets are longer than ${ALL_SETS_CHARS_MAX} characters` };
    const unusable = await this.#options.gate.add(hash, files);
    if (unusable === undefined) this.#ready.set(hash, chars);
    return unusable;
  }

  #forgetFormer(): void {
    const now = this.#options.clock.now();
    for (const kept of this.#inForce.values()) kept.former = kept.former.filter(({ untilMs }) => untilMs > now);
  }

  async #save(): Promise<void> {
    const kept = [...this.#inForce.values()];
    const saved = JSON.stringify(kept);
    if (saved === this.#saved) return;
    if (await this.#copied(() => this.#options.copies.writeInForce(kept))) this.#saved = saved;
  }

  async #keepNeeded(): Promise<void> {
    const needed = new Set<string>();
    for (const { active, shadow, former } of this.#inForce.values())
      for (const hash of [active, shadow, ...former.map((each) => each.hash)]) if (hash !== undefined) needed.add(hash);
    const unneeded = [...this.#ready.keys()].filter((hash) => !needed.has(hash));
    if (unneeded.length === 0) return;
    for (const hash of unneeded) this.#ready.delete(hash);
    this.#options.gate.keep(needed);
    await this.#copied(() => this.#options.copies.keep(needed));
  }

  /** A copy that cannot be written keeps no set from counting. */
  async #copied(write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      this.#saves = true;
    } catch (error) {
      if (this.#saves) this.#options.report({ why: `no copy of the policy sets can be kept: ${errorText(error)}` });
      this.#saves = false;
    }
    return this.#saves;
  }
}

function refusal({ slug }: Tenant, hash: string): string {
  return `${slug} ${hash}`;
}

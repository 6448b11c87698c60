import type { TenantSlug } from '../../src/domain/ids.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { changePolicyState, newestPolicySet, savePolicySet } from '../../src/store/policy-sets.ts';
import type { TenantDatabase } from '../../src/store/tenant-database.ts';
import type { SavedSet } from './policy-sets.ts';

/** Saves and activates policy sets as the people of a tenant do. */
export class TenantPolicyDesk {
  readonly #people: TenantDatabase;
  readonly #tenantId: string;

  constructor(people: TenantDatabase, { id }: Pick<Tenant, 'id'>) {
    this.#people = people;
    this.#tenantId = id;
  }

  /** Returns the version. */
  save({ hash, files }: Pick<SavedSet, 'hash' | 'files'>): Promise<number> {
    return this.#people.inTenant({ tenantId: this.#tenantId }, async (tx) => {
      const version = (await newestPolicySet(tx, this.#tenantId)) + 1;
      const set = { version, hash, files, note: '', createdBy: 'test' };
      return (await savePolicySet(tx, this.#tenantId, set)).version;
    });
  }

  async choose(activeVersion: number | null, shadowVersion: number | null = null): Promise<void> {
    await this.#people.inTenant({ tenantId: this.#tenantId }, (tx) =>
      changePolicyState(tx, this.#tenantId, 'test', () => ({ activeVersion, shadowVersion })),
    );
  }

  async activate(set: Pick<SavedSet, 'hash' | 'files'>): Promise<void> {
    await this.choose(await this.save(set));
  }
}

export const slug = (text: string): TenantSlug => text as TenantSlug;

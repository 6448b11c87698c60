import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TenantSlug } from '../domain/ids.ts';
import type { Tenant } from '../domain/tenant.ts';
import { Following } from '../lib/following.ts';
import { replacePrivateFile } from './private-files.ts';

/** Where the tenants are kept: the database. */
export interface TenantSource {
  listTenants(): Promise<Tenant[]>;
}

const REFRESH_MS = 1000;

/** Where the copy of the tenants is that a start without the database reads, and the command line. */
export function tenantsFile(dataDir: string): string {
  return join(dataDir, 'tenants.json');
}

/**
 * The tenants and their settings, in memory, since every event needs them. Follows the database within about a second,
 * and keeps a copy in a file, so that a start while the database is down still knows them.
 */
export class TenantDirectory {
  readonly #source: TenantSource;
  readonly #file: string;
  readonly #following = new Following({ what: 'tenants', everyMs: REFRESH_MS, look: () => this.refresh() });
  #tenants = new Map<TenantSlug, Tenant>();
  #byId = new Map<string, Tenant>();
  #copy = '';

  /** @param file path of the copy; read at once if it is there. */
  constructor(source: TenantSource, file: string) {
    this.#source = source;
    this.#file = file;
    this.#readCopy();
  }

  find(slug: TenantSlug): Tenant | undefined {
    return this.#tenants.get(slug);
  }

  findById(id: string): Tenant | undefined {
    return this.#byId.get(id);
  }

  get size(): number {
    return this.#tenants.size;
  }

  /** Reads the database now. Rejects if it cannot be reached; what was known stays. */
  async refresh(): Promise<void> {
    const tenants = await this.#source.listTenants();
    this.#know(tenants);
    const copy = JSON.stringify(tenants, null, 2);
    if (copy === this.#copy) return;
    await replacePrivateFile(this.#file, copy);
    this.#copy = copy;
  }

  /** Follows the database until `stop`. `report` is told in one line when that begins to fail. */
  follow(report: (problem: string) => void): Promise<void> {
    return this.#following.start(report);
  }

  stop(): Promise<void> {
    return this.#following.stop();
  }

  #readCopy(): void {
    try {
      this.#copy = readFileSync(this.#file, 'utf8');
      this.#know(JSON.parse(this.#copy) as Tenant[]);
    } catch {
      // The first start, or a damaged copy: the database is asked, and the copy made anew.
      this.#copy = '';
    }
  }

  #know(tenants: readonly Tenant[]): void {
    this.#tenants = new Map(tenants.map((tenant) => [tenant.slug, tenant]));
    this.#byId = new Map(tenants.map((tenant) => [tenant.id, tenant]));
  }
}

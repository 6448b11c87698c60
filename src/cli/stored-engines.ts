import type { Engine } from '../detection/engine.ts';
import { readEngine } from '../detection/read-policies.ts';
import type { Database } from '../store/database.ts';
import { loadPolicyFiles } from '../store/policy-sets.ts';

/** A decision names a policy set that is neither the installation's nor one of its tenant. */
export class UnknownPolicySet extends Error {
  override readonly name = 'UnknownPolicySet';
}

interface Needs {
  database: Database;
  installation: Engine;
  secret: Uint8Array;
}

/** Engines by the hash of their policy set: the installation's, and those of sets that tenants saved. */
export class StoredEngines {
  readonly #needs: Needs;
  readonly #opened = new Map<string, Engine>();

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /**
   * The engine of any of `hashes`, as far as they are known to the tenant; without a hash, the installation's.
   *
   * @throws {UnknownPolicySet}
   */
  async all(tenantId: string, hashes: readonly string[]): Promise<(hash: string | undefined) => Engine> {
    const engines = new Map<string, Engine>();
    for (const hash of new Set(hashes)) engines.set(hash, await this.#find(tenantId, hash));
    return (hash) => (hash === undefined ? undefined : engines.get(hash)) ?? this.#needs.installation;
  }

  async #find(tenantId: string, hash: string): Promise<Engine> {
    const { database, installation, secret } = this.#needs;
    if (hash === installation.policies.hash) return installation;
    const known = this.#opened.get(hash);
    if (known !== undefined) return known;
    const files = await loadPolicyFiles(database, tenantId, hash);
    if (files === undefined)
      throw new UnknownPolicySet(
        `it was decided under the policy set ${hash}, which is neither the installation's now nor one of its tenant; name the directory of that one with --policies (the built-in set of another release is in its policies/)`,
      );
    const engine = readEngine(files, secret);
    this.#opened.set(hash, engine);
    return engine;
  }
}

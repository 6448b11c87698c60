import { type Engine, openEngineInTurns } from '../detection/engine.ts';
import type { PackedPolicySet } from '../detection/engines.ts';
import type { PolicySetDocument } from '../detection/policy/document.ts';
import type { PolicyFile } from '../domain/policies.ts';
import { assert } from '../lib/assert.ts';
import { takingTurns } from '../lib/giving-way.ts';
import type { Readied, Unusable } from './lane-sets.ts';

/** What inspects in threads. */
export interface PolicyLanes {
  addPolicySet(hash: string, files: readonly PolicyFile[]): Promise<Readied>;
  keepPolicySets(hashes: ReadonlySet<string>): void;
}

/** How long the main thread compiles in one go. */
const TURN_MS = 2;

/** The policy sets of tenants, ready in all lanes, and in the main thread for its quick rules. */
export class PolicyGate {
  readonly #lanes: PolicyLanes;
  readonly #installation: Engine;
  readonly #secret: Uint8Array;
  readonly #engines = new Map<string, Engine>();

  constructor(lanes: PolicyLanes, { installation, secret }: { installation: Engine; secret: Uint8Array }) {
    this.#lanes = lanes;
    this.#installation = installation;
    this.#secret = secret;
  }

  /** Makes everything ready for a set. Resolves to why it cannot be used; to undefined once it can. One call at a time. */
  async add(hash: string, files: readonly PolicyFile[]): Promise<Unusable | undefined> {
    const readied = await this.#lanes.addPolicySet(hash, files);
    if (!readied.ok) return readied;
    this.#engines.set(hash, await this.#open(readied.packed));
    return undefined;
  }

  /** Forgets all sets but these. */
  keep(hashes: ReadonlySet<string>): void {
    this.#lanes.keepPolicySets(hashes);
    for (const hash of this.#engines.keys()) if (!hashes.has(hash)) this.#engines.delete(hash);
  }

  /** The engine of a set that was added; the installation's where none is named. */
  engine(hash: string | undefined): Engine {
    if (hash === undefined) return this.#installation;
    const engine = this.#engines.get(hash);
    assert(engine !== undefined, 'a set that counts was added');
    return engine;
  }

  /** In turns: a set may hold thousands of policies, and events come meanwhile. */
  #open({ hash, documents }: PackedPolicySet): Promise<Engine> {
    const giveWay = takingTurns(TURN_MS);
    return openEngineInTurns(JSON.parse(documents) as PolicySetDocument[], { secret: this.#secret, hash, giveWay });
  }
}

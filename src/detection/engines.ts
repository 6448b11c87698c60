import type { PolicyFile } from '../domain/policies.ts';
import { assert } from '../lib/assert.ts';
import { Lru } from '../lib/lru.ts';
import { type Engine, engineOf, openEngine } from './engine.ts';
import type { PolicySetDocument } from './policy/document.ts';
import { readPolicySet } from './read-policies.ts';

/** A policy set as it passes between threads: its documents as JSON text, known to be right. */
export interface PackedPolicySet {
  hash: string;
  documents: string;
}

/** Compiled sets that are kept. A set takes some six times its documents' characters in memory. */
const COMPILED_SETS_MAX = 512;
const COMPILED_CHARS_MAX = 32 * 1024 * 1024;

/**
 * Engines by number: each set is compiled when it is first needed, and those that were not used for long are compiled again
 * then. `INSTALLATION_SET` is always there.
 */
export class Engines {
  readonly #installation: Engine;
  readonly #secret: Uint8Array;
  readonly #onCompiling: () => void;
  readonly #known = new Map<number, PackedPolicySet>();
  readonly #compiled = new Lru<Engine>({ entriesMax: COMPILED_SETS_MAX, bytesMax: COMPILED_CHARS_MAX });

  /** @param onCompiling is called when a set that is needed begins to be compiled, and again when that is done. */
  constructor(installation: Engine, secret: Uint8Array, onCompiling: () => void) {
    this.#installation = installation;
    this.#secret = secret;
    this.#onCompiling = onCompiling;
  }

  /** The engine of a set that was learnt. */
  get(set: number): Engine {
    if (set === INSTALLATION_SET) return this.#installation;
    return this.#compiled.get(String(set)) ?? this.#compile(set);
  }

  learn(set: number, packed: PackedPolicySet): void {
    this.#known.set(set, packed);
  }

  /**
   * Learns the set of `files`, checked in full.
   *
   * @throws {PolicySetError}
   */
  read(set: number, files: readonly PolicyFile[]): PackedPolicySet {
    const { sources, set: policies } = readPolicySet(files);
    const documents = JSON.stringify(sources.map(({ document }) => document));
    const packed = { hash: policies.hash, documents };
    this.learn(set, packed);
    this.#compiled.set(String(set), engineOf(policies, this.#secret), documents.length);
    return packed;
  }

  forget(sets: readonly number[]): void {
    for (const set of sets) {
      this.#known.delete(set);
      this.#compiled.delete(String(set));
    }
  }

  #compile(set: number): Engine {
    const packed = this.#known.get(set);
    assert(packed !== undefined, 'a set is learnt before it is used');
    this.#onCompiling();
    try {
      const engine = openEngine(JSON.parse(packed.documents) as PolicySetDocument[], this.#secret, packed.hash);
      this.#compiled.set(String(set), engine, packed.documents.length);
      return engine;
    } finally {
      this.#onCompiling();
    }
  }
}

/** The number of the installation's own policies. */
export const INSTALLATION_SET = 0;

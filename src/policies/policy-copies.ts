import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TenantSlug } from '../domain/ids.ts';
import type { PolicyFile, TenantPolicies } from '../domain/policies.ts';
import { makePrivateDirectory, readPrivateFile, replacePrivateFile } from '../identity/private-files.ts';

/** The policy sets of a tenant that count, and those that did lately. */
export interface KeptPolicies extends TenantPolicies {
  tenant: TenantSlug;
  /** Until when events that came under them may still ask for them, in Unix milliseconds. The newest first. */
  former: { hash: string; untilMs: number }[];
}

const IN_FORCE = 'in-force.json';
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Copies of what the database says of policy sets, in a directory, for a start while it is down. */
export class PolicyCopies {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** What counted last; nothing where that is not known. */
  async readInForce(): Promise<KeptPolicies[]> {
    return (await this.#read<KeptPolicies[]>(IN_FORCE)) ?? [];
  }

  async writeInForce(kept: readonly KeptPolicies[]): Promise<void> {
    await this.#write(IN_FORCE, kept);
  }

  /** The files of a set; undefined where there is no copy that can be read. */
  read(hash: string): Promise<PolicyFile[] | undefined> {
    return this.#read(nameOf(hash));
  }

  async write(hash: string, files: readonly PolicyFile[]): Promise<void> {
    await this.#write(nameOf(hash), files);
  }

  /** Removes the copies of all sets but those of `hashes`. */
  async keep(hashes: ReadonlySet<string>): Promise<void> {
    const kept = new Set([IN_FORCE, ...[...hashes].map(nameOf)]);
    const names = await readdir(this.#directory).catch(() => []);
    for (const name of names) if (!kept.has(name)) await rm(join(this.#directory, name), { force: true });
  }

  async #read<T>(name: string): Promise<T | undefined> {
    try {
      return JSON.parse(await readPrivateFile(join(this.#directory, name), FILE_BYTES_MAX)) as T;
    } catch {
      // Not there, or damaged: the database is asked, and the copy made anew.
      return undefined;
    }
  }

  async #write(name: string, value: unknown): Promise<void> {
    await makePrivateDirectory(this.#directory);
    await replacePrivateFile(join(this.#directory, name), JSON.stringify(value));
  }
}

function nameOf(hash: string): string {
  return `${hash}.json`;
}

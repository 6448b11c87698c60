import type { CredentialKind } from '../../facts/credential-files.ts';
import type { EventFacts } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import { type CanonicalPath, canonicalPath } from '../../facts/paths.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';

const COPIERS: ReadonlySet<string> = new Set(['cp', 'mv', 'install', 'ln']);

/** Copies of credentials that one event makes in the work tree: `cp .env.local .env`. They reach nobody's eyes by that. */
export class LocalCopies {
  readonly #facts: EventFacts;
  /** Under another name it is still what it was: `mv .env a.txt && cat a.txt`. */
  readonly #kinds = new Map<string, CredentialKind>();
  #command: number | undefined;
  /** Where in the files of the event its accesses end: they are asked about in their order. */
  #end = 0;
  #targets: readonly CanonicalPath[] = [];

  constructor(facts: EventFacts) {
    this.#facts = facts;
  }

  kindOf(path: CanonicalPath): CredentialKind | undefined {
    return this.#kinds.get(path.key);
  }

  /** Whether `access`, the reading of a credential, is such a copy; its new name is remembered either way. */
  keeps(access: FileAccess, kind: CredentialKind): boolean {
    const command = access.command === undefined ? undefined : this.#facts.shell.commands[access.command];
    if (command === undefined || !COPIERS.has(command.name)) return false;
    if (access.command !== this.#command) {
      this.#command = access.command;
      this.#targets = this.#targetsOf(access);
      for (const key of newNames(command, this.#targets)) this.#kinds.set(key, kind);
    }
    return isInWorkTree(access.path) && this.#targets.length > 0 && this.#targets.every(isInWorkTree);
  }

  /** What the command behind `access` writes to: the accesses of one command stand together. */
  #targetsOf(access: FileAccess): CanonicalPath[] {
    const { files } = this.#facts;
    const targets: CanonicalPath[] = [];
    this.#end = files.indexOf(access, this.#end);
    for (; files[this.#end]?.command === access.command; this.#end++) {
      const { operation, path } = files[this.#end] as FileAccess;
      if (operation !== 'read' && path.key !== '/dev/null') targets.push(path);
    }
    return targets;
  }
}

const isInWorkTree = ({ anchor, climbs }: CanonicalPath): boolean => anchor === 'work_tree' && climbs === 0;

/** Of `targets`, those that give another name: in another directory it keeps its own. */
function newNames({ args, cwd }: ShellCommand, targets: readonly CanonicalPath[]): string[] {
  const from = cwd === undefined ? undefined : canonicalPath(cwd);
  const directories = new Set(
    args.flatMap(({ text }) => (/(?:^|\/)\.{0,2}$/.test(text) ? [canonicalPath(text, from).key] : [])),
  );
  return targets.flatMap(({ key }) => (directories.has(key) ? [] : [key]));
}

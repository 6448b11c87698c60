import { CALLS, lookUp, MODULES } from './code-catalogue.ts';

/** `import rmtree as r`, `{ rmSync: r } = require('fs')`, `r = shutil.rmtree`. */
const ALIAS =
  /\b(\w{1,40})\s{1,4}as\s{1,4}([A-Za-z_]\w{0,39})|[{,]\s{0,4}(\w{1,40})\s{0,4}:\s{0,4}([A-Za-z_]\w{0,39})(?=\s{0,4}[,}])|(?<![\w.$])([A-Za-z_]\w{0,39})\s{0,4}=\s{0,4}((?:\w{1,40}\.){0,3}\w{1,40})\s{0,4}(?=[;\n]|$)/g;
/** `from os import remove, system as run`, `from os import *` of Python: by their own names, these say little. */
const FROM_IMPORT = /\bfrom\s{1,4}([\w.]{1,40})\s{1,4}import\s{1,4}(?:(\*)|\(([\w,\s]{1,512})\)|([\w, \t]{1,256}))/g;
/** `import { exec as run } from 'node:child_process'`, `const { exec: run } = child_process` of JavaScript. */
const BRACED =
  /\bimport\s{0,4}\{([^{}]{1,512})\}\s{0,4}from\s{0,4}["'](?:node:)?(child_process|fs)\b|\{([^{}]{1,512})\}\s{0,4}=\s{0,4}(?:await\s{1,4})?(child_process|fs)\b/g;
const ALIASES_MAX = 64;
/** Names that say nothing by themselves. */
const VAGUE = /^(?:open|exec|Path|compile|connect|path|rm|query|execute)$/;

/** What some code calls functions of note, and the modules that they are parts of. */
export class CodeAliases {
  readonly #functions = new Map<string, string>();
  readonly #modules = new Map<string, string>();

  /** `cut` is called where there are more than are followed. */
  constructor(code: string, cut: () => void) {
    for (const [, imported, as, key, local, assigned, value] of code.matchAll(ALIAS))
      this.#add(as ?? local ?? assigned ?? '', imported ?? key ?? value ?? '');
    for (const [, module = '', all, bracketed, plain = ''] of code.matchAll(FROM_IMPORT)) {
      const items = all === undefined ? (bracketed ?? plain).split(',') : (MODULES.get(module) ?? []);
      for (const item of items) {
        const [name = '', , as = name] = item.trim().split(/\s+/);
        if (CALLS.has(`${module}.${name}`)) this.#call(as, `${module}.${name}`);
      }
    }
    for (const [, imported, from, taken, of] of code.matchAll(BRACED)) {
      for (const item of (imported ?? taken ?? '').split(',')) {
        const [name = '', as = name] = item.trim().split(/\s*:\s*|\s+as\s+/);
        if (CALLS.has(`${from ?? of}.${name}`)) this.#call(as, `${from ?? of}.${name}`);
      }
    }
    if (this.#functions.size >= ALIASES_MAX || this.#modules.size >= ALIASES_MAX) cut();
  }

  /** `written` by its name in the catalogue, where it is called by another one. */
  resolve(written: string): string {
    const own = this.#functions.get(written);
    if (own !== undefined) return own;
    const dot = written.indexOf('.');
    const module = dot < 0 ? undefined : this.#modules.get(written.slice(0, dot));
    return module === undefined ? written : module + written.slice(dot);
  }

  #add(name: string, meant: string): void {
    if (MODULES.has(meant)) {
      if (name !== meant && this.#modules.size < ALIASES_MAX) this.#modules.set(name, meant);
    } else if (!VAGUE.test(meant) && lookUp(meant) !== undefined) this.#call(name, meant);
  }

  #call(name: string, meant: string): void {
    if (!CALLS.has(name) && name !== meant && this.#functions.size < ALIASES_MAX) this.#functions.set(name, meant);
  }
}

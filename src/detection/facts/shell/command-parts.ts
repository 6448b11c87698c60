import type { Assignment, Command, Redirection } from 'unbash';
import { type ShellRedirect, type ShellWord, word } from './model.ts';
import { known, UNKNOWN } from './parameters.ts';
import type { Feed, Frame, Walk } from './state.ts';
import type { Expansion } from './words.ts';

/** Reads what stands around the words of a command: assignments and redirections. */
export class CommandParts {
  readonly #walk: Walk;
  readonly #frame: Frame;
  readonly #expansion: Expansion;

  constructor(walk: Walk, frame: Frame, expansion: Expansion) {
    this.#walk = walk;
    this.#frame = frame;
    this.#expansion = expansion;
  }

  /** Prefix assignments: of the script itself where no command follows, else of that command's environment. */
  environment(node: Command, alone: boolean): { name: string; value: string }[] {
    const env: { name: string; value: string }[] = [];
    for (const item of node.prefix) {
      if (item.type !== 'Assignment') continue;
      const value = this.#assignedValue(item);
      env.push({ name: item.name, value: value?.text ?? '' });
      if (alone) this.#assign(item, value);
    }
    return env;
  }

  #assignedValue(item: Assignment): ShellWord | undefined {
    const { value } = item;
    if (value.type === 'Word') return this.#expansion.text(value);
    const words = value.elements.flatMap((element) => this.#expansion.fields(element));
    return words.length === 0
      ? undefined
      : {
          text: words.map((entry) => entry.text).join(' '),
          dynamic: words.some((entry) => entry.dynamic),
          glob: false,
        };
  }

  #assign(item: Assignment, value: ShellWord | undefined): void {
    if (item.value.type === 'ArrayValue' && item.index === undefined) return this.#assignArray(item);
    if (value === undefined || value.dynamic || item.index !== undefined) return this.#frame.assign(item.name, UNKNOWN);
    if (item.append !== true) return this.#frame.assign(item.name, known(value.text));
    const before = this.#frame.lookup(item.name);
    const joined = before.known ? before.values.map((text) => text + value.text) : undefined;
    this.#frame.assign(item.name, joined === undefined ? UNKNOWN : known(...joined));
  }

  #assignArray(item: Assignment): void {
    if (item.value.type !== 'ArrayValue') return;
    const words = item.value.elements.flatMap((element) => this.#expansion.fields(element));
    const before = item.append === true ? this.#frame.lookup(item.name) : known();
    const values = before.known ? [...before.values, ...words.map((entry) => entry.text)] : [];
    this.#frame.assign(item.name, before.known ? { known: true, values, array: true } : UNKNOWN);
  }

  /** An assignment among the arguments (`export x=rm`, `dd if=a`), as one word. */
  assignmentWord(item: Assignment): ShellWord {
    const value = this.#assignedValue(item);
    const text = `${item.name}${item.append === true ? '+=' : '='}${value?.text ?? ''}`;
    return { text, dynamic: value?.dynamic ?? false, glob: value?.glob ?? false };
  }

  redirections(redirections: readonly Redirection[], feed: Feed): { redirects: ShellRedirect[]; feed: Feed } {
    const redirects: ShellRedirect[] = [];
    let next = feed;
    for (const item of redirections) {
      if (item.type === 'HereDoc') {
        const { body } = item;
        const text = body.parts === undefined ? word(body.text) : this.#expansion.partsText(body.parts);
        next = { input: undefined, stdin: text.text };
      } else if (item.type === 'HereString') {
        const text = item.target === undefined ? word('') : this.#expansion.text(item.target);
        next = { input: undefined, stdin: text.dynamic ? undefined : `${text.text}\n` };
      } else if (item.target !== undefined) {
        const target = this.#expansion.text(item.target);
        if (item.operator.endsWith('&') && /^(?:\d+-?|-)$/.test(target.text)) continue;
        redirects.push({ operator: item.operator, target });
        if (item.operator === '<')
          next = { input: undefined, stdin: target.content ?? this.#walk.written(target.text) };
      }
    }
    return { redirects, feed: next };
  }
}

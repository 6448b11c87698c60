import type { EventType } from '../../domain/event-types.ts';
import type { PolicyFault } from '../../domain/policy-work.ts';
import { CelFault } from './cel/ast.ts';
import { compileCel } from './cel/compile.ts';
import type { Vocabulary } from './cel/compiled.ts';
import type { Run } from './cel/evaluation.ts';
import { BOOL, type CelType } from './cel/types.ts';
import { durationMs } from './duration.ts';
import { type DocumentPath, type FaultList, pathText } from './faults.ts';
import type { PolicySource } from './source.ts';
import { compileTemplate, type Template } from './template.ts';
import { ReportedFault, type SetVocabulary } from './vocabulary.ts';

/** What compiling the policies of one set shares. */
export class PolicyCompiling {
  readonly vocabulary: SetVocabulary;
  readonly found: FaultList;
  /** What is right, and hardly meant. */
  readonly warnings: FaultList;
  /** The facts that were mentioned so far. */
  readonly mentions = new Set<string>();

  constructor(vocabulary: SetVocabulary, found: FaultList, warnings: FaultList) {
    this.vocabulary = vocabulary;
    this.found = found;
    this.warnings = warnings;
  }

  at(source: PolicySource, path: DocumentPath): Place {
    return new Place(this, source, path, new Set());
  }
}

/** A value of a document that is being compiled: knows where it stands, and reports faults there. */
export class Place {
  readonly #compiling: PolicyCompiling;
  readonly #source: PolicySource;
  readonly #path: DocumentPath;
  /** The facts that were mentioned here and in what belongs to it. */
  readonly mentions: Set<string>;

  constructor(compiling: PolicyCompiling, source: PolicySource, path: DocumentPath, mentions: Set<string>) {
    this.#compiling = compiling;
    this.#source = source;
    this.#path = path;
    this.mentions = mentions;
  }

  in(...steps: (string | number)[]): Place {
    return new Place(this.#compiling, this.#source, [...this.#path, ...steps], this.mentions);
  }

  report(message: string, offset?: number): void {
    this.#compiling.found.add(this.#fault(message, offset));
  }

  /** Tells of what is right, and hardly meant. */
  warn(message: string, offset?: number): void {
    this.#compiling.warnings.add(this.#fault(message, offset));
  }

  #fault(message: string, offset?: number): PolicyFault {
    const { line, column } = this.#source.locate(this.#path, offset);
    return { file: this.#source.file, path: pathText(this.#path), line, column, message };
  }

  /** Taints that the policies of the set can set. */
  get labels(): readonly string[] {
    return this.#compiling.vocabulary.labels;
  }

  get faultsCount(): number {
    return this.#compiling.found.faults.length;
  }

  expression(text: string | undefined, wanted: readonly CelType[]): Run | undefined {
    return this.#compile(text, wanted, this.#compiling.vocabulary);
  }

  /** A condition about events of `types`. */
  condition(text: string | undefined, types: readonly EventType[]): Run<boolean> | undefined {
    return this.#compile(text, [BOOL], this.#compiling.vocabulary.about(types)) as Run<boolean> | undefined;
  }

  #compile(text: string | undefined, wanted: readonly CelType[], vocabulary: Vocabulary): Run | undefined {
    if (text === undefined) return undefined;
    return this.#attempt(() => {
      const { run, mentions, warnings } = compileCel(text, vocabulary, wanted);
      for (const { at, message } of warnings) this.warn(message, at);
      this.#note(mentions);
      if (wanted.includes(BOOL) && mentions.size === 0)
        this.warn('this asks for no fact: it is the same for every event');
      return run;
    });
  }

  template(text: string): Template | undefined {
    return this.#attempt(() => {
      const template = compileTemplate(text, this.#compiling.vocabulary);
      this.#note(template.mentions);
      return template;
    });
  }

  #note(mentions: ReadonlySet<string>): void {
    for (const name of mentions) {
      this.mentions.add(name);
      this.#compiling.mentions.add(name);
    }
  }

  duration(text: string): number {
    const ms = durationMs(text);
    if (ms === undefined) this.report('this is too long: at most 90d');
    return ms ?? 0;
  }

  #attempt<T>(compile: () => T): T | undefined {
    try {
      return compile();
    } catch (error) {
      if (!(error instanceof CelFault)) throw error;
      if (!(error instanceof ReportedFault)) this.report(error.message, error.at);
      return undefined;
    }
  }
}

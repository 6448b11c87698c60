import type { CodeCall } from './code.ts';
import type { FileAccess } from './file-access.ts';
import type { Place } from './input.ts';
import type { InputRole } from './input-roles.ts';
import type { NetAccess } from './net-access.ts';
import type { InlineCode, Origin, ShellFacts } from './shell/model.ts';
import { NO_SHELL_FACTS } from './shell.ts';
import type { SqlStatement } from './sql/statements.ts';
import type { ToolFacts } from './tools.ts';

/** A call of note in inline code, with where the code stands. */
export interface CodeFact extends CodeCall {
  language: string;
  origin: Origin;
}

/** One string of a tool's input. */
export interface Parameter {
  key: string;
  text: string;
  role: InputRole;
  place: Place;
  /** See `InputString.isWritten`. */
  isWritten: boolean;
}

/** Everything that detectors may rest on: what the event does, whatever the tool is called. */
export interface EventFacts {
  /** Absent where the event is no tool call. */
  tool: ToolFacts | undefined;
  /** The names of its input's properties, as far as they are listed: see `Limits.listsNames`. Whoever needs them takes these. */
  inputNames: readonly string[];
  /** The strings of the input, and what each means to the tool. */
  parameters: readonly Parameter[];
  shell: ShellFacts;
  /** Code handed to interpreters in place, and to code tools. `code` holds its calls. */
  scripts: readonly InlineCode[];
  code: readonly CodeFact[];
  files: readonly FileAccess[];
  hosts: readonly NetAccess[];
  sql: readonly SqlStatement[];
}

/** Of an event that is no tool call. */
export const NO_FACTS: EventFacts = {
  tool: undefined,
  inputNames: [],
  parameters: [],
  shell: NO_SHELL_FACTS,
  scripts: [],
  code: [],
  files: [],
  hosts: [],
  sql: [],
};

import type { Place } from '../input.ts';

/** One word of a command, after quote removal and expansion. */
export interface ShellWord {
  /**
   * Its value. What is only known at run time stays as it was written (`$x`, `$(…)`). A home directory is `~`
   * however it was written; a quoted tilde is `./~`.
   */
  text: string;
  /** A part of it is only known at run time. */
  dynamic: boolean;
  /** Holds an unquoted pattern character. */
  glob: boolean;
  /** What the file behind a process substitution would hold, where that is known. */
  content?: string;
}

export interface ShellRedirect {
  /** `<`, `>`, `>>`, `>|`, `<>`, `&>`, `&>>`; duplications of descriptors are left out. */
  operator: string;
  target: ShellWord;
}

/** One command that the script would run, as its wrappers see it: `sudo rm x` is a `sudo` and an `rm`. */
export interface ShellCommand {
  /** Base name of the command word, lower case, without `.exe`. Empty where it is not known before run time. */
  name: string;
  args: readonly ShellWord[];
  redirects: readonly ShellRedirect[];
  /** Assignments in front of it. */
  env: readonly { name: string; value: string }[];
  /** What runs it, outermost first: `sudo`, `bash`, `find`, `xargs`, `python3` … */
  via: readonly string[];
  /** Index of the command whose output or list of files it works on. */
  input: number | undefined;
  /** What it reads from standard input, where that is known. */
  stdin: string | undefined;
  /** The directory it runs in, as the script's `cd` wrote it; else the one that the call names, undefined where that is a work tree or not known. */
  cwd: string | undefined;
  /** The command that takes its output as words, where it stands in a substitution: `export $(cat .env)`. */
  consumer: string | undefined;
  /** The command word is not known before run time. */
  dynamic: boolean;
  dialect: ShellDialect;
  origin: Origin;
}

export const SHELL_DIALECTS = ['posix', 'powershell'] as const;
export type ShellDialect = (typeof SHELL_DIALECTS)[number];

/** Where in the event a fact was seen. */
export interface Origin {
  place: Place;
  /** UTF-16 offsets into the string at `place`. */
  start: number;
  end: number;
}

/** Whether what `inner` points at is a part of what `outer` does: a substitution of a command. */
export function isWithin(inner: Origin, outer: Origin): boolean {
  return inner.place === outer.place && inner.start >= outer.start && inner.end <= outer.end;
}

/** Code handed to an interpreter in place. */
export interface InlineCode {
  language: string;
  code: string;
  via: readonly string[];
  origin: Origin;
}

/** `NAME=value` that is a statement of its own. */
export interface ShellAssignment {
  name: string;
  /** As far as it is known; see `ShellWord.text`. */
  value: string;
  origin: Origin;
}

export interface ShellFacts {
  commands: readonly ShellCommand[];
  assignments: readonly ShellAssignment[];
  code: readonly InlineCode[];
  /** Syntax errors that the parser recovered from. */
  parseErrorsCount: number;
  /** Command words and scripts that are not known before run time. */
  dynamicCount: number;
  /** Functions that multiply themselves without end: `:(){ :|:& };:`. */
  forkBombs: readonly Origin[];
  /** The directory that the last script leaves its shell in, as its `cd` wrote it; undefined where it has none. */
  leftIn: string | undefined;
}

export function word(text: string, dynamic = false): ShellWord {
  return { text, dynamic, glob: false };
}

/** Base name of a command word, as commands are compared. */
export function commandName(text: string): string {
  const slash = Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\'));
  const base = (slash < 0 ? text : text.slice(slash + 1)).toLowerCase();
  return base.endsWith('.exe') ? base.slice(0, -4) : base;
}

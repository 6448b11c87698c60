import type { ShellWord } from './model.ts';

/** What a command runs in turn. */
export type Inner =
  /** `isCut`: words were left out. */
  | { kind: 'argv'; words: readonly ShellWord[]; feed: 'inherit' | 'own'; isCut?: boolean }
  | Script
  | { kind: 'code'; text: ShellWord; language: string };

export interface Script {
  kind: 'script';
  text: ShellWord;
  /** `$0`, where the command gives the script one. */
  named?: ShellWord | undefined;
  /** `$1` …; undefined where they are those of the script around it, or not known. */
  positional: readonly ShellWord[] | undefined;
  dialect: 'posix' | 'powershell';
}

export const NOTHING: readonly Inner[] = [];

export function posix(text: ShellWord, positional?: readonly ShellWord[]): Script {
  return { kind: 'script', text, positional, dialect: 'posix' };
}

export function code(text: ShellWord | undefined, language: string): readonly Inner[] {
  return text === undefined ? NOTHING : [{ kind: 'code', text, language }];
}

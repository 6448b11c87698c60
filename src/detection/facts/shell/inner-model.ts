import type { ShellWord } from './model.ts';

/** What a command runs in turn. */
export type Inner =
  | { kind: 'argv'; words: readonly ShellWord[]; feed: 'inherit' | 'own' }
  | { kind: 'script'; text: ShellWord; positional: readonly ShellWord[] | undefined; dialect: 'posix' | 'powershell' }
  | { kind: 'code'; text: ShellWord; language: string };

export const NOTHING: readonly Inner[] = [];

export function posix(text: ShellWord, positional?: readonly ShellWord[]): Inner {
  return { kind: 'script', text, positional, dialect: 'posix' };
}

export function code(text: ShellWord | undefined, language: string): readonly Inner[] {
  return text === undefined ? NOTHING : [{ kind: 'code', text, language }];
}

import type { ShellCommand, ShellWord } from '../shell/model.ts';
import { type Touched, touch } from './touched.ts';

/** What `find` looks through, and deletes by itself. */
export function find(command: ShellCommand): Touched[] {
  const touched = rootsOfFind(command).map(touch('list', true));
  if (!command.args.some((arg) => arg.text === '-delete')) return touched;
  return [...touched, ...foundBy(command).map(touch('delete'))];
}

function rootsOfFind(command: ShellCommand): ShellWord[] {
  const roots: ShellWord[] = [];
  for (const arg of command.args) {
    if (/^[-(!]/.test(arg.text) && !/^-[HLPDO]/.test(arg.text)) break;
    if (!arg.text.startsWith('-')) roots.push(arg);
  }
  return roots;
}

/** Patterns by name that are looked at in one search. */
const FOUND_NAMES_MAX = 8;

/** What `find` comes upon, as patterns: each name that it looks for in each directory that it starts from. */
export function foundBy(command: ShellCommand): ShellWord[] {
  const paths: ShellWord[] = [];
  const names: ShellWord[] = [];
  for (const [index, arg] of command.args.entries()) {
    const option = command.args[index - 1]?.text ?? '';
    if (/^-i?name$/.test(option)) names.push(arg);
    else if (/^-i?(?:path|wholename)$/.test(option)) paths.push({ ...arg, text: arg.text.replace(/^\*\/?/, '') });
  }
  if (paths.length > 0) return paths.map((path) => ({ ...path, glob: true }));
  const found = names.length === 0 ? ['*'] : names.slice(0, FOUND_NAMES_MAX).map((name) => name.text);
  return rootsOfFind(command).flatMap((root) =>
    found.map((name) => ({ ...root, text: `${root.text.replace(/\/$/, '')}/${name}`, glob: true })),
  );
}

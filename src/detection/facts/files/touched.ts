import type { ShellCommand, ShellWord } from '../shell/model.ts';
import { hasOption, optionNames, readOptions } from '../shell/options.ts';

/**
 * What is done to a file. `append` leaves what is there, `write` replaces it. `load`: its content is used but not shown (`source`, `ssh -i`). `list`: only names or
 * attributes are seen.
 */
export const FILE_OPERATIONS = ['read', 'load', 'write', 'append', 'delete', 'list'] as const;
export type FileOperation = (typeof FILE_OPERATIONS)[number];

/** A file that a command touches, by the word that names it. */
export interface Touched {
  operation: FileOperation;
  word: ShellWord;
  recursive?: boolean;
  moved?: boolean;
}

/** What a program touches, by its words. */
export type Reader = (command: ShellCommand) => Touched[];

export const touch =
  (operation: FileOperation, recursive = false) =>
  (word: ShellWord): Touched => ({ operation, word, recursive });

/** All operands, with these options taking a value. */
export function operands(operation: FileOperation, valued: string, recursive = false): Reader {
  const names = optionNames(valued);
  return (command) => readOptions(command.args, { valued: names }).operands.map(touch(operation, recursive));
}

/** As `reader`, with the file that an option names for what comes out. */
export function withOutput(reader: Reader, outputs: string, valued: string): Reader {
  const names = optionNames(`${outputs} ${valued}`);
  const targets = [...optionNames(outputs)];
  return (command) => {
    const { values } = readOptions(command.args, { valued: names });
    return [...reader(command), ...targets.flatMap((name) => values.get(name) ?? []).map(touch('write'))];
  };
}

/** What options alone name: files that are read, and those that what comes out is written to. Options of one dash may be words. */
export function optionFiles(reads: string, writes: string, singleDash = false): Reader {
  const [read, written] = [[...optionNames(reads)], [...optionNames(writes)]];
  const valued = new Set([...read, ...written]);
  return ({ args }) => {
    const { values } = readOptions(args, { valued, singleDash });
    const named = (names: readonly string[]): ShellWord[] => names.flatMap((name) => values.get(name) ?? []);
    return [...named(read).map(touch('read')), ...named(written).map(touch('write'))];
  };
}

/** Like `grep`: the first operand is a pattern unless an option gives one. */
export function patternThenFiles(valued: string, patternOptions: readonly string[], quiet: string): Reader {
  const names = optionNames(valued);
  return (command) => {
    const options = readOptions(command.args, { valued: names });
    const given = patternOptions.some((name) => options.values.has(name));
    // Names of files, counts and exit codes show nothing of the content.
    const operation = hasOption(options, quiet, 'quiet', 'count', 'files-with-matches') ? 'list' : 'read';
    const recursive = hasOption(options, 'rR', 'recursive');
    return options.operands.slice(given ? 0 : 1).map(touch(operation, recursive));
  };
}

/** Like `cp`: the last operand is written, the others are read. */
export function sourcesThenTarget(source: FileOperation, valued: string, recursive: string): Reader {
  const names = optionNames(valued);
  return (command) => {
    const options = readOptions(command.args, { valued: names });
    const target = options.values.get('t')?.[0] ?? options.values.get('target-directory')?.[0];
    const whole = recursive === '' || hasOption(options, recursive, 'recursive', 'archive');
    const sources = target === undefined ? options.operands.slice(0, -1) : options.operands;
    const written = target ?? options.operands.at(-1);
    const touched = sources.map(touch(source, whole));
    return written === undefined ? touched : [...touched, { operation: 'write', word: written }];
  };
}

/** Like `cp`, but what is copied is not there any more. */
export function movesThenTarget(valued: string): Reader {
  const reader = sourcesThenTarget('read', valued, '');
  return (command) => reader(command).map((item) => (item.operation === 'read' ? { ...item, moved: true } : item));
}

/** Changes its files where the option is given, and reads them where it is not. */
export function inPlace(reader: Reader, valued: string, short: string, ...long: readonly string[]): Reader {
  const names = optionNames(valued);
  return (command) => {
    const changes = hasOption(readOptions(command.args, { valued: names }), short, ...long);
    const touched = reader(command);
    return changes ? touched.map((item) => ({ ...item, operation: 'write' })) : touched;
  };
}

import type { CodeFact } from '../facts/event-facts.ts';
import type { FileAccess } from '../facts/file-access.ts';
import type { NetAccess } from '../facts/net-access.ts';
import type { ShellCommand, ShellFacts } from '../facts/shell/model.ts';
import type { SqlStatement } from '../facts/sql/statements.ts';
import type { PolicyInput } from './facts-surface.ts';

/** What an event does, as policies see it. */

type CommandInput = PolicyInput['shell']['commands'][number];

export function shellInput({ commands, dynamicCount, parseErrorsCount, forkBombs }: ShellFacts): PolicyInput['shell'] {
  return {
    commands: commands.map((command) => commandInput(command, commands)),
    names: [...new Set(commands.map(({ name }) => name))].filter((name) => name !== ''),
    dynamic: dynamicCount,
    parseErrors: parseErrorsCount,
    forkBombs: forkBombs.length,
  };
}

function commandInput(command: ShellCommand, commands: readonly ShellCommand[]): CommandInput {
  const { name, args, via, env, redirects, input, consumer, cwd, dynamic, dialect } = command;
  return {
    name,
    args: args.map(({ text }) => text),
    via,
    env: env.map((assignment) => assignment.name),
    writes: redirects.filter(({ operator }) => operator.includes('>')).map(({ target }) => target.text),
    source: input === undefined ? '' : (commands[input]?.name ?? ''),
    consumer: consumer ?? '',
    cwd: cwd ?? '',
    dynamic,
    dialect,
  };
}

export function filesInput(files: readonly FileAccess[]): PolicyInput['files'] {
  const of = (...operations: FileAccess['operation'][]): string[] =>
    files.filter(({ operation }) => operations.includes(operation)).map(({ path }) => path.text);
  return {
    reads: of('read'),
    loads: of('load'),
    writes: of('write', 'append'),
    deletes: of('delete'),
    lists: of('list'),
    accesses: files.map(({ operation, path, by, glob, recursive }) => ({
      operation,
      path: path.text,
      anchor: path.anchor,
      climbs: path.climbs,
      by,
      glob,
      recursive,
      dynamic: path.dynamic,
      disguises: path.disguises,
    })),
  };
}

export function netInput(hosts: readonly NetAccess[]): PolicyInput['net'] {
  return {
    hosts: hosts.map(({ host, method, by }) => ({
      host: host.host,
      class: host.class,
      scheme: host.scheme ?? '',
      port: host.port ?? 0,
      path: host.path,
      method: method ?? '',
      by,
      disguised: host.disguises.length > 0,
      disguises: host.disguises,
    })),
  };
}

export function sqlInput(statements: readonly SqlStatement[]): PolicyInput['sql'] {
  return { statements: statements.map(({ verb, object, unbounded }) => ({ verb, object, unbounded })) };
}

export function codeInput(calls: readonly CodeFact[]): PolicyInput['code'] {
  return {
    calls: calls.map(({ action, callee, language, recursive, strings }) => ({
      action,
      callee,
      language,
      recursive,
      strings,
    })),
  };
}

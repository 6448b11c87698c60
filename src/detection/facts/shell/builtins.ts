import type { ShellCommand, ShellWord } from './model.ts';
import { known, UNKNOWN } from './parameters.ts';
import type { Frame } from './state.ts';

/** Applies a shell builtin that changes the state of the script. True where the command was one. */
export function applyBuiltin(command: ShellCommand, frame: Frame): boolean {
  switch (command.name) {
    case 'cd':
    case 'pushd':
    case 'set-location':
      changeDirectory(command.args, frame);
      return true;
    case 'popd':
      frame.cwd = undefined;
      return true;
    case 'export':
    case 'declare':
    case 'typeset':
    case 'local':
    case 'readonly':
      for (const arg of command.args) assignWord(arg, frame);
      return true;
    case 'unset':
    case 'read':
    case 'mapfile':
    case 'readarray':
    case 'getopts':
      for (const arg of command.args) if (!arg.text.startsWith('-')) frame.assign(arg.text, UNKNOWN);
      if (command.name === 'read') readLine(command, frame);
      return true;
    case 'printf':
      return printsTo(command.args, frame);
    case 'set':
      setPositional(command.args, frame);
      return true;
    case 'shift':
      frame.positional = frame.positional?.slice(Number(command.args[0]?.text ?? 1) || 1);
      return true;
    default:
      return false;
  }
}

function changeDirectory(args: readonly ShellWord[], frame: Frame): void {
  const target = args.find((arg) => arg.text === '-' || !arg.text.startsWith('-'));
  if (target === undefined) frame.cwd = '~';
  else if (target.dynamic || target.text === '-') frame.cwd = target.text === '-' ? undefined : target.text;
  else frame.cwd = isAnchored(target.text) || frame.cwd === undefined ? target.text : `${frame.cwd}/${target.text}`;
  // A chain of relative moves is bounded here; nothing lies that deep.
  if (frame.cwd !== undefined && frame.cwd.length > 4_096) frame.cwd = undefined;
}

function isAnchored(path: string): boolean {
  return /^[/~]|^[A-Za-z]:|^\$/.test(path);
}

function assignWord(arg: ShellWord, frame: Frame): void {
  const equals = arg.text.indexOf('=');
  if (equals <= 0 || arg.text.startsWith('-')) return;
  frame.assign(arg.text.slice(0, equals).replace(/\+$/, ''), arg.dynamic ? UNKNOWN : known(arg.text.slice(equals + 1)));
}

/** `read x <<< text`: the first line goes to the only variable. */
function readLine(command: ShellCommand, frame: Frame): void {
  const names = command.args.filter((arg) => !arg.text.startsWith('-'));
  if (command.stdin === undefined || names.length !== 1) return;
  frame.assign((names[0] as ShellWord).text, known((command.stdin.split('\n')[0] ?? '').trim()));
}

/** `printf -v name text`: only a text without a directive is known. */
function printsTo(args: readonly ShellWord[], frame: Frame): boolean {
  const [option, name, format, ...values] = args;
  if (option?.text !== '-v' || name === undefined) return false;
  const text = format?.text === '%s' && values.length === 1 ? values[0] : format;
  const isKnown = text !== undefined && !text.dynamic && !/[%\\]/.test(text.text);
  frame.assign(name.text, isKnown ? known(text.text) : UNKNOWN);
  return true;
}

function setPositional(args: readonly ShellWord[], frame: Frame): void {
  const dashes = args.findIndex((arg) => arg.text === '--');
  if (dashes >= 0) frame.positional = args.slice(dashes + 1);
  else if (args[0] !== undefined && !/^[-+]/.test(args[0].text)) frame.positional = args;
}

import type { ShellCommand, ShellWord } from '../shell/model.ts';
import { type FileOperation, type Reader, type Touched, touch } from './touched.ts';

/** `Remove-Item`, `del`, `rd`: options begin with a slash or a dash and may be cut short. */
export function removeItem(command: ShellCommand): Touched[] {
  const words = command.args;
  const isOption = (word: ShellWord): boolean => /^(?:-[a-z]|\/[a-z](?::|$))/i.test(word.text);
  const recursive = words.some((word) => /^(?:-r(?:e[a-z]*)?|-rf|-fr|\/s)$/i.test(word.text));
  const named = words.findIndex((word) => /^-(?:literalp|p)[a-z]*$/i.test(word.text));
  const targets = named >= 0 ? words.slice(named + 1, named + 2) : words.filter((word) => !isOption(word));
  return targets.flatMap((word) =>
    word.text.split(',').map((text) => touch('delete', recursive)({ ...word, text: text.trim() })),
  );
}

/** Cmdlets that read: the path is the first operand or the value of `-Path`. */
function cmdlet(operation: FileOperation): Reader {
  return (command) => {
    const words = command.args;
    const named = words.findIndex((word) => /^-(?:literalp|p|filep|inputo)[a-z]*$/i.test(word.text));
    const target = named >= 0 ? words[named + 1] : words.find((word) => !word.text.startsWith('-'));
    return target === undefined ? [] : [{ operation, word: target }];
  };
}

function copyItem(command: ShellCommand): Touched[] {
  const [source, target] = command.args.filter((word) => !word.text.startsWith('-'));
  const touched: Touched[] = [];
  if (source !== undefined) touched.push({ operation: 'read', word: source, recursive: true });
  if (target !== undefined) touched.push({ operation: 'write', word: target });
  return touched;
}

/** `Compress-Archive -Path a -DestinationPath b`, or by place. */
function compressArchive({ args }: ShellCommand): Touched[] {
  const behind = (option: RegExp): ShellWord | undefined => {
    const at = args.findIndex(({ text }) => option.test(text));
    return at < 0 ? undefined : args[at + 1];
  };
  const [first, second] = args.filter(
    ({ text }, index) => !text.startsWith('-') && args[index - 1]?.text.startsWith('-') !== true,
  );
  const source = behind(/^-(?:literalp|p)[a-z]*$/i) ?? first;
  const target = behind(/^-dest[a-z]*$/i) ?? second;
  return [
    ...(source === undefined ? [] : [touch('read', true)(source)]),
    ...(target === undefined ? [] : [touch('write')(target)]),
  ];
}

function moveItem(command: ShellCommand): Touched[] {
  return copyItem(command).map((item) => (item.operation === 'read' ? { ...item, moved: true } : item));
}

/** What PowerShell's and Windows' own commands touch, by name. */
export const CMDLETS: readonly (readonly [name: string, reader: Reader])[] = [
  ['remove-item', removeItem],
  ['del', removeItem],
  ['erase', removeItem],
  ['rd', removeItem],
  ['get-content', cmdlet('read')],
  ['select-string', cmdlet('read')],
  ['import-csv', cmdlet('read')],
  ['type', cmdlet('read')],
  ['set-content', cmdlet('write')],
  ['add-content', cmdlet('append')],
  ['out-file', cmdlet('write')],
  ['clear-content', cmdlet('write')],
  ['move-item', moveItem],
  ['move', moveItem],
  ['rename-item', moveItem],
  ['ren', moveItem],
  ['compress-archive', compressArchive],
  ['copy-item', copyItem],
  ['copy', copyItem],
  ['xcopy', copyItem],
];

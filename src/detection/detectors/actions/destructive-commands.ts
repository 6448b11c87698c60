import { canonicalPath } from '../../facts/paths.ts';
import type { ShellCommand, ShellWord } from '../../facts/shell/model.ts';
import { hasOption, optionNames, readOptions } from '../../facts/shell/options.ts';
import { named } from '../../reason.ts';
import type { Action } from './action.ts';
import { isBlockDevice, isDeviceInVariable } from './block-devices.ts';
import { BREADTH_WORDS, type Breadth, breadthOf, isTopLevel } from './breadth.ts';

/** What one command by itself destroys. */
type CommandCheck = (command: ShellCommand, found: Action[]) => void;

function report(command: ShellCommand, found: Action[], kind: string, what: string, confidence = 0.9): void {
  found.push({ kind, what: `${what} (${named(command.name)})`, confidence, origin: command.origin });
}

const devices = (command: ShellCommand): readonly ShellWord[] =>
  command.args.filter(
    (arg) => arg.text.startsWith('/dev/') && (isDeviceInVariable(arg.text) || isBlockDevice(canonicalPath(arg.text))),
  );

/** Programs that make a new file system or signature on a device. */
const formats: CommandCheck = (command, found) => {
  const [device] = devices(command);
  const harmless = command.args.some((arg) => /^(?:--help|--version|-V|-n|--dry-run|--no-act)$/.test(arg.text));
  if (device !== undefined && !harmless)
    report(command, found, 'destructive.disk', `formats the device ${named(device.text)}`, 0.95);
};

const onDevice =
  (words: RegExp): CommandCheck =>
  (command, found) => {
    const [device] = devices(command);
    if (device === undefined || command.args.some((arg) => /^--(?:no-act|dry-?run)$/.test(arg.text))) return;
    if (command.args.some((arg) => words.test(arg.text))) {
      report(command, found, 'destructive.disk', `destroys data on the device ${named(device.text)}`);
    }
  };

const wipesPartitions = onDevice(/^--(?:delete|wipe)/);
/** `sfdisk /dev/sda < table`: what it reads takes the place of the partitions. */
const partitions: CommandCheck = (command, found) => {
  const reads = command.stdin !== undefined || command.redirects.some(({ operator }) => operator === '<');
  const only = command.args.some(({ text }) =>
    /^-(?:[a-zA-Z]{0,8}[dlnFVT]|-(?:dump|list|no-act|verify|list-.{1,16}))/.test(text),
  );
  const [device] = devices(command);
  if (!reads || only || device === undefined) return wipesPartitions(command, found);
  report(command, found, 'destructive.disk', `writes new partitions over those of ${named(device.text)}`);
};

const anyOperand =
  (what: string, words: RegExp): CommandCheck =>
  (command, found) => {
    if (command.args.some((arg) => words.test(arg.text))) report(command, found, 'destructive.disk', what);
  };

const erasesDisk: CommandCheck = (command, found) => {
  const words = command.args.map((arg) => arg.text);
  const erases = words.some((word) =>
    /^(?:erase(?:Disk|Volume)|zeroDisk|randomDisk|secureErase|partitionDisk|reformat)$/i.test(word),
  );
  const disk = words.find((word) => /^(?:\/dev\/r?)?disk\d|^\/volumes\//i.test(word));
  if (erases && disk !== undefined) report(command, found, 'destructive.disk', `erases the disk ${named(disk)}`);
};

const MODE_VALUES = optionNames('reference from');

/** What is below these was put there by whoever runs the machine, and a package manager's store is one account's. */
const PUT_THERE = /^\/(?:nix|opt|srv)$/;

/** `chmod -R`, `chown -R` where the mode or owner of a whole system changes. */
const modes: CommandCheck = (command, found) => {
  const options = readOptions(command.args, { valued: MODE_VALUES });
  if (!hasOption(options, 'R', 'recursive')) return;
  const reference = options.values.has('reference');
  const opens =
    command.name === 'chmod' &&
    /^(?:0?[0-7]?(?:777|666|000)|[ugoa]{0,4}[+=][rwx]{0,3}w[rwx]{0,3})$/.test(options.operands[0]?.text ?? '');
  const cwd = command.cwd === undefined ? undefined : canonicalPath(command.cwd);
  for (const target of options.operands.slice(reference ? 0 : 1)) {
    const path = canonicalPath(target.text, cwd, target.dynamic);
    if (command.name === 'chown' && PUT_THERE.test(path.key)) continue;
    const breadth = breadthOf(path);
    const wide =
      breadth === 'file_system' || (breadth === 'system_directory' && isTopLevel(path)) || breadth === 'all_homes';
    if (wide || (opens && (breadth === 'home' || breadth === 'system_directory'))) {
      report(
        command,
        found,
        'destructive.files',
        `changes permissions of ${BREADTH_WORDS[breadth as Breadth]}: ${named(path.text)}`,
      );
    }
  }
};

const clearsHistory: CommandCheck = (command, found) => {
  if (command.args.some((arg) => /^-[a-z]*c/.test(arg.text)))
    report(command, found, 'evasion.history', 'erases the shell history', 0.85);
};

/** PowerShell's, all of it rather than some lines. */
const clearsSession: CommandCheck = (command, found) => {
  const words = command.args.map(({ text }) => text).join(' ');
  if (!/^-(?:count|id) \d{1,2}(?: |$)/i.test(words))
    report(command, found, 'evasion.history', 'erases the shell history', 0.85);
};

/** `btrfs subvolume delete`; `btrfs device delete` moves what a device holds to the others. */
const deletesSubvolume: CommandCheck = (command, found) => {
  const [noun, verb] = readOptions(command.args).operands.map(({ text }) => text);
  if (noun?.startsWith('su') === true && verb === 'delete')
    report(command, found, 'destructive.disk', 'deletes a subvolume');
};

/** `crontab -r` asks nobody and keeps nothing. */
const clearsSchedule: CommandCheck = (command, found) => {
  const { short } = readOptions(command.args, { valued: optionNames('u') });
  if (short.includes('r') && !short.includes('i'))
    report(command, found, 'destructive.files', 'deletes all schedules of an account', 0.8);
};

const killsAll: CommandCheck = (command, found) => {
  const words = command.args.map((arg) => arg.text);
  if (words.at(-1) === '-1' && words.length > 1 && !words.includes('-l'))
    report(command, found, 'destructive.processes', 'kills every process it may');
};

/** A snapshot is one of many; with `-r` and `-R` what was made of it goes too. */
const destroysFileSystem: CommandCheck = (command, found) => {
  const { operands, short } = readOptions(command.args, { valued: optionNames('') });
  const [verb, target] = operands;
  if (verb?.text !== 'destroy' || short.includes('n')) return;
  const isSnapshot = /@[^%,*]{1,128}$/.test(target?.text ?? '') && !/[rR]/.test(short);
  report(
    command,
    found,
    'destructive.disk',
    isSnapshot ? 'destroys a snapshot' : 'destroys a file system',
    isSnapshot ? 0.5 : undefined,
  );
};

const FORMATTERS = 'mkfs mke2fs mkntfs mkdosfs newfs newfs_msdos mkreiserfs mkudffs'.split(' ');

const CHECKS: ReadonlyMap<string, CommandCheck> = new Map<string, CommandCheck>([
  ...FORMATTERS.map((name): [string, CommandCheck] => [name, formats]),
  ['wipefs', onDevice(/^(?:-[a-z]*[ao][a-z]*|--all|--offset)/)],
  ['blkdiscard', onDevice(/^\/dev\//)],
  ['badblocks', onDevice(/^-[a-z]*w/)],
  ['hdparm', onDevice(/^--(?:security-erase|security-erase-enhanced|trim-sector-ranges|write-sector)/)],
  ['sgdisk', onDevice(/^(?:-Z|--zap-all|-z|--zap|-o|--clear)$/)],
  ['sfdisk', partitions],
  ['parted', onDevice(/^(?:mklabel|mktable|rm)$/)],
  ['nvme', onDevice(/^(?:format|sanitize)$/)],
  // `luksFormat` asks for a typed YES, unless it is told not to.
  ['cryptsetup', onDevice(/^(?:luksErase|erase|luksKillSlot|-q|--batch-mode)$/i)],
  ['mdadm', onDevice(/^--zero-superblock$/)],
  ['pvremove', onDevice(/^\/dev\//)],
  ['vgremove', anyOperand('removes a volume group', /^(?:-f|-y|--force|--yes|-ff)$/)],
  ['lvremove', anyOperand('removes a logical volume', /^(?:-f|-y|--force|--yes|-ff)$/)],
  ['zpool', anyOperand('destroys a storage pool', /^destroy$/)],
  ['zfs', destroysFileSystem],
  ['btrfs', deletesSubvolume],
  ['diskutil', erasesDisk],
  ['format', anyOperand('formats a drive', /^[a-z]:\\?\/?$/i)],
  ['format-volume', anyOperand('formats a drive', /^-drive/i)],
  ['clear-disk', anyOperand('erases a disk', /^-(?:number|removedata)/i)],
  ['remove-partition', anyOperand('removes a partition', /^-/)],
  ['vssadmin', anyOperand('deletes shadow copies', /^(?:delete|resize)$/i)],
  ['wbadmin', anyOperand('deletes backups', /^delete$/i)],
  ['chmod', modes],
  ['chown', modes],
  ['chgrp', modes],
  ['history', clearsHistory],
  ['clear-history', clearsSession],
  ['kill', killsAll],
  ['crontab', clearsSchedule],
]);

/** Puts what `command` destroys by itself, apart from the files that it names, into `found`. */
export function findDestruction(command: ShellCommand, found: Action[]): void {
  const check = command.name.startsWith('mkfs.') ? formats : CHECKS.get(command.name);
  check?.(command, found);
}

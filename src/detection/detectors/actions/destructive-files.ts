import { credentialDirectory, credentialKind } from '../../facts/credential-files.ts';
import type { EventFacts } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import { belowHome, type CanonicalPath, canonicalPath } from '../../facts/paths.ts';
import { hasOption, optionNames, readOptions } from '../../facts/shell/options.ts';
import type { ShellCommand, ShellWord } from '../../facts/shell.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { BREADTH_WORDS, type Breadth, breadthOf, breadthOfPattern, withoutWholeContent } from './breadth.ts';
import { findDeletions } from './find-deletions.ts';

/** Deletions and overwrites of more than one would give out of hand. */
export const destructiveFiles = actionDetector({
  id: 'destructive_files',
  version: 3,
  severity: 'critical',
  title:
    'Deletes or overwrites system directories, home directories, whole work trees, disks, logs or shell histories.',
  kinds: [
    'destructive.files',
    'destructive.disk',
    'destructive.processes',
    'evasion.history',
    'evasion.logs',
    'shell.fork_bomb',
  ],
  falsePositives: ['formatting a disk on purpose', 'emptying a log file that a script has just made'],
  find({ facts }, found) {
    for (const access of facts.files) matchAccess(access, facts, found);
    for (const command of facts.shell.commands) DISK_AND_MODE.get(command.name)?.(command, found);
    for (const origin of facts.shell.forkBombs) {
      found.push({
        kind: 'shell.fork_bomb',
        what: 'starts copies of itself without end',
        confidence: 0.95,
        origin,
      });
    }
    for (const fact of facts.code) {
      if (fact.action === 'fork') {
        found.push({
          kind: 'shell.fork_bomb',
          what: 'starts copies of itself without end',
          confidence: 0.9,
          origin: fact.origin,
        });
      }
    }
    findDeletions(facts, found);
  },
});

function matchAccess(access: FileAccess, facts: EventFacts, found: Action[]): void {
  const { operation } = access;
  if (operation === 'delete') matchDelete(access, facts, found);
  else if (operation === 'write') matchWrite(access, facts, found);
  else if (access.moved === true) matchMove(access, found);
}

function push(found: Action[], access: FileAccess, kind: string, what: string, confidence = 0.95): void {
  found.push({ kind, what: `${what} (${named(access.by)})`, confidence, origin: access.origin });
}

function matchDelete(access: FileAccess, facts: EventFacts, found: Action[]): void {
  const { path } = access;
  if (access.recursive) {
    const breadth = breadthOf(path) ?? (access.glob ? breadthOfPattern(path) : undefined);
    if (breadth !== undefined && !asksFirst(access, facts)) {
      push(found, access, 'destructive.files', `deletes ${BREADTH_WORDS[breadth]}: ${named(path.text)}`);
      return;
    }
  }
  // What `find` selects is told by `findDeletions`.
  const emptied = access.by === 'find' ? undefined : emptiedBreadth(path);
  if (emptied !== undefined && !asksFirst(access, facts)) {
    push(found, access, 'destructive.files', `deletes all files of ${BREADTH_WORDS[emptied]}: ${named(path.text)}`);
  } else if (access.by === 'shred' && isBlockDevice(path)) {
    push(found, access, 'destructive.disk', `destroys the device ${named(path.text)}`);
  } else if (takesKeys(access)) {
    push(found, access, 'destructive.files', `deletes keys that nobody can make again: ${named(path.text)}`, 0.85);
  } else if (isCriticalFile(path) || (path.anchor === 'root' && NEEDED_FILE.test(path.key)))
    push(found, access, 'destructive.files', `deletes the system file ${named(path.text)}`);
  else if (isHistory(path) || isAuditLog(path))
    push(
      found,
      access,
      isHistory(path) ? 'evasion.history' : 'evasion.logs',
      `erases the record ${named(path.text)}`,
      0.85,
    );
}

/** `rm /etc/*`: what lies in a directory goes even where the directories in it stay. */
function emptiedBreadth(path: CanonicalPath): Breadth | undefined {
  const breadth = withoutWholeContent(path) === path ? undefined : breadthOf(path);
  if (breadth === 'file_system' || breadth === 'all_homes' || breadth === 'home') return breadth;
  return breadth === 'system_directory' && isTopLevel(path) ? breadth : undefined;
}

/** All that a directory of keys holds, or one key so that no copy can be brought back. */
function takesKeys({ by, glob, path }: FileAccess): boolean {
  if (belowHome(path) === undefined) return false;
  const whole = glob && withoutWholeContent(path) !== path;
  const kind = whole ? credentialDirectory(path) : by === 'shred' ? credentialKind(path) : undefined;
  return kind === 'ssh_key' || kind === 'keyring' || kind === 'wallet';
}

/** `rm -ri`, `rm -rI`: nothing goes without an answer, and nobody is there to give one. */
function asksFirst(access: FileAccess, facts: EventFacts): boolean {
  const command = access.command === undefined ? undefined : facts.shell.commands[access.command];
  if (command?.name !== 'rm') return false;
  const { short } = readOptions(command.args);
  return /[iI]/.test(short) && !short.includes('f');
}

function matchWrite(access: FileAccess, facts: EventFacts, found: Action[]): void {
  const { path } = access;
  if (isBlockDevice(path) || (access.by === 'dd' && DEVICE_IN_VARIABLE.test(path.text)))
    push(found, access, 'destructive.disk', `overwrites the device ${named(path.text)}`);
  else if (isCriticalFile(path) && !editsLines(access, facts))
    push(found, access, 'destructive.files', `overwrites the system file ${named(path.text)}`, 0.85);
  else if (path.key.endsWith('*') && withoutWholeContent(path) !== path && empties(access, facts)) {
    const breadth = breadthOf(path);
    if (breadth !== undefined)
      push(found, access, 'destructive.files', `empties all files of ${BREADTH_WORDS[breadth]}: ${named(path.text)}`);
  } else if (isHistory(path) && empties(access, facts)) {
    push(found, access, 'evasion.history', `erases the record ${named(path.text)}`, 0.85);
  } else if (isAuditLog(path) && (empties(access, facts) || REPLACERS.has(access.by))) {
    push(found, access, 'evasion.logs', `erases the record ${named(path.text)}`, 0.85);
  } else if (isLog(path) && empties(access, facts)) {
    // What a service writes of itself is emptied to make room, too.
    const what = `empties the log ${named(path.text)} (${named(access.by)})`;
    found.push({ kind: 'evasion.logs', severity: 'medium', what, confidence: 0.6, origin: access.origin });
  }
}

/**
 * Whether `sed` changes lines of a configuration in their place. What that means for who may do what, other detectors
 * say. What it does to a program, or where it deletes lines, destroys.
 */
/** Whether an editing tool puts something in the place of something, and takes nothing away. */
function replacesLines({ parameters }: EventFacts): boolean {
  const given = (key: RegExp): string[] =>
    parameters.filter((each) => key.test(each.key)).map(({ text }) => text.trim());
  const before = given(/^old_?(?:string|str|text)$/);
  const after = given(/^new_?(?:string|str|text)$/);
  return before.length > 0 && after.length === before.length && [...before, ...after].every((text) => text !== '');
}

function editsLines({ by, command, path }: FileAccess, facts: EventFacts): boolean {
  if (!path.key.startsWith('/etc/')) return false;
  if (command === undefined) return replacesLines(facts);
  if (by !== 'sed') return false;
  const { args = [] } = facts.shell.commands[command] ?? {};
  const isInPlace = args.some(({ text }) => /^(?:-[a-zA-Z]{0,4}i|--in-place)/.test(text));
  const isSubstitution = args.some(({ text }) => /^\S{0,64}s([^\w\s\\]).{1,512}\1/.test(text));
  return isInPlace && isSubstitution;
}

/** What puts a record of its own choice in place of one that grows by itself. */
const REPLACERS: ReadonlySet<string> = new Set([
  'dd',
  'mv',
  'cp',
  'install',
  'sed',
  'gsed',
  'perl',
  'sponge',
  'utmpdump',
]);

/** Moving a directory away takes it from where it is looked for. */
function matchMove(access: FileAccess, found: Action[]): void {
  const breadth = breadthOf(access.path);
  const taken: readonly (Breadth | undefined)[] = ['file_system', 'system_directory', 'all_homes', 'home', 'volume'];
  if (breadth !== undefined && taken.includes(breadth)) {
    push(found, access, 'destructive.files', `moves away ${BREADTH_WORDS[breadth]}: ${named(access.path.text)}`);
  }
}

const BLOCK_DEVICE =
  /^\/dev\/(?:(?:sd|hd|vd|xvd|nvme|mmcblk|r?disk\d|dm-|md\d|mtdblock|nbd|zd\d|pmem|dax\d|a?da\d|nda\d|nvd\d|vtbd\d|rbd\d|drbd\d|bcache\d)[^/]*|mapper\/[^/]+|disk\/by-[^/]+\/.+|mem|kmem|\*)$/;

function isBlockDevice(path: CanonicalPath): boolean {
  return path.key.startsWith('/dev/') && path.key !== '/dev/mapper/control' && BLOCK_DEVICE.test(path.key);
}

const CRITICAL_FILE =
  /^(?:\/etc\/(?:passwd|shadow|group|gshadow|sudoers|fstab|crypttab|inittab|nsswitch\.conf|ld\.so\.conf|pam\.d\/[^/]+|ssh\/sshd_config|systemd\/[^/]+\.conf)|\/boot\/.+|\/(?:usr\/)?s?bin\/(?:\*|(?:r?ba|da|z|k|c|tc|a|fi|mk|po)?sh|login|su|sudo|init|mount|systemctl|ls|cat)|\/(?:usr\/)?lib(?:64)?\/(?:\*|libc\.so.*|ld-linux.*)|\/proc\/sysrq-trigger|c:\/windows\/system32\/.+|c:\/boot\/.+|c:\/bootmgr)$/;

/** What people do change, but no machine is meant to be without. */
const NEEDED_FILE =
  /^\/etc\/(?:hosts|hostname|host\.conf|networks|gai\.conf|services|protocols|rpc|ethertypes|profile|bash\.bashrc|environment|crontab|login\.defs|shells|securetty|sub[ug]id|(?:passwd|shadow|group|gshadow)-|adduser\.conf|deluser\.conf|debconf\.conf|libaudit\.conf|logrotate\.conf|mke2fs\.conf|sysctl\.conf|rsyslog\.conf|ld\.so\.cache|debian_version|os-release|issue|issue\.net|pam\.conf|security\/[^/]+|selinux\/[^/]+|default\/(?:useradd|grub|locale|nss)|ssl\/openssl\.cnf|sudo\.conf|sudoers\.d\/README)$|^\/usr\/share\/(?:base-passwd|base-files)\/[^/]+$|^\/var\/lib\/(?:dpkg\/(?:status|available|diversions|statoverride)|rpm\/(?:Packages|rpmdb\.sqlite)|pam\/[^/]+|shells\.state)$/i;

function isCriticalFile(path: CanonicalPath): boolean {
  return (path.anchor === 'root' || path.anchor === 'drive') && CRITICAL_FILE.test(path.key);
}

const HISTORY =
  /(?:^|\/)(?:\.(?:bash|zsh|sh|ash|ksh|csh|mysql|psql|python|sqlite|node_repl)_history|\.history|\.zhistory|fish_history|consolehost_history\.txt)$/;

function isHistory(path: CanonicalPath): boolean {
  return path.key.includes('history') && HISTORY.test(path.key);
}

const AUDIT_LOG =
  /^\/var\/log\/(?:(?:auth|secure|syslog|messages|wtmp|btmp|lastlog|utmp|faillog|kern|daemon|system|install)(?:\.log)?|audit\/.+|audit|journal|journal\/.+|\*)$/;

function isAuditLog(path: CanonicalPath): boolean {
  return (
    path.key.startsWith('/var/') &&
    (AUDIT_LOG.test(path.key) || /^\/var\/run\/utmp$|^\/var\/adm\/[^/]+$/.test(path.key))
  );
}

function isLog(path: CanonicalPath): boolean {
  return (
    path.key.startsWith('/var/log/') || (path.key.endsWith('-json.log') && path.key.startsWith('/var/lib/docker/'))
  );
}

const NOTHING_WORDS = new Set(['', "''", '""', '\\n']);

/** Whether what is written is nothing at all. */
function empties(access: FileAccess, facts: EventFacts): boolean {
  const command = access.command === undefined ? undefined : facts.shell.commands[access.command];
  switch (command?.name) {
    case '':
    case ':':
    case 'true':
    case 'truncate':
    case 'clear-content':
      return true;
    case 'echo':
    case 'printf':
      return command.args.every((arg) => NOTHING_WORDS.has(arg.text) || /^-[neE]+$/.test(arg.text));
    case 'cat':
    case 'cp':
    case 'tee':
    case 'ln':
      return command.args.some((arg) => arg.text === '/dev/null') || command.stdin?.trim() === '';
    default:
      return false;
  }
}

type CommandCheck = (command: ShellCommand, found: Action[]) => void;

function report(command: ShellCommand, found: Action[], kind: string, what: string, confidence = 0.9): void {
  found.push({ kind, what: `${what} (${named(command.name)})`, confidence, origin: command.origin });
}

const devices = (command: ShellCommand): readonly ShellWord[] =>
  command.args.filter(
    (arg) =>
      arg.text.startsWith('/dev/') && (DEVICE_IN_VARIABLE.test(arg.text) || isBlockDevice(canonicalPath(arg.text))),
  );
/** `/dev/$disk`, of a list of disks. */
const DEVICE_IN_VARIABLE = /^\/dev\/\$\{?\w{1,32}\}?$/;

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

/** `/etc` and its like, or a directory that belongs to the system at any depth. Below `/etc`, services own theirs. */
function isTopLevel(path: CanonicalPath): boolean {
  return /^\/[^/]+\/?(?:\*)?$/.test(path.key) || /^\/(?:boot|s?bin|lib\d*)\//.test(path.key) || path.anchor === 'drive';
}

const clearsHistory: CommandCheck = (command, found) => {
  if (command.args.some((arg) => /^-[a-z]*c/.test(arg.text)))
    report(command, found, 'evasion.history', 'erases the shell history', 0.85);
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

const DISK_AND_MODE: { get(name: string): CommandCheck | undefined } = {
  get(name) {
    if (name.startsWith('mkfs.')) return formats;
    return CHECKS.get(name);
  },
};

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
  ['btrfs', anyOperand('deletes a subvolume', /^delete$/)],
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
  ['clear-history', (command, found) => report(command, found, 'evasion.history', 'erases the shell history', 0.85)],
  ['kill', killsAll],
  ['crontab', clearsSchedule],
]);

import { credentialDirectory, credentialKind } from '../../facts/credential-files.ts';
import type { EventFacts } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import { cloneTarget } from '../../facts/files/git.ts';
import { belowHome, type CanonicalPath, canonicalPath } from '../../facts/paths.ts';
import { hasOption, readOptions } from '../../facts/shell/options.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { isBlockDevice, isDeviceInVariable } from './block-devices.ts';
import {
  BREADTH_WORDS,
  type Breadth,
  breadthOf,
  breadthOfPattern,
  isDataFile,
  isTopLevel,
  withoutWholeContent,
} from './breadth.ts';
import { findDestruction } from './destructive-commands.ts';
import { findDeletions } from './find-deletions.ts';

/** Deletions and overwrites of more than one would give out of hand. */
export const destructiveFiles = actionDetector({
  id: 'destructive_files',
  version: 6,
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
    for (const command of facts.shell.commands) findDestruction(command, found);
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
    if (breadth === 'history' && isFreshClone(access, facts)) return;
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
  else if (isDataFile(path) && access.by !== 'find' && !asksFirst(access, facts))
    push(found, access, 'destructive.files', `deletes the data of a database: ${named(path.text)}`, 0.8);
  else if (isHistory(path) || isAuditLog(path))
    push(
      found,
      access,
      isHistory(path) ? 'evasion.history' : 'evasion.logs',
      `erases the record ${named(path.text)}`,
      0.85,
    );
}

/** `git clone https://host/tpl && rm -rf tpl/.git`: a template is taken without its history, which its origin keeps. */
function isFreshClone({ path, command, origin }: FileAccess, { shell, parameters }: EventFacts): boolean {
  const [clone, ...others] = shell.commands.slice(0, command ?? 0);
  if (clone?.name !== 'git' || !path.key.endsWith('/.git') || others.some(({ name }) => name !== 'cd')) return false;
  // The removal comes only where the clone has gone well, into a directory that was not there.
  const text = parameters.find(({ place }) => place === origin.place)?.text ?? ';';
  const target = /[;|\n]/.test(text.slice(0, origin.start)) ? undefined : cloneTarget(clone);
  return target !== undefined && canonicalPath(target).key === path.key.slice(0, -'/.git'.length);
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

/** `rm -ri`, `rm -rI`: nothing goes without an answer, and nobody is there to give one, unless something is piped in. */
function asksFirst(access: FileAccess, facts: EventFacts): boolean {
  const command = access.command === undefined ? undefined : facts.shell.commands[access.command];
  if (command?.name !== 'rm' || command.input !== undefined || command.stdin !== undefined) return false;
  if (command.redirects.some(({ operator }) => operator.startsWith('<'))) return false;
  const options = readOptions(command.args);
  return /[iI]/.test(options.short) && !hasOption(options, 'f', 'force', 'interactive');
}

function matchWrite(access: FileAccess, facts: EventFacts, found: Action[]): void {
  const { path } = access;
  if (isBlockDevice(path) || (access.by === 'dd' && isDeviceInVariable(path.text)))
    push(found, access, 'destructive.disk', `overwrites the device ${named(path.text)}`);
  else if (isCriticalFile(path) && !editsLines(access, facts))
    push(found, access, 'destructive.files', `overwrites the system file ${named(path.text)}`, 0.85);
  else if (path.key.endsWith('*') && withoutWholeContent(path) !== path && empties(access, facts)) {
    const breadth = breadthOf(path);
    if (breadth !== undefined)
      push(found, access, 'destructive.files', `empties all files of ${BREADTH_WORDS[breadth]}: ${named(path.text)}`);
  } else if (isDataFile(path) && empties(access, facts)) {
    push(found, access, 'destructive.files', `empties the data of a database: ${named(path.text)}`, 0.8);
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

/** Whether an editing tool puts something in the place of something, and takes nothing away. */
function replacesLines({ parameters }: EventFacts): boolean {
  const given = (key: RegExp): string[] =>
    parameters.filter((each) => key.test(each.key)).map(({ text }) => text.trim());
  const before = given(/^old_?(?:string|str|text)$/);
  const after = given(/^new_?(?:string|str|text)$/);
  return before.length > 0 && after.length === before.length && [...before, ...after].every((text) => text !== '');
}

/**
 * Whether lines of a configuration are changed in their place, by `sed` or an editing tool. What that means for who may
 * do what, other detectors say. What it does to a program, or where it deletes lines, destroys.
 */
function editsLines({ by, command, path }: FileAccess, facts: EventFacts): boolean {
  if (!path.key.startsWith('/etc/')) return false;
  if (command === undefined) return replacesLines(facts);
  if (by !== 'sed') return false;
  const { args = [] } = facts.shell.commands[command] ?? {};
  const isInPlace = args.some(({ text }) => /^(?:-[a-zA-Z]{0,4}i|--in-place)/.test(text));
  const isSubstitution = args.some(({ text }) =>
    /^(?:\/[^/\n]{1,64}\/\s{0,4})?\S{0,64}s([^\w\s\\]).{1,512}\1/.test(text),
  );
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

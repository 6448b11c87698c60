import type { FileAccess } from '../../facts/file-access.ts';
import { interpreterOf, SHELLS } from '../../facts/shell/wrappers.ts';
import type { ShellCommand } from '../../facts/shell.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { readSigns } from './command-signs.ts';
import { PRIVILEGE_SIGNS } from './privilege-signs.ts';

/** Whatever gives an account, a program or a container more rights than it had. */
export const privilege = actionDetector({
  id: 'privilege',
  version: 1,
  severity: 'high',
  title:
    'Gives an account, a program, a container or a cloud identity more rights, or gets out of where it is confined.',
  kinds: ['privilege.*', 'recon.privileges', 'evasion.defenses'],
  falsePositives: ['setting up accounts and service identities on purpose', 'containers that build containers'],
  find({ facts, allowance }, found) {
    for (const access of facts.files) {
      if (access.operation === 'write' || access.operation === 'append') readWrite(access, found);
    }
    for (const command of facts.shell.commands) {
      readSigns(PRIVILEGE_SIGNS, command, found, allowance);
      readPreload(command, found);
      readShellEscape(command, found);
    }
    for (const { name, origin } of facts.shell.assignments) {
      if (PRELOADS.test(name)) found.push(preload(name, origin));
    }
  },
});

const SUDOERS = /^\/(?:private\/)?(?:usr\/local\/)?etc\/(?:sudoers(?:\.d\/.+)?|doas\.conf|polkit-1\/rules\.d\/.+)$/;
const ACCOUNTS = /^\/(?:private\/)?etc\/(?:passwd|shadow|group|gshadow|master\.passwd|subuid|subgid)$/;
const LOGIN =
  /^\/(?:usr\/local\/)?etc\/(?:pam\.d\/.+|pam\.conf|security\/.+\.conf|ssh\/sshd_config(?:\.d\/.+)?|login\.defs|nsswitch\.conf|hosts\.equiv|securetty)$/;
const PRELOAD = /^\/etc\/ld\.so\.(?:preload|conf(?:\.d\/.+)?)$/;
const KERNEL =
  /^\/proc\/sys\/(?:kernel\/(?:core_pattern|modprobe|randomize_va_space|yama\/.+|sysrq|dmesg_restrict|kptr_restrict)|fs\/binfmt_misc\/.+|fs\/suid_dumpable)$|^\/sys\/(?:fs\/cgroup\/.*release_agent|kernel\/uevent_helper|kernel\/debug\/.+)$|^\/proc\/\d+\/mem$/;

function readWrite(access: FileAccess, found: Action[]): void {
  const { key } = access.path;
  if (access.path.anchor !== 'root') return;
  const [kind, what] = SUDOERS.test(key)
    ? ['privilege.sudoers', 'changes who may act as root']
    : ACCOUNTS.test(key)
      ? ['privilege.account', 'changes the accounts of the system']
      : LOGIN.test(key)
        ? ['privilege.login', 'changes how people log in']
        : PRELOAD.test(key)
          ? ['privilege.preload', 'has a library loaded into every program']
          : KERNEL.test(key)
            ? ['privilege.kernel', 'changes what the kernel runs or protects']
            : [];
  if (kind === undefined || what === undefined) return;
  const text = `${what}: ${named(access.path.text)} (${named(access.by)})`;
  found.push({ kind, confidence: 0.85, what: text, origin: access.origin });
}

const PRELOADS = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/;
/** Libraries that are loaded in front of others in ordinary work. */
const USUAL_LIBRARY =
  /(?:jemalloc|tcmalloc|mimalloc|lib(?:asan|tsan|ubsan|eatmydata|fakeroot|faketime|nss_wrapper|stdc\+\+|gomp|snoopy|vulkan|segfault)|\/usr\/lib)/i;

function readPreload(command: ShellCommand, found: Action[]): void {
  for (const { name, value } of command.env) {
    if (PRELOADS.test(name) && value !== '' && !USUAL_LIBRARY.test(value)) found.push(preload(name, command.origin));
  }
  if (command.name !== 'export') return;
  for (const { text } of command.args) {
    const [name = '', value = ''] = text.split('=', 2);
    if (PRELOADS.test(name) && value !== '' && !USUAL_LIBRARY.test(value)) found.push(preload(name, command.origin));
  }
}

function preload(name: string, origin: Action['origin']): Action {
  const what = `has a library loaded into programs by ${named(name)}`;
  return { kind: 'privilege.preload', confidence: 0.7, what, origin };
}

/** Programs that are for something else, and from which a shell can be had: where `sudo` permits only them, it permits all. */
const ESCAPES: ReadonlySet<string> = new Set(
  'find gfind vim vi view nvim ed ex emacs nano less more man tar gtar bsdtar zip unzip rsync git gdb lldb ftp sftp mysql psql sqlite3 redis-cli ssh scp awk gawk mawk nawk expect gcc make cpan gem pip pip3 npm node ruby perl python php lua tclsh irb ansible-playbook capsh taskset flock setarch ionice nmap tmux screen script journalctl systemctl service dpkg rpm apt apt-get snap puppet rlwrap run-parts start-stop-daemon stdbuf strace ltrace time timeout unshare watch wget xargs zsoelim vagrant jrunscript jjs scala groovy busybox docker'.split(
    ' ',
  ),
);
/** Programs of which it is how they are used that a shell runs below them. */
const ORDINARY_PARENTS: ReadonlySet<string> = new Set(
  'docker kubectl oc podman nerdctl ssh tmux screen script env time timeout watch xargs flock strace ltrace stdbuf rlwrap vagrant unshare busybox taskset ionice setarch capsh make npm'.split(
    ' ',
  ),
);

/** A shell without anything to run, started out of a program that is no shell. */
function readShellEscape(command: ShellCommand, found: Action[]): void {
  if (!SHELLS.has(command.name) || command.stdin !== undefined) return;
  if (command.input !== undefined && !/^g?find$/.test(command.via.at(-1) ?? '')) return;
  if (!command.args.every(({ text }) => /^-[ilp]+$|^(?:\d|&\d|>&\d|\d?[<>]&\d)$/.test(text))) return;
  const keepsRights = command.args.some(({ text }) => /^-[il]*p/.test(text));
  if (keepsRights && command.via.length > 0 && command.via.at(-1) === 'env') return push(command, 'env', 0.75, found);
  const parent = command.via.findLast((name) => !/^(?:sudo|doas|env|nohup|setsid|exec|command)$/.test(name));
  if (parent === undefined || SHELLS.has(parent) || ORDINARY_PARENTS.has(parent)) return;
  const byRoot = command.via.includes('sudo') || command.via.includes('doas');
  if (!ESCAPES.has(parent) && interpreterOf(parent) === undefined) return;
  push(command, parent, keepsRights || byRoot ? 0.9 : 0.75, found);
}

function push(command: ShellCommand, parent: string, confidence: number, found: Action[]): void {
  const what = `starts a shell from within ${named(parent)}`;
  found.push({ kind: 'privilege.shell_escape', confidence, what, origin: command.origin });
}

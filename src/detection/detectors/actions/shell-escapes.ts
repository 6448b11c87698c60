import type { ShellCommand, ShellWord } from '../../facts/shell/model.ts';
import { interpreterOf, SHELLS } from '../../facts/shell/wrappers.ts';
import { named } from '../../reason.ts';
import type { Action } from './action.ts';

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
/** Those among them that change nothing about where a shell runs, so that one with root's rights is only had through them. */
const PASSING_ON: ReadonlySet<string> = new Set(
  'env time timeout watch xargs flock strace ltrace stdbuf rlwrap busybox taskset ionice setarch setarch nice chrt cpulimit numactl valgrind perf firejail fakeroot sshpass unbuffer dbus-run-session nohup setsid start-stop-daemon capsh npm yarn uv make'.split(
    ' ',
  ),
);
/** Programs for something else, of which nothing is wanted but the shell that they are handed. */
const STARTERS: ReadonlySet<string> = new Set(
  'aa-exec aoss agetty distcc perf cabal bundle yarn uv task logsave xdotool torify torsocks sshpass capsh ksu jtag csvtool enscript gem pip pip3 latex latexmk pdflatex lualatex xelatex tex luatex openvpn plymouth borg mosh bpftrace check_by_ssh expect xdg-user-dir nano minicom ld.so'.split(
    ' ',
  ),
);
export const ELEVATING = /^(?:sudo|doas|pkexec|run0)$/;
const IN_BETWEEN = /^(?:sudo|doas|env|nohup|setsid|exec|command)$/;

/** Reports shells that are started out of programs that are no shells, most of all with the rights of root. */
export function readShellEscape(command: ShellCommand, found: Action[]): void {
  if (SHELLS.has(command.name)) return readShell(command, found);
  const root = command.via.some((name) => ELEVATING.test(name));
  if (keepsItsRights(command.args)) push(command, command.name, 0.75, found);
  else if (root ? handsOver(command) : isForShell(command)) push(command, command.name, 0.75, found);
  else if (opensShell(command)) push(command, command.name, 0.75, found);
}

/** `capsh --`, `systemd-run -S`, `vi -c ':shell'`: the program has a word of its own for it. */
function opensShell({ name, args }: ShellCommand): boolean {
  switch (name) {
    case 'capsh':
      return args.at(-1)?.text === '--';
    case 'systemd-run':
      return args.some(({ text }) => /^(?:-S|--shell)$/.test(text)) && !args.some(({ text }) => text === '--user');
    case 'vi':
    case 'vim':
    case 'view':
    case 'ex':
      return args.some(({ text }) => /^(?:-c|\+)?:?(?:sh(?:ell)?!?$|set shell=[^|]{1,64}\|\s?sh)/.test(text));
    default:
      return false;
  }
}

/** A shell without anything to run, started out of a program that is no shell. */
function readShell(command: ShellCommand, found: Action[]): void {
  if (command.stdin !== undefined) return;
  if (command.input !== undefined && !/^g?find$/.test(command.via.at(-1) ?? '')) return;
  if (!command.args.every(({ text }) => /^-[ilp]+$|^(?:\d|&\d|>&\d|\d?[<>]&\d)$/.test(text))) return;
  const keepsRights = command.args.some(({ text }) => /^-[il]*p/.test(text));
  // A program that runs with its owner's rights gives them up, unless the shell is told to keep them.
  if (keepsRights && command.via.every((name) => IN_BETWEEN.test(name) || PASSING_ON.has(name)))
    return push(command, command.via.at(-1) ?? command.name, 0.75, found);
  const byRoot = command.via.some((name) => ELEVATING.test(name));
  if (byRoot && PASSING_ON.has(command.via.at(-1) ?? '') && !isForSomebodyElse(command))
    return push(command, command.via.at(-1) as string, 0.75, found);
  const parent = command.via.findLast((name) => !IN_BETWEEN.test(name));
  if (parent === undefined || SHELLS.has(parent) || ORDINARY_PARENTS.has(parent)) return;
  if (!ESCAPES.has(parent) && interpreterOf(parent) === undefined) return;
  push(command, parent, keepsRights || byRoot ? 0.9 : 0.75, found);
}

/** Within a container or on another machine, root is root of that. */
function isForSomebodyElse({ via }: ShellCommand): boolean {
  return via.some((name) => ELSEWHERE.test(name));
}

const ELSEWHERE =
  /^(?:docker(?:-compose)?|podman|nerdctl|kubectl|oc|crictl|ctr|lxc(?:-attach|-execute)?|incus|machinectl|systemd-nspawn|arch-chroot|arch-nspawn|chroot|schroot|proot|bwrap|unshare|nsenter|ip|ssh|plink|mosh|vagrant|multipass|toolbox|distrobox|virsh|nixos-enter|runuser|su)$/;

const SHELL_PATH = /^(?:\/usr)?\/bin\/(?:ba|da|z|k|c|tc|a|fi|mk)?sh$/;
/** A path of a shell among other words, as what is handed to another program to run. */
const SHELL_AMONG_WORDS = /(?:^|[\s"'=,(!:;|\\])(?:\/usr)?\/bin\/(?:ba|da|z|k|c|tc|a|fi|mk)?sh(?![\w./-])/;

/** `/bin/sh -p` behind the name of another program: a shell that keeps the rights of that program's owner. */
function keepsItsRights(args: readonly ShellWord[]): boolean {
  return args.some(
    ({ text }, index) =>
      (SHELL_PATH.test(text) && args[index + 1]?.text === '-p') ||
      (text.includes('sh -p') && /\/bin\/(?:ba|da|z|k)?sh\\? -p(?![\w=-])/.test(text)),
  );
}

/** What is done with the file of a shell, or with an account's shell, rather than by one. */
export const FILE_WORK =
  /^(?:sudo|doas|cp|mv|rm|ln|link|install|rsync|scp|tar|cat|head|tail|less|more|ls|l|ll|exa|eza|lsd|stat|file|test|\[|\[\[|which|whereis|type|command|readlink|realpath|dirname|basename|echo|printf|tee|sed|gsed|[efz]?grep|rg|awk|gawk|mawk|find|gfind|locate|diff|cmp|md5sum|sha\d+sum|strings|xxd|od|hexdump|objdump|readelf|nm|ldd|size|strip|chmod|chown|chgrp|chattr|lsattr|setcap|getcap|setfacl|getfacl|chcon|restorecon|semanage|useradd|adduser|usermod|userdel|chsh|passwd|vipw|newusers|dscl|pw|update-alternatives|alternatives|dpkg(?:-divert|-query|-reconfigure)?|rpm|apt(?:-get|-file|-cache)?|yum|dnf|apk|pacman|zypper|brew|port|lsof|fuser|pgrep|pkill|killall|ps|touch|truncate|shred|unlink|mount|umount|crontab|systemctl|journalctl|auditctl|ausearch|aa-\w+|apparmor_parser|ufw|iptables|setsebool|git|curl|wget|jq|yq|augtool|debconf-set-selections|export|set|alias|source|\.)$/;

/** Verbs behind which some of them run what they are given; without one it is a value. */
const RUNNING = /^(?:exec|execute|run|call|open|config|--)$/;
/** A shell, alone or with what keeps it from waiting for more. */
const BARE_SHELL = /^(?:\/usr)?\/bin\/(?:ba|da|z|k|c|tc|a|fi|mk)?sh(?:$|;| (?:-[isp]{1,3}$|#|-s\b))/;

/** Whether a program that is for something else is given nothing but a shell. */
function isForShell({ name, args }: ShellCommand): boolean {
  if (!STARTERS.has(name)) return false;
  const words = args.map(({ text }) => text);
  const last = words.findLast((word) => !/^-[isp]{1,3}$/.test(word)) ?? '';
  if (SHELL_PATH.test(last))
    return !/^(?:yarn|uv|cabal|bundle|task|pip3?|gem)$/.test(name) || /^(?:exec|execute|run)$/.test(words[0] ?? '');
  if (name === 'expect') return words.some((word) => /^spawn (?:\/usr)?\/bin\/\w{0,3}sh;\s?interact$/.test(word));
  return words.some(
    (word, at) =>
      /write18\s?\{(?:\/usr)?\/bin\/\w{0,3}sh\}/.test(word) ||
      (BARE_SHELL.test(word.replace(/^--?[\w-]{1,32}=/, '')) &&
        (word.startsWith('-') || (words[at - 1] ?? '').startsWith('-') || RUNNING.test(words[at - 1] ?? ''))),
  );
}

/** Whether root is told to run a program that is given a shell to start. */
function handsOver(command: ShellCommand): boolean {
  const { name, args } = command;
  if (name === '' || FILE_WORK.test(name) || ELSEWHERE.test(name) || isForSomebodyElse(command)) return false;
  // What comes behind a script is the script's business.
  if (interpreterOf(name) !== undefined && !args[0]?.text.startsWith('-')) return false;
  return args.some(({ text }, index) => {
    if (/^(?:-s|--shell|--entrypoint)$/.test(args[index - 1]?.text ?? '') || /^--(?:shell|entrypoint)=/.test(text))
      return false;
    if (SHELL_PATH.test(text)) return /^-[il]*$/.test(args[index + 1]?.text ?? '-');
    return /[\s=,!:;(]/.test(text) && SHELL_AMONG_WORDS.test(text.slice(0, WORD_CHARS_MAX)) && !/#!/.test(text);
  });
}

const WORD_CHARS_MAX = 512;

function push(command: ShellCommand, parent: string, confidence: number, found: Action[]): void {
  const what = `starts a shell from within ${named(parent)}`;
  found.push({ kind: 'privilege.shell_escape', confidence, what, origin: command.origin });
}

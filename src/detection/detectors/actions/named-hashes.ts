import type { ShellCommand } from '../../facts/shell/model.ts';
import { named } from '../../reason.ts';
import type { Action } from './action.ts';

/** The databases of password hashes, however many slashes are written in front. */
const FILE = '\\/{1,4}(?:private\\/)?etc\\/(?:g?shadow-?|master\\.passwd|spwd\\.db|security\\/opasswd)';
const OPERAND = new RegExp(`^(?:@|[\\w:.-]{0,64}[=:@])?(?:file:)?(?:\\/\\/)?${FILE}$`);
const WITHIN = new RegExp(`(?:^|[\\s"'(<=:@,])${FILE}(?=$|[\\s"'),;>\\\\])`);
const HINT = /shadow|master\.passwd|spwd|opasswd/;

/** Programs that change, list or watch a file without showing what is in it, and those that only print their words. */
const SILENT: ReadonlySet<string> = new Set(
  'ls ll stat test [ [[ chmod chown chgrp touch rm mkdir rmdir ln echo printf file find fd getfacl setfacl chattr lsattr auditctl ausearch aureport pwck grpck pwconv pwunconv useradd userdel usermod groupadd passwd chage chpasswd vipw vigr type which whereis basename dirname realpath readlink restorecon chcon semanage matchpathcon systemctl git gh logger cd pushd export alias set unset namei fuser lsof inotifywait aide tripwire mount umount du df wc sha256sum sha1sum md5sum b2sum cksum man info apropos locate rg grep egrep fgrep ag ack docker podman sudo doas su env xargs watch time timeout nice nohup tee shred truncate visudo pwgen ansible puppet notify-send debsums rpm dpkg'.split(
    ' ',
  ),
);
/** Programs whose words or input are scripts, in which files are opened. */
const SCRIPTED: ReadonlySet<string> = new Set(
  'vi vim view rvim nvim ex ed red ee nano pico joe emacs less more most man make gmake cmake m4 gdb lldb awk gawk mawk nawk gnuplot octave jq sqlite3 mysql psql bc dc ghc cpio pax expect tclsh jjs jrunscript jshell apache2 apache2ctl httpd nginx bconsole perl ruby lua php ssh tic dialog whiptail xmodmap nft dmsetup'.split(
    ' ',
  ),
);
/** Of those, the ones whose input is what they show or compute with, unless `-f` says that it is the script. */
const READS_DATA: ReadonlySet<string> = new Set('jq awk gawk mawk nawk less more most'.split(' '));
const ARGS_MAX = 32;
const CHARS_MAX = 1_024;

/**
 * Reports programs that are handed a database of password hashes, whatever they are for: nearly every one of them shows
 * what it was given, if only as an error.
 */
export function readNamedHashes(command: ShellCommand, found: Action[]): void {
  const { name, args, stdin } = command;
  if (name === '' || SILENT.has(name)) return;
  const scripted = SCRIPTED.has(name);
  const given = args.slice(0, ARGS_MAX).some(({ text }) => {
    if (text.length > CHARS_MAX || !HINT.test(text)) return false;
    return OPERAND.test(text) || (scripted && WITHIN.test(text));
  });
  const readsData = READS_DATA.has(name) && !args.some(({ text }) => /^-f|^--(?:from-)?file/.test(text));
  const fed = scripted && !readsData && stdin !== undefined && WITHIN.test(stdin.slice(0, CHARS_MAX));
  if (!given && !fed) return;
  const what = `reads password hashes of accounts (${named(name)})`;
  found.push({ kind: 'credential.account_hashes', confidence: 0.85, what, origin: command.origin });
}

import type { EventFacts } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import { interpreterOf, SHELLS } from '../../facts/shell/wrappers.ts';
import { wordsOf } from '../../facts/tools.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { readSigns } from './command-signs.ts';
import { PRIVILEGE_SIGNS } from './privilege-signs.ts';
import { ELEVATING, FILE_WORK, readShellEscape } from './shell-escapes.ts';
import { writtenBy } from './written-content.ts';

/** Whatever gives an account, a program or a container more rights than it had. */
export const privilege = actionDetector({
  id: 'privilege',
  version: 2,
  severity: 'high',
  title:
    'Gives an account, a program, a container or a cloud identity more rights, or gets out of where it is confined.',
  kinds: ['privilege.*', 'recon.privileges', 'evasion.defenses'],
  falsePositives: ['setting up accounts and service identities on purpose', 'containers that build containers'],
  find({ facts, allowance }, found) {
    for (const access of facts.files) {
      if (access.operation === 'write' || access.operation === 'append') readWrite(access, facts, found);
    }
    for (const command of facts.shell.commands) {
      // The accounts of a container are its own.
      if (!(ACCOUNT_PROGRAMS.test(command.name) && isContained(command)))
        readSigns(PRIVILEGE_SIGNS, command, found, allowance);
      readPreload(command, found);
      readShellEscape(command, found);
      readRules(command, found);
      readRulesByEditor(command, found);
      readManifest(command, found);
    }
    if (facts.tool !== undefined && appliesManifests(facts.tool.name))
      for (const { role, text, place } of facts.parameters)
        if (role !== 'command') readRightsOf(text, { place, start: 0, end: text.length }, facts.tool.name, found);
    for (const { name, origin } of facts.shell.assignments) {
      if (PRELOADS.test(name)) found.push(preload(name, origin));
    }
  },
});

const ACCOUNT_PROGRAMS = /^(?:passwd|chpasswd|useradd|adduser|usermod|gpasswd|groupmems)$/;

/** In a container, and not through it in what it was mounted of the host. */
function isContained({ via, args }: ShellCommand): boolean {
  return (
    via.some((name) => /^(?:docker|podman|nerdctl)$/.test(name)) &&
    !via.some((name) => /^(?:chroot|nsenter|ssh)$/.test(name)) &&
    !args.some(({ text }) => /^(?:-R|-P|--root|--prefix)/.test(text))
  );
}

const APPLIES = /^(?:apply|create|replace)$/;
const HOST_PROCESSES = /\bhostPID["']?:\s{0,4}true\b/;
const HOST_ROOT =
  /\bprivileged["']?:\s{0,4}true\b|\bhostPath["']?:\s{0,4}\{?\s{0,40}["']?path["']?:\s{0,4}["']?\/["'\s}]/;
const MANIFEST_CHARS_MAX = 16_384;

/** `kubectl apply -f - <<EOF`: a pod that sees the processes of its node, and is root there. */
function readManifest({ name, args, stdin, origin }: ShellCommand, found: Action[]): void {
  if (stdin === undefined || !/^(?:kubectl|oc)$/.test(name) || !args.some(({ text }) => APPLIES.test(text))) return;
  readRightsOf(stdin, origin, name, found);
}

/** `kubectl_apply`, `k8s_create_resource`: tools that hand a manifest to a cluster. */
function appliesManifests(toolName: string): boolean {
  const words = wordsOf(toolName);
  return CLUSTER_WORDS.some((word) => words.has(word)) && APPLY_WORDS.some((word) => words.has(word));
}

const CLUSTER_WORDS = ['kubectl', 'k8s', 'kubernetes', 'oc', 'openshift', 'helm'];
const APPLY_WORDS = ['apply', 'create', 'replace', 'patch', 'manifest'];

/** Whoever asks, or asks without logging in. */
const ANYBODY = /\bsystem:(?:unauthenticated|anonymous|authenticated)\b/;
const ADMINISTRATORS = /\bcluster-admin\b|["']\*["']/;

function readRightsOf(text: string, origin: Action['origin'], by: string, found: Action[]): void {
  const manifest = text.slice(0, MANIFEST_CHARS_MAX);
  if (HOST_PROCESSES.test(manifest) && HOST_ROOT.test(manifest)) {
    const what = `takes rights over a cluster's nodes (${named(by)})`;
    found.push({ kind: 'privilege.cluster', confidence: 0.85, what, origin });
  }
  if (
    ANYBODY.test(manifest) &&
    ADMINISTRATORS.test(manifest) &&
    /\bkind["']?:\s{0,4}["']?(?:Cluster)?Role/.test(manifest)
  ) {
    const what = `makes everybody an administrator of a cluster (${named(by)})`;
    found.push({ kind: 'privilege.cluster', confidence: 0.85, what, origin });
  }
}

const SUDOERS = /^\/(?:private\/)?(?:usr\/local\/)?etc\/(?:sudoers(?:\.d\/.+)?|doas\.conf|polkit-1\/rules\.d\/.+)$/;
const ACCOUNTS = /^\/(?:private\/)?etc\/(?:passwd|shadow|group|gshadow|master\.passwd|subuid|subgid)$/;
const LOGIN =
  /^\/(?:usr\/local\/)?etc\/(?:pam\.d\/.+|pam\.conf|security\/.+\.conf|ssh\/sshd_config(?:\.d\/.+)?|login\.defs|nsswitch\.conf|hosts\.equiv|securetty)$|^\/(?:usr\/)?lib(?:32|64)?\/(?:[\w-]{1,40}\/)?security\/pam_\w{1,40}\.so$/;
const SSH_SERVER = /\/ssh\/sshd_config(?:\.d\/.+)?$/;
const PRELOAD = /^\/etc\/ld\.so\.(?:preload|conf(?:\.d\/.+)?)$/;
const KERNEL =
  /^\/proc\/sys\/(?:kernel\/(?:core_pattern|modprobe|randomize_va_space|yama\/.+|sysrq|dmesg_restrict|kptr_restrict)|fs\/binfmt_misc\/.+|fs\/suid_dumpable)$|^\/sys\/(?:kernel\/uevent_helper|kernel\/debug\/.+)$|^\/proc\/\d+\/mem$/;

function readWrite(access: FileAccess, facts: EventFacts, found: Action[]): void {
  const { key } = access.path;
  if (RELEASE_AGENT.test(key)) {
    const text = `has the host run something when a container's processes end: ${named(access.path.text)} (${named(access.by)})`;
    found.push({ kind: 'privilege.container_escape', confidence: 0.85, what: text, origin: access.origin });
    return;
  }
  if (access.path.anchor !== 'root') return;
  if (SSH_SERVER.test(key) && closesLogins(access, facts)) return;
  if (LIBRARY_PLACES.test(key) && namesInstalled(access, facts)) return;
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

/** Of a group of processes, wherever it is mounted. */
const RELEASE_AGENT = /\/release_agent$/;
const LIBRARY_PLACES = /^\/etc\/ld\.so\.conf(?:\.d\/.+)?$/;
/** Directories that only root writes to. */
const INSTALLED = /^(?:\/usr|\/opt|\/lib\d*)\/[^\s:]{1,256}$/;

/** Whether programs are to look for libraries where software is installed, and nowhere else. */
function namesInstalled(access: FileAccess, facts: EventFacts): boolean {
  const written = writtenBy(access, { facts })
    .replace(/^\s*#.*$/gm, '')
    .split(/\s+/);
  const names = written.filter((name) => name !== '' && !name.startsWith('-') && name !== access.path.text);
  return names.length > 0 && names.every((name) => INSTALLED.test(name));
}

/** A way to log in that is closed, as it stands in the configuration of an SSH server. */
const CLOSED = String.raw`(?:UsePAM\s+yes|(?:PasswordAuthentication|PermitRootLogin|PermitEmptyPasswords|ChallengeResponseAuthentication|KbdInteractiveAuthentication|HostbasedAuthentication|X11Forwarding|AllowTcpForwarding|AllowAgentForwarding|PermitTunnel|PermitUserEnvironment)\s+(?:no|prohibit-password))`;
const CLOSING_LINE = new RegExp(`^${CLOSED}\\s*$`, 'i');
const CLOSING_EDIT = new RegExp(`^s([/|#,])[^/|,]{1,128}\\1${CLOSED}\\1[gI]{0,2}$`, 'i');

/** `s/a/b/; s/c/d/`: the edits of one script. */
const editsOf = (script: string): string[] => script.split(/;\s*(?=s[/|#,])/);

/** Whether all that `sed`, `echo` or `tee` put into the file closes a way to log in. */
function closesLogins({ command }: FileAccess, facts: EventFacts): boolean {
  const { name = '', args = [], stdin } = (command === undefined ? undefined : facts.shell.commands[command]) ?? {};
  const words = args.map(({ text }) => text).filter((text) => !text.startsWith('-') && !text.startsWith('/'));
  if (name === 'sed') return words.length > 0 && words.flatMap(editsOf).every((text) => CLOSING_EDIT.test(text));
  if (name === 'tee') return stdin !== undefined && CLOSING_LINE.test(stdin.trim());
  if (name === 'echo') return words.length > 0 && CLOSING_LINE.test(words.join(' '));
  const written = facts.parameters.filter(({ key }) => /^new_?(?:string|str|text)$/.test(key));
  const closes = ({ text }: { text: string }): boolean =>
    text
      .trim()
      .split('\n')
      .every((line) => CLOSING_LINE.test(line.trim()));
  return command === undefined && written.length > 0 && written.every(closes);
}

/** Root's rules among the words of a program that root is told to run, and that is none for looking at files or moving them. */
function readRules(command: ShellCommand, found: Action[]): void {
  if (!command.via.some((name) => ELEVATING.test(name)) || FILE_WORK.test(command.name)) return;
  if (command.name === 'visudo' || SHELLS.has(command.name) || interpreterOf(command.name) !== undefined) return;
  if (!command.args.some(({ text }) => RULES_AMONG_WORDS.test(text))) return;
  const what = `names the rules of who may act as root (${named(command.name)})`;
  found.push({ kind: 'privilege.sudoers', confidence: 0.75, what, origin: command.origin });
}

/** `EDITOR='tee -a' visudo`: the rules are written by a program that no person looks through. */
function readRulesByEditor(command: ShellCommand, found: Action[]): void {
  const isVisudo = command.name === 'visudo' || command.args.some(({ text }) => text === 'visudo');
  const editor = isVisudo ? editorOf(command) : undefined;
  if (editor === undefined || !NO_EDITOR.test(editor)) return;
  const what = `has ${named(editor)} change who may act as root`;
  found.push({ kind: 'privilege.sudoers', confidence: 0.85, what, origin: command.origin });
}

/** The editor that is set for `command`, or among its words for what it starts. */
function editorOf({ env, args }: ShellCommand): string | undefined {
  const set = env.find(({ name }) => EDITOR.test(name))?.value;
  if (set !== undefined) return set;
  const word = args.find(({ text }) => text.includes('=') && EDITOR.test(text.slice(0, text.indexOf('='))));
  return word?.text.slice(word.text.indexOf('=') + 1);
}

const EDITOR = /^(?:SUDO_EDITOR|VISUAL|EDITOR)$/;
/** Programs that write what they are fed, or change a file by themselves. */
const NO_EDITOR =
  /^(?:\/(?:\w{1,16}\/){1,3})?(?:tee|sed|gsed|g?awk|perl|python\d?|ruby|(?:ba|z|da)?sh|cp|mv|dd|install|cat|echo|printf|patch|ex)(?:\s|$)|^\/(?:tmp|var\/tmp|dev\/shm)\//;

const RULES_AMONG_WORDS = /(?:^|[\s"'=,(@])\/etc\/sudoers(?:\.d\/|["'\s,)@]|$)/;

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

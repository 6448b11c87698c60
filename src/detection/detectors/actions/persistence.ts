import type { Severity } from '../../../domain/decision.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import { belowHome, type CanonicalPath, landing } from '../../facts/paths.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import { named } from '../../reason.ts';
import type { DetectorInput } from '../detector.ts';
import { type Action, actionDetector } from './action.ts';
import { readSigns } from './command-signs.ts';
import { PERSISTENCE_SIGNS } from './persistence-signs.ts';
import { writtenBy } from './written-content.ts';

/** Whatever makes something run again later, when nobody asked for it. */
export const persistence = actionDetector({
  id: 'persistence',
  version: 4,
  severity: 'high',
  title:
    'Makes something run again: by schedules, services, start-up files, keys for logging in, hooks or registry keys.',
  kinds: ['persistence.*'],
  falsePositives: ['setting up a service or a schedule on purpose', 'adding a directory to PATH in a start-up file'],
  find(input, found) {
    for (const access of input.facts.files) {
      if (access.operation === 'write' || access.operation === 'append') readWrite(access, input, found);
    }
    for (const command of input.facts.shell.commands) {
      readSigns(PERSISTENCE_SIGNS, command, found, input.allowance);
      if (command.name === 'crontab') readCrontab(command, found);
    }
  },
});

interface Spot {
  pattern: RegExp;
  kind: string;
  what: string;
  severity: Severity;
  confidence: number;
}

const spot = (pattern: RegExp, kind: string, what: string, confidence: number, severity: Severity = 'high'): Spot => ({
  pattern,
  kind: `persistence.${kind}`,
  what,
  severity,
  confidence,
});

/** Held against paths from the root, or from a drive's. */
const SYSTEM_SPOTS: readonly Spot[] = [
  spot(
    /^\/etc\/cron(?:tab$|\.[a-z]+\/.|\.allow$)|^\/(?:private\/)?var\/(?:spool\/cron|at|cron\/tabs)\/./,
    'cron',
    'a schedule',
    0.85,
  ),
  spot(/^\/etc\/anacrontab$|^\/var\/spool\/(?:at|anacron)\//, 'cron', 'a schedule', 0.85),
  spot(
    /^\/(?:etc|run|usr\/lib|lib|usr\/local\/lib)\/systemd\/(?:system|user|system-generators)\/./,
    'systemd',
    'a service',
    0.75,
  ),
  spot(
    /^\/(?:usr\/local\/)?etc\/(?:init\.d|rc\d?\.d|init|rc\.d)\/.|^\/etc\/rc(?:\.local|\.common)?$|^\/etc\/inittab$/,
    'init',
    'a start-up script',
    0.85,
  ),
  spot(
    /^\/etc\/(?:profile|bash\.bashrc|bashrc|zshrc|zshenv|zprofile|zsh\/[^/]+|csh\.login|environment)$/,
    'shell_profile',
    "everybody's shell profile",
    0.75,
  ),
  spot(/^\/etc\/profile\.d\/./, 'shell_profile', "everybody's shell profile", 0.75),
  spot(
    /^\/etc\/(?:update-motd\.d|emond\.d\/rules|periodic\/[^/]+|xdg\/autostart|network\/if-[a-z-]+\.d|networkmanager\/dispatcher\.d|dhcp\/dhclient-[a-z-]+\.d|modules-load\.d|acpi\/[^/]+)\/./,
    'hook',
    'something that the system runs by itself',
    0.75,
  ),
  // Settings, unless they name something to run.
  spot(
    /^\/etc\/(?:udev\/rules\.d|apt\/apt\.conf\.d)\/./,
    'hook',
    'something that the system runs by itself',
    0.6,
    'medium',
  ),
  spot(
    /^\/(?:system\/)?library\/(?:launchagents|launchdaemons|startupitems|scriptingadditions|loginplugins)\/./,
    'launch_agent',
    'a launch agent',
    0.85,
  ),
  spot(/^\/lib(?:64)?\/modules\/.|^\/etc\/modules$/, 'kernel_module', 'a kernel module', 0.8),
  spot(
    /^[a-z]:\/(?:programdata\/microsoft\/windows\/(?:start menu|startm~\d)\/programs\/startup|windows\/system32\/tasks|windows\/tasks)\/./,
    'startup_folder',
    'what Windows starts by itself',
    0.9,
  ),
  spot(
    /^[a-z]:\/windows\/system32\/(?:sethc|utilman|osk|magnify|narrator|displayswitch|atbroker)\.exe$/,
    'accessibility',
    "Windows' accessibility programs",
    0.95,
  ),
];

/** Held against paths below a home directory. */
const HOME_SPOTS: readonly Spot[] = [
  spot(/^\.ssh\/(?:authorized_keys2?|rc|environment)$/, 'authorized_keys', 'who may log in', 0.9),
  spot(
    /^\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|bash_aliases|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|shrc|login|inputrc)$|^\.config\/fish\/(?:config\.fish|conf\.d\/.+)$/,
    'shell_profile',
    'a shell profile',
    0.6,
    'medium',
  ),
  // It starts what stands in a file of its own, which is told of where it is written.
  spot(/^\.config\/systemd\/user\/[\w@.-]{1,128}\.timer$/, 'systemd', 'a schedule', 0.6, 'medium'),
  spot(/^\.config\/systemd\/user\/.|^\.local\/share\/systemd\/user\/./, 'systemd', 'a service', 0.75),
  spot(
    /^\.config\/autostart\/.|^\.(?:xinitrc|xsession|xprofile|xsessionrc|pam_environment)$|^\.kde\/autostart\/./,
    'autostart',
    'what starts with a desktop',
    0.8,
  ),
  spot(
    /^library\/(?:launchagents|scripts|preferences\/com\.apple\.login[a-z]+\.plist)/,
    'launch_agent',
    'a launch agent',
    0.85,
  ),
  spot(
    /^appdata\/roaming\/microsoft\/windows\/(?:start menu|startm~\d)\/programs\/startup\/./,
    'startup_folder',
    'what Windows starts by itself',
    0.9,
  ),
  spot(
    /(?:^|\/)(?:windows)?powershell\/(?:microsoft\.[a-z]+_)?profile\.ps1$/,
    'shell_profile',
    'a PowerShell profile',
    0.75,
  ),
  spot(
    /(?:^|\/)(?:usercustomize|sitecustomize)\.py$|site-packages\/[^/]+\.pth$/,
    'interpreter',
    'what Python runs at each start',
    0.8,
  ),
];

const GIT_HOOK = /(?:^|\/)\.git\/hooks\/[a-z-]+$/;
const ROOT_KEYS = /(?:^|\/)(?:authorized_keys2?|authorized_keys\/[^/]+)$/;

/** What no one puts into a shell profile who only wants to set it up. */
const HOSTILE_LINE =
  /\/dev\/(?:tcp|udp)\/|\b(?:nc|ncat|socat)\b[^\n]{0,80}-[a-z]*[elc]\b|\b(?:curl|wget)\b[^\n]{0,200}\|\s{0,4}(?:ba|z|da)?sh\b|base64\s+(?:-d|--decode|-D)|ld_preload|\balias\s+(sudo|su|ssh|ls|cd|cat)=(?![\x22']?(?:\1|eza|exa|lsd|bat)\b[^;|&$`\n]{0,200}$)|\brm\s+-[a-z]{0,4}r[a-z]{0,4}\s+["']?[/~]|\btrap\b|prompt_command\+?=[^\n]{0,200}(?:\/|\b(?:curl|wget|nc|eval|(?:ba|z|da)?sh|python\d?|perl|base64|logger|tee)\b)|nohup|\bpython[\d.]*\s+-c\b|\bperl\s+-e\b|[^&\s]\s{0,8}&\s*$|histfile=[\x22']?(?:\/dev\/null|[\x22']?\s*$)|unset histfile|hist(?:file)?size=[\x22']?0\b|set \+o history|\/(?:tmp|dev\/shm)\b|\bsudo\b|(?:pre|post)-invoke|\brun(?:\{\w+\})?\+?=/im;

/** All that is put into a profile is a variable, by its name and value, and no command runs for that. */
const SETS_VARIABLE =
  /^\s{0,8}(?:(?:export|set|setx?env|echo)\s{1,4}|-[a-z]{1,3}\s{1,4}|["']){0,4}[A-Z_][A-Z0-9_]{0,63}=(?:[^;&|`\n$<>]|[$<>](?!\()){0,512}\s{0,8}$/;

function readWrite(access: FileAccess, input: DetectorInput, found: Action[]): void {
  const { path } = access;
  if (path.anchor === 'share') return;
  const inWorkTree = path.anchor === 'work_tree';
  const place = inWorkTree
    ? (placeInWorkTree(path.key) ?? (path.climbs > 0 ? spotOf(landing(path)) : undefined))
    : spotOf(path);
  if (place === undefined) return;
  const written =
    place.severity === 'medium' || place.kind === 'persistence.shell_profile' ? writtenBy(access, input) : '';
  const hostile = place.severity === 'medium' && HOSTILE_LINE.test(written);
  if (place.severity === 'high' && SETS_VARIABLE.test(written) && !HOSTILE_LINE.test(written)) {
    const what = `sets a variable in ${place.what}: ${named(path.text)} (${named(access.by)})`;
    found.push({ kind: place.kind, severity: 'medium', confidence: 0.6, what, origin: access.origin });
    return;
  }
  found.push({
    kind: place.kind,
    severity: hostile ? 'high' : place.severity,
    confidence: hostile ? 0.85 : place.confidence,
    what: `changes ${place.what}: ${named(path.text)} (${named(access.by)})`,
    origin: access.origin,
  });
}

function spotOf(path: CanonicalPath): Spot | undefined {
  const below = belowHome(path);
  const subject = below ?? path.key;
  return (below === undefined ? SYSTEM_SPOTS : HOME_SPOTS).find(({ pattern }) => pattern.test(subject));
}

/** A schedule that is edited line by line is what cron is for; one that fetches or hides something is not. */
function readCrontab(command: ShellCommand, found: Action[]): void {
  const words = command.args.map(({ text }) => text);
  if (words.some((word) => /^-[lreiV]$/.test(word))) return;
  const fromScratch = words.some((word) => /^\/(?:tmp|var\/tmp|dev\/shm)\//.test(word));
  const hostile =
    fromScratch || (command.stdin !== undefined && HOSTILE_SCHEDULE.test(command.stdin.slice(0, SCHEDULE_CHARS_MAX)));
  found.push({
    kind: 'persistence.cron',
    severity: hostile ? 'high' : 'medium',
    confidence: hostile ? 0.85 : 0.6,
    what: 'replaces a schedule (crontab)',
    origin: command.origin,
  });
}

const SCHEDULE_CHARS_MAX = 8_192;
const HOSTILE_SCHEDULE =
  /\/dev\/(?:tcp|udp)\/|\b(?:curl|wget|nc|ncat|socat|base64|python[\d.]*\s+-c|perl\s+-e|bash\s+-[ic])\b|\/(?:tmp|dev\/shm|var\/tmp)\/|@reboot|^\s*\*\s+\*\s+\*\s+\*\s+\*/im;

/** A git hook of the project runs at the next commit; a dotted path may stand for the one in a home directory. */
function placeInWorkTree(key: string): Spot | undefined {
  if (GIT_HOOK.test(key)) return spot(GIT_HOOK, 'git_hook', 'a git hook', 0.6, 'medium');
  if (/(?:^|\/)\.ssh\//.test(key) && ROOT_KEYS.test(key)) return HOME_SPOTS[0];
  return undefined;
}

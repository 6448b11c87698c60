import type { ShellAssignment, ShellCommand, ShellWord } from '../../facts/shell/model.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { readAttackTool } from './attack-tools.ts';
import { readAutorunFile, readFedBuild } from './autorun-files.ts';
import { readSigns } from './command-signs.ts';
import { readTouchedFile } from './kept-files.ts';
import { LINUX_SIGNS } from './linux-signs.ts';
import { MAC_SIGNS } from './mac-signs.ts';
import { readRegistryWrite } from './registry-writes.ts';
import { WINDOWS_SIGNS } from './windows-signs.ts';

/** What a system's own means of administration are used for when it is to be weakened, opened or kept. */
export const hostTampering = actionDetector({
  id: 'host_tampering',
  version: 4,
  severity: 'high',
  title: "Weakens, opens, spies on or stays on a machine by its system's own commands, or runs a tool for breaking in.",
  kinds: [
    'evasion.*',
    'persistence.*',
    'privilege.*',
    'credential.*',
    'collection.*',
    'recon.*',
    'exfiltration.*',
    'shell.*',
  ],
  falsePositives: ['setting up a machine or a domain on purpose', 'testing what watches over a machine'],
  find(input, found) {
    const { facts, allowance } = input;
    for (const command of facts.shell.commands) {
      for (const signs of SIGNS) readSigns(signs, command, found, allowance);
      readRegistryWrite(command, found);
      readAttackTool(command, found);
      readMasquerade(command, found);
      readFedBuild(command, found);
      for (const variable of command.env) readAssignment({ origin: command.origin, ...variable }, found);
    }
    for (const assignment of facts.shell.assignments) readAssignment(assignment, found);
    for (const access of facts.files) {
      readTouchedFile(access, input, found);
      readAutorunFile(access, input, found);
    }
  },
});

const SIGNS = [LINUX_SIGNS, MAC_SIGNS, WINDOWS_SIGNS];

/** Variables by which a runtime is made to load something, or to be silent. */
const LOADED_BY = /^(?:COR_PROFILER(?:_PATH)?|COR_ENABLE_PROFILING|DOTNET_STARTUP_HOOKS|COMPlus_ETWEnabled)$/i;
/** Variables that are run at every prompt, and what makes of that a record of what people type. */
const PROMPTS = /^(?:PROMPT_COMMAND|PS[0124])$/;
const RECORDS = /\blogger\b|\btee\b|BASH_COMMAND|\bcurl\b|\bnc\b|\/dev\/(?:tcp|udp)\//;

/** Variables that name what a runtime loads before its own work, and a file where anybody can write. */
const LOADS =
  /^(?:NODE_OPTIONS|BASH_ENV|ENV|PYTHONSTARTUP|PERL5OPT|PERL5DB|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS)$/;
const FROM_SCRATCH = /(?:^|[=\s:"'])\/(?:private\/)?(?:tmp|var\/tmp|dev\/shm)\/[\w.]/;
/** Variables whose value is a command, and one that begins there or runs what it fetches. */
const STARTS =
  /^(?:GIT_SSH|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|GIT_ASKPASS|SSH_ASKPASS|LESSOPEN|PROMPT_COMMAND|PAGER|MANPAGER|GIT_PAGER|EDITOR|VISUAL|GIT_EDITOR|GIT_SEQUENCE_EDITOR)$/;
const STRANGE =
  /^["'|\s]{0,4}(?:(?:ba|z|da)?sh\s{1,4})?\/(?:private\/)?(?:tmp|var\/tmp|dev\/shm)\/[\w.]|\b(?:curl|wget)\b[^|]{0,256}\|\s{0,4}(?:ba|z|da)?sh\b/;

function readAssignment({ name, value, origin }: ShellAssignment, found: Action[]): void {
  const say = (kind: string, what: string): void => {
    found.push({ kind, confidence: 0.8, what: `${what} (${named(name)})`, origin });
  };
  if (LOADED_BY.test(name) && value !== '') {
    if (/etw/i.test(name)) say('evasion.defenses', 'keeps a runtime from telling what it does');
    else say('persistence.interpreter', 'has a library loaded into every program of a runtime');
  } else if ((LOADS.test(name) && FROM_SCRATCH.test(value)) || (STARTS.test(name) && STRANGE.test(value))) {
    say('persistence.interpreter', 'has a program run what does not belong to it');
  } else if (PROMPTS.test(name) && RECORDS.test(value)) say('collection.keyboard', 'records what people type');
}

/** Documents and pictures: what is none of them has no reason to be called so. */
const DOCUMENT = 'pdf|docx?|xlsx?|pptx?|odt|rtf|txt|csv|jpe?g|png|gif|bmp|ico|svg|mp3|mp4|wav|avi|mov';
const DOUBLE_ENDING = new RegExp(
  `\\.(?:${DOCUMENT})\\.(?:exe|scr|com|bat|cmd|pif|js|vbs|hta|lnk|sh|py|app|command|desktop)$`,
);
const PICTURE = /\.(?:pdf|docx?|xlsx?|pptx?|jpe?g|png|gif|bmp|ico|mp3|mp4|wav|avi|mov)$/;
const RUNNERS: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh ash fish source . powershell pwsh perl ruby start-process rundll32 regsvr32 wscript cscript'.split(
    ' ',
  ),
);
const COPIERS: ReadonlySet<string> = new Set(
  'cp copy copy-item xcopy install ditto mv move move-item ren rename-item'.split(' '),
);
/** Programs by which others are run, where they belong. */
const SYSTEM_PROGRAM =
  /(?:^|[\\/])(?:windows[\\/]+(?:system32|syswow64)|windowspowershell[\\/]+v1\.0)[\\/]+(?:.*[\\/])?(?:cmd|powershell|pwsh|cscript|wscript|mshta|rundll32|regsvr32|certutil|bitsadmin|msbuild|psexec|reg|schtasks|wmic|ie4uinit|svchost|lsass|explorer|conhost|calc|notepad)\.exe$|^\/(?:usr\/)?bin\/(?:ba|da|z|k)?sh$/i;
/** Processes that only the system starts. */
const SYSTEM_PROCESS =
  /(?:^|[\\/])(?:svchost|lsass|csrss|smss|wininit|winlogon|services|taskhostw?|spoolsv|dllhost|runtimebroker|searchindexer|lsm|sihost|ctfmon)\.exe$/i;
const SYSTEM_PLACE = /windows[\\/]+(?:system32|syswow64|winsxs)/i;
/** `file.txt:stream`, but no drive and no address. */
const STREAM = /[^:\\/]\.\w{1,4}:[\w.$-]{1,64}$/;
/** A directory that nobody sees in a list. */
const ODD_DIRECTORY = /\/\.{3,}\/[^/.]/;

/** Something that is run under a name, or from a place, that is to look like something else. */
function readMasquerade(command: ShellCommand, found: Action[]): void {
  const { name, args } = command;
  const say = (what: string, confidence: number): void => {
    found.push({ kind: 'evasion.masquerade', confidence, what: `${what} (${named(name)})`, origin: command.origin });
  };
  if (command.dialect === 'powershell' && command.redirects.some(({ target }) => STREAM.test(target.text))) {
    const what = `writes into a stream of a file that nobody sees (${named(name)})`;
    found.push({ kind: 'evasion.attributes', confidence: 0.8, what, origin: command.origin });
  }
  if (DOUBLE_ENDING.test(name)) return say('runs a program that looks like a document', 0.85);
  if (RUNNERS.has(name)) {
    const operand = args.find(({ text }) => text !== '' && !/^[-/][a-z]{0,16}$/i.test(text))?.text.toLowerCase() ?? '';
    if (!/\s/.test(operand) && (PICTURE.test(operand) || DOUBLE_ENDING.test(operand)))
      return say('runs a program that looks like a document', 0.8);
  }
  if (!COPIERS.has(name)) return;
  const operands = args.filter(({ text }) => !/^[-/][a-z]{0,16}$/i.test(text));
  if (isDisguise(operands)) say('puts a program of the system under another name or place', 0.8);
}

function isDisguise(operands: readonly ShellWord[]): boolean {
  const [source, target] = [operands[0]?.text ?? '', operands.at(-1)?.text ?? ''];
  if (operands.length < 2) return false;
  if (ODD_DIRECTORY.test(`${target}/x`)) return true;
  if (SYSTEM_PLACE.test(target)) return false;
  return (SYSTEM_PROGRAM.test(source) && !source.startsWith('/')) || SYSTEM_PROCESS.test(target);
}

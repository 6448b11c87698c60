import type { CodeCall } from '../../facts/code.ts';
import type { EventFacts } from '../../facts/event-facts.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import { interpreterOf, SHELLS } from '../../facts/shell/wrappers.ts';
import { named } from '../../reason.ts';
import type { Action } from './action.ts';
import { isPublished, KNOWN_INSTALLERS } from './known-installers.ts';
import { decodes, FETCHERS, sourcesOf } from './pipelines.ts';

interface Download {
  /** How it came to be there, for the person. */
  how: 'fetched' | 'unpacked';
  /** Base name of the file, lower case. */
  base: string;
  file: string;
  url: string;
  /** What fetched or unpacked it. */
  by: string;
}

const DOWNLOADS_MAX = 32;
/** Scripts, and programs of Windows. */
const RUNNABLE = /\.(?:sh|bash|zsh|ps1|psm1|py|pl|rb|bat|cmd|exe|msi|dll|scr|com|hta|vbs|jar)$/i;
/** Hosts by number, places where anybody can put anything, and no encryption. */
const DOUBTFUL =
  /^(?:https?:\/\/)?(?:\d{1,3}(?:\.\d{1,3}){3}|\[)|^http:\/\/(?!localhost|127\.)|pastebin|paste\.|hastebin|rentry\.|ghostbin|transfer\.sh|file\.io|0x0\.st|anonfiles|catbox|gofile|temp\.sh|bit\.ly|tinyurl|t\.ly|is\.gd|cutt\.ly|ngrok|trycloudflare|serveo|\.onion|discordapp|duckdns|no-ip|\.tk\/|\.xyz\/|\.top\/|raw\.githubusercontent|gist\.|:\d{4,5}\//i;
const HIDDEN = /(?:^|[\\/]|env:)(?:tmp|shm|temp|public|appdata|programdata|perflogs)[\\/]|(?:^|\/)\.[^./]/i;

/** Programs that are fetched into a file and then run from it. */
export function downloadExecutions({ shell: { commands }, code, parameters }: EventFacts, found: Action[]): void {
  const downloads = code
    .flatMap((call) => downloadInCode(call) ?? [])
    .filter((download) => isNamedAgain(download, parameters))
    .slice(0, DOWNLOADS_MAX);
  for (const command of commands) {
    const download = downloadBy(command) ?? writtenFromPipe(command, commands);
    if (download !== undefined) {
      if (downloads.length < DOWNLOADS_MAX) downloads.push(download);
    } else if (downloads.length > 0) {
      followCopy(command, downloads);
      matchRun(command, commands, downloads, found);
    }
  }
}

/** `curl … | tee a.sh`, `base64 -d > a.sh`: the file that the end of a pipeline leaves what was fetched or unpacked in. */
function writtenFromPipe(command: ShellCommand, commands: readonly ShellCommand[]): Download | undefined {
  const redirect = command.redirects.find(({ operator, target }) => operator.startsWith('>') && !target.dynamic);
  const file = targetOf(command) ?? redirect?.target.text;
  if (file === undefined || file.startsWith('/dev/')) return undefined;
  const sources = [command, ...sourcesOf(command, commands)];
  const fetcher = command.input === undefined ? undefined : sources.find(({ name }) => FETCHERS.has(name));
  const base = baseName(file).toLowerCase();
  if (fetcher !== undefined) return { how: 'fetched', file, base, url: urlOf(fetcher) ?? '', by: fetcher.name };
  const decoder = sources.find(decodes);
  return decoder === undefined ? undefined : { how: 'unpacked', file, base, url: '', by: decoder.name };
}

/** Where `tee`, `dd` and `install` put what they are fed. */
function targetOf({ name, args }: ShellCommand): string | undefined {
  const words = args.map(({ text }) => text);
  if (name === 'tee') return words.find((word) => !word.startsWith('-'));
  if (name === 'dd') return words.find((word) => word.startsWith('of='))?.slice(3);
  return name === 'install' && words.includes('/dev/stdin') ? words.at(-1) : undefined;
}

/** Under another name it is still what was fetched. */
function followCopy({ name, args }: ShellCommand, downloads: Download[]): void {
  if (!COPIERS.has(name) || downloads.length >= DOWNLOADS_MAX) return;
  const words = args.flatMap(({ text }) => (text.startsWith('-') ? [] : [text.replace(/^(?:if|of)=/, '')]));
  const target = words.at(-1);
  if (target === undefined || words.length < 2) return;
  const origin = downloads.find(({ base }) => words.slice(0, -1).some((text) => baseName(text).toLowerCase() === base));
  if (origin !== undefined) downloads.push({ ...origin, file: target, base: baseName(target).toLowerCase() });
}

const COPIERS: ReadonlySet<string> = new Set([
  'cp',
  'mv',
  'ln',
  'link',
  'rsync',
  'install',
  'dd',
  'copy',
  'move',
  'copy-item',
  'move-item',
]);

/** `$web.DownloadFile("https://…", "a.exe")`, which stands for itself wherever in the script it is. */
function downloadInCode({ callee, strings: [url = '', file] }: CodeCall): Download | undefined {
  if (file === undefined || !DOWNLOADS.test(callee) || !/^[a-z]{2,8}:\/\//i.test(url)) return undefined;
  return { how: 'fetched', file, base: baseName(file).toLowerCase(), url, by: callee };
}

/** Whether the file is named beside its download: an argument of a call may read like a command of its own. */
function isNamedAgain({ base, url }: Download, parameters: EventFacts['parameters']): boolean {
  const inCall = url.toLowerCase().includes(base) ? 2 : 1;
  return parameters.some(({ text }) => text.toLowerCase().split(base, inCall + 2).length > inCall + 1);
}

const DOWNLOADS = /(?:(?:^|\.)download_?file(?:async|taskasync)?|\burlretrieve)$/i;

const DOWNLOADERS: ReadonlySet<string> = new Set(
  'curl wget wget2 fetch aria2c axel invoke-webrequest invoke-restmethod start-bitstransfer certutil bitsadmin scp tftp'.split(
    ' ',
  ),
);

function downloadBy(command: ShellCommand): Download | undefined {
  const { name, args, redirects } = command;
  if (!DOWNLOADERS.has(name)) return undefined;
  const words = args.map(({ text }) => text);
  const url = urlOf(command);
  if (url === undefined) return undefined;
  // `tftp -g -r file host`
  if (name === 'tftp') {
    const file = words[words.indexOf('-r') + 1] ?? '';
    return words.includes('-r')
      ? { how: 'fetched', file, base: baseName(file).toLowerCase(), url, by: name }
      : undefined;
  }
  const option = words.findIndex(
    (word) =>
      /^(?:--output|--output-document|-[a-zA-Z]*o)$/.test(word) ||
      /^-(?:outf|dest)[a-z]{0,8}$/i.test(word) ||
      (/^-[a-zA-Z]*O$/.test(word) && name.startsWith('wget')),
  );
  const target =
    option >= 0 ? words[option + 1] : redirects.find(({ operator }) => operator.startsWith('>'))?.target.text;
  const attached = words.find((word) => /^--output(?:-document)?=/.test(word))?.replace(/^[^=]*=/, '');
  const remote =
    url
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '';
  const takesName =
    name.startsWith('wget') ||
    words.some((word) => /^(?:-[a-zA-Z]*O|--remote-name)$/.test(word)) ||
    /^(?:certutil|bitsadmin|start-bitstransfer|fetch|aria2c|axel)$/.test(name);
  const file =
    target ??
    attached ??
    (takesName ? (words.findLast((word) => /^[a-z]:\\|^%|\.(?:exe|ps1|bat|sh)$/i.test(word)) ?? remote) : undefined);
  return file === undefined || file === '' || file === '-'
    ? undefined
    : { how: 'fetched', file, base: baseName(file).toLowerCase(), url, by: name };
}

/** What `command` fetches, as far as its words tell; with the scheme that is assumed where none is written. */
function urlOf({ name, args }: ShellCommand): string | undefined {
  const words = args.map(({ text }) => text);
  const url = words.find((word) => /^[a-z]+:\/\/|^[\w.-]+\.[a-z]{2,}\/|^\d+\.\d+\.\d+\.\d+/i.test(word));
  const bare =
    url ??
    (/^(?:curl|wget2?)$/.test(name)
      ? words.find((word, index) => BARE_HOST.test(word) && !TAKES_NEXT.test(words[index - 1] ?? ''))
      : undefined);
  if (bare === undefined || bare.includes('://') || !/^(?:curl|wget2?)$/.test(name)) return bare;
  const secure = `https://${bare}`;
  return isPublished(secure) ? secure : `http://${bare}`;
}

const TAKES_NEXT =
  /^(?:-[a-zA-Z]{0,8}[oOHAeuxdTKbcmwP]|--(?:output|output-document|header|user-agent|referer|user|proxy|data|config|cookie|cookie-jar))$/;
const BARE_HOST = /^[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?::\d{1,5})?$/;

/** What starts a file by what its name says of it. */
const OPENERS: ReadonlySet<string> = new Set(['start-process', 'invoke-item']);
/** Programs of a system that run what a file says, whatever it is called. */
const HOSTS: ReadonlySet<string> = new Set(
  'msbuild mshta regsvr32 rundll32 cscript wscript installutil regasm regsvcs msiexec'.split(' '),
);

function runsAs(name: string, base: string): boolean {
  return name === base || (base.endsWith('.exe') && name === base.slice(0, -4));
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

/** The file that `command` is fed: `sh < a.sh`, `cat a.sh | sh`. */
function fedFile(command: ShellCommand, commands: readonly ShellCommand[]): string | undefined {
  const redirect = command.redirects.find(({ operator }) => operator === '<');
  if (redirect !== undefined) return redirect.target.text;
  const reader = sourcesOf(command, commands).find(({ name }) => name === 'cat');
  return reader?.args.find(({ text }) => !text.startsWith('-'))?.text;
}

function matchRun(
  command: ShellCommand,
  commands: readonly ShellCommand[],
  downloads: readonly Download[],
  found: Action[],
): void {
  const { name } = command;
  const runner =
    SHELLS.has(name) ||
    name === 'source' ||
    name === '.' ||
    OPENERS.has(name) ||
    HOSTS.has(name) ||
    interpreterOf(name) !== undefined;
  const [operand] = command.args.filter(({ text }) => !/^[-+]/.test(text));
  const script = operand?.text ?? (runner ? fedFile(command, commands) : undefined);
  if (!runner && name !== 'chmod' && !downloads.some(({ base }) => runsAs(name, base))) return;
  for (const { how, file, base, url, by } of downloads) {
    const runs = runsAs(name, base) || (runner && script !== undefined && baseName(script).toLowerCase() === base);
    const prepares =
      name === 'chmod' &&
      /\+[rwst]*x|^[0-7]{0,4}[157][0-7]{0,4}$/.test(operand?.text ?? '') &&
      command.args.some(({ text }) => baseName(text).toLowerCase() === base);
    if (!runs && !prepares) continue;
    // Opened by what it is for: a picture, a table.
    if (OPENERS.has(name) && !RUNNABLE.test(base)) continue;
    if (how === 'unpacked') {
      const what = `runs what ${named(by)} unpacked (${named(name)})`;
      if (runs)
        found.push({ kind: 'shell.obfuscated', severity: 'high', confidence: 0.75, what, origin: command.origin });
      continue;
    }
    const doubtful =
      DOUBTFUL.test(url) ||
      (HIDDEN.test(file) && !KNOWN_INSTALLERS.test(url)) ||
      (RUNNABLE.test(base) && !isPublished(url));
    found.push({
      kind: 'shell.download_execute',
      severity: runs && doubtful ? 'high' : runs ? 'medium' : 'low',
      confidence: runs ? (doubtful ? 0.8 : 0.6) : 0.5,
      what: `${runs ? 'runs' : 'makes runnable'} what ${named(by)} fetched (${named(name)})`,
      origin: command.origin,
    });
  }
}

import type { Origin } from '../../facts/shell.ts';
import { type Action, actionDetector } from './action.ts';
import { CODE_SIGNS, type CodeSign, mayHoldSign, SIGN_CHARS_MAX } from './code-signs.ts';
import { THEFT_SIGNS } from './code-signs-theft.ts';
import { mayHoldWindowsSign, WINDOWS_CODE_SIGNS } from './code-signs-windows.ts';
import { isKnownInstallation } from './known-installers.ts';
import { withoutSaid } from './said-texts.ts';
import { codeWritten, WRITTEN_SIGNS } from './written-code.ts';

/** Inline code, and whole command lines, that do together what none of their parts does alone. */
export const codeAttacks = actionDetector({
  id: 'code_attacks',
  version: 2,
  severity: 'high',
  title:
    'Code that connects a shell to another machine, unpacks or fetches what it runs, or reaches into other processes.',
  kinds: [
    'shell.*',
    'privilege.shell_escape',
    'destructive.files',
    'evasion.*',
    'persistence.*',
    'credential.*',
    'destructive.cloud',
    'recon.*',
    'exfiltration.command',
    'privilege.cluster',
    'privilege.container_escape',
    'exfiltration.environment',
    'collection.*',
  ],
  falsePositives: ['programs that teach or test such techniques'],
  find({ facts, allowance }, found) {
    let charsLeft = CHARS_MAX;
    const seen = new Set<string>();
    const read = (text: string, origin: Origin): void => {
      if (seen.has(text) || charsLeft <= 0) return;
      seen.add(text);
      if (text.length > SIGN_CHARS_MAX) allowance.cut('code_attacks', `chars ${SIGN_CHARS_MAX}`);
      charsLeft -= text.length;
      readText(text.slice(0, SIGN_CHARS_MAX), origin, found);
    };
    for (const { role, key, text, place } of facts.parameters) {
      const origin = { place, start: 0, end: text.length };
      if (role === 'command') read(text.length > CHARS_MAX ? text : withoutSaid(text, facts.shell.commands), origin);
      else if (
        (role === 'code' && !onlySearches(text)) ||
        (role === 'text' && PAGE_CODE_KEYS.test(key) && PAGE_CODE.test(text))
      )
        read(text, origin);
    }
    for (const { code, origin } of facts.scripts) if (!onlySearches(code)) read(code, origin);
    for (const { text, place } of codeWritten(facts))
      readFor(WRITTEN_SIGNS, text, { place, start: 0, end: text.length }, found);
  },
});

/** Code that holds its texts against expressions and starts nothing: what is written in it is looked for. */
function onlySearches(code: string): boolean {
  return code.length <= SEARCHING_CHARS_MAX && SEARCHES.test(code) && !STARTS.test(code);
}

const SEARCHING_CHARS_MAX = 4_096;
const SEARCHES = /\bre\.(?:search|match|findall|finditer|fullmatch)\(|\bpreg_match(?:_all)?\(/;
/** Calls and imports by which code runs something, connects somewhere, or hides what it calls; cells that a shell reads. */
const STARTS =
  /\b(?:import|from|require\(?)\s{0,4}(?:[\w.]{1,32},\s{0,4}){0,8}["']?(?:subprocess|pty|socket|ctypes|importlib|marshal|pickle|child_process|multiprocessing|asyncio|requests|urllib|httpx|paramiko|pexpect|sh|fabric|invoke|plumbum)\b|\b(?:__import__|getattr|globals|__builtins__)\b|\bos\.(?!path\b|linesep\b)|\b(?:system|popen|exec\w{0,4}|eval|spawn\w{0,4}|fork|shell_exec|passthru|proc_open|compile|run|call|check_output|Popen)\s?\(|^\s{0,16}[!%]|`/im;

/** What a browser is given to run in a page. */
const PAGE_CODE_KEYS = /^(?:function|expression|script|javascript|js|pagefunction)$/;
const PAGE_CODE = /=>|\bfunction\b|\bdocument\b|\bwindow\b/;

/** UTF-16 code units that are read of one event. */
const CHARS_MAX = 65_536;

function readText(text: string, origin: Origin, found: Action[]): void {
  if (mayHoldSign(text)) {
    readFor(CODE_SIGNS, text, origin, found);
    readFor(THEFT_SIGNS, text, origin, found);
  }
  if (mayHoldWindowsSign(text)) readFor(WINDOWS_CODE_SIGNS, text, origin, found);
}

function readFor(signs: readonly CodeSign[], text: string, origin: Origin, found: Action[]): void {
  for (const { all, kind, severity, confidence, what } of signs) {
    if (all.every((pattern) => pattern.test(text)) && !isQuoted(text))
      found.push({ kind, severity: severityIn(text, kind, severity), confidence, what, origin });
  }
}

function severityIn(text: string, kind: string, severity: CodeSign['severity']): CodeSign['severity'] {
  return kind.startsWith('shell.') && isKnownInstallation(text) ? 'medium' : severity;
}

/** Commands that only search for or print such words: `grep -r FromBase64String src`. */
function isQuoted(text: string): boolean {
  return /^\s*(?:grep|rg|ag|git\s+(?:log|grep|commit)|man|echo|select-string|sls|findstr)\s[^|;&\n`$>]*$/i.test(
    text.slice(0, 512),
  );
}

import type { Origin } from '../../facts/shell/model.ts';
import { type Action, actionDetector } from './action.ts';
import { CODE_SIGNS, type CodeSign, mayHoldSign, SIGN_CHARS_MAX } from './code-signs.ts';
import { SHELL_CODE_SIGNS } from './code-signs-shells.ts';
import { THEFT_SIGNS } from './code-signs-theft.ts';
import { mayHoldWindowsSign, WINDOWS_CODE_SIGNS } from './code-signs-windows.ts';
import { isKnownInstallation } from './known-installers.ts';
import { withoutSaid } from './said-texts.ts';
import { codeWritten, WRITTEN_SIGNS } from './written-code.ts';

/** Inline code, and whole command lines, that do together what none of their parts does alone. */
export const codeAttacks = actionDetector({
  id: 'code_attacks',
  version: 3,
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
      else if (role === 'code' || (role === 'text' && PAGE_CODE_KEYS.test(key) && PAGE_CODE.test(text)))
        read(withoutPatterns(text), origin);
    }
    for (const { code, origin } of facts.scripts) read(withoutPatterns(code), origin);
    for (const { text, place } of codeWritten(facts))
      readFor(WRITTEN_SIGNS, text, { place, start: 0, end: text.length }, found);
  },
});

/**
 * `code` without the expressions that it only searches for: the first argument of such a call, where that is one literal. Code that runs
 * texts, or takes an expression's own, is left as it is.
 */
function withoutPatterns(code: string): string {
  return SEARCHES.test(code) && !RUNS_TEXTS.test(code) ? code.replace(PATTERN, '$1""') : code;
}

const SEARCHES = /\bre\.(?:search|match|findall|finditer|fullmatch)\(|\bpreg_match(?:_all)?\(/;
const PATTERN =
  /(\b(?:re\.(?:search|match|findall|finditer|fullmatch)|preg_match(?:_all)?)\(\s{0,8})[rRbBuU]{0,2}(?:"(?:[^"\\\n]|\\[^\n]){0,1024}"|'(?:[^'\\\n]|\\[^\n]){0,1024}')(?=\s{0,8}[,)])/g;
const RUNS_TEXTS = /\b(?:exec|eval|compile|assert|create_function|__import__|getattr)\s{0,8}\(|\.pattern\b|\.re\b/;

/** What a browser is given to run in a page. */
const PAGE_CODE_KEYS = /^(?:function|expression|script|javascript|js|pagefunction)$/;
const PAGE_CODE = /=>|\bfunction\b|\bdocument\b|\bwindow\b/;

/** UTF-16 code units that are read of one event. */
const CHARS_MAX = 65_536;

function readText(text: string, origin: Origin, found: Action[]): void {
  if (mayHoldSign(text)) {
    readFor(SHELL_CODE_SIGNS, text, origin, found);
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

/** Commands that only search for or print such words: `grep -r FromBase64String src`. What PowerShell is given in brackets it runs. */
function isQuoted(text: string): boolean {
  if (text.length > QUOTED_CHARS_MAX) return false;
  if (/^\s*(?:grep|rg|ag|git\s+(?:log|grep|commit)|man)\s[^|;&\n`$>]*$/i.test(text)) return true;
  const plain = text.replace(/'[^'\n]{0,512}'|"[^"$`\n]{0,512}"/g, '');
  return /^\s*(?:echo|select-string|sls|findstr)\s[^|;&\n`$>(){}@]*$/i.test(plain);
}

const QUOTED_CHARS_MAX = 512;

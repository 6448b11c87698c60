import type { FileAccess } from '../../facts/file-access.ts';
import { named } from '../../reason.ts';
import type { DetectorInput } from '../detector.ts';
import type { Action } from './action.ts';
import { KNOWN_INSTALLERS } from './known-installers.ts';
import { STUDIED } from './written-code.ts';
import { writtenBy } from './written-content.ts';

/** Files whose commands some program runs without being asked, and what of their content does so. */
interface AutorunFile {
  /** Held against the path, in lower case. */
  path: RegExp;
  /** The part of the content that is run by itself; all of it where left out. */
  runs?: RegExp;
  /** What such a part may not hold. */
  fault: 'fetches' | 'tells_secrets' | 'reaches_out';
  severity?: Action['severity'];
}

const AUTORUN_FILES: readonly AutorunFile[] = [
  {
    path: /(?:^|\/)package\.json$/,
    runs: /"(?:(?:pre|post)?install|prepare|prepublish|preprepare|postprepare)"\s{0,4}:\s{0,4}"(?:[^"\\\n]|\\.){1,1024}"/g,
    fault: 'fetches',
  },
  { path: /(?:^|\/)setup\.py$/, fault: 'fetches' },
  {
    path: /(?:^|\/)(?:\.vscode\/tasks\.json|\.devcontainer\/devcontainer\.json|\.devcontainer\.json)$/,
    fault: 'fetches',
  },
  {
    path: /(?:^|\/)(?:\.?mcp\.json|mcp_config\.json|mcp_settings\.json|claude_desktop_config\.json|\.(?:claude|gemini|cursor|codex)\/[\w.-]{1,64}\.(?:json|toml))$/,
    fault: 'fetches',
  },
  {
    path: /(?:^|\/)(?:claude|agents|gemini|copilot-instructions)\.md$|(?:^|\/)\.(?:cursorrules|windsurfrules|clinerules|goosehints)$/,
    fault: 'fetches',
    severity: 'medium',
  },
  { path: /(?:^|\/)\.github\/workflows\/[^/]{1,128}\.ya?ml$/, fault: 'tells_secrets' },
  {
    path: /(?:^|\/)\.ssh\/config(?:\.d\/.{1,128})?$/,
    runs: /(?:^|\\n)[ \t]{0,16}(?:ProxyCommand|LocalCommand|KnownHostsCommand|Match\s{1,4}exec)\s[^\n]{1,512}/gim,
    fault: 'reaches_out',
  },
];

const FAULTS: Readonly<Record<AutorunFile['fault'], { test: (text: string) => boolean; what: string }>> = {
  fetches: { test: runsWhatItFetches, what: 'has a file that is run by itself run what it fetches' },
  tells_secrets: {
    test: (text) => /\btoJSON\(\s{0,4}secrets\s{0,4}\)/i.test(text) && /\b(?:curl|wget|nc|base64|fetch)\b/.test(text),
    what: 'has a workflow tell all secrets of a repository',
  },
  reaches_out: {
    test: (text) => /\b(?:curl|wget|python\d?|perl|base64)\b|\/dev\/tcp\//.test(text),
    what: 'has every connection run a command that does not connect',
  },
};

const FETCHED = /\b(?:curl|wget)\b([^|;&\n]{0,256})\|\s{0,4}(?:sudo\s{1,4})?(?:[\w/]{1,32}\/)?(?:ba|z|da)?sh\b/g;

/** `curl … | sh`, unless it is an installer that everybody uses. */
function runsWhatItFetches(text: string): boolean {
  return [...text.matchAll(FETCHED)].some(([, words = '']) => {
    const address = /(?:https?:\/\/)?[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?:[:/][^\s"'\\]{0,256})?/.exec(words)?.[0];
    return address === undefined || !KNOWN_INSTALLERS.test(address);
  });
}

/** What is put into a file that some program runs from by itself. */
export function readAutorunFile(access: FileAccess, input: DetectorInput, found: Action[]): void {
  if (access.operation !== 'write' && access.operation !== 'append') return;
  const key = access.path.key.toLowerCase();
  const file = AUTORUN_FILES.find(({ path }) => path.test(key));
  if (file === undefined || STUDIED.test(key)) return;
  const content = writtenBy(access, input);
  const parts = file.runs === undefined ? [content] : (content.match(file.runs) ?? []);
  const { test, what } = FAULTS[file.fault];
  if (!parts.some(test)) return;
  found.push({
    kind: 'persistence.hook',
    ...(file.severity === undefined ? {} : { severity: file.severity }),
    confidence: 0.8,
    what: `${what}: ${named(access.path.text)} (${named(access.by)})`,
    origin: access.origin,
  });
}

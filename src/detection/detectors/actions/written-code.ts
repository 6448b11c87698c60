import type { EventFacts, Parameter } from '../../facts/event-facts.ts';
import { CODE_SIGNS, type CodeSign } from './code-signs.ts';
import { SHELL_CODE_SIGNS } from './code-signs-shells.ts';
import { THEFT_SIGNS } from './code-signs-theft.ts';
import { WINDOWS_CODE_SIGNS } from './code-signs-windows.ts';
import { CONTENT_KEYS } from './written-content.ts';

/** Files of code by their ending: what is written into one is there to be run. */
const CODE_FILE =
  /\.(?:sh|bash|zsh|ksh|py|pyw|pl|pm|rb|php\d?|phtml|lua|js|cjs|mjs|ts|go|rs|c|cc|cpp|cs|java|kt|scala|groovy|dart|hs|v|jl|cr|nim|ps1|psm1|bat|cmd|vbs|hta|jsp|jspx|asp|aspx|ashx|awk|tcl)$/i;
/** Where techniques are written down in order to be found, not run. */
export const STUDIED =
  /(?:^|[/\\._-])(?:tests?|specs?|fixtures?|__tests__|testdata|samples?|examples?|docs?|rules?|detect\w{0,8}|signatures?|payloads?|corpus)(?:$|[/\\._-])/i;

/** What of all that code may do is no ordinary part of any program. */
export const WRITTEN_SIGNS: readonly CodeSign[] = [
  ...SHELL_CODE_SIGNS,
  ...CODE_SIGNS,
  ...THEFT_SIGNS,
  ...WINDOWS_CODE_SIGNS,
].filter(({ kind }) =>
  /^(?:shell\.(?:reverse_shell|crypto_miner)|persistence\.web_shell|exfiltration\.environment|collection\.clipboard)$/.test(
    kind,
  ),
);

/** A program that does nothing else is short; a terminal or a server that also starts shells is not. */
const CODE_CHARS_MAX = 4_096;

/** What a cluster or a cloud is told to start. */
const STARTED_KEYS = /^(?:yaml|manifests?|spec|userdata|cloudinit|compose|dockerfile|taskdefinition)$/;

/** The texts that a file tool puts into a file of code, or that say what a cluster is to start. */
export function codeWritten({ tool, files, parameters }: EventFacts): readonly Parameter[] {
  const started = parameters.filter(({ role, key }) => role === 'text' && STARTED_KEYS.test(key));
  if (started.length > 0) return started.filter(({ text }) => text.length <= CODE_CHARS_MAX);
  if (tool?.kind !== 'file_write') return [];
  const path = files.find(({ operation }) => operation === 'write' || operation === 'append')?.path.text;
  if (path === undefined || !CODE_FILE.test(path) || STUDIED.test(path)) return [];
  return parameters.filter(
    ({ role, key, text }) => role === 'text' && text.length <= CODE_CHARS_MAX && CONTENT_KEYS.test(key),
  );
}

import { decodeBase64 } from '../decode.ts';
import type { ShellCommand } from './model.ts';

/** Options of `powershell` that take a value, as far as they may be cut short. */
const VALUED =
  /^[-/](?:ex[a-z]*|ep|w|wi[a-z]*|v[a-z]*|psc[a-z]*|inp?[a-z]*|if|outp?[a-z]*|of|config[a-z]*|settings[a-z]*|wo[a-z]*|wd|cus[a-z]*)$/i;
/** Code units of the command line that are searched for what a program starts. */
const LINE_CHARS_MAX = 8_192;

/** The script that `powershell` is given in its words, or undefined where it is given none, or a file. */
export function powerShellScript(words: readonly string[]): string | undefined {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (/^[-/]e(?:c|n[a-z]*)?$/i.test(word)) return decodeBase64(words[at + 1] ?? '', 'utf16le');
    if (/^[-/]c(?:o[a-z]*)?$/i.test(word)) return words.slice(at + 1).join(' ');
    if (/^[-/]f(?:i[a-z]*)?$/i.test(word)) return undefined;
    if (!/^[-/]/.test(word)) return words.slice(at).join(' ');
    if (VALUED.test(word)) at++;
  }
  return undefined;
}

const START_OPTION =
  /^(?:-(?:filep[a-z]*|arg[a-z]*|verb|wait|passthru|nonewwindow|nnw|windowst[a-z]*|w|workingdirectory|hidden|runas|minimized|normal|maximized)|\/(?:b|i|min|max|wait|low|normal|high|realtime)|hidden|runas|)$/i;

/** Programs that start another one, and the part of their command line that names it. */
const STARTED: ReadonlyMap<string, RegExp> = new Map([
  ['forfiles', /(?:^| )[-/]c ([\s\S]+)$/i],
  ['pcalua', /(?:^| )[-/]a ([\s\S]+)$/i],
  ['wmic', /\bcall "?create"? ([\s\S]+)$/i],
  ['conhost', /^(?:--headless )?((?!0x)[^-][\s\S]*)$/i],
  ['runas', /^(?:[-/]\S+ )+([\s\S]+)$/i],
]);

/** What a command of Windows runs in its turn: `iex '…'`, `powershell -Enc …`, `cmd /c …`, `forfiles /c …`. */
export function innerScript({ name, args }: ShellCommand): string | undefined {
  const words = args.map((arg) => arg.text);
  switch (name) {
    case 'invoke-expression':
      return words.filter((text) => !/^-command$/i.test(text)).join(' ');
    case 'powershell':
    case 'pwsh':
      return powerShellScript(words);
    case 'cmd': {
      const at = words.findIndex((text) => /^\/[ckr]/i.test(text));
      const first = words[at]?.slice(2) ?? '';
      return at < 0 ? undefined : [...(first === '' ? [] : [first]), ...words.slice(at + 1)].join(' ');
    }
    case 'start-process':
      return words.filter((text) => !START_OPTION.test(text)).join(' ');
    default: {
      const pattern = STARTED.get(name);
      return pattern?.exec(words.join(' ').slice(0, LINE_CHARS_MAX))?.[1];
    }
  }
}

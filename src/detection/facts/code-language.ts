/** What a text is that a tool runs as code: of a shell, of PowerShell, statements for a database, or of the language so called. */
export type CodeLanguage = 'shell' | 'powershell' | 'sql' | { called: string };

const SHELLS = /^(?:(?:ba|z|k|da|fi)?sh|shell|shell[-_ ]?script|console|terminal)$/;
const WINDOWS_SHELLS = /^(?:powershell|pwsh|ps1?|cmd|bat|batch|dos)$/;
const DATABASES = /^(?:(?:pl|t|p|my|no)?sql|postgres(?:ql)?|sqlite3?|mariadb|duckdb)$/;
const SHEBANG = /^\s{0,64}#!\s{0,4}\S{0,64}?(?:\/env\s{1,4}(?:-S\s{1,4})?)?(?:\/|\b)(?:ba|z|k|da|fi)?sh(?:\s|$)/;
/** Properties that say what the code beside them is written in. */
export const LANGUAGE_NAMES: readonly string[] = (
  'language lang languageId language_id programmingLanguage programming_language kernel kernel_name kernelName interpreter ' +
  'runtime syntax dialect'
).split(' ');
const NAME_CHARS_MAX = 32;

/** What `owner`, which holds the code, or the code's own first line says that it is written in. */
export function codeLanguage(owner: object, code: string): CodeLanguage | undefined {
  if (SHEBANG.test(code.slice(0, 256))) return 'shell';
  for (const name of LANGUAGE_NAMES) {
    const value: unknown = Object.hasOwn(owner, name) ? (owner as Record<string, unknown>)[name] : undefined;
    if (typeof value !== 'string' || value === '' || value.length > NAME_CHARS_MAX) continue;
    const called = value.trim().toLowerCase();
    if (SHELLS.test(called)) return 'shell';
    if (WINDOWS_SHELLS.test(called)) return 'powershell';
    return DATABASES.test(called) ? 'sql' : { called };
  }
  return undefined;
}

/** Nothing in it that a program has and a command does not need: whoever says no language may have meant a shell's. */
const COMMAND_LIKE = /^[^(){}=;:]{1,1024}$/;

/** Languages that tools are called after, and that no shell reads. */
const TOOL_LANGUAGES: ReadonlySet<string> = new Set(
  'python python3 javascript typescript js ruby php perl golang kotlin csharp'.split(' '),
);

/** Machines and makers of them: there a language only says what the tool is made of, or which machine it is. */
const ELSEWHERE = ['host', 'node', 'cluster', 'server', 'deploy', 'remote', 'ssh', 'container'];

/** The one language that a tool of such words runs `code` in, where that is no shell's and `code` is no command. */
export function languageNamed(words: ReadonlySet<string>, code: string): CodeLanguage | undefined {
  if (mayBeCommand(code) || CELL.test(code) || ELSEWHERE.some((word) => words.has(word))) return undefined;
  let called: string | undefined;
  for (const word of words) {
    if (!TOOL_LANGUAGES.has(word)) continue;
    if (called !== undefined) return undefined;
    called = word;
  }
  return called === undefined ? undefined : { called };
}

/** A cell of a notebook that something else reads. */
const CELL = /^\s{0,16}(?:%%|!)/m;

/** Whether `code` of no language that is known may be a command. */
export function mayBeCommand(code: string): boolean {
  return COMMAND_LIKE.test(code);
}

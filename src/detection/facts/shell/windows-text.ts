/** How much of a text is looked at: what gives Windows away stands early, or in every line. */
const HEAD_CHARS_MAX = 4_096;

const VARIABLE =
  'systemroot|windir|systemdrive|temp|tmp|appdata|localappdata|programdata|allusersprofile|programfiles(?:\\(x86\\))?|userprofile|public|comspec|homepath|homedrive|username|userdomain|computername|cd';
const SIGNS = new RegExp(
  `(?:^|[\\s"'\`(=;|&,@:])(?:[a-z]:\\\\|%(?:${VARIABLE})(?::~[-\\d,]{1,8})?%|\\\\\\\\[?.\\w-]{1,64}\\\\|\\.\\\\[\\w.-]{1,64}\\.(?:exe|bat|cmd|ps1)\\b|hk(?:lm|cu|cr|u|ey_\\w{4,24})(?::?\\\\|:))|\\$env:\\w|\\w\\^\\w{1,16}(?:\\^\\w|\\s+/\\w)`,
  'i',
);

/**
 * Whether a text that came in without a word about its shell is written for Windows: by its paths, variables, registry
 * keys or carets, of which a POSIX reading leaves nothing.
 */
export function isWindowsText(text: string): boolean {
  return SIGNS.test(text.length > HEAD_CHARS_MAX ? text.slice(0, HEAD_CHARS_MAX) : text);
}

/** Variables that stand for the same place on every machine. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['systemroot', 'C:\\Windows'],
  ['windir', 'C:\\Windows'],
  ['systemdrive', 'C:'],
  ['programdata', 'C:\\ProgramData'],
  ['allusersprofile', 'C:\\ProgramData'],
  ['programfiles', 'C:\\Program Files'],
  ['public', 'C:\\Users\\Public'],
  ['comspec', 'C:\\Windows\\System32\\cmd.exe'],
]);

/** The value of an environment variable that Windows sets, or undefined where it differs between machines. */
export function windowsVariable(name: string): string | undefined {
  return KNOWN.get(name.toLowerCase());
}

/** Names of inputs, normalized, by what they hold whoever the tool is. */

/** The words of `text`, for tables of names. */
export const list = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

export const COMMAND_KEYS = list(
  'command cmd commandline commands shellcommand bashcommand terminalcommand cmdline cmds shellscript',
);
export const CODE_KEYS = list(
  'code source sourcecode script program python javascript js cell snippet expression codeblock',
);
export const PATH_KEYS = list(
  'path paths file files filename filenames filepath filepaths targetfile absolutepath relativepath notebookpath',
);
export const URL_KEYS = list('url urls uri href link endpoint webhook webhookurl baseurl targeturl pageurl');
export const SQL_KEYS = list('sql sqlquery sqltext stmt statement statements cypher cql');
export const CONTENT_KEYS = list(
  'content contents newstring newstr newtext filetext text data body edits oldstring oldstr',
);

export function isUrlKey(key: string): boolean {
  return URL_KEYS.has(key) || key.endsWith('url') || key.endsWith('urls') || key.endsWith('uri');
}

export function isPathKey(key: string): boolean {
  return PATH_KEYS.has(key) || key.endsWith('path') || key.endsWith('paths') || key.endsWith('filename');
}

import { credentialKind } from '../../facts/credential-files.ts';
import { belowHome, canonicalPath } from '../../facts/paths.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import { dumpsEnvironment } from './environment-dumps.ts';
import { printsSecrets } from './secret-printers.ts';

/** Whether what `command` prints is of this machine or its files. */
export function readsMachine(command: ShellCommand): boolean {
  return DUMPS.test(command.name) || READERS.test(command.name) || printsCredentials(command) || dumpsRecords(command);
}

/** Whether it prints what one logs in with, or the environment, in which that stands. */
export function printsCredentials(command: ShellCommand): boolean {
  return printsSecrets(command) || dumpsEnvironment(command);
}

/** Whether what it prints is nobody's outside: credentials, what it searched for them, records, or sensitive files. */
export function printsSensitive(command: ShellCommand): boolean {
  if (printsCredentials(command) || searchesSecrets(command) || dumpsRecords(command)) return true;
  if (
    /^(?:set|export|declare|history|getent|sqlite3|tcpdump|tshark|pbpaste|xclip|xsel|wl-paste|get-clipboard)$/.test(
      command.name,
    )
  )
    return true;
  const read = command.redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  return [...command.args, ...read].some(({ text }) => isSensitiveFile(text));
}

/** Whether it prints whole records of a database, and not how many there are. */
function dumpsRecords({ name, args }: ShellCommand): boolean {
  if (DUMPERS.has(name)) return true;
  return CLIENTS.has(name) && args.some(({ text }) => WHOLE_RECORDS.test(text));
}

const DUMPERS: ReadonlySet<string> = new Set(
  'mysqldump mariadb-dump pg_dump pg_dumpall mongodump mongoexport'.split(' '),
);
const CLIENTS: ReadonlySet<string> = new Set('psql mysql mariadb clickhouse-client sqlcmd bq'.split(' '));
const WHOLE_RECORDS = /\bselect\s{1,8}\*|\bcopy\b[\s\S]{1,512}?\bto\s{1,8}stdout\b/i;

/** `grep -r AKIA …`, `rg 'BEGIN .* PRIVATE KEY'`: looks for what one logs in with. */
function searchesSecrets({ name, args }: ShellCommand): boolean {
  return /^(?:[ef]?grep|rg|ag|ack)$/.test(name) && args.some(({ text }) => SOUGHT.test(text));
}

const SOUGHT = /AKIA|\bBEGIN\b.{0,16}PRIVATE|api[_-]?key|secret[_-]?(?:access|key)|passw(?:or)?d|aws_secret/i;

/** A file outside of the work tree that says something about the machine or its people. */
export function isSensitiveFile(text: string): boolean {
  if (text === '' || text.startsWith('-') || text.includes('://')) return false;
  const path = canonicalPath(text);
  if (credentialKind(path) !== undefined) return true;
  if (
    PROJECT_KEYS.test(path.key) &&
    !/(?:^|[/_.-])(?:pub(?:lic)?|tests?|examples?|samples?|fixtures?)(?:[/_.-]|$)/.test(path.key)
  )
    return true;
  const below = belowHome(path);
  if (below !== undefined) return (below === '' && path.key.endsWith('*')) || PERSONAL.test(below);
  return (
    path.anchor === 'root' &&
    /^\/(?:$|etc\/|etc$|root|home(?:\/\*)?$|var\/(?:log|lib|mail|spool|backups)|proc\/|private\/etc|users(?:\/\*)?$)/.test(
      path.key,
    )
  );
}

/** Keys that a project keeps beside its code, and directories that are named after what is in them. */
const PROJECT_KEYS =
  /(?:^|\/)(?:[\w.-]{1,64}\.(?:key|p12|pfx|jks|keystore|kdbx|ppk)|[\w.-]{0,64}(?:key|private)[\w.-]{0,64}\.pem|(?:service[_-]?account|credentials|secrets?)[\w.-]{0,64}\.(?:json|ya?ml|toml)|secrets?|private[_-]?keys?|credentials)$/i;

/** What a person keeps in a home directory, without caches and programs. */
const PERSONAL =
  /^(?:\.(?!cache|npm|cargo|local\/bin)|documents|desktop|library\/(?:keychains|mail|messages|application support)|pictures)/;

/** Programs that print the state of the machine, its network or who is logged in. */
const DUMPS =
  /^(?:env|printenv|set|export|declare|history|ps|netstat|ss|tcpdump|tshark|ifconfig|whoami|id|uname|hostname|getent|last|w|lsof|dmesg|crontab|systeminfo|get-childitem|pbpaste|xclip|xsel|wl-paste|get-clipboard)$/;
/** Programs that print what files hold, or their names. */
const READERS =
  /^(?:cat|tac|head|tail|tar|gzip|zip|zcat|base64|xxd|od|openssl|gpg|find|[ef]?grep|rg|ag|strings|dd|sqlite3|sed|awk|less|bzip2|xz|7z|get-content|ls|cut|tr|sort)$/;

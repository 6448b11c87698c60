import type { ShellCommand } from '../shell/model.ts';
import { type Options, optionNames, readOptions } from '../shell/options.ts';
import type { Touched } from './touched.ts';

const CURL_VALUES = optionNames(
  'A user-agent b cookie c cookie-jar C continue-at d data data-ascii data-binary data-raw data-urlencode D dump-header e referer E cert F form form-string h H header K config key cacert capath m max-time connect-timeout o output P Q r range t T upload-file u user U x proxy X request w write-out y Y z retry resolve url json interface limit-rate max-redirs socks5 unix-socket cert-type key-type pass ciphers oauth2-bearer aws-sigv4',
);

/** Of what goes between machines, each program's options that take a value. */
export const WGET_VALUES = optionNames(
  'O output-document o output-file P directory-prefix i input-file post-file body-file post-data body-data method header U user-agent t T tries timeout e execute user password',
);
export const RSYNC_VALUES =
  'e rsh f filter exclude include exclude-from include-from files-from rsync-path bwlimit chmod chown port B block-size T temp-dir M remote-option timeout password-file log-file compare-dest copy-dest link-dest partial-dir backup-dir suffix max-size min-size';
export const SCP_VALUES = 'i P F o c l S J D X';

/** Options of `curl` for the net facts and the file facts. */
export function curlOptions(command: ShellCommand): Options {
  return readOptions(command.args, { valued: CURL_VALUES });
}

export function curl(command: ShellCommand): Touched[] {
  const options = curlOptions(command);
  const touched: Touched[] = [];
  for (const [name, words] of options.values) {
    for (const word of words) {
      const { text } = word;
      if (/^(?:d|data|data-binary|data-ascii|data-urlencode|json|b|cookie|H|header)$/.test(name)) {
        const file = /^(?:[^=@]*)@(.+)$/.exec(text)?.[1];
        const named = name === 'data-urlencode' || text.startsWith('@');
        if (file !== undefined && named) touched.push({ operation: 'read', word: { ...word, text: file } });
      } else if (name === 'F' || name === 'form') {
        const file = /=[@<]([^;]+)/.exec(text)?.[1];
        if (file !== undefined) touched.push({ operation: 'read', word: { ...word, text: file } });
      } else if (name === 'T' || name === 'upload-file') {
        touched.push({ operation: 'read', word });
      } else if (/^(?:K|config|E|cert|key|cacert)$/.test(name)) {
        touched.push({ operation: 'load', word });
      } else if (/^(?:o|output|c|cookie-jar|D|dump-header)$/.test(name)) {
        touched.push({ operation: 'write', word });
      }
    }
  }
  for (const word of options.operands) {
    if (/^file:/i.test(word.text)) touched.push({ operation: 'read', word });
  }
  return touched;
}

export function wget(command: ShellCommand): Touched[] {
  const options = readOptions(command.args, { valued: WGET_VALUES });
  const touched: Touched[] = [];
  for (const name of ['post-file', 'body-file', 'i', 'input-file']) {
    for (const word of options.values.get(name) ?? []) touched.push({ operation: 'read', word });
  }
  for (const name of ['O', 'output-document']) {
    for (const word of options.values.get(name) ?? []) touched.push({ operation: 'write', word });
  }
  return touched;
}

/** Clients of object stores: `aws s3 cp a b`, `gsutil cp`, `rclone copy`. The local side is a file. */
export function upload(command: ShellCommand): Touched[] {
  const { operands: words } = readOptions(command.args);
  const copies = words.findIndex((word) => /^(?:cp|mv|sync|copy|put|upload)$/.test(word.text));
  const source = copies < 0 ? undefined : words[copies + 1];
  return source === undefined || source.text.includes('://')
    ? []
    : [{ operation: 'read', word: source, recursive: true }];
}

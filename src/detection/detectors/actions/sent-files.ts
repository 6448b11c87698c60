import { curlOptions, RSYNC_VALUES, SCP_VALUES, WGET_VALUES } from '../../facts/files/transfers.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import { optionNames, readOptions } from '../../facts/shell/options.ts';

/** For each program that copies to and from other machines, its options that take a value. */
const COPIERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['scp', optionNames(SCP_VALUES)],
  ['rsync', optionNames(RSYNC_VALUES)],
]);

/** The files whose content `command` takes to another machine, as it names them. `-` is what it reads. */
export function filesSent(command: ShellCommand): string[] {
  const files: string[] = [];
  const { name, args } = command;
  const copierOptions = COPIERS.get(name);
  if (name === 'curl') {
    const { values } = curlOptions(command);
    for (const option of ['T', 'upload-file']) for (const value of values.get(option) ?? []) files.push(value.text);
    for (const option of ['d', 'data', 'data-binary', 'data-ascii', 'data-urlencode', 'json', 'F', 'form']) {
      for (const value of values.get(option) ?? []) {
        const named = (option === 'data-urlencode' ? /^[\w.-]{0,64}@(.+)/ : /(?:^|=)[@<]([^;]+)/).exec(value.text)?.[1];
        // A form may take several: `-F files=@a,b`.
        if (named !== undefined) files.push(...(option === 'F' || option === 'form' ? named.split(',') : [named]));
      }
    }
  } else if (name === 'wget') {
    const { values } = readOptions(args, { valued: WGET_VALUES });
    for (const option of ['post-file', 'body-file'])
      for (const value of values.get(option) ?? []) files.push(value.text);
  } else if (copierOptions !== undefined) {
    const { operands } = readOptions(args, { valued: copierOptions });
    const target = operands.at(-1)?.text ?? '';
    if (/^(?:[^/@]+@)?[^/:]+:/.test(target))
      files.push(
        ...operands
          .slice(0, -1)
          .map(({ text }) => text)
          .filter((text) => !/^(?:[^/@]+@)?[^/:]+:/.test(text)),
      );
  } else if (/^(?:nc|ncat|netcat|socat|telnet|openssl|http|https|xh)$/.test(name)) {
    if (name === 'openssl' && args[0]?.text !== 's_client') return [];
    files.push(...command.redirects.filter(({ operator }) => operator === '<').map(({ target }) => target.text));
    for (const { text } of args) {
      const file =
        /^(?:file|open):([^,]+)/i.exec(text)?.[1] ??
        /^[\w.-]+@(\S+)$/.exec(name.startsWith('http') || name === 'xh' ? text : '')?.[1];
      if (file !== undefined) files.push(file);
    }
  } else if (name.startsWith('invoke-')) {
    const at = args.findIndex(({ text }) => /^-infile$/i.test(text));
    if (at >= 0 && args[at + 1] !== undefined) files.push((args[at + 1] as { text: string }).text);
  } else if (name === 'sftp' || name === 'ftp' || name === 'tftp') {
    const put = /\b(?:m?put|send)\s+(\S+)/.exec(
      `${command.stdin ?? ''} ${args.map(({ text }) => text).join(' ')}`,
    )?.[1];
    if (put !== undefined) files.push(put);
  } else if (publishes(command)) {
    const { operands } = readOptions(args.slice(2), { valued: optionNames('d desc f filename t title R repo') });
    files.push(...operands.map(({ text }) => text));
  } else if (/^(?:croc|wormhole|magic-wormhole)$/.test(name)) {
    const [verb, ...sent] = readOptions(args, { valued: optionNames('code c relay pass') }).operands;
    if (verb?.text === 'send') files.push(...sent.map(({ text }) => text));
  } else if (/^(?:mail|mailx|mutt)$/.test(name)) {
    const at = args.findIndex(({ text }) => text === '-a' || text === '-A');
    if (at >= 0 && args[at + 1] !== undefined) files.push((args[at + 1] as { text: string }).text);
  }
  return files;
}

/** `gh gist create`, `glab snippet create`: what it is given can be read by whoever has the address. */
export function publishes({ name, args: [noun, verb] }: ShellCommand): boolean {
  return (
    verb?.text === 'create' &&
    ((name === 'gh' && noun?.text === 'gist') || (name === 'glab' && noun?.text === 'snippet'))
  );
}

import { type HostFact, hostFact, hostsOfUrl, shortenedUrl } from './hosts.ts';
import type { ShellCommand, ShellWord } from './shell/model.ts';

export interface Contact {
  host: HostFact;
  method?: string | undefined;
}

/** What a program contacts by its words. */
export type Client = (command: ShellCommand, urlCharsMax: number) => Contact[];

export function named(host: string, port?: number): Contact[] {
  const fact = hostFact(host);
  return fact === undefined ? [] : [{ host: { scheme: undefined, port, path: '', ...fact } }];
}

/** `user@host:port`; what stands apart as `port` counts where none is written so. */
export function endpoint(text: string, port?: ShellWord): Contact[] {
  const place = text.slice(text.lastIndexOf('@') + 1);
  const written = /^(\[[^\]]{0,64}\]|[^:]{0,255}):(\d{1,5})$/.exec(place);
  return named(written?.[1] ?? place, portOf(written?.[2] ?? port?.text));
}

function portOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : undefined;
}

export function url(arg: ShellWord, urlCharsMax: number, method?: string): Contact[] {
  return hostsOfUrl(shortenedUrl(arg.text, urlCharsMax)).map((host) => ({ host, method }));
}

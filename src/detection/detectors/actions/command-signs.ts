import type { Severity } from '../../../domain/decision.ts';
import type { Allowance } from '../../cuts.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import { named } from '../../reason.ts';
import type { Action } from './action.ts';

/** What a command line says about itself by its program and its words. */
export interface CommandSign {
  /** Names of programs, separated by spaces, as `ShellCommand.name` has them. */
  programs: string;
  /** Held against the words, in lower case, joined by single spaces. Left out: the program alone says it. */
  words?: RegExp;
  /** Where this matches, nothing is meant. */
  unless?: RegExp;
  kind: string;
  severity: Severity;
  confidence: number;
  /** As half a sentence: "stops the firewall". */
  what: string;
}

export type SignIndex = ReadonlyMap<string, readonly CommandSign[]>;

/** UTF-16 code units of the words that are looked at: what a sign asks for stands in front. */
const WORDS_CHARS_MAX = 1_024;
const HELP = /^(?:-h|--help|-\?|\/\?|--version|help)$/;

/** PowerShell's way to say what would be done, and not do it. */
function isTriedOnly({ name, args }: ShellCommand): boolean {
  if (!CMDLET.test(name)) return false;
  const trials = args.filter(({ text }) => /^-whatif/i.test(text));
  return trials.length === 1 && /^-whatif$/i.test(trials[0]?.text ?? '');
}

const CMDLET =
  /^(?:add|clear|copy|disable|enable|grant|install|move|new|remove|rename|reset|restart|revoke|set|start|stop|suspend|uninstall|unregister|update)-[a-z]{2,48}$/;

/** The signs of several families, by program. */
export function indexSigns(signs: readonly CommandSign[]): SignIndex {
  const index = new Map<string, CommandSign[]>();
  for (const sign of signs) {
    for (const program of sign.programs.split(' ')) {
      const list = index.get(program);
      if (list === undefined) index.set(program, [sign]);
      else list.push(sign);
    }
  }
  return index;
}

/** Adds what `command` is by the signs of its program. */
export function readSigns(index: SignIndex, command: ShellCommand, found: Action[], allowance: Allowance): void {
  const signs = index.get(command.name);
  if (signs === undefined) return;
  const words = wordsOf(command);
  if (words.length === WORDS_CHARS_MAX) allowance.cut('command', `chars ${WORDS_CHARS_MAX}`);
  if (HELP.test(words) || isTriedOnly(command)) return;
  for (const { words: pattern, unless, kind, severity, confidence, what } of signs) {
    if (pattern?.test(words) === false || unless?.test(words) === true) continue;
    found.push({ kind, severity, confidence, what: `${what} (${named(command.name)})`, origin: command.origin });
  }
}

/** The words of `command` as signs are held against them. */
export function wordsOf(command: ShellCommand): string {
  let words = '';
  for (const arg of command.args) {
    words += words === '' ? arg.text : ` ${arg.text}`;
    if (words.length > WORDS_CHARS_MAX) break;
  }
  return words.slice(0, WORDS_CHARS_MAX).toLowerCase();
}

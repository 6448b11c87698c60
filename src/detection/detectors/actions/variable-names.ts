import type { EventFacts } from '../../facts/event-facts.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';

/** Commands of one pipeline that are followed. */
const STEPS_MAX = 6;

/** What hands on lines as they are, and who prints secrets of a cluster as JSON. */
const PASSERS = /^(?:kubectl|oc|cat|grep|egrep|sort|uniq|head|tail|tr)$/;

/**
 * Whether what the command at `index` reads of a file of assignments, or of a secret in JSON, comes out as names alone: `cut -d= -f1 .env`,
 * `cat .env | sed 's/=.*\/=***\/'`. How careful agents see which variables there are. Values of several lines may show.
 */
export function showsNamesOnly(index: number, facts: EventFacts, stepsLeft = STEPS_MAX): boolean {
  const { commands } = facts.shell;
  const command = commands[index] as ShellCommand;
  if (stepsLeft === 0 || writesFile(index, facts)) return false;
  if (cutsValuesOff(command)) return true;
  if (!PASSERS.test(command.name) || (CLUSTER_PROGRAMS.has(command.name) && !printsJson(command))) return false;
  const readers = commands.flatMap(({ input }, at) => (input === index ? [at] : []));
  return readers.length > 0 && readers.every((at) => showsNamesOnly(at, facts, stepsLeft - 1));
}

export const CLUSTER_PROGRAMS: ReadonlySet<string> = new Set(['kubectl', 'oc']);

/** As JSON, whose keys are names; with a template they may be anything, and with much said the answer itself is told beside. */
function printsJson({ args }: ShellCommand): boolean {
  const words = args.map(({ text }) => text).join(' ');
  return (
    /(?:^|\s)(?:-o\s?=?|--output[= ])(?:json|jsonpath=['"]?\{\.data\}['"]?)(?:\s|$)/.test(words) &&
    !/template|jsonpath(?!=['"]?\{\.data\}['"]?(?:\s|$))|custom-columns|(?:^|\s)-{1,2}v[= ]?\d/.test(words)
  );
}

function writesFile(index: number, { files }: EventFacts): boolean {
  return files.some(
    ({ command, operation, path }) =>
      command === index && (operation === 'write' || operation === 'append') && path.key !== '/dev/null',
  );
}

function cutsValuesOff({ name, args }: ShellCommand): boolean {
  const words = args.map(({ text }) => text);
  switch (name) {
    case 'cut':
      return CUT.test(words.join(' '));
    case 'sed':
      return (
        isOneScript(words, /^(?:-[Erus]|-e|--regexp-extended)$/, SUBSTITUTION) &&
        words.filter((word) => word === '-e').length <= 1
      );
    case 'awk':
    case 'gawk':
      return AWK.test(words.join(' '));
    case 'grep':
    case 'egrep':
      return (
        (words.some((word) => /^-\w{0,6}o/.test(word)) && isOneScript(words, /^-[oEhHinw]{1,6}$/, NAME_PATTERN)) ||
        isOneScript(words, /^-[EHhn]{1,4}$/, OPEN_VARIABLES)
      );
    case 'jq':
      return (
        isOneScript(words, /^-[rcMS]{1,4}$/, KEYS_OF_JSON) && words.filter((word) => !word.startsWith('-')).length === 1
      );
    default:
      return false;
  }
}

/** Whether all options are of those that `allowed` knows, and the first other word, which is what is to be done, is as `expected`. */
function isOneScript(words: readonly string[], allowed: RegExp, expected: RegExp): boolean {
  const options = words.filter((word) => word.startsWith('-'));
  const script = words.find((word) => !word.startsWith('-'));
  return script !== undefined && expected.test(script) && options.every((option) => allowed.test(option));
}

/** `-d= -f1`, `-f 1 -d '='`, and nothing of a second field. */
const CUT =
  /^(?=.{0,64}(?:-d ?=|--delimiter[= ]=))(?=.{0,64}(?:-f ?|--fields[= ])1(?: |$))(?!.{0,64}--complement)(?!.{0,64}--output)/;

/** All from the first `=` of every line on is replaced by what does not repeat it. A line that a name of another kind begins would be shown. */
const SUBSTITUTION =
  /^s([/|#,@:])(?:\^?\\?\(?\[(?:\^=|(?=[^\]]{0,16}A-Z)(?=[^\]]{0,16}_)(?:A-Z|a-z|0-9|_)+)\][*+]\\?\)?)?\\?\(?=\\?\)?\.[*+]\$?\1(?:(?!\1)[^&\\]|\\1){0,64}\1[gIi]{0,2}$/;

/** `-F= '{print $1}'`, with a pattern of lines in front or none. Behind it stand files: a word with `=` sets a variable. */
const AWK = /^-F ?= (?:\/[^/]{0,64}\/ ?)?\{ ?print \$1;? ?\}(?: [^\s=-][^\s=]*)*$/;

/** From the start of a line on, letters and what is no `=`. */
const NAME_PATTERN = /^\^\(?(?:\[(?:\^=)?(?:A-Z|a-z|0-9|_)*\]|[A-Z_])[*+]?(?:\[(?:A-Z|a-z|0-9|_)+\][*+]?){0,2}\)?=?$/;

/** A variable that says where and how a program runs, and is no secret, or that whoever opens a site's pages is shown. A URL of a database may hold its password. */
const OPEN =
  '(?:(?:[A-Z][A-Z0-9]*_){0,4}(?:PORT|HOST|ENV|ENVIRONMENT|DEBUG|LOG_LEVEL|LOGLEVEL|REGION|TIMEZONE|LOCALE|VERSION|TIMEOUT|MODEL|PROVIDER)|(?:API|APP|BASE|SITE|PUBLIC|FRONTEND|BACKEND|SERVER|SERVICE)_URL|(?!\\w{0,64}(?:SECRET|PRIVATE|PASS|TOKEN|API_KEY|SERVICE_ROLE))(?:NEXT_PUBLIC|NUXT_PUBLIC|EXPO_PUBLIC|REACT_APP|VITE|GATSBY)_[A-Z0-9_]{1,64})';

/** One of them, or several: `^PORT=`, `^(NODE_ENV|PORT)=`. */
const OPEN_VARIABLES = new RegExp(`^\\^(?:${OPEN}|\\(${OPEN}(?:\\|${OPEN}){0,16}\\))=$`);

/** `keys`, `.data | keys[]`: of an object in JSON its keys. */
const KEYS_OF_JSON = /^(?:\.\w{0,32} ?\| ?)?keys(?:\[\])?$/;

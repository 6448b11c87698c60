import type { EventFacts } from '../../facts/event-facts.ts';
import { canonicalPath } from '../../facts/paths.ts';
import type { ShellCommand, ShellWord } from '../../facts/shell/model.ts';
import { optionNames, readOptions } from '../../facts/shell/options.ts';
import { EACH_ITEM } from '../../facts/shell/powershell.ts';
import { named } from '../../reason.ts';
import type { Action } from './action.ts';
import { BREADTH_WORDS, type Breadth, breadthOf } from './breadth.ts';

/** Commands that delete what `find` or `ls` hands to them. */
const DELETERS = new Set(['rm', 'grm', 'srm', 'unlink', 'shred', 'remove-item']);
const LISTERS = new Set(['find', 'gfind', 'bfs', 'ls', 'fd', 'fdfind', 'get-childitem']);
/** What may stand between the two without narrowing the list. */
const PASSERS = new Set([
  'xargs',
  'sort',
  'uniq',
  'tr',
  'cat',
  'tee',
  'rev',
  'parallel',
  'nl',
  'sudo',
  'sh',
  'bash',
  'foreach-object',
  '',
]);
const CHAIN_MAX = 16;

/** Adds mass deletions by `find -delete`, `find -exec rm`, `find | xargs rm` and `ls | xargs rm`; what leaves nothing in files deletes as much. */
export function findDeletions(facts: EventFacts, found: Action[]): void {
  const { commands } = facts.shell;
  for (const command of commands) {
    if (LISTERS.has(command.name) && deletes(command)) judge(command, found);
    if (command.input !== undefined && MODES.test(command.name) && command.args.some((arg) => arg.dynamic)) {
      const lister = listerOf(command, commands);
      if (lister !== undefined && !asksFirst(lister)) judge(lister, found, 'changes permissions of');
    }
    if (command.input === undefined || !(DELETERS.has(command.name) ? takesItems(command) : emptiesItems(command)))
      continue;
    const lister = listerOf(command, commands);
    if (lister !== undefined && !asksFirst(lister)) judge(lister, found);
  }
}

/** `-ok rm`: nothing goes without an answer, and nobody is there to give one. */
function asksFirst({ args, input }: ShellCommand): boolean {
  const asks = args.some(({ text }) => text === '-ok' || text === '-okdir');
  return asks && input === undefined && !args.some(({ text }) => text === '-exec' || text === '-execdir');
}

/** Whether `-delete` is one of its actions, and no word for a command that it runs. */
function deletes({ args }: ShellCommand): boolean {
  let inExec = false;
  for (const { text } of args) {
    if (/^-(?:exec|execdir|ok|okdir)$/.test(text)) inExec = true;
    else if (text === ';' || text === '+') inExec = false;
    else if (text === '-delete' && !inExec) return true;
  }
  return false;
}

/** Whether what the command deletes comes to it from outside: `{}`, or a PowerShell pipeline. */
function takesItems(command: ShellCommand): boolean {
  if (command.name === 'remove-item')
    return command.args.every(
      ({ text }, index) =>
        text.startsWith('-') ||
        EACH_ITEM.test(text) ||
        /^-(?:ea|erroraction)$/i.test(command.args[index - 1]?.text ?? ''),
    );
  return command.args.some((arg) => arg.dynamic);
}

/** Whether it leaves nothing in each file that it is handed: `truncate -s 0 {}`, `: > {}`, `cp /dev/null {}`. */
function emptiesItems({ name, args, redirects }: ShellCommand): boolean {
  if (name === 'truncate')
    return args.some((arg) => arg.dynamic) && args.some(({ text }) => /^(?:-s|--size)/.test(text));
  if (name === 'cp') return args[0]?.text === '/dev/null' && args.at(-1)?.dynamic === true;
  if (name === 'dd') return args.some(({ text }) => /^of=(?:\{\}|\$)/.test(text));
  if (!/^(?::|true|echo|printf|)$/.test(name) || args.some(({ text }) => text !== '' && text !== '-n')) return false;
  return redirects.some(({ operator, target }) => /^>\|?$/.test(operator) && /^(?:\{\}|\$)/.test(target.text));
}

function listerOf(command: ShellCommand, commands: readonly ShellCommand[]): ShellCommand | undefined {
  let at = command.input;
  for (let step = 0; at !== undefined && step < CHAIN_MAX; step++) {
    const source: ShellCommand | undefined = commands[at];
    if (source === undefined || LISTERS.has(source.name)) return source;
    if (!PASSERS.has(source.name) || filters(source)) return undefined;
    at = source.input;
  }
  return undefined;
}

/** `xargs grep -l`: what comes out is chosen by content. */
function filters(source: ShellCommand): boolean {
  return source.name === 'xargs' && source.args.some((arg) => FILTER.test(arg.text));
}

const FILTER = /^(?:[efz]?grep|rg|ag|test|\[|file|sh|bash|awk|sed)$/;

const MODES = /^(?:chmod|chown|chgrp)$/;

/** @param changes what is done where it is no deletion, which counts in fewer places */
function judge(lister: ShellCommand, found: Action[], changes?: string): void {
  const scope = scopeOf(lister);
  if (scope.aim === 'named' || (changes !== undefined && scope.aim !== 'none')) return;
  for (const root of scope.roots) {
    const cwd = lister.cwd === undefined ? undefined : canonicalPath(lister.cwd);
    const path = canonicalPath(root, cwd);
    const breadth = breadthOf(path);
    if (breadth === undefined || PLACES[scope.aim]?.has(breadth) === false) continue;
    // Below the top, who serves what is told by their modes.
    if (changes !== undefined && !(ALWAYS.has(breadth) && /^\/[^/]*$/.test(path.key))) continue;
    const deletes = `deletes ${scope.aim === 'none' ? 'everything in' : 'across'}`;
    found.push({
      kind: 'destructive.files',
      what: `${changes ?? deletes} ${BREADTH_WORDS[breadth]}: ${named(path.text)} (${named(lister.name)})`,
      confidence: 0.9,
      origin: lister.origin,
    });
    return;
  }
}

/** Places where a filter by size, age or type does not make a mass deletion harmless. */
const ALWAYS: ReadonlySet<Breadth> = new Set<Breadth>(['file_system', 'system_directory', 'all_homes']);
/** Places where files of a kind that people make are what is dear. */
const DEAR: ReadonlySet<Breadth> = new Set<Breadth>(['file_system', 'all_homes', 'home']);
/** Where what an aim leaves over is still much; everywhere, for an aim that is not here. */
const PLACES: Partial<Record<Scope['aim'], ReadonlySet<Breadth>>> = { filtered: ALWAYS, material: DEAR, spared: DEAR };

interface Scope {
  roots: readonly string[];
  /** Aimed at names, at a kind of files that people make, at all but some names, narrowed by size, age and the like, or not narrowed. */
  aim: 'named' | 'material' | 'spared' | 'filtered' | 'none';
}

const NAMING =
  /^-(?:i?name|i?path|i?wholename|i?regex|inum|samefile|l?name|ilname|empty|user|group|uid|gid|nouser|nogroup|links)$/;
const FILTERING =
  /^-(?:size|[amc]time|[amc]min|newer\w*|anewer|cnewer|perm|used|daystart|readable|writable|executable|context|fstype|prune)$/;
const ANYTHING = /^(?:\*|\.\*|\*\.\*|\.\?\*|\.)$/;
/** Names of documents, pictures, sources, databases and keys, whatever they are called. */
const MATERIAL =
  /^\*\.(?:txt|md|docx?|xlsx?|pptx?|odt|ods|pdf|csv|jpe?g|png|heic|raw|mp[34]|mov|mkv|wav|zip|db|sqlite3?|sql|py|js|ts|java|go|rs|c|cpp|h|ipynb|pem|key|conf|ya?ml|json)$/i;
/** Names of hidden files: where only files are looked for, that leaves out all that a directory like `.git` holds. */
const HIDDEN = /^\.(?:\?|\[\^?\.\])?\*$/;

function scopeOf(lister: ShellCommand): Scope {
  if (lister.name === 'ls' || lister.name === 'get-childitem') return scopeOfLs(lister);
  if (lister.name.startsWith('fd')) return scopeOfFd(lister);
  const roots: string[] = [];
  let aim: Scope['aim'] = 'none';
  let inExpression = false;
  let negated = false;
  /** Of files of a kind, only few. */
  let isNarrow = false;
  const { args } = lister;
  const onlyFiles = args.some(({ text }, index) => text === 'f' && args[index - 1]?.text === '-type');
  for (let index = 0; index < args.length; index++) {
    const text = args[index]?.text ?? '';
    if (/^-(?:exec|execdir|ok|okdir)$/.test(text)) {
      // `-exec grep -q x {} \;` is a test like any other.
      if (chooses(args.slice(index + 1, index + SCRIPT_WORDS))) aim = 'named';
      while (index < args.length && args[index]?.text !== ';' && args[index]?.text !== '+') index++;
    } else if (/^[-(!]/.test(text) && !/^-[HLPDO]/.test(text)) {
      inExpression = true;
      const value = args[index + 1]?.text ?? '';
      if (NAMING.test(text) && !negated && (!ANYTHING.test(value) || (onlyFiles && HIDDEN.test(value))))
        aim = MATERIAL.test(value) && /^(?:none|material)$/.test(aim) ? 'material' : 'named';
      else if (/^-x?type$/.test(text) && value === 'l') aim = 'named';
      else if (aim === 'material' && narrows(text, value)) aim = 'named';
      else if (text === '-maxdepth' || (/^-x?type$/.test(text) && value === 'd')) isNarrow = true;
      else if (NAMING.test(text) && negated && aim === 'none') aim = 'spared';
      else if (FILTERING.test(text) && !isOfAll(text, value) && /^(?:none|spared)$/.test(aim)) aim = 'filtered';
      negated = text === '!' || text === '-not';
    } else if (!inExpression && !text.startsWith('-')) roots.push(text);
  }
  if (aim === 'material' && isNarrow) aim = 'named';
  return { roots: roots.length === 0 ? ['.'] : roots, aim };
}

/** Whether a filter passes whatever there is: nothing is older than the clock. */
function isOfAll(test: string, value: string): boolean {
  return (
    (test === '-size' && /^[+]0[a-zA-Z]?$/.test(value)) ||
    (/^-newer[acm]t$/.test(test) && /^@?0$|^19[67]\d/.test(value))
  );
}

/** Whether a filter leaves some out: `-size +0` and `-readable` do not. */
function narrows(test: string, value: string): boolean {
  return (
    FILTERING.test(test) && !/^-(?:perm|readable|writable|daystart)$/.test(test) && !/^[+-]?0[a-zA-Z]?$/.test(value)
  );
}

/** Whether a command that `find` runs may be a test of what was found. A script is one where it can decide anything. */
function chooses([name, ...args]: readonly ShellWord[]): boolean {
  if (!FILTER.test(name?.text ?? '')) return false;
  const [option, script] = args;
  if (!/^(?:ba)?sh$/.test(name?.text ?? '') || option?.text !== '-c' || script === undefined) return true;
  return /\b(?:if|test|case|grep|while|until)\b|\[|&&|\|\|/.test(script.text);
}

/** Words of such a command that are looked at. */
const SCRIPT_WORDS = 5;

/** `fd . /home -X rm`: a pattern that anything fits, and where it is looked for. */
function scopeOfFd(lister: ShellCommand): Scope {
  const end = lister.args.findIndex(({ text }) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text));
  const { operands, short, long } = readOptions(end < 0 ? lister.args : lister.args.slice(0, end), {
    valued: FD_VALUES,
  });
  const [pattern, ...roots] = operands.map(({ text }) => text);
  const isAny = pattern === undefined || /^(?:|\.|\.\*|\^|\*)$/.test(pattern);
  const isFiltered =
    short.includes('e') || short.includes('E') || long.some((name) => /^(?:extension|exclude|size|changed)/.test(name));
  if (!isAny || isFiltered) return { roots: [], aim: 'named' };
  return { roots: roots.length === 0 ? ['.'] : roots, aim: 'none' };
}

const FD_VALUES = optionNames(
  'e extension E exclude t type S size d max-depth changed-within changed-before j threads c color',
);

/** `-Filter` and `-Include` of `Get-ChildItem`, however short; `-File` is another. */
const LS_FILTER = /^-(?:f|fi|fil|filt|filte|filter|inc[a-z]*|name)$/i;

/** `*.docx,*.xlsx` */
function isMaterial(patterns: string): boolean {
  return patterns.split(',', 16).every((pattern) => MATERIAL.test(pattern.trim()));
}

/** `ls | xargs rm -rf` deletes what is listed: a pattern narrows it, a directory does not. */
function scopeOfLs(lister: ShellCommand): Scope {
  const { args, name } = lister;
  const patternAt = name === 'ls' ? -1 : args.findIndex(({ text }) => LS_FILTER.test(text)) + 1;
  const operands = args.filter(({ text }, index) => !text.startsWith('-') && (patternAt <= 0 || index !== patternAt));
  if (patternAt > 0 && isMaterial(args[patternAt]?.text ?? ''))
    return { roots: operands.map(({ text }) => text), aim: 'material' };
  // `ls -d ~/*` lists what `ls ~` does.
  const roots = operands.map(({ text }) => text.replace(/\/\*$/, '') || '/');
  if (patternAt > 0 || operands.some((arg, index) => arg.glob && roots[index] === arg.text))
    return { roots: [], aim: 'named' };
  return { roots: roots.length === 0 ? ['.'] : roots, aim: 'none' };
}

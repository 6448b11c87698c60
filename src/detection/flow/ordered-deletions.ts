import { CLAUSE_END, REFUSES } from './clauses.ts';

/** Code units of one text, and things of it, that are looked at. */
const TEXT_CHARS_MAX = 16_384;
const THINGS_MAX = 8;
const NAME_CHARS_MAX = 128;

/** Words by which somebody has something deleted. */
const DELETING =
  /^(?:delete|remove|drop|destroy|purge|wipe|erase|terminate|decommission|deprovision|empty|uninstall|rm|lösch(?:e|en|t)?|entfern(?:e|en)?|supprime[rz]?|efface[rz]?|borra|borrar|elimina|eliminar|elimine|apaga|apagar|remova|remover|cancella|usuń|verwijder|удали|удалите|slett|slet|radera)$/i;
/** What stands behind these is where something is, or is spoken of for another reason. */
const ELSEWHERE =
  /^(?:from|in|into|on|of|at|to|with|by|via|after|before|unless|except|about|for|mentioning|regarding|like|as|but|than|because|since|check|look|see|show|list|compare|keep|copy|back|backup|move|migrate|read|find|count|verify|inspect|use|run|aus|von|in|auf|bei|nach|vor|dans|de|du|sur|en|del|da|w|z|van|uit)$/i;
/** Of a clause that has something written, asked or thought over, and not done; or taken out of a text. */
const NOT_NOW =
  /\b(?:scripts?|how|write|explain|document\w{0,8}|draft|plan|functions?|commands?|would|should|what|why|when|if|whether|suggest|propose|simulate|dry[- ]?run|pretend|example)\b|\b(?:from|out of|in|of)\b.{0,60}\b(?:config\w{0,12}|files?|code|docs?|readme|lists?|yaml|json|tf|terraform|state|dashboards?|polic(?:y|ies)|gitignore|menu|pages?|tests?|comments?|changelog|diagram)\b/i;
/** What things of a service are called: the word beside one is a name, however it looks. */
const KIND =
  /^(?:buckets?|repos?|repository|repositories|databases?|dbs?|schemas?|tables?|namespaces?|clusters?|stacks?|apps?|topics?|queues?|users?|roles?|groups?|projects?|instances?|vms?|nodes?|volumes?|snapshots?|services?|indexe?s?|indices|collections?|functions?|environments?|droplets?|servers?|zones?|sites?|secrets?|deployments?|releases?|organi[sz]ations?|keyspaces?|vaults?)$/i;
const PLAIN =
  /^(?:the|den|die|das|dem|der|el|la|los|las|le|les|il|lo|gli|os|as|het|bitte|please|an?|our|my|your|that|this|these|those|old|new|whole|entire|unused|empty|legacy|all|every|any|both|and|or|its?|is|are|was|which|who|called|named|resource|hosted|production|live)$/i;

/** Things that a person's text orders deleted, and those that it does not want deleted: by their names, as `nameOf` has them. */
export interface DeletionsSaid {
  ordered: readonly string[];
  refused: readonly string[];
}

/** Which things `text` has deleted: a name right behind the verb, in the same clause, and none of where they are. */
export function deletionsSaid(text: string): DeletionsSaid {
  const ordered: string[] = [];
  const refused: string[] = [];
  for (const clause of text.slice(0, TEXT_CHARS_MAX).split(CLAUSE_END)) {
    if (ordered.length + refused.length >= THINGS_MAX) break;
    const isRefused = REFUSES.test(clause);
    if (!isRefused && NOT_NOW.test(clause)) continue;
    const names = isRefused ? namesIn(clause) : deletedIn(clause);
    for (const name of names) (isRefused ? refused : ordered).push(name);
  }
  const kept = new Set(refused);
  return {
    ordered: ordered.filter((name) => !kept.has(name)).slice(0, THINGS_MAX),
    refused: refused.slice(0, THINGS_MAX),
  };
}

function deletedIn(clause: string): string[] {
  const names: string[] = [];
  let isDeleting = false;
  const words = wordsOf(clause);
  for (const [at, word] of words.entries()) {
    if (DELETING.test(word)) isDeleting = true;
    else if (ELSEWHERE.test(word)) isDeleting = false;
    else if (isDeleting && isName(words, at)) names.push(nameOf(word));
  }
  return names;
}

/** Whatever a clause names that does not want something: more is kept than was meant, rather than less. */
function namesIn(clause: string): string[] {
  const words = wordsOf(clause);
  return words.filter((_, at) => isName(words, at)).map(nameOf);
}

function wordsOf(clause: string): string[] {
  return clause.split(/[\s"'`<>()[\]{}«»„“”‘’]+/).filter((word) => word !== '' && word.length <= NAME_CHARS_MAX);
}

/** A word that no language has, or one beside what it is a name of: `the reporting database`, `bucket logs`. */
function isName(words: readonly string[], at: number): boolean {
  const word = words[at] as string;
  if (word.length < 3 || PLAIN.test(word) || KIND.test(word) || DELETING.test(word) || ELSEWHERE.test(word))
    return false;
  if (/[\p{L}\d][-_.:/@][\p{L}\d]|\d/u.test(word)) return true;
  return KIND.test(words[at - 1] ?? '') || KIND.test(words[at + 1] ?? '');
}

/** The one notation of a name: without a scheme, quotation marks and what ends a sentence. */
export function nameOf(word: string): string {
  return word
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]{0,15}:\/\//, '')
    .replace(/[.,;:!?/*]+$/, '')
    .slice(0, NAME_CHARS_MAX);
}

/** The names under which somebody may have ordered `target` deleted: the whole, its last part, or what all of it lies in. */
export function namesOfTarget(target: string): string[] {
  const name = nameOf(target);
  const parts = name.split('/').filter((part) => part !== '');
  const last = parts.at(-1) ?? name;
  const names = new Set([name, last]);
  if (/^(?:s3|gs):\/\//i.test(target) && parts[0] !== undefined) names.add(parts[0]);
  return [...names].filter((each) => each.length >= 3);
}

/** As it is hashed beside the names of files: nobody means a deletion by naming a file. */
export function deletionOf(name: string): string {
  return `delete ${name}`;
}

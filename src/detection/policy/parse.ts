import {
  type Alias,
  type Document,
  isScalar,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
  type YAMLError,
} from 'yaml';
import type { PolicyFault } from '../../domain/policy-work.ts';
import { type PolicySetDocument, PolicySetSchema } from './document.ts';
import { FaultList, pathText } from './faults.ts';
import { POLICY_LIMITS } from './limits.ts';
import type { PolicySource } from './source.ts';
import { schemaFaults } from './validate.ts';
import { YamlPlaces } from './yaml-places.ts';

export type ParsedPolicies = { ok: true; sources: PolicySource[] } | { ok: false; faults: PolicyFault[] };

/**
 * Reads the PolicySet documents of a YAML text (several are separated by `---`). Checks their form; what their
 * expressions say is checked where they are compiled. Never throws for what the text holds.
 */
export function parsePolicies(text: string, file: string): ParsedPolicies {
  const found = new FaultList();
  const whole = wholeFault(text);
  if (whole !== undefined) return { ok: false, faults: [{ file, line: 1, column: 1, path: '', message: whole }] };
  const lines = new LineCounter();
  const sources: PolicySource[] = [];
  for (const document of documentsOf(text, lines, file, found)) {
    const source = sourceOf(document, new YamlPlaces(text, document, lines), file, found);
    if (source !== undefined) sources.push(source);
  }
  if (found.faults.length === 0 && sources.length === 0) {
    found.add({ file, line: 1, column: 1, path: '', message: 'there is no document in this file' });
  }
  return found.faults.length > 0 ? { ok: false, faults: found.faults } : { ok: true, sources };
}

function wholeFault(text: string): string | undefined {
  const { fileBytesMax } = POLICY_LIMITS;
  if (Buffer.byteLength(text) > fileBytesMax) return `the file is larger than ${fileBytesMax} bytes: split it`;
  if (openBracketsCount(text) > BRACKETS_MAX) return tooDeep;
  // As in texts of another encoding.
  if (text.includes('\0')) return 'the file holds NUL characters: save it as UTF-8';
  return text.isWellFormed() ? undefined : 'the file is not valid Unicode: save it as UTF-8';
}

/** Far more than texts leave open by chance, and few enough for the parser to find its own end. */
const BRACKETS_MAX = 2_000;

/** The most brackets that are open anywhere, quotes not regarded: only there to keep the parser from deep recursion. */
function openBracketsCount(text: string): number {
  let open = 0;
  let most = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x5b || code === 0x7b) most = Math.max(most, ++open);
    else if (code === 0x5d || code === 0x7d) open = Math.max(0, open - 1);
  }
  return most;
}

/**
 * What takes the parser quadratic time is left to us: it compares each name with all others of its mapping, and copies the line
 * of each fault.
 */
const LINEAR = { uniqueKeys: false, prettyErrors: false };

function documentsOf(text: string, lineCounter: LineCounter, file: string, found: FaultList): Document.Parsed[] {
  try {
    const documents = parseAllDocuments(text, { ...LINEAR, lineCounter, strict: true, stringKeys: true });
    return Array.isArray(documents) ? (documents as Document.Parsed[]).filter((document) => !isEmpty(document)) : [];
  } catch {
    // Only nesting far beyond the bound gets here, by running out of stack.
    found.add({ file, line: 1, column: 1, path: '', message: tooDeep });
    return [];
  }
}

/** Nothing stands there, as behind a `---` at the end of a file. */
function isEmpty({ contents, errors }: Document.Parsed): boolean {
  return errors.length === 0 && (contents === null || (isScalar(contents) && contents.value === null));
}

const tooDeep = `lists and mappings are nested deeper than ${POLICY_LIMITS.yamlDepthMax} levels`;

/** What is wrong with a document before its form is looked at, and where: a node, or an offset in the text. */
interface Problem {
  at: Node | number;
  message: string;
}

function sourceOf(
  document: Document.Parsed,
  places: YamlPlaces,
  file: string,
  found: FaultList,
): PolicySource | undefined {
  const problem =
    syntaxProblem(document) ??
    tooDeepNode(document) ??
    repeatedName(document) ??
    tooManyAliases(document) ??
    unknownAlias(document) ??
    endlessAlias(document);
  const value = problem ?? plainValue(document);
  if (isProblem(value)) {
    const { at, message } = value;
    found.add({ file, path: '', ...(typeof at === 'number' ? places.at(at) : places.of(at)), message });
    return undefined;
  }
  const faults = schemaFaults(PolicySetSchema, value.plain);
  for (const { path, atName, message } of faults) {
    found.add({ file, path: pathText(path), message, ...places.locate(path, { atName }) });
  }
  if (faults.length > 0) return undefined;
  return {
    file,
    document: value.plain as PolicySetDocument,
    locate: (path, at) => places.locate(path, at === 'name' ? { atName: true } : { offset: at }),
  };
}

function isProblem(value: Problem | { plain: unknown }): value is Problem {
  return 'message' in value;
}

/** The first one only: what follows it says more of the parser than of the text. */
function syntaxProblem({ errors, warnings, range }: Document.Parsed): Problem | undefined {
  const problems = [...errors, ...warnings];
  if (problems.some(({ message }) => message.includes('call stack'))) return { at: range[0], message: tooDeep };
  const [first] = problems;
  return first === undefined ? undefined : { at: first.pos[0], message: yamlMessage(first) };
}

function tooDeepNode(document: Document.Parsed): Problem | undefined {
  let deep: Problem | undefined;
  visit(document, {
    Node(_, node, path) {
      // Pairs stand in the path too, so that a level of a mapping counts twice.
      if (path.length <= POLICY_LIMITS.yamlDepthMax * 2) return undefined;
      deep = { at: node, message: tooDeep };
      return visit.BREAK;
    },
  });
  return deep;
}

/** The first name that its mapping has already. */
function repeatedName(document: Document.Parsed): Problem | undefined {
  let repeated: Problem | undefined;
  visit(document, {
    Map(_, { items }) {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (isScalar(key) && names.size === names.add(key.value).size)
          repeated ??= { at: key, message: 'this name is already used above: names must be unique' };
      }
      return repeated === undefined ? undefined : visit.BREAK;
    },
  });
  return repeated;
}

/** Each is looked for among all values before it. */
function tooManyAliases(document: Document.Parsed): Problem | undefined {
  return aliasProblem(document, (_, count) =>
    count > POLICY_LIMITS.aliasesMax
      ? `more than ${POLICY_LIMITS.aliasesMax} aliases: write the values out`
      : undefined,
  );
}

/** An alias of an anchor that is not there: hardly meant as one. */
function unknownAlias(document: Document.Parsed): Problem | undefined {
  return aliasProblem(document, (alias) =>
    alias.resolve(document) === undefined
      ? `there is no anchor &${alias.source}: put a text that starts with * in quotes`
      : undefined,
  );
}

/** An alias inside of what it stands for. */
function endlessAlias(document: Document.Parsed): Problem | undefined {
  return aliasProblem(document, (alias, _, path) => {
    const target = alias.resolve(document);
    const isInside = path.some((node) => node === target);
    return isInside ? `this stands inside of what &${alias.source} names, and would never end` : undefined;
  });
}

/** The first alias of which `problemOf` has something to say. */
function aliasProblem(
  document: Document.Parsed,
  problemOf: (alias: Alias, count: number, path: readonly unknown[]) => string | undefined,
): Problem | undefined {
  let problem: Problem | undefined;
  let count = 0;
  visit(document, {
    Alias(_, alias, path) {
      const message = problemOf(alias, ++count, path);
      if (message === undefined) return undefined;
      problem = { at: alias, message };
      return visit.BREAK;
    },
  });
  return problem;
}

/** Nothing else can be wrong by now but aliases of aliases. */
function plainValue(document: Document.Parsed): Problem | { plain: unknown } {
  try {
    return { plain: document.toJS({ maxAliasCount: ALIASED_MAX }) };
  } catch {
    return (
      aliasProblem(document, () => 'these aliases stand for too much, written out: write the values out') ?? {
        at: document.range[0],
        message: 'this cannot be read as YAML',
      }
    );
  }
}

/** How often one anchor may come to be written out, through aliases in aliases. */
const ALIASED_MAX = 1_024;

const MESSAGES: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  TAB_AS_INDENT: 'tabs cannot be used for indentation: use spaces',
  TAG_RESOLVE_FAILED: 'tags cannot be used: put a value that starts with ! in quotes',
  NON_STRING_KEY: 'names must be texts: put this one in quotes',
};

/** What mends what the parser tells by these codes. */
const MENDS: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BAD_DQ_ESCAPE: ': write \\\\ for one \\, or use single quotes',
  BAD_SCALAR_START: ': put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: ': put a text with ": " in it in quotes, and names of one mapping below each other',
};

function yamlMessage({ code, message }: YAMLError): string {
  const [line = ''] = message.split('\n');
  // As in when: "x" == tool.name
  const behind = line === 'Unexpected scalar at node end' ? ', behind a value: put the whole value in quotes' : '';
  const told = `this is no YAML: ${line.charAt(0).toLowerCase()}${line.slice(1)}${behind}${MENDS[code] ?? ''}`;
  return MESSAGES[code] ?? told;
}

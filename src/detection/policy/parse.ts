import {
  type Alias,
  type Document,
  isScalar,
  LineCounter,
  parseAllDocuments,
  type Scalar,
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

function sourceOf(
  document: Document.Parsed,
  places: YamlPlaces,
  file: string,
  found: FaultList,
): PolicySource | undefined {
  const problems = [...document.errors, ...document.warnings];
  if (problems.some(({ message }) => message.includes('call stack'))) {
    found.add({ file, line: 1, column: 1, path: '', message: tooDeep });
    return undefined;
  }
  // What follows a syntax error says more of the parser than of the text.
  const [first] = problems;
  if (first !== undefined) found.add({ file, path: '', ...places.at(first.pos[0]), message: yamlMessage(first) });
  if (problems.length > 0) return undefined;
  const deep = deepNode(document);
  if (deep) {
    found.add({ file, line: 1, column: 1, path: '', message: tooDeep });
    return undefined;
  }
  const repeated = repeatedName(document);
  if (repeated !== undefined) {
    found.add({
      file,
      path: '',
      ...places.of(repeated),
      message: 'this name is already used above: names must be unique',
    });
    return undefined;
  }
  const isBounded = !hasManyAliases(document);
  const nameless = isBounded ? unknownAlias(document) : undefined;
  if (nameless !== undefined) {
    const message = `there is no anchor &${nameless.source}: put a text that starts with * in quotes`;
    found.add({ file, path: '', ...places.of(nameless), message });
    return undefined;
  }
  const value = isBounded ? plainValue(document) : undefined;
  if (value === undefined) {
    const message = `more than ${POLICY_LIMITS.aliasesMax} aliases: write the values out`;
    found.add({ file, line: 1, column: 1, path: '', message });
    return undefined;
  }
  const faults = schemaFaults(PolicySetSchema, value);
  for (const { path, atName, message } of faults) {
    found.add({ file, path: pathText(path), message, ...places.locate(path, { atName }) });
  }
  if (faults.length > 0) return undefined;
  return {
    file,
    document: value as PolicySetDocument,
    locate: (path, at) => places.locate(path, at === 'name' ? { atName: true } : { offset: at }),
  };
}

function deepNode(document: Document.Parsed): boolean {
  let deep = false;
  visit(document, {
    Node(_, __, path) {
      // Pairs stand in the path too, so that a level of a mapping counts twice.
      if (path.length <= POLICY_LIMITS.yamlDepthMax * 2) return undefined;
      deep = true;
      return visit.BREAK;
    },
  });
  return deep;
}

/** The first name that its mapping has already. */
function repeatedName(document: Document.Parsed): Scalar | undefined {
  let repeated: Scalar | undefined;
  visit(document, {
    Map(_, { items }) {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (isScalar(key) && names.size === names.add(key.value).size) repeated ??= key;
      }
      return repeated === undefined ? undefined : visit.BREAK;
    },
  });
  return repeated;
}

/** Each is looked for among all values before it. */
function hasManyAliases(document: Document.Parsed): boolean {
  let count = 0;
  visit(document, { Alias: () => (++count > POLICY_LIMITS.aliasesMax ? visit.BREAK : undefined) });
  return count > POLICY_LIMITS.aliasesMax;
}

/** The first alias of an anchor that is not there: hardly meant as one. */
function unknownAlias(document: Document.Parsed): Alias | undefined {
  let unknown: Alias | undefined;
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      unknown = alias;
      return visit.BREAK;
    },
  });
  return unknown;
}

function plainValue(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: POLICY_LIMITS.aliasesMax });
  } catch {
    return undefined;
  }
}

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

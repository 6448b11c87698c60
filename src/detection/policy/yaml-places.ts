import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair } from 'yaml';
import type { DocumentPath, Position } from './faults.ts';
import { offsetInScalar } from './scalar-position.ts';

/** Finds values of a YAML document in its text. */
export class YamlPlaces {
  readonly #text: string;
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;

  constructor(text: string, document: Document.Parsed, lines: LineCounter) {
    this.#text = text;
    this.#document = document;
    this.#lines = lines;
  }

  /** Where the value at `path` stands, or its name. What is not there is looked for one step further up. */
  locate(
    path: DocumentPath,
    { offset, atName = false }: { offset?: number | undefined; atName?: boolean } = {},
  ): Position {
    let node: unknown = this.#document.contents;
    let name: unknown;
    for (const step of path) {
      const next = child(resolved(node, this.#document), step);
      if (next === undefined) break;
      name = next.name;
      node = next.node;
    }
    return this.#position(atName && hasRange(name) ? name : hasRange(node) ? node : name, offset);
  }

  /** Where `node` stands. */
  of(node: Node): Position {
    return this.#position(node, undefined);
  }

  #position(node: unknown, offset: number | undefined): Position {
    if (!hasRange(node)) return { line: 1, column: 1 };
    const [start, end] = node.range;
    const target = resolved(node, this.#document);
    let at = start;
    if (offset !== undefined && target === node && isScalar(node) && typeof node.value === 'string') {
      at = offsetInScalar(this.#text, { start, end }, node.value, offset);
    }
    return this.at(at);
  }

  /** Where the character at `index` of the text stands. */
  at(index: number): Position {
    const { line, col } = this.#lines.linePos(index);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

type Ranged = Node & { range: [number, number, number] };

function hasRange(node: unknown): node is Ranged {
  return typeof node === 'object' && node !== null && Array.isArray((node as Partial<Ranged>).range);
}

function resolved(node: unknown, document: Document.Parsed): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function child(node: unknown, step: string | number): { name: unknown; node: unknown } | undefined {
  if (isSeq(node)) return { name: undefined, node: node.items[Number(step)] };
  if (!isMap(node)) return undefined;
  const pair = node.items.find((item: Pair) => (isScalar(item.key) ? String(item.key.value) : item.key) === step);
  return pair === undefined ? undefined : { name: pair.key, node: pair.value ?? pair.key };
}

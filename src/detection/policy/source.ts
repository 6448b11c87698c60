import type { PolicySetDocument } from './document.ts';
import type { DocumentPath, Position } from './faults.ts';

/** A checked document, and where its values stand in the file that it came from. */
export interface PolicySource {
  file: string;
  document: PolicySetDocument;
  /** Where the value at `path` stands, or its name; where a text stands there, its character at that offset. */
  locate(path: DocumentPath, at?: number | 'name'): Position;
}

/** A source for a document that came from no file: its positions are all 1:1. */
export function unplacedSource(document: PolicySetDocument, name: string): PolicySource {
  return { file: name, document, locate: () => ({ line: 1, column: 1 }) };
}

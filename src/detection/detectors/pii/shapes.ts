import type { PiiFormat } from './format.ts';

/** A step in the tree of shapes: what may end here, and what may follow. */
export interface ShapeNode {
  formats: PiiFormat[];
  next: Map<number, ShapeNode>;
}

/** Pieces of one kind (digits, letters) that a shape tells apart, and the characters of one. */
const PIECES_MAX = 7;
const PIECE_CHARS_MAX = 31;

/**
 * The shape of the alphanumeric text from `start` to `end` as a number: each piece of digits or letters with its length;
 * -1 where no format is that long.
 */
export function shapeOf(text: string, start: number, end: number): number {
  let shape = 0;
  let pieces = 0;
  for (let at = start; at < end; ) {
    const digits = text.charCodeAt(at) <= 57;
    const from = at;
    while (at < end && text.charCodeAt(at) <= 57 === digits) at++;
    if (++pieces > PIECES_MAX || at - from > PIECE_CHARS_MAX) return -1;
    shape = shape * 64 + (digits ? 0 : 32) + at - from;
  }
  return shape;
}

/** The tree of the shapes of `formats`. */
export function shapeTree(formats: readonly PiiFormat[]): ShapeNode {
  const root: ShapeNode = { formats: [], next: new Map() };
  for (const format of formats) {
    for (const shape of format.shapes) {
      let node = root;
      for (const piece of shape.split('-')) node = nodeAfter(node, shapeOf(piece, 0, piece.length));
      node.formats.push(format);
    }
  }
  return root;
}

function nodeAfter(node: ShapeNode, shape: number): ShapeNode {
  let next = node.next.get(shape);
  if (next === undefined) {
    next = { formats: [], next: new Map() };
    node.next.set(shape, next);
  }
  return next;
}

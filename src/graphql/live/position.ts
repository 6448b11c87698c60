/** A place in a tenant's feed: every batch before `seq` was seen, and of that batch the first `taken` ids. */
export interface Position {
  seq: number;
  taken: number;
}

export function comparePositions(one: Position, other: Position): number {
  return one.seq - other.seq || one.taken - other.taken;
}

export function writeCursor({ seq, taken }: Position): string {
  return `${seq}.${taken}`;
}

/** Undefined for what is no cursor. */
export function readCursor(cursor: string): Position | undefined {
  const [, seq, taken] = /^([1-9]\d{0,14})\.(\d{1,6})$/.exec(cursor) ?? [];
  return seq === undefined || taken === undefined ? undefined : { seq: Number(seq), taken: Number(taken) };
}

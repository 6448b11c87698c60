/** A message that is refused. Its text is one line of our own, without anything that came. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** @throws {Refused} unless `condition`. */
export function demand(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Refused(otherwise);
}

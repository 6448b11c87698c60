/**
 * What a star means. In a path or host, `*` stands for any characters but a slash, `**` for any, and `?` for one
 * that is no slash; a directory pattern such as `.ssh/` with two stars behind matches the directory too. In a name
 * (of a tool, an agent, a user, a kind), a star stands for any characters.
 */
export type GlobSyntax = 'path' | 'name';

/** One place in a pattern: what may stand there, and which places may be tried without taking a character. */
type Step =
  | { kind: 'char'; char: string }
  /** One character, or any number of them. */
  | { kind: 'one' | 'some'; slashes: boolean }
  /** `**` and a slash: nothing, or any characters up to a slash. Two steps: at its beginning, and behind its first character. */
  | { kind: 'directories' }
  | { kind: 'up_to_slash' }
  /** A slash and `**` at the end: nothing, or a slash and what follows. */
  | { kind: 'below' };

const PARTS: Readonly<Record<GlobSyntax, RegExp>> = {
  path: /\/\*\*$|\*\*\/|\*+|\?|[^*?/]+|\//g,
  name: /\*+|\?|[^*?]+/g,
};

/** How the parts of `glob` may be passed through. */
function stepsOf(glob: string, syntax: GlobSyntax): Step[] {
  const isPath = syntax === 'path';
  const steps: Step[] = [];
  for (const [part] of glob.matchAll(PARTS[syntax])) {
    if (part === '?') steps.push({ kind: 'one', slashes: !isPath });
    else if (part === '/**') steps.push({ kind: 'below' }, { kind: 'some', slashes: true });
    else if (part === '**/') steps.push({ kind: 'directories' }, { kind: 'up_to_slash' });
    else if (part.startsWith('*')) steps.push({ kind: 'some', slashes: !isPath || part.length > 1 });
    else for (const char of part) steps.push({ kind: 'char', char });
  }
  return steps;
}

/**
 * A test for one pattern, of which the whole text must be: it keeps every place that the pattern may be at, so that it takes the
 * text's length times the pattern's at most, whatever the stars (Thompson 1968). Nothing is compiled: a list has ten thousand of them.
 */
export function wildcardTest(glob: string, syntax: GlobSyntax): (text: string) => boolean {
  const steps = stepsOf(glob, syntax);
  return (text) => {
    let places = new Set<number>();
    enter(steps, 0, places);
    for (const char of text) {
      const next = new Set<number>();
      for (const place of places) advance(steps, place, char, next);
      if (next.size === 0) return false;
      places = next;
    }
    return places.has(steps.length);
  };
}

/** Adds `place`, and those that follow it without a character. */
function enter(steps: readonly Step[], place: number, places: Set<number>): void {
  if (places.has(place)) return;
  places.add(place);
  switch (steps[place]?.kind) {
    case 'some':
      return enter(steps, place + 1, places);
    case 'directories':
    case 'below':
      return enter(steps, place + 2, places);
    default:
  }
}

/** Adds where `char` leads to from `place`. */
function advance(steps: readonly Step[], place: number, char: string, next: Set<number>): void {
  const step = steps[place];
  switch (step?.kind) {
    case 'char':
      if (step.char === char) enter(steps, place + 1, next);
      return;
    case 'one':
      if (step.slashes || char !== '/') enter(steps, place + 1, next);
      return;
    case 'some':
      if (step.slashes || char !== '/') enter(steps, place, next);
      return;
    case 'directories':
      next.add(place + 1);
      if (char === '/') enter(steps, place + 2, next);
      return;
    case 'up_to_slash':
      next.add(place);
      if (char === '/') enter(steps, place + 1, next);
      return;
    case 'below':
      if (char === '/') enter(steps, place + 1, next);
      return;
    default:
  }
}

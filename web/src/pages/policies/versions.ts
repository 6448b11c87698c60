/** Two sets that are compared, by version; null is the set of the installation. */
export interface Sides {
  from: number | null;
  to: number | null;
}

/** The part of an address that says what is compared. */
export function writeSides({ from, to }: Sides): string {
  return `?from=${from ?? ''}&to=${to ?? ''}`;
}

/** What an address says is compared; undefined where it says nothing of it. */
export function readSides(search: string): Sides | undefined {
  const params = new URLSearchParams(search);
  const side = (name: string) => (/^\d{1,9}$/.test(params.get(name) ?? '') ? Number(params.get(name)) : null);
  return params.has('from') && params.has('to') ? { from: side('from'), to: side('to') } : undefined;
}

/** How a set is called: a version, or the set of the installation. */
export function versionName(version: number | null): string {
  return version === null ? 'Installation' : `Version ${version}`;
}

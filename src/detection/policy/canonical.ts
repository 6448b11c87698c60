import { hash } from 'node:crypto';

/**
 * `value` as JSON with the names of every object in order of their code units and no white space, so that equal values
 * give equal texts. For plain data: strings, finite numbers, booleans, null, arrays and objects; undefined members are
 * left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of `text`, in lower-case hex. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

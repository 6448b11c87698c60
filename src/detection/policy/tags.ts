import { nearest } from './spelling.ts';

/**
 * What to warn of about a tag: one of OWASP or MITRE that does not exist there, or is not written as there. Other tags may say what
 * they like, and so may what else those two publish.
 */
export function tagWarning(tag: string): string | undefined {
  const [, namespace = '', name = ''] = /^([A-Za-z]{2,16})[.:/-](.{1,64})$/.exec(tag) ?? [];
  const known = nearest(namespace, Object.keys(NAMESPACES)) as keyof typeof NAMESPACES | undefined;
  const meant = known && NAMESPACES[known](name);
  if (meant === undefined) return undefined;
  const right = 'name' in meant ? `${known}.${meant.name}` : undefined;
  // A namespace of one's own may be close to these two by chance, and then its names are none of theirs.
  if (tag === right || (namespace !== known && right !== `${known}.${name}`)) return undefined;
  const hint = 'form' in meant ? meant.form : `did you mean "${right}"?`;
  return `${JSON.stringify(tag)} is no tag of ${known?.toUpperCase()}: ${hint}`;
}

/** The name that is meant, the same where it is right; or how names of its kind are written, where it could be any of them. */
type Meant = { name: string } | { form: string };

/** What a name in the namespace means; undefined where it is of no kind that is known here. */
const NAMESPACES: Readonly<Record<'owasp' | 'mitre', (name: string) => Meant | undefined>> = {
  owasp: meantOfOwasp,
  mitre: meantOfMitre,
};

const upToTen = (list: string, digits: number): string[] =>
  Array.from({ length: 10 }, (_, index) => `${list}${String(index + 1).padStart(digits, '0')}`);

/** The lists of the ten gravest risks: of agents, models, MCP, web applications and APIs. */
const OWASP: ReadonlyMap<string, readonly string[]> = new Map([
  ...['ASI', 'LLM', 'MCP', 'A'].map((list) => [list, upToTen(list, 2)] as const),
  ['API', upToTen('API', 1)],
]);
const OWASP_NAMES = [...OWASP.values()].flat();

function meantOfOwasp(name: string): Meant | undefined {
  const [, written = '', edition = ''] = /^(.{1,64}?)(:20[0-9]{2})?$/.exec(name) ?? [];
  const meant = OWASP_NAMES.includes(written) ? written : nearest(written, OWASP_NAMES);
  const [list = ''] = /^[A-Z]{1,3}(?=[-_]?[0-9])/.exec(written.toUpperCase()) ?? [];
  const names = OWASP.get(list);
  if (meant !== undefined) return { name: meant + edition };
  return names && { form: `there is ${names[0]} to ${names.at(-1)}` };
}

function meantOfMitre(name: string): Meant | undefined {
  const upper = name.toUpperCase().replace(/[-_/:]/g, '.');
  const parts = /^(AML)?\.?(TA?)\.?([0-9]{1,8})(?:\.([0-9]{1,8}))?$/.exec(upper);
  if (parts === null) return undefined;
  const [, atlas, letters, digits = '', part] = parts;
  const isWhole = digits.length === 4 && (part === undefined || part.length <= 3);
  if (!isWhole) return { form: 'they are written T1059, T1059.001, TA0005 or AML.T0051' };
  return { name: `${atlas ? 'AML.' : ''}${letters}${digits}${part === undefined ? '' : `.${part.padStart(3, '0')}`}` };
}

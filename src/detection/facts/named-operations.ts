import { memoized } from '../../lib/memo.ts';
import { normalizeKey } from './input.ts';
import { programOf, wordsOf } from './tools.ts';

/** Properties of an input that are looked at, and the longest of their texts: words of a command, no content. */
const PROPERTIES_MAX = 24;
const VALUE_CHARS_MAX = 256;
const LISTED_MAX = 8;
/** Under which such tools take what their verb is done to, in the order in which a command line names it. */
const OBJECT_KEYS: readonly string[] =
  'resourcetype resource kind type resourcename release releasename name names id target ref branch'.split(' ');
const KIND_PLACE = OBJECT_KEYS.indexOf('kind');
/** Other names of programs. */
const ALSO_CALLED: ReadonlyMap<string, string> = new Map([
  ['k8s', 'kubectl'],
  ['kubernetes', 'kubectl'],
]);
/** What is in front of the name that a server gives its tool: `mcp__k8s__kubectl_delete`, `github.git_push`. */
const SERVER = /^.{0,128}(?:__|[./:])(?=[^_./:])/;

/**
 * The command that a tool is by its name and input, where it is called like a program and one of its verbs: `kubectl_delete` with
 * `{ resourceType: "namespace", name: "prod" }` is `kubectl delete namespace prod`. Undefined for other tools. Nobody is asked back by a
 * tool: programs that ask are told not to. `names` are those of the input's properties.
 */
export function namedOperation(
  toolName: string,
  input: object,
  names: readonly string[],
): readonly string[] | undefined {
  const called = withOperation(calledLike(toolName), input as Record<string, unknown>, names);
  if (called === undefined) return undefined;
  const objects: [place: number, text: string][] = [];
  const options: string[] = [];
  for (const [name, value] of propertiesOf(input as Record<string, unknown>, names)) {
    if (OPERATION_KEYS.includes(normalizeKey(name)) || normalizeKey(name) === 'service') continue;
    const place = OBJECT_KEYS.indexOf(normalizeKey(name));
    const texts = textsOf(value);
    if (place >= 0) objects.push(...texts.map((text): [number, string] => [place, text]));
    else if (value === true) options.push(`--${kebab(name)}`);
    else options.push(...texts.map((text) => `--${kebab(name)}=${text}`));
  }
  objects.sort(([left], [right]) => left - right);
  // Kubernetes' kinds are written in either case.
  if (objects[0]?.[0] === KIND_PLACE) objects[0][1] = objects[0][1].toLowerCase();
  const asksNobody = ASKING.has(called[0] as string) ? ['-auto-approve'] : [];
  return [...called, ...objects.map(([, text]) => text), ...options, ...asksNobody];
}

/** Under which a tool for all that a program can do takes which of it, and the verbs of such tools. */
const OPERATION_KEYS: readonly string[] = ['operation', 'operationname', 'action', 'subcommand', 'verb'];
const ANY_VERBS: ReadonlySet<string> = new Set(
  'call run execute invoke manage apply api request operation command action tool'.split(' '),
);

/** Services that a tool may be called after, as a whole. */
const AWS_SERVICES: ReadonlySet<string> = new Set(
  'iam ec2 s3 s3api rds lambda cloudtrail dynamodb eks ecs ecr efs kms sqs sns route53 cloudformation guardduty organizations elasticache redshift secretsmanager ssm logs config backup'.split(
    ' ',
  ),
);

/** `called`, where its verb says nothing, with what the input names: `{ service: "rds", operation: "DeleteDBInstance" }`. */
function withOperation(
  called: readonly string[] | undefined,
  input: Record<string, unknown>,
  names: readonly string[],
): readonly string[] | undefined {
  const [program, first] = called ?? [];
  if (program === undefined || first === undefined) return called;
  const key = names.slice(0, PROPERTIES_MAX).find((name) => OPERATION_KEYS.includes(normalizeKey(name)));
  const operation = key === undefined ? undefined : input[key];
  if (typeof operation !== 'string' || !/^[A-Za-z][\w-]{1,63}$/.test(operation)) return called;
  if (program !== 'aws') return ANY_VERBS.has(first) ? [program, kebab(operation)] : called;
  if (called?.length !== 2) return called;
  const service = AWS_SERVICES.has(first) ? first : ANY_VERBS.has(first) ? input['service'] : undefined;
  return typeof service === 'string' ? [program, service.toLowerCase(), kebab(operation)] : called;
}

/** What such a tool is given, and what it is given in one object for all that goes along. */
function propertiesOf(input: Record<string, unknown>, names: readonly string[]): [name: string, value: unknown][] {
  return names.slice(0, PROPERTIES_MAX).flatMap((name): [string, unknown][] => {
    const value = input[name];
    const isBag = /^(?:param(?:eter)?s|arguments|options)$/i.test(name) && typeof value === 'object' && value !== null;
    return isBag ? Object.entries(value).slice(0, PROPERTIES_MAX) : [[name, value]];
  });
}

const ASKING: ReadonlySet<string> = new Set(['terraform', 'tofu']);

/** The program and the words that follow it. A verb in front of it, as in `delete_docker_volume`, comes last. */
const calledLike = memoized((toolName): readonly string[] | undefined => {
  const own = wordsAsPrograms(toolName.replace(SERVER, ''));
  const words = programOf(new Set(own)) === undefined ? wordsAsPrograms(toolName) : own;
  const program = programOf(new Set(words));
  if (program === undefined) return undefined;
  const at = words.indexOf(program);
  const rest = [...words.slice(at + 1), ...(words === own ? words.slice(0, at) : [])];
  return rest.length === 0 ? undefined : [program, ...rest];
});

function wordsAsPrograms(name: string): string[] {
  return [...wordsOf(name)].map((word) => ALSO_CALLED.get(word) ?? word);
}

/** One text, or the first of a list of them, where they can be words of a command. */
function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value.slice(0, LISTED_MAX) : [value];
  return values.flatMap((each) => {
    if (typeof each === 'number') return [String(each)];
    return typeof each === 'string' && each !== '' && each.length <= VALUE_CHARS_MAX && !/[\n\r]/.test(each)
      ? [each]
      : [];
  });
}

function kebab(name: string): string {
  return name
    .slice(0, 64)
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-')
    .replaceAll('_', '-')
    .toLowerCase();
}

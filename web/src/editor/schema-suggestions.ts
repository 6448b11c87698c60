import { ITEM, type YamlPlace } from './yaml-path.ts';

/** The parts of JSON Schema that the schema of policy sets is made of. */
export interface Schema {
  description?: string;
  const?: unknown;
  enum?: readonly string[];
  type?: string;
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  items?: Schema;
}

export interface Suggestion {
  text: string;
  kind: 'name' | 'value';
  description: string | undefined;
}

/** What may be typed at `place`, as the schema has it. */
export function suggestionsAt(schema: Schema, { path, isName }: YamlPlace): Suggestion[] {
  const found = path.reduce<Schema[]>(
    (schemas, step) => schemas.flatMap((each) => behind(each, step)),
    alternatives(schema),
  );
  const names = isName ? found.flatMap(namesOf) : [];
  const isListItem = path.at(-1) === ITEM;
  const values = isName && !isListItem ? [] : found.flatMap(valuesOf);
  const byText = new Map([...names, ...values].map((each) => [each.text, each]));
  return [...byText.values()];
}

function alternatives(schema: Schema): Schema[] {
  return schema.anyOf === undefined
    ? [schema]
    : schema.anyOf.flatMap((each) => alternatives({ ...described(schema), ...each }));
}

function described({ description }: Schema): Schema {
  return description === undefined ? {} : { description };
}

function behind(schema: Schema, step: string): Schema[] {
  if (step === ITEM) return schema.items === undefined ? [] : alternatives(schema.items);
  const own = schema.properties?.[step] ?? Object.values(schema.patternProperties ?? {})[0];
  return own === undefined ? [] : alternatives(own);
}

function namesOf({ properties = {} }: Schema): Suggestion[] {
  return Object.entries(properties).map(([text, { description }]) => ({ text, kind: 'name', description }));
}

function valuesOf(schema: Schema): Suggestion[] {
  const { description, type } = schema;
  const texts =
    schema.enum ?? ('const' in schema ? [String(schema.const)] : type === 'boolean' ? ['true', 'false'] : []);
  return texts.map((text) => ({ text, kind: 'value', description }));
}

import type { DocumentPath } from './faults.ts';
import { POLICY_LIMITS } from './limits.ts';
import { closest } from './spelling.ts';

/** What a value is not as the schema wants it. */
export interface SchemaFault {
  path: DocumentPath;
  /** The fault is in the last name of `path`, not in the value behind it. */
  atName: boolean;
  message: string;
}

/** The keywords of JSON Schema that the schema of policy sets uses. */
interface Schema {
  type?: string;
  enum?: readonly string[];
  const?: unknown;
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minProperties?: number;
  maxProperties?: number;
  additionalProperties?: boolean;
  description?: string;
}

/**
 * The faults of `value` by `schema`. The schema library would find them too, but says of a choice only that none of
 * its branches fits, and of an unknown name not which one was meant.
 */
export function schemaFaults(schema: object, value: unknown): SchemaFault[] {
  const checking = new Checking();
  checking.check(schema, value, []);
  return checking.faults;
}

class Checking {
  readonly faults: SchemaFault[] = [];

  check(schema: Schema, value: unknown, path: DocumentPath): void {
    if (this.faults.length >= POLICY_LIMITS.faultsMax) return;
    if (schema.anyOf !== undefined) return this.#checkChoice(schema.anyOf, value, path);
    if ('const' in schema) {
      if (value !== schema.const) this.#add(path, `must be ${JSON.stringify(schema.const)}`);
      return;
    }
    if (schema.type !== undefined && !isOfType(schema.type, value)) {
      const hint = schema.pattern === undefined ? '' : hintOf(schema);
      return this.#add(path, `must be ${NOUNS[schema.type] ?? schema.type}, not ${nounOf(value)}${hint}`);
    }
    if (typeof value === 'string') this.#checkText(schema, value, path);
    else if (typeof value === 'number') this.#checkNumber(schema, value, path);
    else if (Array.isArray(value)) this.#checkList(schema, value, path);
    else if (schema.type === 'object') this.#checkObject(schema, value as Record<string, unknown>, path);
  }

  #add(path: DocumentPath, message: string, atName = false): void {
    if (this.faults.length < POLICY_LIMITS.faultsMax) this.faults.push({ path, atName, message });
  }

  /** The branch that is meant is the one of the value's type: branches of one choice differ in it. */
  #checkChoice(branches: readonly Schema[], value: unknown, path: DocumentPath): void {
    const meant = branches.find((branch) =>
      'const' in branch ? branch.const === value : isOfType(branch.type ?? '', value),
    );
    if (meant !== undefined) return this.check(meant, value, path);
    const nouns = branches.map((branch) =>
      'const' in branch ? JSON.stringify(branch.const) : NOUNS[branch.type ?? ''],
    );
    this.#add(path, `must be ${nouns.join(' or ')}, not ${nounOf(value)}`);
  }

  #checkText(schema: Schema, value: string, path: DocumentPath): void {
    if (schema.enum !== undefined && !schema.enum.includes(value)) {
      return this.#add(path, `${JSON.stringify(value.slice(0, 64))} is unknown here${closest(value, schema.enum)}`);
    }
    if (value.length < (schema.minLength ?? 0)) this.#add(path, 'must not be empty');
    if (schema.maxLength !== undefined && value.length > schema.maxLength) {
      this.#add(path, `is longer than ${schema.maxLength} characters`);
    } else if (schema.pattern !== undefined && !patternOf(schema.pattern).test(value)) {
      const shown = JSON.stringify(value.slice(0, 64));
      this.#add(path, `${shown} does not fit here${hintOf(schema)}`);
    }
  }

  #checkNumber(schema: Schema, value: number, path: DocumentPath): void {
    if (schema.minimum !== undefined && value < schema.minimum) this.#add(path, `must be at least ${schema.minimum}`);
    if (schema.maximum !== undefined && value > schema.maximum) this.#add(path, `must be at most ${schema.maximum}`);
  }

  #checkList(schema: Schema, value: readonly unknown[], path: DocumentPath): void {
    const { minItems = 0 } = schema;
    if (value.length < minItems)
      this.#add(path, minItems === 1 ? 'must not be empty' : `must have at least ${minItems} elements`);
    if (schema.maxItems !== undefined && value.length > schema.maxItems) {
      return this.#add(path, `has ${value.length} elements, more than ${schema.maxItems}`);
    }
    const { items } = schema;
    if (items !== undefined)
      value.forEach((item, index) => {
        this.check(items, item, [...path, index]);
      });
  }

  #checkObject(schema: Schema, value: Record<string, unknown>, path: DocumentPath): void {
    const names = Object.keys(value);
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(value, name)) this.#add(path, `"${name}" is missing`);
    }
    if (names.length < (schema.minProperties ?? 0)) this.#add(path, 'must not be empty');
    if (schema.maxProperties !== undefined && names.length > schema.maxProperties) {
      this.#add(path, `has ${names.length} names, more than ${schema.maxProperties}`);
    }
    for (const name of names) this.#checkMember(schema, name, value[name], path);
  }

  #checkMember(schema: Schema, name: string, value: unknown, path: DocumentPath): void {
    const properties = schema.properties ?? {};
    const member = Object.hasOwn(properties, name) ? properties[name] : byPattern(schema.patternProperties ?? {}, name);
    if (member !== undefined) return this.check(member, value, [...path, name]);
    if (schema.additionalProperties !== false) return;
    const shown = JSON.stringify(name.slice(0, 64));
    const message =
      schema.patternProperties === undefined
        ? `${shown} is unknown here${closest(name, Object.keys(properties))}`
        : `${shown} is no name: use letters, digits and _, a letter first`;
    this.#add([...path, name], message, true);
  }
}

function byPattern(schemas: Readonly<Record<string, Schema>>, name: string): Schema | undefined {
  return Object.entries(schemas).find(([pattern]) => patternOf(pattern).test(name))?.[1];
}

const patterns = new Map<string, RegExp>();

/** Patterns come from the schema only: there are few of them, and none backtracks. */
function patternOf(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u');
  patterns.set(pattern, known);
  return known;
}

function hintOf({ pattern, description }: Schema): string {
  if (description !== undefined)
    return `: ${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`;
  return `: it must match ${pattern}`;
}

const NOUNS: Readonly<Record<string, string>> = {
  object: 'a mapping',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
};

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function nounOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return `the number ${value}`;
  return NOUNS[typeof value] ?? typeof value;
}

import { PolicySetSchema } from './document.ts';

/** The JSON Schema (2020-12) of PolicySet documents, for editors. */
export function policySetJsonSchema(): Record<string, unknown> {
  const schema = JSON.parse(JSON.stringify(PolicySetSchema)) as Record<string, unknown>;
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema };
}

import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { type Schema, suggestionsAt } from './schema-suggestions.ts';
import { yamlPlace } from './yaml-path.ts';

const ADDRESS = '/policy-schema.json';

let loaded: Promise<Schema | undefined> | undefined;

/** The schema of policy sets; undefined where it cannot be had, and asked for again then. */
function policySchema(): Promise<Schema | undefined> {
  loaded ??= fetch(ADDRESS)
    .then((answer) => (answer.ok ? (answer.json() as Promise<Schema>) : undefined))
    .catch(() => undefined)
    .then((schema) => {
      if (schema === undefined) loaded = undefined;
      return schema;
    });
  return loaded;
}

/** Completes names and values of policy files. */
export async function completePolicy(context: CompletionContext): Promise<CompletionResult | null> {
  const place = yamlPlace(context.state.sliceDoc(0, context.pos));
  const word = context.matchBefore(/[\w.-]*/);
  if (place === undefined || word === null || (word.text === '' && !context.explicit)) return null;
  const schema = await policySchema();
  if (schema === undefined || context.aborted) return null;
  const options = suggestionsAt(schema, place).map(({ text, kind, description }) => ({
    label: text,
    apply: kind === 'name' ? `${text}: ` : text,
    type: kind === 'name' ? 'property' : 'enum',
    ...(description === undefined ? {} : { info: description }),
  }));
  return options.length === 0 ? null : { from: word.from, options, validFor: /^[\w.-]*$/ };
}

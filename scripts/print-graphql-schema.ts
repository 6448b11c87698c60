import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { printSchema } from 'graphql';
import { schema } from '../src/graphql/schema.ts';

/** Writes the schema of the platform interface to where the dashboard's types are made from. */
writeFileSync(fileURLToPath(new URL('../web/schema.graphql', import.meta.url)), `${printSchema(schema)}\n`);

import { defineConfig } from 'drizzle-kit';

/** For `drizzle-kit generate` only: migrations are applied by `src/store/migrate.ts`. */
export default defineConfig({
  dialect: 'postgresql',
  schema: './src/store/schema/*.ts',
  out: './migrations',
});

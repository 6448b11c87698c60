import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { makeClusterTemplate } from '../test/support/cluster-template.ts';

/**
 * Bundles every test to `build/test`, where `npm test` runs them: translated and linked once and not by each of their
 * processes, which halves what a file takes to start; and makes the PostgreSQL that they start from. A single test runs as it is:
 * `npx tsx test/unit/config.test.ts`.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(root, 'build', 'test');

/** Modules go on finding the files beside their source, wherever their code is put. */
const atTheirSource: Plugin = {
  name: 'import.meta of the source',
  setup(bundler) {
    bundler.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents: code, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

rmSync(OUT, { recursive: true, force: true });
await makeClusterTemplate();
await build({
  absWorkingDir: root,
  entryPoints: ['test/**/*.test.ts'],
  outbase: 'test',
  outdir: OUT,
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: true,
  logLevel: 'warning',
  plugins: [atTheirSource],
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/**
 * Runs `bench/support/<name>.ts` bundled and in a process of its own, as lanes run: under tsx closures are several times
 * slower. In `dist/`, from where the built-in policies are found. Returns what it printed, a line of JSON for each case.
 */
export async function runBundled<Case>(name: string): Promise<Case[]> {
  const program = path(`../../dist/${name}.js`);
  await build({
    entryPoints: [path(`${name}.ts`)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    outfile: program,
  });
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case);
}

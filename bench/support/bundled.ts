import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Bundles a program as the service is bundled. */
export async function bundle(entry: string, outfile: string): Promise<void> {
  const node = { platform: 'node', format: 'esm', target: 'node20', packages: 'external' } as const;
  await build({ ...node, entryPoints: [entry], bundle: true, outfile });
}

/**
 * Runs `bench/support/<name>.ts` bundled and in a process of its own, as lanes run: under tsx closures are several times
 * slower. In `dist/`, from where the built-in policies are found. Returns what it printed, a line of JSON for each case.
 */
export async function runBundled<Case>(name: string): Promise<Case[]> {
  const program = path(`../../dist/${name}.js`);
  await bundle(path(`${name}.ts`), program);
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case);
}

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

/**
 * Builds the dashboard to `dist/web`, each file with the compressed forms that the gateway serves. Does nothing where
 * the build is newer than its sources; fails where the JavaScript of the first page, or what one that comes later adds to it,
 * has become too large.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const WEB = join(root, 'web');
const OUT = join(root, 'dist', 'web');
/** Written last, so that a build that was broken off is done again. */
const STAMP = join(root, 'dist', 'web.stamp');
/** With gzip: what the first page needs, and what is loaded when one is opened that few need. */
const FIRST_LOAD_BYTES_MAX = 200_000;
const LATER_LOAD_BYTES_MAX = 200_000;
const COMPRESSIBLE = /\.(?:js|css|html|svg|json|map)$/;

function files(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

interface Chunk {
  fileName: string;
  isEntry: boolean;
  isDynamicEntry: boolean;
  /** Loaded with it. */
  imports: readonly string[];
}

function chunksOf(built: Awaited<ReturnType<typeof build>>): Chunk[] {
  if (!('output' in built)) throw new Error('the dashboard is built once');
  return built.output.filter((each) => each.type === 'chunk');
}

/** What is loaded at first, and what each page that comes later adds. */
function loadsOf(chunks: readonly Chunk[], gzipBytes: ReadonlyMap<string, number>) {
  const chunkOf = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const add = (name: string, into: Set<string>, known: ReadonlySet<string>): Set<string> => {
    if (into.has(name) || known.has(name)) return into;
    into.add(name);
    for (const each of chunkOf.get(name)?.imports ?? []) add(each, into, known);
    return into;
  };
  const sizeOf = (names: ReadonlySet<string>) => [...names].reduce((sum, name) => sum + (gzipBytes.get(name) ?? 0), 0);
  const first = new Set<string>();
  for (const { fileName } of chunks.filter(({ isEntry }) => isEntry)) add(fileName, first, new Set());
  const later = chunks.filter(({ isDynamicEntry }) => isDynamicEntry);
  return [
    { name: 'the first page', bytes: sizeOf(first), bytesMax: FIRST_LOAD_BYTES_MAX },
    ...later.map(({ fileName }) => ({
      name: fileName,
      bytes: sizeOf(add(fileName, new Set(), first)),
      bytesMax: LATER_LOAD_BYTES_MAX,
    })),
  ];
}

const sources = [...files(WEB), fileURLToPath(import.meta.url), join(root, 'package-lock.json')];
if (changedAt(STAMP) <= Math.max(...sources.map(changedAt))) {
  const built = await build({ configFile: join(WEB, 'vite.config.ts'), logLevel: 'warn' });
  const gzipBytes = new Map<string, number>();
  for (const file of files(OUT).filter((file) => COMPRESSIBLE.test(file))) {
    const content = readFileSync(file);
    const gzipped = gzipSync(content, { level: 9 });
    gzipBytes.set(relative(OUT, file).split(sep).join('/'), gzipped.byteLength);
    writeFileSync(`${file}.gz`, gzipped);
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  }
  const loads = loadsOf(chunksOf(built), gzipBytes);
  for (const { name, bytes, bytesMax } of loads) {
    if (bytes > bytesMax)
      throw new Error(`the dashboard's JavaScript of ${name} is ${bytes} bytes with gzip, more than ${bytesMax}`);
  }
  writeFileSync(STAMP, loads.map(({ name, bytes }) => `${name} ${bytes}\n`).join(''));
}

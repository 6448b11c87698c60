import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

/**
 * Builds the dashboard to `dist/web`, each file with the compressed forms that the gateway serves. Does nothing where
 * the build is newer than its sources; fails where the JavaScript has become too large.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const WEB = join(root, 'web');
const OUT = join(root, 'dist', 'web');
/** Written last, so that a build that was broken off is done again. */
const STAMP = join(root, 'dist', 'web.stamp');
const JS_GZIP_BYTES_MAX = 200_000;
const COMPRESSIBLE = /\.(?:js|css|html|svg|json|map)$/;

function files(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

const sources = [...files(WEB), fileURLToPath(import.meta.url), join(root, 'package-lock.json')];
if (changedAt(STAMP) <= Math.max(...sources.map(changedAt))) {
  await build({ configFile: join(WEB, 'vite.config.ts'), logLevel: 'warn' });
  let jsBytes = 0;
  for (const file of files(OUT).filter((file) => COMPRESSIBLE.test(file))) {
    const content = readFileSync(file);
    const gzipped = gzipSync(content, { level: 9 });
    if (file.endsWith('.js')) jsBytes += gzipped.byteLength;
    writeFileSync(`${file}.gz`, gzipped);
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  }
  if (jsBytes > JS_GZIP_BYTES_MAX)
    throw new Error(`the dashboard's JavaScript is ${jsBytes} bytes with gzip, more than ${JS_GZIP_BYTES_MAX}`);
  writeFileSync(STAMP, `${jsBytes}\n`);
}

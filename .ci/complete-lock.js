/**
 * Adds to package-lock.json the platform packages that a registry did not serve while the lock was made (some mirrors
 * hold the packages of one platform only). Without an entry for each, `npm ci` refuses the lock; with one, a platform
 * package is skipped wherever its `os` or `cpu` does not fit, and fetched by its exact version where it does.
 *
 * Run after every `npm install` that changed the lock: node .ci/complete-lock.js
 */
import { readFileSync, writeFileSync } from 'node:fs';

const OS = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'openharmony',
  'sunos',
  'win32',
  'windows',
  'aix',
  'netbsd',
  'openbsd',
];
const CPU = ['arm64', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32', 'arm'];

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (find(path, name, version) !== undefined) continue;
    const home = lock.packages[`node_modules/${name}`] === undefined ? '' : path;
    lock.packages[`${home === '' ? '' : `${home}/`}node_modules/${name}`] = platformEntry(name, version, entry.dev);
    added.push(`${name}@${version}`);
  }
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added.length} platform packages added\n`);

/** The entry that `require(name)` from `path` would find, if it has that version. */
function find(path, name, version) {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = lock.packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`];
    if (found !== undefined) return found.version === version || !/^\d/.test(version) ? found : undefined;
    if (at === '') return undefined;
  }
}

function platformEntry(name, version, dev) {
  const words = name.split(/[/\-.]/);
  const os = OS.find((word) => words.includes(word));
  const cpu = CPU.find((word) => words.some((each) => each === word || (word === 'arm' && each.startsWith('arm'))));
  if (!/^\d+\.\d+\.\d+/.test(version) || (os === undefined && cpu === undefined)) {
    throw new Error(`${name}@${version} is not served, and is no platform package: look at it by hand`);
  }
  return {
    version,
    ...(cpu === undefined ? {} : { cpu: [cpu] }),
    ...(dev ? { dev } : {}),
    optional: true,
    ...(os === undefined ? {} : { os: [os === 'windows' ? 'win32' : os] }),
    ...(words.includes('musl') ? { libc: ['musl'] } : words.includes('gnu') ? { libc: ['glibc'] } : {}),
  };
}

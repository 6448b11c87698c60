import { readFileSync } from 'node:fs';
import t from 'tap';

interface Locked {
  hasInstallScript?: true;
}

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** The name of a package, from its place in the lock file: `node_modules/a/node_modules/@b/c` is `@b/c`. */
const nameAt = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

t.test(
  'every locked package with an install script is allowed or denied, and npm is told to fail at others',
  async (t) => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
    const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
    const withScript = Object.keys(packages).filter((place) => packages[place]?.hasInstallScript);
    t.same([...new Set(withScript.map(nameAt))].sort(), Object.keys(allowScripts).sort());
    t.match(read('.npmrc'), /^strict-allow-scripts=true$/m);
  },
);

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TITLE = /\btest\(\s*['"`]((?:P\d[, ]*)+)(?=[: ])/g;

/** The tests that carry a promise's id in a title, by id. */
function holders(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const files = readdirSync(`${ROOT}test`, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  );
  for (const file of files.map((name) => `test/${name.replaceAll('\\', '/')}`).sort()) {
    const ids = [...readFileSync(`${ROOT}${file}`, 'utf8').matchAll(TITLE)].flatMap(
      ([, ids]) => ids?.match(/P\d/g) ?? [],
    );
    for (const id of new Set(ids)) found.set(id, [...(found.get(id) ?? []), file]);
  }
  return found;
}

t.test('every promise names the tests that carry its id, and no others', async (t) => {
  const table = readFileSync(`${ROOT}docs/PROMISES.md`, 'utf8').matchAll(/^\| (P\d) \|.*\| (.*) \|$/gm);
  const stated = new Map(
    [...table].map(([, id, held]) => [id, [...(held ?? '').matchAll(/`([^`]+)`/g)].map(([, file]) => file ?? '')]),
  );
  t.equal(stated.size, 9);
  for (const [id, files] of holders())
    t.same(
      stated.get(id)?.filter((file) => file.startsWith('test/')),
      files,
      id,
    );
  for (const file of [...stated.values()].flat()) t.ok(existsSync(`${ROOT}${file}`), file);
});

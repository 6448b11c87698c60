import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { holdLiveSocket, isHeldElsewhere, serviceSocket } from '../../src/store/live-socket.ts';
import { temporaryDirectory } from '../support/postgres.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../src/store/live-socket.ts')).href;

/** Another process that holds the socket at `path`, or says that it cannot. */
async function holder(path: string) {
  const code = `const { holdLiveSocket } = await import(${JSON.stringify(MODULE)});
    process.stdout.write((await holdLiveSocket(${JSON.stringify(path)})) ? 'held' : 'refused');
    setTimeout(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(child.stdout, 'data');
  return {
    said: String(said),
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

for (const [name, depth] of [
  ['a short path', 0],
  ['a path too long for an address', 12],
] as const)
  t.test(`who holds a directory's socket is known without its process id, at ${name}`, async (t) => {
    const directory = join(temporaryDirectory(t, 'socket'), ...Array<string>(depth).fill('directory'));
    mkdirSync(directory, { recursive: true });
    const path = serviceSocket(directory);
    t.notOk(await isHeldElsewhere(path), 'nobody');
    const other = await holder(path);
    t.equal(other.said, 'held');
    t.ok(await isHeldElsewhere(path));
    t.notOk(await holdLiveSocket(path), 'one at a time');
    t.ok(await isHeldElsewhere(path), 'and trying changes nothing');
    await other.kill();
    t.notOk(await isHeldElsewhere(path), 'what was killed holds nothing, though its file is there');
    t.ok(existsSync(path));
    t.ok(await holdLiveSocket(path));
    t.notOk(await isHeldElsewhere(path), 'its own is not held elsewhere');
    const late = await holder(path);
    t.equal(late.said, 'refused');
    await late.kill();
  });

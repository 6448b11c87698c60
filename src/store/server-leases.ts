import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLiveOwner, ownerLine, replaceFile } from './file-lock.ts';

/** States that this process uses the server. The file counts for as long as the process lives. */
export async function takeLease(home: string): Promise<string> {
  const lease = join(home, 'users', randomBytes(8).toString('hex'));
  await replaceFile(lease, ownerLine(process.pid));
  return lease;
}

/** How many processes use the server; what processes that are gone left behind is removed. */
export async function liveLeases(home: string): Promise<number> {
  let live = 0;
  for (const name of await readdir(join(home, 'users'))) {
    const lease = join(home, 'users', name);
    const owner = await readFile(lease, 'utf8').catch(() => '');
    if (isLiveOwner(owner)) live++;
    else await rm(lease, { force: true });
  }
  return live;
}

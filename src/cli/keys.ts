import { loadConfig } from '../config.ts';
import { type KeyFile, openKeyDirectory } from '../identity/key-directory.ts';
import { retireSigningKey, rotateSigningKey } from '../identity/signing-keys.ts';
import { type Command, UsageError } from './command.ts';

const USAGE = `usage: gatehouse keys list
       gatehouse keys rotate
       gatehouse keys retire KID

The signing keys of access tokens, in <data dir>/keys. The newest one signs; tokens of every active key are accepted.

  list      key ids, newest first, with their state
  rotate    make a new key, which signs from now on
  retire    refuse all tokens signed with a key from now on, and move its file to keys/retired

A running server follows within a second. After a leak: rotate, mint new tokens, then retire the old key.

  npm run --silent gatehouse -- keys rotate
`;

export const keysCommand: Command = {
  usage: USAGE,
  async run([action, ...words]) {
    if (action === 'list' && words.length === 0) return list();
    if (action === 'rotate' && words.length === 0) return rotate();
    if (action === 'retire' && words.length === 1) return retire(words[0] as string);
    throw new UsageError('keys takes one of: list, rotate, retire KID');
  },
};

async function list(): Promise<number> {
  const directory = await openKeyDirectory(loadConfig().dataDir);
  const [active, retired] = await Promise.all([directory.listActive(), directory.listRetired()]);
  const lines = [...active, ...retired].map((file, index) => {
    const state = file.retired ? 'retired' : index === 0 ? 'signs' : 'verifies';
    return describe(file, state);
  });
  process.stdout.write(
    lines.length === 0 ? 'there is no key yet; run: gatehouse keys rotate\n' : `${lines.join('\n')}\n`,
  );
  return 0;
}

function describe({ kid, createdAt }: KeyFile, state: string): string {
  return `${kid.padEnd(16)}  ${state.padEnd(8)}  made ${createdAt.toISOString()}`;
}

async function rotate(): Promise<number> {
  const kid = await rotateSigningKey(loadConfig().dataDir);
  process.stdout.write(`${kid} signs from now on; tokens of the older keys stay valid until those are retired\n`);
  return 0;
}

async function retire(kid: string): Promise<number> {
  const retirement = await retireSigningKey(loadConfig().dataDir, kid);
  if (retirement === 'unknown') return fail('there is no active key of that id; see: gatehouse keys list');
  if (retirement === 'last')
    return fail(`${kid} is the only active key; make another one first: gatehouse keys rotate`);
  process.stdout.write(`${kid} is retired: its tokens are refused\n`);
  return 0;
}

function fail(message: string): number {
  process.stderr.write(`gatehouse: ${message}\n`);
  return 1;
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, loadConfig } from '../config.ts';
import { isTenantSlug, type TenantSlug } from '../domain/ids.ts';
import { INGEST_SCOPES as SCOPES, type Scope } from '../domain/scopes.ts';
import { AccessTokenVerifier } from '../identity/access-token-verifier.ts';
import { mintAccessToken, type TokenGrant } from '../identity/access-tokens.ts';
import { isSubject, isTokenId, LIFETIME_DAYS_MAX, LIFETIME_SECONDS_MAX } from '../identity/claims.ts';
import { errorCode, PrivateFileError } from '../identity/private-files.ts';
import { SigningKeys } from '../identity/signing-keys.ts';
import { systemClock } from '../lib/clock.ts';
import { type Command, UsageError } from './command.ts';

const USAGE = `usage: gatehouse token [options]
       gatehouse token revoke <token or token id>

Prints one access token for sensors and nothing else. It works with the server running or not: both use the signing
keys in the data directory.

  --tenant NAME    whose events it sends (default demo)
  --subject NAME   who will hold it, for the records (default cli)
  --days N         days until it expires (default 30; 1 to ${LIFETIME_DAYS_MAX})
  --scope SCOPE    what it allows: ${SCOPES.join(', ')} (default events:write)

"revoke" ends a token before it expires: every server of the database refuses it within a second.

  npm run --silent token -- --tenant demo --subject ci --days 30
`;

export const tokenCommand: Command = {
  name: 'token',
  summary: 'Print an access token for sensors, or revoke one',
  usage: USAGE,
  async run(args) {
    try {
      return args[0] === 'revoke' ? await revoke(args.slice(1)) : await mint(args);
    } catch (error) {
      if (error instanceof PrivateFileError) return fail(error.message);
      throw error;
    }
  },
};

async function mint(args: string[]): Promise<number> {
  const grant = readGrant(args);
  const { dataDir } = loadConfig();
  const problem = await unknownTenant(dataDir, grant.tenant);
  if (problem !== undefined) return fail(problem);
  const { token } = await mintAccessToken(await SigningKeys.open(dataDir), systemClock, grant);
  process.stdout.write(`${token}\n`);
  return 0;
}

function readGrant(args: string[]): TokenGrant {
  const { tenant, subject, days, scope } = parseOptions(args);
  if (!isTenantSlug(tenant)) {
    throw new UsageError('--tenant must be 1 to 63 lower-case letters, digits or dashes, and begin with no dash');
  }
  if (!isSubject(subject)) throw new UsageError('--subject must be 1 to 128 printable characters');
  const lifetimeDays = /^\d{1,4}$/.test(days) ? Number(days) : 0;
  if (lifetimeDays < 1 || lifetimeDays > LIFETIME_DAYS_MAX) {
    throw new UsageError(`--days must be a whole number from 1 to ${LIFETIME_DAYS_MAX}`);
  }
  return { tenant, subject, scopes: readScopes(scope), lifetimeSeconds: lifetimeDays * 86_400 };
}

function parseOptions(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        tenant: { type: 'string', default: 'demo' },
        subject: { type: 'string', default: 'cli' },
        days: { type: 'string', default: '30' },
        scope: { type: 'string', default: 'events:write' },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readScopes(text: string): Scope[] {
  const names = new Set(text.split(/[ ,]+/));
  const scopes = SCOPES.filter((scope) => names.has(scope));
  if (scopes.length === 0 || scopes.length !== names.size)
    throw new UsageError(`--scope must be one of ${SCOPES.join(', ')}`);
  return scopes;
}

/** The file in which a server leaves the names of its tenants for the command line. */
const TENANTS_FILE = 'tenants.json';

/** Why no token can be minted for `tenant`. Before the first start no tenants are known, and none is refused. */
async function unknownTenant(dataDir: string, tenant: TenantSlug): Promise<string | undefined> {
  const known = await knownTenants(join(dataDir, TENANTS_FILE));
  if (known === undefined || known.includes(tenant)) return undefined;
  return `there is no tenant "${tenant}"; use one of: ${known.slice(0, 20).join(', ')}`;
}

async function knownTenants(path: string): Promise<string[] | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (!Array.isArray(value)) throw new SyntaxError('not a list');
    return value.map((tenant: { slug: unknown } | null) => String(tenant?.slug));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError)
      throw new PrivateFileError(`${path} is damaged; delete it, the next start writes it again`);
    throw error;
  }
}

async function revoke(words: string[]): Promise<number> {
  const [word] = words;
  if (word === undefined || words.length !== 1) throw new UsageError('token revoke takes one token or token id');
  const config = loadConfig();
  const target = word.includes('.') ? await readToken(config, word) : readTokenId(word);
  if (typeof target === 'string') return fail(target);
  // Loaded when needed: minting must neither wait for the database's driver nor depend on it.
  const [{ withDatabase }, { TokenRevocations }] = await Promise.all([
    import('./with-database.ts'),
    import('../store/token-revocations.ts'),
  ]);
  await withDatabase(config, (database) => new TokenRevocations(database).revoke(target));
  process.stdout.write(`revoked ${target.tokenId}\n`);
  return 0;
}

interface Target {
  tokenId: string;
  /** Unix seconds. */
  expiresAt: number;
}

/** Id and expiry of a token that would be accepted; otherwise why it would not. */
async function readToken(config: Config, token: string): Promise<Target | string> {
  const keys = await SigningKeys.open(config.dataDir);
  const verifier = new AccessTokenVerifier({ keys, clock: systemClock, revocations: { has: () => false } });
  const verified = await verifier.verify(`Bearer ${token}`);
  // Only what was verified is believed: a forged token could name another token's id, or a time that ends its revocation.
  return verified.ok ? verified.principal : `nothing to revoke, the token is refused already: ${verified.detail}`;
}

/** An id alone does not tell when its token expires, so that the longest life is assumed. */
function readTokenId(tokenId: string): Target {
  if (!isTokenId(tokenId)) throw new UsageError('token revoke takes one token, or its id (the claim "jti")');
  return { tokenId, expiresAt: Math.floor(systemClock.now() / 1000) + LIFETIME_SECONDS_MAX };
}

function fail(message: string): number {
  process.stderr.write(`gatehouse: ${message}\n`);
  return 1;
}

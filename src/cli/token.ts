import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Config, ConfigError, loadConfig } from '../config.ts';
import { isTenantSlug, isTokenId, type TenantSlug } from '../domain/ids.ts';
import { INGEST_SCOPES, PLATFORM_SCOPES, type Scope } from '../domain/scopes.ts';
import { AccessTokenVerifier } from '../identity/access-token-verifier.ts';
import { mintAccessToken, type TokenGrant } from '../identity/access-tokens.ts';
import { isSubject, LIFETIME_DAYS_MAX, LIFETIME_SECONDS_MAX } from '../identity/claims.ts';
import { errorCode, PrivateFileError } from '../identity/private-files.ts';
import { OTHER_INTERFACE } from '../identity/refusal.ts';
import { SigningKeys } from '../identity/signing-keys.ts';
import { tenantsFile } from '../identity/tenant-directory.ts';
import { systemClock } from '../lib/clock.ts';
import { type Command, UsageError, unreadableWords } from './command.ts';
import { listTokens, recordToken } from './token-books.ts';

const USAGE = `usage: gatehouse token [options]
       gatehouse token list [--tenant SLUG]
       gatehouse token revoke <token or token id>

Prints one access token and nothing else. It works with the server running or not: both use the signing keys in the data
directory. Where the database runs, the token is put down there, for the tenant's admins to see; the token itself is not.

  --tenant SLUG    whose events it sends, or whom it administers (default demo)
  --subject NAME   who will hold it, for the records (default cli)
  --days N         days until it expires (default 30; 1 to ${LIFETIME_DAYS_MAX})
  --scope SCOPE    what it allows: ${INGEST_SCOPES.join(', ')} (default events:write)
  --platform SCOPES
                   a token for the platform interface instead, not for events: "all", or some of
                   ${PLATFORM_SCOPES.slice(0, 5).join(',')},
                   ${PLATFORM_SCOPES.slice(5).join(',')}

"list" prints the tokens that were put down, newest first: id, kind, state (active, expired, revoked or key-retired), expiry,
holder, scopes. "revoke" ends a token before it expires: every server of the database refuses it within a second.
The exit code is 1 where an id is in no list: it is refused from then on all the same.

  npm run --silent token -- --tenant demo --subject ci --days 30
`;

export const tokenCommand: Command = {
  usage: USAGE,
  async run(args) {
    if (args[0] === 'revoke') return revoke(args.slice(1));
    return args[0] === 'list' ? list(args.slice(1)) : mint(args);
  },
};

async function list(args: string[]): Promise<number> {
  const tenant = readTenant(parseOptions(args).tenant);
  const config = loadConfig();
  const problem = await unknownTenant(config.dataDir, tenant);
  return problem === undefined ? listTokens(config, tenant) : fail(problem);
}

async function mint(args: string[]): Promise<number> {
  const grant = readGrant(args);
  const config = loadConfig();
  const { dataDir } = config;
  const problem = await unknownTenant(dataDir, grant.tenant);
  if (problem !== undefined) return fail(problem);
  const minted = await mintAccessToken(await SigningKeys.open(dataDir), systemClock, grant);
  process.stdout.write(`${minted.token}\n`);
  await recordToken(config, grant, minted);
  return 0;
}

function readTenant(tenant: string): TenantSlug {
  if (isTenantSlug(tenant)) return tenant;
  throw new UsageError('--tenant must be 1 to 63 lower-case letters, digits or dashes, and begin with no dash');
}

function readGrant(args: string[]): TokenGrant {
  const { tenant: named, subject, days, scope, platform } = parseOptions(args);
  const tenant = readTenant(named);
  if (!isSubject(subject)) throw new UsageError('--subject must be 1 to 128 printable characters');
  const lifetimeDays = /^\d{1,4}$/.test(days) ? Number(days) : 0;
  if (lifetimeDays < 1 || lifetimeDays > LIFETIME_DAYS_MAX) {
    throw new UsageError(`--days must be a whole number from 1 to ${LIFETIME_DAYS_MAX}`);
  }
  if (platform !== undefined && scope !== undefined) throw new UsageError('give either --scope or --platform');
  const kind = platform === undefined ? 'ingest' : 'platform';
  const scopes =
    platform === undefined
      ? readScopes('--scope', scope ?? 'events:write', INGEST_SCOPES)
      : readScopes('--platform', platform === 'all' ? PLATFORM_SCOPES.join() : platform, PLATFORM_SCOPES);
  return { tenant, kind, subject, scopes, lifetimeSeconds: lifetimeDays * 86_400 };
}

function parseOptions(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        tenant: { type: 'string', default: 'demo' },
        subject: { type: 'string', default: 'cli' },
        days: { type: 'string', default: '30' },
        scope: { type: 'string' },
        platform: { type: 'string' },
      },
    });
    return values;
  } catch (error) {
    throw unreadableWords('token', error);
  }
}

function readScopes(option: string, text: string, known: readonly Scope[]): Scope[] {
  const names = new Set(text.split(/[ ,]+/));
  const scopes = known.filter((scope) => names.has(scope));
  if (scopes.length === 0 || scopes.length !== names.size)
    throw new UsageError(`${option} must be ${known.length === 1 ? 'one' : 'some'} of ${known.join(', ')}`);
  return scopes;
}

/** Why `tenant` has no tokens. Before the first start no tenants are known, and none is refused. */
async function unknownTenant(dataDir: string, tenant: TenantSlug): Promise<string | undefined> {
  const known = await knownTenants(tenantsFile(dataDir));
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
  // Loaded when needed: minting must neither wait for the database's driver nor depend on it.
  const [{ requireDatabase, withDatabase }, { TokenRevocations }, { revokeForOperator }] = await Promise.all([
    import('./with-database.ts'),
    import('../store/token-revocations.ts'),
    import('../store/access-tokens.ts'),
  ]);
  const isWhole = word.includes('.');
  const ofId = isWhole ? undefined : readTokenId(word);
  requireDatabase(config);
  const target = ofId ?? (await readToken(config, word));
  if (typeof target === 'string') return fail(target);
  let isKnown: boolean;
  try {
    isKnown = await withDatabase(config, async (database) => {
      if (await revokeForOperator(database, target.tokenId)) return true;
      // Tokens that were minted while the database was down are in nobody's list, and are revoked all the same.
      await new TokenRevocations(database).revoke(target);
      return isWhole;
    });
  } catch (error) {
    if (error instanceof ConfigError) return fail(`nothing can be revoked now: ${error.message}`);
    throw error;
  }
  process.stdout.write(`revoked ${target.tokenId}\n`);
  return isKnown ? 0 : fail(`note: no token of the id ${target.tokenId} is in the list of tokens; is it mistyped?`);
}

interface Target {
  tokenId: string;
  /** Unix seconds. */
  expiresAt: number;
}

/** Id and expiry of a token that would be accepted; otherwise why it would not. */
async function readToken(config: Config, token: string): Promise<Target | string> {
  const keys = await SigningKeys.open(config.dataDir);
  const ports = { keys, clock: systemClock, revocations: { has: () => false } };
  const asSensor = await new AccessTokenVerifier(ports).verify(`Bearer ${token}`);
  const isForPlatform = !asSensor.ok && asSensor.detail === OTHER_INTERFACE;
  const verified = isForPlatform
    ? await new AccessTokenVerifier({ ...ports, kind: 'platform' }).verify(`Bearer ${token}`)
    : asSensor;
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

import type { Config } from '../config.ts';
import type { TenantSlug } from '../domain/ids.ts';
import { tokenKindOf } from '../domain/scopes.ts';
import { bookEntry, type MintedToken, type TokenGrant } from '../identity/access-tokens.ts';
import { activeKeyIds } from '../identity/key-directory.ts';
import { systemClock } from '../lib/clock.ts';
import type { AccessTokenRow } from '../store/access-tokens.ts';

/** What `gatehouse token` minted, in the books of the tenant: the table that its admins see. */

/** The token is good whether the database is there or not: it was printed, and this says what could not be done. */
export async function recordToken(config: Config, grant: TokenGrant, minted: MintedToken): Promise<void> {
  const { tenant } = grant;
  try {
    // Loaded when needed: minting must not depend on the database's driver.
    const [{ withRunningDatabase }, { recordForOperator }] = await Promise.all([
      import('./with-database.ts'),
      import('../store/access-tokens.ts'),
    ]);
    const known = await withRunningDatabase(config, (database) =>
      recordForOperator(database, tenant, bookEntry(grant, minted, systemClock.now())),
    );
    if (known === false) process.stderr.write(`gatehouse: note: the database has no tenant ${tenant} yet\n`);
  } catch (error) {
    const reason = (error as Error).message.split('\n', 1)[0];
    process.stderr.write(
      `gatehouse: note: token ${minted.tokenId} is good, but not in the list of tokens: ${reason}\n`,
    );
  }
}

const LIST_PAGE = 200;

/** Prints the tokens of a tenant that are in the books, newest first. */
export async function listTokens(config: Config, slug: TenantSlug): Promise<number> {
  const [{ withDatabase }, { listForOperator }] = await Promise.all([
    import('./with-database.ts'),
    import('../store/access-tokens.ts'),
  ]);
  const nowMs = systemClock.now();
  await withDatabase(config, async (database) => {
    const keyIds = await activeKeyIds(config.dataDir);
    if (keyIds === undefined)
      process.stderr.write(
        `gatehouse: note: ${config.dataDir} has no signing keys: which tokens ended with their key is not known here\n`,
      );
    for await (const row of listForOperator(database, slug, LIST_PAGE)) {
      const state = stateOf(row, keyIds, nowMs);
      const kind = tokenKindOf(row.audience) ?? row.audience;
      const words = [row.tokenId, kind, state, row.expiresAt.toISOString(), JSON.stringify(row.subject)];
      process.stdout.write(`${[...words, row.scopes.join(' ')].join('\t')}\n`);
    }
  });
  return 0;
}

function stateOf(
  { revokedAt, expiresAt, keyId }: AccessTokenRow,
  activeKeys: ReadonlySet<string> | undefined,
  nowMs: number,
) {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt.getTime() <= nowMs) return 'expired';
  const hasEnded = keyId !== null && activeKeys !== undefined && !activeKeys.has(keyId);
  return hasEnded ? 'key-retired' : 'active';
}

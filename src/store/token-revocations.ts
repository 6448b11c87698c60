import { sql } from 'drizzle-orm';
import { endDescendants, lockRevocations } from './access-tokens.ts';
import type { Database } from './database.ts';

/** A token that is refused from now on, until it would have expired anyway. */
export interface TokenRevocation {
  /** Grows with each revocation, in the order in which they become visible. */
  seq: number;
  tokenId: string;
  expiresAtSeconds: number;
}

/** Longest token id, in characters: it is a key of an index. */
const TOKEN_ID_CHARS_MAX = 256;

export class TokenRevocations {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Revokes a token, and the platform tokens that were minted by way of it. `expiresAt` is its `exp`, in Unix seconds. Revoking it again changes nothing. */
  async revoke({ tokenId, expiresAt }: { tokenId: string; expiresAt: number }): Promise<void> {
    if (tokenId === '' || tokenId.length > TOKEN_ID_CHARS_MAX || !tokenId.isWellFormed() || tokenId.includes('\0')) {
      throw new RangeError(`a token id must be a text of 1 to ${TOKEN_ID_CHARS_MAX} characters`);
    }
    await this.#database.db.transaction(async (tx) => {
      // One at a time, so that no smaller number becomes visible after a greater one was read.
      await lockRevocations(tx);
      await tx.execute(
        sql`update access_tokens set revoked_at = now() where token_id = ${tokenId} and revoked_at is null`,
      );
      await tx.execute(sql`
        insert into token_revocations (token_id, expires_at) values (${tokenId}, to_timestamp(${expiresAt}::float8))
        on conflict (token_id) do nothing`);
      await endDescendants(tx, tokenId);
    });
  }

  /** Revocations after `seq`, oldest first, at most `limit`. */
  async listAfter(seq: number, limit: number): Promise<TokenRevocation[]> {
    const rows = await this.#database.withSql(
      (sql) => sql<{ seq: string; token_id: string; expires_at: number }[]>`
        select seq, token_id, extract(epoch from expires_at)::float8 as expires_at
        from token_revocations where seq > ${seq} order by seq limit ${limit}`,
    );
    return rows.map((row) => ({ seq: Number(row.seq), tokenId: row.token_id, expiresAtSeconds: row.expires_at }));
  }
}

import { bigserial, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/** Access tokens that are refused before they expire. */
export const tokenRevocations = pgTable('token_revocations', {
  /** Grows in the order of commits, so that whoever has seen `seq` has seen everything before it. */
  seq: bigserial('seq', { mode: 'number' }).notNull().unique(),
  tokenId: text('token_id').primaryKey(),
  expiresAt: moment('expires_at').notNull(),
  revokedAt: moment('revoked_at').notNull().defaultNow(),
});

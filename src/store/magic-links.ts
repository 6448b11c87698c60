import { and, eq, gt, isNotNull, isNull, lte, ne, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { FirstOwner, MagicLink, MagicLinkStore, NewMagicLink } from '../domain/sign-in.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import type { Database } from './database.ts';
import { grantAsOperator, hasUsers, insertUser, tenantIds } from './people.ts';
import { memberships } from './schema/memberships.ts';
import { users } from './schema/organizations.ts';
import { magicLinks } from './schema/sign-in.ts';
import { tenants } from './schema/tenants.ts';
import { storableText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

const COLUMNS = {
  id: magicLinks.id,
  purpose: magicLinks.purpose,
  userId: magicLinks.userId,
  expiresAt: magicLinks.expiresAt,
  usedAt: magicLinks.usedAt,
  tenantId: magicLinks.tenantId,
};

/** Links in the database. Asked before anybody's tenant is known, therefore in the service's own name. */
export class StoredMagicLinks implements MagicLinkStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async insert({ userId, browserHash, tenantId, invitedAs, ...link }: NewMagicLink): Promise<void> {
    const invitation = {
      tenantId: tenantId ?? null,
      invitedAs: invitedAs === undefined ? null : storableText(invitedAs),
    };
    const rest = { userId: userId ?? null, browserHash: browserHash ?? null, ...invitation };
    await this.#database.db.transaction(async (tx) => {
      if (tenantId !== undefined && userId !== undefined) await deleteInvitations(tx, { tenantId, userId });
      await tx.insert(magicLinks).values({ ...link, ...rest });
    });
  }

  async find(tokenHash: Uint8Array): Promise<MagicLink | undefined> {
    const rows = await this.#database.db
      .select({ ...COLUMNS, disabledAt: users.disabledAt })
      .from(magicLinks)
      .leftJoin(users, eq(users.id, magicLinks.userId))
      .where(and(eq(magicLinks.tokenHash, tokenHash), or(isNotNull(magicLinks.usedAt), STANDS)));
    return rows.map(({ disabledAt, ...row }) => ({ ...linkOf(row), disabled: disabledAt !== null }))[0];
  }

  use(tokenHash: Uint8Array, browserHash: Uint8Array | undefined, at: Date): Promise<MagicLink | undefined> {
    return this.#database.db.transaction(async (tx) => {
      const [known] = await tx.select(COLUMNS).from(magicLinks).where(eq(magicLinks.tokenHash, tokenHash));
      if (known === undefined || !(await holdPerson(tx, known))) return undefined;
      const which = { tokenHash, browserHash, at };
      const link = await useLink({ db: tx }, which, ne(magicLinks.purpose, 'first_owner'));
      if (link?.tenantId !== undefined && link.userId !== undefined)
        await acceptInvitation(tx, { linkId: link.id, tenantId: link.tenantId, userId: link.userId, at });
      return link;
    });
  }

  async deleteExpired(before: Date): Promise<number> {
    const deleted = await this.#database.db
      .delete(magicLinks)
      .where(lte(magicLinks.expiresAt, before))
      .returning({ id: magicLinks.id });
    return deleted.length;
  }

  async deleteFirstOwnerLinks(): Promise<void> {
    await this.#database.db.delete(magicLinks).where(eq(magicLinks.purpose, 'first_owner'));
  }

  useForFirstOwner(tokenHash: Uint8Array, owner: FirstOwner, at: Date): Promise<string | undefined> {
    return this.#database.db.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.firstOwner})`);
      if (await hasUsers({ db: tx })) return undefined;
      const which = { tokenHash, browserHash: undefined, at };
      const link = await useLink({ db: tx }, which, eq(magicLinks.purpose, 'first_owner'));
      if (link === undefined) return undefined;
      const userId = await insertUser(tx, owner);
      for (const tenantId of await tenantIds(tx)) await grantAsOperator(tx, { tenantId, userId, role: 'owner' });
      return userId;
    });
  }
}

/** An invitation is good while its membership waits to be accepted: not once that is taken back. */
const STANDS = sql`(${magicLinks.purpose} <> 'invitation' or exists (
  select from memberships waiting where waiting.tenant_id = ${magicLinks.tenantId}
    and waiting.user_id = ${magicLinks.userId} and waiting.accepted_at is null))`;

/**
 * Whether the person may sign in, and waits to be a member where the link is an invitation: so it stays until the transaction ends.
 * Before the link itself, as where an invitation is put in place of another.
 */
async function holdPerson(tx: TenantTransaction, { userId, tenantId }: LinkRow): Promise<boolean> {
  if (userId === null) return false;
  const [person] = await tx
    .select({ disabledAt: users.disabledAt })
    .from(users)
    .where(eq(users.id, userId))
    .for('share');
  if (person?.disabledAt !== null) return false;
  if (tenantId === null) return true;
  const waiting = await tx
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId), isNull(memberships.acceptedAt)))
    .for('update');
  return waiting.length > 0;
}

/**
 * Whoever opens an invitation accepts it. Somebody who belongs to no tenant takes its organization, and the name that it gives them: being
 * invited first, by whomever, settles nothing.
 */
async function acceptInvitation(
  tx: TenantTransaction,
  { linkId, tenantId, userId, at }: { linkId: string; tenantId: string; userId: string; at: Date },
): Promise<void> {
  // Links of before invitations held a name have none.
  const name = sql`coalesce((select ${magicLinks.invitedAs} from ${magicLinks} where ${magicLinks.id} = ${linkId}), ${users.name})`;
  const organizationId = sql`(select ${tenants.organizationId} from ${tenants} where ${tenants.id} = ${tenantId})`;
  const theirs = and(eq(memberships.userId, userId), isNotNull(memberships.acceptedAt));
  const elsewhere = tx.select({ userId: memberships.userId }).from(memberships).where(theirs);
  await tx
    .update(users)
    .set({ organizationId, name })
    .where(and(eq(users.id, userId), notExists(elsewhere)));
  await tx
    .update(memberships)
    .set({ acceptedAt: at })
    .where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId), isNull(memberships.acceptedAt)));
}

/** Of several invitations to one tenant the last one alone is good. Two at once wait for each other. */
async function deleteInvitations(
  tx: TenantTransaction,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<void> {
  await tx
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId)))
    .for('update');
  const theirs = and(eq(magicLinks.tenantId, tenantId), eq(magicLinks.userId, userId));
  await tx.delete(magicLinks).where(and(theirs, isNull(magicLinks.usedAt)));
}

async function useLink(
  { db }: Pick<Database, 'db'> | { db: TenantTransaction },
  { tokenHash, browserHash, at }: { tokenHash: Uint8Array; browserHash: Uint8Array | undefined; at: Date },
  purpose: SQL,
): Promise<MagicLink | undefined> {
  const unbound = isNull(magicLinks.browserHash);
  const opensHere = browserHash === undefined ? unbound : or(unbound, eq(magicLinks.browserHash, browserHash));
  const rows = await db
    .update(magicLinks)
    .set({ usedAt: at })
    .where(
      and(
        eq(magicLinks.tokenHash, tokenHash),
        purpose,
        isNull(magicLinks.usedAt),
        gt(magicLinks.expiresAt, at),
        opensHere,
      ),
    )
    .returning(COLUMNS);
  return rows.map(linkOf)[0];
}

type LinkRow = Omit<MagicLink, 'userId' | 'usedAt' | 'tenantId' | 'disabled'> & {
  userId: string | null;
  usedAt: Date | null;
  tenantId: string | null;
};

/** Of somebody who may sign in. */
function linkOf(row: LinkRow): MagicLink {
  const { userId, usedAt, tenantId, ...rest } = row;
  return {
    ...rest,
    userId: userId ?? undefined,
    usedAt: usedAt ?? undefined,
    tenantId: tenantId ?? undefined,
    disabled: false,
  };
}

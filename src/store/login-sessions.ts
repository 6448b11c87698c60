import { and, desc, eq, gt, inArray, isNull, lte, ne, or, type SQL, sql } from 'drizzle-orm';
import type {
  EndedByProvider,
  EndedSession,
  LoginSessionStore,
  NewLoginSession,
  OwnLoginSession,
  StoredLoginSession,
} from '../domain/sign-in.ts';
import type { Database } from './database.ts';
import { loginSessions } from './schema/sign-in.ts';
import { ssoConnections } from './schema/sso.ts';
import type { TenantTransaction } from './tenant-database.ts';

const ENDED = {
  id: loginSessions.id,
  userId: loginSessions.userId,
  method: loginSessions.method,
  connectionId: loginSessions.connectionId,
  providerSession: loginSessions.providerSession,
};

/** More sessions of one person are not shown. */
const LISTED_MAX = 200;

/** People's sessions in the database. Asked before anybody's tenant is known, therefore in the service's own name. */
export class StoredLoginSessions implements LoginSessionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  insert({ connectionAsOf, ...session }: NewLoginSession): Promise<boolean> {
    const { connectionId, providerSession, providerMarks, ...rest } = session;
    const values = {
      ...rest,
      lastUsedAt: session.createdAt,
      overAt: session.overAt ?? null,
      connectionId: connectionId ?? null,
      providerSession: providerSession ?? null,
      subjectMark: providerMarks?.subject ?? null,
      sessionMark: providerMarks?.session ?? null,
    };
    return this.#database.db.transaction(async (tx) => {
      if (connectionId !== undefined && connectionAsOf !== undefined)
        if (!(await isUnchanged(tx, connectionId, connectionAsOf))) return false;
      await tx.insert(loginSessions).values(values);
      return true;
    });
  }

  async find(tokenHash: Uint8Array): Promise<StoredLoginSession | undefined> {
    const { id, userId, lastUsedAt, expiresAt } = loginSessions;
    const [found] = await this.#database.db
      .select({ id, userId, lastUsedAt, expiresAt })
      .from(loginSessions)
      .where(and(eq(loginSessions.tokenHash, tokenHash), isNull(loginSessions.endedAt)));
    return found;
  }

  async extend(id: string, lastUsedAt: Date, expiresAt: Date): Promise<void> {
    await this.#database.db
      .update(loginSessions)
      .set({ lastUsedAt, expiresAt: sql`least(${expiresAt.toISOString()}::timestamptz, ${loginSessions.overAt})` })
      .where(and(eq(loginSessions.id, id), isNull(loginSessions.endedAt)));
  }

  async end(tokenHash: Uint8Array, at: Date): Promise<EndedSession | undefined> {
    const [ended] = await this.#end(eq(loginSessions.tokenHash, tokenHash), at);
    return ended;
  }

  endAllOf(userId: string, at: Date): Promise<EndedSession[]> {
    return this.#end(eq(loginSessions.userId, userId), at);
  }

  endOneOf(userId: string, id: string, at: Date): Promise<EndedSession[]> {
    return this.#end(and(eq(loginSessions.userId, userId), eq(loginSessions.id, id)), at);
  }

  endOthersOf(userId: string, exceptId: string, at: Date): Promise<EndedSession[]> {
    return this.#end(and(eq(loginSessions.userId, userId), ne(loginSessions.id, exceptId)), at);
  }

  listOf(userId: string, at: Date): Promise<OwnLoginSession[]> {
    const { id, method, createdAt, lastUsedAt, address, browser, expiresAt, endedAt } = loginSessions;
    return this.#database.db
      .select({ id, method, createdAt, lastUsedAt, address, browser })
      .from(loginSessions)
      .where(and(eq(loginSessions.userId, userId), isNull(endedAt), gt(expiresAt, at)))
      .orderBy(desc(lastUsedAt), id)
      .limit(LISTED_MAX);
  }

  #end(which: SQL | undefined, at: Date): Promise<EndedSession[]> {
    return endSessions(this.#database.db, which, at);
  }

  async deleteExpired(before: Date): Promise<number> {
    const deleted = await this.#database.db
      .delete(loginSessions)
      .where(lte(loginSessions.expiresAt, before))
      .returning({ id: loginSessions.id });
    return deleted.length;
  }
}

/** Locks the connection, so that whoever changes it waits, and then finds the session to end. */
async function isUnchanged(tx: TenantTransaction, connectionId: string, asOf: Date): Promise<boolean> {
  const [row] = await tx
    .select({ state: ssoConnections.state, updatedAt: ssoConnections.updatedAt })
    .from(ssoConnections)
    .where(eq(ssoConnections.id, connectionId))
    .for('share');
  return row?.state === 'enabled' && row.updatedAt.getTime() === asOf.getTime();
}

/**
 * Ends the sessions of which their identity provider says that they are over. One to which it gave no name of its own ends with any
 * other of its person.
 */
export async function endSessionsByProvider(
  tx: TenantTransaction,
  { connectionId, subject, sessions }: EndedByProvider,
  at: Date,
): Promise<EndedSession[]> {
  const { subjectMark, sessionMark } = loginSessions;
  const ofPerson = subject === undefined ? undefined : eq(subjectMark, subject);
  const named = sessions.length === 0 ? undefined : inArray(sessionMark, [...sessions]);
  const ofSessions = named !== undefined && ofPerson !== undefined ? or(named, isNull(sessionMark)) : named;
  // Without a name it would be everybody's.
  if (ofPerson === undefined && ofSessions === undefined) return [];
  return endSessions(tx, and(eq(loginSessions.connectionId, connectionId), ofPerson, ofSessions), at);
}

async function endSessions(
  db: Database['db'] | TenantTransaction,
  which: SQL | undefined,
  at: Date,
): Promise<EndedSession[]> {
  const rows = await db
    .update(loginSessions)
    .set({ endedAt: at })
    .where(and(which, isNull(loginSessions.endedAt)))
    .returning(ENDED);
  return rows.map(({ connectionId, providerSession, ...rest }) => ({
    ...rest,
    ...(connectionId === null ? {} : { connectionId }),
    ...(providerSession === null ? {} : { providerSession }),
  }));
}

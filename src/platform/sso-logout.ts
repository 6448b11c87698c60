import type { EndedByProvider, EndedSession } from '../domain/sign-in.ts';
import type { SsoConnection } from '../domain/sso.ts';
import { audit } from '../store/audit-log.ts';
import { useMessage } from '../store/pending-sign-ins.ts';
import type { SsoOptions } from './sso-flow.ts';

/** What an identity provider ended, its message found to be genuine. */
export interface ProviderLogout {
  /** The id of its message, which counts once. */
  messageId: string;
  /** When the message would be refused as too old, in Unix milliseconds. */
  expiresAtMs: number;
  ended: EndedByProvider;
  /** The network address it came from. */
  address: string;
}

/** Ends the login sessions that a provider ended, and tells the tenant's audit log. False where the message was used before. */
export async function endForProvider(
  { database, loginSessions }: SsoOptions,
  connection: SsoConnection,
  { messageId, expiresAtMs, ended, address }: ProviderLogout,
): Promise<boolean> {
  const { id: connectionId, tenantId, kind } = connection;
  const used = { tenantId, connectionId, messageId: `logout ${messageId}`, expiresAt: new Date(expiresAtMs) };
  if (!(await useMessage(database, used))) return false;
  const sessions = await loginSessions.endByProvider(ended);
  if (sessions.length === 0) return true;
  await database.db.transaction(async (tx) => {
    for (const [userId, count] of countByUser(sessions)) {
      const entry = { tenantId, actor: `connection:${connectionId}`, target: `user:${userId}`, address };
      await audit(tx, { ...entry, action: 'login_sessions.revoked', detail: { count, method: kind } });
    }
  });
  return true;
}

function countByUser(sessions: readonly EndedSession[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { userId } of sessions) counts.set(userId, (counts.get(userId) ?? 0) + 1);
  return counts;
}

import type { EndedByProvider, EndedSession } from '../domain/sign-in.ts';
import type { SsoConnection } from '../domain/sso.ts';
import { audit } from '../store/audit-log.ts';
import { endSessionsByProvider } from '../store/login-sessions.ts';
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

/**
 * Ends the login sessions that a provider ended, and tells the tenant's audit log: all of it or, where it fails, nothing, so that the
 * provider can send the message again. False where it was used before.
 */
export async function endForProvider(
  { ownerDatabase, loginSessions, clock }: SsoOptions,
  connection: SsoConnection,
  { messageId, expiresAtMs, ended, address }: ProviderLogout,
): Promise<boolean> {
  const { id: connectionId, tenantId, kind } = connection;
  const used = { tenantId, connectionId, messageId: `logout ${messageId}`, expiresAt: new Date(expiresAtMs) };
  const sessions = await ownerDatabase.db.transaction(async (tx) => {
    if (!(await useMessage(tx, used))) return undefined;
    const found = await endSessionsByProvider(tx, ended, new Date(clock.now()));
    for (const [userId, count] of countByUser(found)) {
      const entry = { tenantId, actor: `connection:${connectionId}`, target: `user:${userId}`, address };
      await audit(tx, { ...entry, action: 'login_sessions.revoked', detail: { count, method: kind } });
    }
    return found;
  });
  loginSessions.tellEnded(sessions ?? []);
  return sessions !== undefined;
}

function countByUser(sessions: readonly EndedSession[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { userId } of sessions) counts.set(userId, (counts.get(userId) ?? 0) + 1);
  return counts;
}

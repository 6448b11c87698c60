import type { EndedByProvider, ProviderMarks } from '../domain/sign-in.ts';
import type { Seal } from '../identity/sealed.ts';

/** What an identity provider calls its sessions, and how they are found again when it ends them. */

/** The provider's own names: `NameID` and `SessionIndex` of SAML, `sub` and `sid` of OpenID Connect. */
export interface ProviderNames {
  subject: string;
  session?: string | undefined;
}

const markSubject = (seal: Seal, connectionId: string, name: string) => seal.mark(`subject at ${connectionId}`, name);
const markSession = (seal: Seal, connectionId: string, name: string) => seal.mark(`session at ${connectionId}`, name);

/** What is stored of the names with a login session. */
export function marksOf(seal: Seal, connectionId: string, { subject, session }: ProviderNames): ProviderMarks {
  return {
    subject: markSubject(seal, connectionId, subject),
    ...(session ? { session: markSession(seal, connectionId, session) } : {}),
  };
}

/** The login sessions that the provider means by `named`. */
export function endedBy(
  seal: Seal,
  connectionId: string,
  named: { subject?: string | undefined; sessions: readonly string[] },
): EndedByProvider {
  return {
    connectionId,
    ...(named.subject === undefined ? {} : { subject: markSubject(seal, connectionId, named.subject) }),
    sessions: named.sessions.map((name) => markSession(seal, connectionId, name)),
  };
}

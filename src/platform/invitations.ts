import { isUuid } from '../domain/ids.ts';
import type { MagicLinks } from '../identity/magic-links.ts';
import { invitationMail } from '../identity/mail-texts.ts';
import type { Mailer } from '../identity/mailer.ts';
import { audit } from '../store/audit-log.ts';
import type { TenantDatabase } from '../store/tenant-database.ts';
import { endInvitation, type WaitingInvitation } from '../store/waiting-invitations.ts';
import { magicLinkPath } from './addresses.ts';
import { actorOf } from './caller.ts';
import { type Refusal, refuse } from './http.ts';
import type { Self } from './own-sessions.ts';
import { type Site, wholeAddress } from './site.ts';

export interface Invitation {
  /** Somebody who is there already, and a member once they accept. */
  userId: string;
  tenantId: string;
  /** Their canonical address. */
  email: string;
  /** What they are to be called. */
  name: string;
  tenantName: string;
  /** The name of whoever invites them. */
  invitedBy: string;
}

/** What people see of invitations to themselves, and do about them. */
export interface InvitedContext {
  tenantDatabase: TenantDatabase;
  /** Those that wait for the person, newest first. */
  findInvitations: (userId: string) => Promise<WaitingInvitation[]>;
}

/** Ends an invitation that the person does not want. The link in the mail works no more; they can be invited again. */
export async function declineInvitation(
  { tenantDatabase }: InvitedContext,
  { caller, address }: Self,
  tenantId: string,
): Promise<{ tenantId: string } | Refusal> {
  const { userId } = caller;
  const isEnded =
    isUuid(tenantId) &&
    (await tenantDatabase.inTenant({ tenantId }, async (tx) => {
      const isEnded = await endInvitation(tx, { tenantId, userId });
      const who = { actor: actorOf(caller), target: userId, address };
      if (isEnded) await audit(tx, { tenantId, action: 'member.declined', ...who, detail: {} });
      return isEnded;
    }));
  return isEnded ? { tenantId } : refuse('not-found', 'no invitation to this tenant waits for you');
}

/** Mails a link that signs the person in, once, within seven days. @throws {MailNotSent} */
export type Invite = (invitation: Invitation) => Promise<void>;

export function inviter({ site, links, mailer }: { site: Site; links: MagicLinks; mailer: Mailer }): Invite {
  return async ({ userId, tenantId, email, name, tenantName, invitedBy }) => {
    const token = await links.forInvitation(userId, tenantId, name);
    await mailer.send(invitationMail(email, wholeAddress(site, magicLinkPath(token)), { tenantName, invitedBy }));
  };
}

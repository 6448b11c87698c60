import type { MagicLinks } from '../identity/magic-links.ts';
import { invitationMail } from '../identity/mail-texts.ts';
import type { Mailer } from '../identity/mailer.ts';
import type { WaitingInvitation } from '../store/waiting-invitations.ts';
import { magicLinkPath } from './addresses.ts';
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

/** What people see of invitations to themselves. */
export interface InvitedContext {
  /** Those that wait for the person, newest first. */
  findInvitations: (userId: string) => Promise<WaitingInvitation[]>;
}

/** Mails a link that signs the person in, once, within seven days. @throws {MailNotSent} */
export type Invite = (invitation: Invitation) => Promise<void>;

export function inviter({ site, links, mailer }: { site: Site; links: MagicLinks; mailer: Mailer }): Invite {
  return async ({ userId, tenantId, email, name, tenantName, invitedBy }) => {
    const token = await links.forInvitation(userId, tenantId, name);
    await mailer.send(invitationMail(email, wholeAddress(site, magicLinkPath(token)), { tenantName, invitedBy }));
  };
}

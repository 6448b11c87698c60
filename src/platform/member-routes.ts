import Type, { type Static } from 'typebox';
import { canonicalEmail } from '../domain/email-address.ts';
import { isUuid } from '../domain/ids.ts';
import { permissionsOf, ROLES, type Role } from '../domain/roles.ts';
import type { InvitationLimits } from '../identity/invitation-limits.ts';
import { errorText } from '../lib/error-text.ts';
import { changeMember, ensureUserByEmail, inviteMember, listMembers, type MemberRow } from '../store/members.ts';
import { type AccountContext, disablePerson, enablePerson, endSessionsOfMember } from './accounts.ts';
import type { Admission } from './admission.ts';
import { actorOf } from './caller.ts';
import { isRefusal, json, noContent, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { type Cursor, encodePlace, isPrintable, oneOf, PAGED, pageOf, readPage, uuidPlaces } from './input.ts';
import type { Invitation, Invite } from './invitations.ts';
import { type Admitted, jsonRoute, type TenantContext, tenantRoute } from './tenant-route.ts';

export interface MemberContext extends TenantContext, AccountContext {
  invitationLimits: InvitationLimits;
  /** Sends the invitation. A rejection is reported; the membership stays. */
  invite: Invite;
  /** Told of an invitation that could not be sent. */
  report: (problem: string) => void;
}

const NAME_CHARS_MAX = 128;

const Roles = Type.Array(oneOf(ROLES), {
  minItems: 1,
  maxItems: ROLES.length,
  uniqueItems: true,
});
export const NewMember = Type.Object(
  {
    email: Type.String({ minLength: 3 }),
    name: Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX }),
    roles: Roles,
  },
  { additionalProperties: false },
);
export const NewRoles = Type.Object({ roles: Roles }, { additionalProperties: false });

const PATH = '/api/v1/tenants/:tenant/members';
const ONE = `${PATH}/:user`;

/**
 * Who belongs to a tenant. One rule for all: a caller gives, changes and takes away only roles that allow nothing the
 * caller may not do. So owners alone make and unmake owners, and a token for members makes no admins.
 */
export function memberRoutes(context: MemberContext): Route[] {
  return [
    tenantRoute(context, ['GET', PATH, 'members', 'List members', PAGED], list),
    jsonRoute(context, ['POST', PATH, 'members', 'Invite somebody'], NewMember, async (admitted, given) => {
      const invited = await invitePerson(context, admitted, given);
      return isRefusal(invited) ? invited : json(invited, 201);
    }),
    jsonRoute(context, ['PATCH', ONE, 'members', "Change a member's roles"], NewRoles, async (admitted, { roles }) => {
      const changed = await changeRoles(context, admitted, userOf(admitted), roles);
      return isRefusal(changed) ? changed : json(changed);
    }),
    tenantRoute(context, ['DELETE', ONE, 'members', 'Remove a member'], async (admitted) => {
      const removed = await removeMember(context, admitted, userOf(admitted));
      return isRefusal(removed) ? removed : noContent();
    }),
    tenantRoute(context, ['POST', `${ONE}/disable`, 'owners', 'Let a person sign in no more'], async (admitted) => {
      const disabled = await disablePerson(context, admitted, userOf(admitted));
      return isRefusal(disabled) ? disabled : json(disabled);
    }),
    tenantRoute(context, ['POST', `${ONE}/enable`, 'owners', 'Let a person sign in again'], async (admitted) => {
      const enabled = await enablePerson(context, admitted, userOf(admitted));
      return isRefusal(enabled) ? enabled : json(enabled);
    }),
    tenantRoute(context, ['POST', `${ONE}/end-sessions`, 'members', 'Sign a member out'], async (admitted) => {
      const ended = await endSessionsOfMember(context, admitted, userOf(admitted));
      return isRefusal(ended) ? ended : json(ended);
    }),
  ];
}

const userOf = ({ request }: Admitted) => request.params['user'] ?? '';

export const memberCursor: Cursor<MemberRow> = {
  decode: uuidPlaces(1),
  of: ({ createdAt, userId }) => encodePlace({ at: createdAt, keys: [userId] }),
};

async function list({ request, tenantId, inTenant }: Admitted): Promise<PlatformAnswer> {
  const page = readPage(request.query, memberCursor.decode);
  if (isRefusal(page)) return page;
  const rows = await inTenant((tx) => listMembers(tx, tenantId, page.after, page.first + 1));
  return json(pageOf(rows, page.first, memberCursor.of, (row) => row));
}

export interface InvitedMember {
  userId: string;
  email: string;
  name: string;
  roles: Role[];
  /** False where the mail did not leave. The membership is there; inviting again sends another one. */
  invitationSent: boolean;
}

/** The answer is the same whether the address was known here: it repeats what was sent and adds an id. */
export async function invitePerson(
  context: MemberContext,
  admission: Admission,
  given: Static<typeof NewMember>,
): Promise<InvitedMember | Refusal> {
  const { tenantId } = admission;
  const email = canonicalEmail(given.email);
  if (email === undefined || !isPrintable(email)) return refuse('invalid-request', '/email must be an e-mail address');
  if (!isPrintable(given.name)) return refuse('invalid-request', '/name must be printable characters on one line');
  if (!mayGive(admission, given.roles)) return overreach();
  const wait = context.invitationLimits.take({ tenantId, inviter: actorOf(admission.caller), email });
  if (wait !== undefined) return tooManyInvitations(wait);
  const userId = await ensureUserByEmail(context.ownerDatabase, { email, tenantId });
  const added = await admission.inTenant(async (tx) => {
    const added = await inviteMember(tx, { tenantId, userId }, given.roles, (before) => mayGive(admission, before));
    if (added.kind === 'member' || added.kind === 'kept') return added;
    const before = added.kind === 'waiting' ? { before: added.before } : {};
    const detail = { email, ...before, roles: given.roles };
    await admission.audit(tx, { action: 'member.invited', target: userId, detail });
    return added;
  });
  if (added.kind === 'member') return refuse('conflict', 'this person is a member already; change the roles instead');
  if (added.kind === 'kept') return overreach();
  const tenantName = context.tenants.findById(tenantId)?.name ?? '';
  const { name, roles } = given;
  const invitation = { userId, tenantId, email, name, tenantName, invitedBy: nameOf(admission) };
  return { userId, email, name, roles, invitationSent: await send(context, invitation) };
}

function tooManyInvitations(seconds: number): Refusal {
  const detail = `too many invitations were sent in a short time; try again in ${seconds} seconds`;
  return refuse('too-many-requests', detail, [['retry-after', String(seconds)]]);
}

async function send({ invite, report }: MemberContext, invitation: Invitation): Promise<boolean> {
  try {
    await invite(invitation);
    return true;
  } catch (error) {
    report(`an invitation could not be sent: ${errorText(error)}`);
    return false;
  }
}

function nameOf({ caller }: Admission): string {
  return caller.kind === 'person' ? caller.name : caller.subject;
}

interface MemberRoles {
  userId: string;
  roles: readonly Role[];
}

/** Gives a member these roles in place of those of before. */
export async function changeRoles(
  context: MemberContext,
  admission: Admission,
  userId: string,
  roles: readonly Role[],
): Promise<MemberRoles | Refusal> {
  return mayGive(admission, roles) ? replaceRoles(context, admission, userId, roles) : overreach();
}

/** Ends a membership. */
export function removeMember(
  context: MemberContext,
  admission: Admission,
  userId: string,
): Promise<MemberRoles | Refusal> {
  return replaceRoles(context, admission, userId, []);
}

/** With no roles, ends the membership. */
async function replaceRoles(
  { sessions }: MemberContext,
  admission: Admission,
  userId: string,
  roles: readonly Role[],
): Promise<MemberRoles | Refusal> {
  const { tenantId } = admission;
  if (!isUuid(userId)) return refuse('not-found', NO_MEMBER);
  const change = await admission.inTenant(async (tx) => {
    const changed = await changeMember(tx, { tenantId, userId }, roles, (before) => mayGive(admission, before));
    if (changed.kind === 'changed') {
      const action = roles.length === 0 ? 'member.removed' : 'member.changed';
      await admission.audit(tx, { action, target: userId, detail: { before: changed.before, roles } });
    }
    return changed;
  });
  if (change.kind === 'unknown') return refuse('not-found', NO_MEMBER);
  if (change.kind === 'kept') return overreach();
  if (change.kind === 'last_owner')
    return refuse(
      'conflict',
      'this is the last owner of the tenant who can sign in; make somebody else an owner first',
    );
  sessions.rightsChanged(userId);
  return { userId, roles };
}

const NO_MEMBER = 'the tenant has no such member';

function mayGive({ may }: Admission, roles: readonly Role[]): boolean {
  return permissionsOf(roles).every(may);
}

function overreach(): Refusal {
  return refuse('forbidden', 'these roles allow what you may not do yourself; ask an owner of the tenant');
}

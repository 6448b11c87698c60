import Type from 'typebox';
import { canonicalEmail } from '../domain/email-address.ts';
import { isUuid } from '../domain/ids.ts';
import { permissionsOf, ROLES, type Role } from '../domain/roles.ts';
import type { Database } from '../store/database.ts';
import { changeMember, ensureUserByEmail, inviteMember, listMembers, type MemberRow } from '../store/members.ts';
import { json, noContent, type PlatformAnswer, type Refusal, type Route, refuse } from './http.ts';
import { encodePlace, isPrintable, isRefusal, jsonReader, oneOf, pageOf, readPage, uuidPlaces } from './input.ts';
import type { Invitation, Invite } from './invitations.ts';
import { type Admitted, type TenantContext, tenantRoute } from './tenant-route.ts';

export interface MemberContext extends TenantContext {
  /** The service's own view: who exists is not known to any one tenant. */
  database: Database;
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
const readNewMember = jsonReader(
  Type.Object(
    {
      email: Type.String({ minLength: 3 }),
      name: Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX }),
      roles: Roles,
    },
    { additionalProperties: false },
  ),
);
const readRoles = jsonReader(Type.Object({ roles: Roles }, { additionalProperties: false }));

const PATH = '/api/v1/tenants/:tenant/members';

/**
 * Who belongs to a tenant. One rule for all: a caller gives, changes and takes away only roles that allow nothing the
 * caller may not do. So owners alone make and unmake owners, and a token for members makes no admins.
 */
export function memberRoutes(context: MemberContext): Route[] {
  return [
    tenantRoute(context, ['GET', PATH, 'members'], list),
    tenantRoute(context, ['POST', PATH, 'members'], (admitted) => invite(context, admitted)),
    tenantRoute(context, ['PATCH', `${PATH}/:user`, 'members'], change),
    tenantRoute(context, ['DELETE', `${PATH}/:user`, 'members'], remove),
  ];
}

const decodePlace = uuidPlaces(1);

async function list({ request, tenantId, inTenant }: Admitted): Promise<PlatformAnswer> {
  const page = readPage(request.query, decodePlace);
  if (isRefusal(page)) return page;
  const rows = await inTenant((tx) => listMembers(tx, tenantId, page.after, page.first + 1));
  const cursorOf = ({ createdAt, userId }: MemberRow) => encodePlace({ at: createdAt, keys: [userId] });
  return json(pageOf(rows, page.first, cursorOf, (row) => row));
}

/** The answer is the same whether the address was known here: it repeats what was sent and adds an id. */
async function invite(context: MemberContext, admitted: Admitted): Promise<PlatformAnswer> {
  const { tenantId } = admitted;
  const given = readNewMember(admitted.request);
  if (isRefusal(given)) return given;
  const email = canonicalEmail(given.email);
  if (email === undefined || !isPrintable(email)) return refuse('invalid-request', '/email must be an e-mail address');
  if (!isPrintable(given.name)) return refuse('invalid-request', '/name must be printable characters on one line');
  if (!mayGive(admitted, given.roles)) return overreach();
  const userId = await ensureUserByEmail(context.database, email, given.name);
  const added = await admitted.inTenant(async (tx) => {
    const added = await inviteMember(tx, { tenantId, userId }, given.roles);
    const detail = { email, roles: given.roles };
    if (added === 'invited') await admitted.audit(tx, { action: 'member.invited', target: userId, detail });
    return added;
  });
  if (added === 'member') return refuse('conflict', 'this person is a member already; change the roles instead');
  const tenantName = context.tenants.findById(tenantId)?.name ?? '';
  const invitationSent = await send(context, { userId, tenantId, email, tenantName, invitedBy: nameOf(admitted) });
  return json({ userId, email, name: given.name, roles: given.roles, invitationSent }, 201);
}

async function send({ invite, report }: MemberContext, invitation: Invitation): Promise<boolean> {
  try {
    await invite(invitation);
    return true;
  } catch (error) {
    report(`an invitation could not be sent: ${(error as Error).message}`);
    return false;
  }
}

function nameOf({ caller }: Admitted): string {
  return caller.kind === 'person' ? caller.name : caller.subject;
}

async function change(admitted: Admitted): Promise<PlatformAnswer> {
  const given = readRoles(admitted.request);
  if (isRefusal(given)) return given;
  return mayGive(admitted, given.roles) ? replaceRoles(admitted, given.roles) : overreach();
}

async function remove(admitted: Admitted): Promise<PlatformAnswer> {
  return replaceRoles(admitted, []);
}

/** With no roles, ends the membership. */
async function replaceRoles(admitted: Admitted, roles: readonly Role[]): Promise<PlatformAnswer> {
  const { tenantId, request } = admitted;
  const userId = request.params['user'] ?? '';
  if (!isUuid(userId)) return refuse('not-found', NO_MEMBER);
  const change = await admitted.inTenant(async (tx) => {
    const changed = await changeMember(tx, { tenantId, userId }, roles, (before) => mayGive(admitted, before));
    if (changed.kind === 'changed') {
      const action = roles.length === 0 ? 'member.removed' : 'member.changed';
      await admitted.audit(tx, { action, target: userId, detail: { before: changed.before, roles } });
    }
    return changed;
  });
  if (change.kind === 'unknown') return refuse('not-found', NO_MEMBER);
  if (change.kind === 'kept') return overreach();
  if (change.kind === 'last_owner')
    return refuse('conflict', 'this is the last owner of the tenant; make somebody else an owner first');
  return roles.length === 0 ? noContent() : json({ userId, roles });
}

const NO_MEMBER = 'the tenant has no such member';

function mayGive({ may }: Admitted, roles: readonly Role[]): boolean {
  return permissionsOf(roles).every(may);
}

function overreach(): Refusal {
  return refuse('forbidden', 'these roles allow what you may not do yourself; ask an owner of the tenant');
}

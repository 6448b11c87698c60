import { isUuid } from '../domain/ids.ts';
import { type Permission, permissionsOf } from '../domain/roles.ts';
import type { LoginSessions } from '../identity/login-sessions.ts';
import { type Account, lockAccount, setDisabled } from '../store/accounts.ts';
import type { Database } from '../store/database.ts';
import { countOwners } from '../store/members.ts';
import { findPerson } from '../store/people.ts';
import type { TenantTransaction } from '../store/tenant-database.ts';
import type { Admission } from './admission.ts';
import { type Caller, may } from './caller.ts';
import { type Refusal, refuse } from './http.ts';

/**
 * What one tenant may do to the account of a person, which others may share. The rule: nobody does through one tenant what they
 * might not do in every tenant that the person belongs to; one that only invited them has no say. Whoever may not, can still remove the person from
 * their own tenant, which ends all access to it at once.
 */

export interface AccountContext {
  /** The service's own view: no one tenant sees all places of a person. */
  ownerDatabase: Database;
  sessions: Pick<LoginSessions, 'endAllOf' | 'rightsChanged'>;
}

interface Reached {
  tx: TenantTransaction;
  account: Account;
}

/** Runs `work` on the member's account, if the caller may do `permission` to them in each of their tenants. */
async function withAccount<T>(
  { ownerDatabase }: AccountContext,
  admission: Admission,
  { userId, permission }: { userId: string; permission: Permission },
  work: (reached: Reached) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  if (!isUuid(userId)) return noMember();
  return ownerDatabase.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId);
    if (account?.invitedTo.includes(admission.tenantId))
      return refuse('conflict', 'this person has not accepted the invitation yet; remove them instead');
    if (!account?.places.some(({ tenantId }) => tenantId === admission.tenantId)) return noMember();
    const caller = await asOfNow(tx, admission.caller);
    if (caller === undefined) return refuse('unauthorized', 'you may not sign in any more');
    for (const { tenantId, roles } of account.places)
      if (![permission, ...permissionsOf(roles)].every((each) => may(caller, tenantId, each)))
        return refuse('forbidden', tenantId === admission.tenantId ? OVERREACH : ELSEWHERE);
    return work({ tx, account });
  });
}

/** What a person may do may have changed while this waited for somebody else's change. */
async function asOfNow(tx: TenantTransaction, caller: Caller): Promise<Caller | undefined> {
  if (caller.kind === 'token') return caller;
  const person = await findPerson({ db: tx }, caller.userId);
  return person && { ...caller, tenants: person.tenants };
}

const noMember = () => refuse('not-found', 'the tenant has no such member');
const OVERREACH = 'this person may do what you may not do yourself; ask an owner of the tenant';
const ELSEWHERE =
  'this person belongs to other tenants, too, in which you may not do this; you can remove them from this one';

/** Lets a person of the tenant's organization sign in no more. Their login sessions and the platform tokens they minted end. */
export async function disablePerson(
  context: AccountContext,
  admission: Admission,
  userId: string,
): Promise<{ userId: string; disabled: boolean } | Refusal> {
  if (admission.caller.kind === 'person' && admission.caller.userId === userId)
    return refuse('conflict', 'this is you; another owner can disable you');
  const done = await switchPerson(context, admission, { userId, disabled: true });
  if ('disabled' in done) await context.sessions.endAllOf(userId);
  return done;
}

/** Lets them sign in again. What ended does not come back. */
export function enablePerson(
  context: AccountContext,
  admission: Admission,
  userId: string,
): Promise<{ userId: string; disabled: boolean } | Refusal> {
  return switchPerson(context, admission, { userId, disabled: false });
}

function switchPerson(
  context: AccountContext,
  admission: Admission,
  { userId, disabled }: { userId: string; disabled: boolean },
): Promise<{ userId: string; disabled: boolean } | Refusal> {
  return withAccount(context, admission, { userId, permission: 'owners' }, async ({ tx, account }) => {
    const home = account.places.find(({ tenantId }) => tenantId === admission.tenantId)?.organizationId;
    if (account.organizationId !== home)
      return refuse('forbidden', 'this person belongs to another organization; you can remove them from the tenant');
    if (account.isDisabled === disabled) return { userId, disabled };
    if (disabled && (await isLastOwner(tx, userId, account))) return refuse('conflict', LAST_OWNER);
    await setDisabled(tx, userId, { places: account.places, disabled });
    const action = disabled ? 'member.disabled' : 'member.enabled';
    for (const { tenantId } of account.places) await admission.audit(tx, { tenantId, action, target: userId });
    return { userId, disabled };
  });
}

/** The last who can sign in, of any tenant. */
async function isLastOwner(tx: TenantTransaction, userId: string, { places }: Account): Promise<boolean> {
  for (const { tenantId, roles } of places)
    if (roles.includes('owner') && (await countOwners(tx, tenantId, { userId })) === 0) return true;
  return false;
}

const LAST_OWNER = 'this is the last owner of a tenant who can sign in; make somebody else an owner first';

/** Signs a member out everywhere. */
export async function endSessionsOfMember(
  context: AccountContext,
  admission: Admission,
  userId: string,
): Promise<{ userId: string; count: number } | Refusal> {
  // The entry first: nothing ends without one.
  const told = await withAccount(context, admission, { userId, permission: 'members' }, async ({ tx, account }) => {
    for (const { tenantId } of account.places)
      await admission.audit(tx, { tenantId, action: 'login_sessions.revoked', target: userId });
    return { userId };
  });
  if ('kind' in told) return told;
  return { userId, count: (await context.sessions.endAllOf(userId)).length };
}

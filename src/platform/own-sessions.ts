import { isUuid } from '../domain/ids.ts';
import type { OwnLoginSession } from '../domain/sign-in.ts';
import type { LoginSessions } from '../identity/login-sessions.ts';
import type { Caller, PersonCaller } from './caller.ts';
import { type Refusal, refuse } from './http.ts';
import type { SignInAudit } from './sign-in-audit.ts';

/** What a person does about their own login sessions. */

export interface OwnSessionsContext {
  sessions: LoginSessions;
  audit: SignInAudit;
}

/** Who asks, from where. */
export interface Self {
  caller: PersonCaller;
  address: string;
}

/** The caller as a person: a program has no login sessions, and is invited to nothing. */
export function selfOf(caller: Caller, address: string): Self | Refusal {
  return caller.kind === 'person'
    ? { caller, address }
    : refuse('forbidden', 'this is for people: sign in as one, without a bearer token');
}

export interface ShownLoginSession extends OwnLoginSession {
  /** Whether it is the one that asks. */
  isCurrent: boolean;
}

/** The person's sessions that are not over, the last used first. */
export async function listOwnSessions(
  { sessions }: OwnSessionsContext,
  { caller }: Self,
): Promise<ShownLoginSession[]> {
  const rows = await sessions.listOf(caller.userId);
  return rows.map((row) => ({ ...row, isCurrent: row.id === caller.loginSessionId }));
}

/** Ends one of them. */
export async function endOwnSession(
  context: OwnSessionsContext,
  self: Self,
  id: string,
): Promise<{ id: string } | Refusal> {
  const ended = isUuid(id) ? await context.sessions.endOneOf(self.caller.userId, id) : [];
  if (ended.length === 0) return refuse('not-found', 'you have no such login session');
  await record(context, self, 1);
  return { id };
}

/** Ends all of them but the one that asks. */
export async function endOtherSessions(context: OwnSessionsContext, self: Self): Promise<{ count: number }> {
  const { length: count } = await context.sessions.endOthersOf(self.caller.userId, self.caller.loginSessionId);
  if (count > 0) await record(context, self, count);
  return { count };
}

/** Ends all of them. */
export async function endAllSessions(context: OwnSessionsContext, self: Self): Promise<{ count: number }> {
  const { length: count } = await context.sessions.endAllOf(self.caller.userId);
  await record(context, self, count);
  return { count };
}

function record({ audit }: OwnSessionsContext, { caller, address }: Self, count: number): Promise<void> {
  const detail = { count };
  return audit.record(caller.userId, { action: 'login_sessions.revoked', actor: 'person', detail, address });
}

/** Requests to the platform interface, with the proof that they come from this page (against CSRF), in the name of whom it shows. */

export const SESSION = '/api/v1/auth/session';
const HEADER = 'x-csrf-token';
const LOGIN = '/api/v1/auth/login';
const LOGOUT = '/api/v1/auth/logout';

/** Why nothing is asked for any more: nobody is signed in, or somebody else than the person whose page this is. */
export type Absence = 'signed-out' | 'someone-else';

interface Session {
  /** Undefined where nobody is signed in. */
  userId?: string | undefined;
  proof?: string | undefined;
}

let viewerId: string | undefined;
let session: Promise<Session> | undefined;
let absence: Absence | undefined;
let onAbsence: (absence: Absence | undefined) => void = () => {};

/** Says whose page this is: from then on nothing is asked for in the name of anybody else, who may sign in in another tab. */
export function belongsTo(userId: string): void {
  viewerId = userId;
}

/** Told when a request finds nobody signed in, or somebody else; and `undefined` when the person is back. */
export function whenAbsent(listener: (absence: Absence | undefined) => void): void {
  onAbsence = listener;
}

function setAbsence(now: Absence | undefined): void {
  absence = now;
  session = undefined;
  onAbsence(now);
}

async function askSession(): Promise<Session> {
  const answer = await fetch(SESSION, { credentials: 'include' });
  if (!answer.ok) return {};
  const { userId } = (await answer.json()) as { userId?: string };
  return { userId, proof: answer.headers.get(HEADER) ?? undefined };
}

function readSession(): Promise<Session> {
  session ??= askSession().catch(() => {
    // Asked again with the next request: the network may be back by then.
    session = undefined;
    return {};
  });
  return session;
}

const isSomeoneElse = ({ userId }: Session) => userId !== undefined && viewerId !== undefined && userId !== viewerId;

async function send(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  // Changes nothing, so that it needs no proof; and without headers of its own it is what the page asked for itself, where it did.
  if (init.method === 'GET') return fetch(input, { credentials: 'include', signal: init.signal ?? null });
  const now = await readSession();
  if (isSomeoneElse(now)) {
    setAbsence('someone-else');
    return refused();
  }
  const headers = new Headers(init.headers);
  if (now.proof !== undefined) headers.set(HEADER, now.proof);
  return fetch(input, { ...init, headers, credentials: 'include' });
}

/** What the service answers where nobody is signed in. */
const refused = () => new Response(null, { status: 401 });

/**
 * As `fetch`. After a 403 the proof is read anew, once: it changes when the person signs in again in another tab. While the person
 * is away nothing is sent, and all is answered with 401.
 */
export async function authorizedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  if (absence !== undefined) return refused();
  let answer = await send(input, init);
  if (answer.status === 403) {
    session = undefined;
    answer = await send(input, init);
  }
  if (answer.status === 401 && absence === undefined) setAbsence('signed-out');
  return answer;
}

/** Asks who is signed in now: the person may be back, or somebody else in their place. */
export async function lookAgain(): Promise<void> {
  session = undefined;
  const now = await readSession();
  if (now.userId === undefined) return;
  setAbsence(isSomeoneElse(now) ? 'someone-else' : undefined);
}

/** Where to sign in, to come back to the page that is shown. */
export function loginAddress({ pathname, search }: Location = window.location): string {
  return pathname === '/' ? LOGIN : `${LOGIN}?return_to=${encodeURIComponent(pathname + search)}`;
}

/** Leaves for the service's own way out: it ends the session, and goes on to the identity provider where that has one, too. */
export function signOut(): void {
  window.location.assign(LOGOUT);
}

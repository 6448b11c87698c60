/** Requests to the platform interface, with the proof that they come from this page (against CSRF). */

export const SESSION = '/api/v1/auth/session';
const HEADER = 'x-csrf-token';
export const LOGIN = '/api/v1/auth/login';
const LOGOUT = '/api/v1/auth/logout';

let proof: Promise<string | undefined> | undefined;
let onSignedOut = (): void => {};

/** Told when a request finds nobody signed in. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

function readProof(): Promise<string | undefined> {
  proof ??= fetch(SESSION, { credentials: 'include' }).then(
    (answer) => answer.headers.get(HEADER) ?? undefined,
    () => {
      // Asked again with the next request: the network may be back by then.
      proof = undefined;
      return undefined;
    },
  );
  return proof;
}

async function send(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  // Changes nothing, so that it needs no proof; and without headers of its own it is what the page asked for itself, where it did.
  if (init.method === 'GET') return fetch(input, { credentials: 'include', signal: init.signal ?? null });
  const headers = new Headers(init.headers);
  const token = await readProof();
  if (token !== undefined) headers.set(HEADER, token);
  return fetch(input, { ...init, headers, credentials: 'include' });
}

/** As `fetch`. After a 403 the proof is read anew, once: it changes when the person signs in again in another tab. */
export async function authorizedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  let answer = await send(input, init);
  if (answer.status === 403) {
    proof = undefined;
    answer = await send(input, init);
  }
  if (answer.status === 401) {
    proof = undefined;
    onSignedOut();
  }
  return answer;
}

/** Leaves for the service's own way out: it ends the session, and goes on to the identity provider where that has one, too. */
export function signOut(): void {
  window.location.assign(LOGOUT);
}

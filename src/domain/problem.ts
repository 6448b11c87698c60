import Type from 'typebox';

/** The body of every error answer (RFC 9457). */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri', description: '{base_url}/problems/<slug>' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String({ format: 'uri' }),
  },
  { title: 'Problem' },
);
export type Problem = Type.Static<typeof ProblemSchema>;

interface ProblemType {
  status: number;
  title: string;
  /** What it means and what to do about it, for a person: the page at `/problems/<slug>`. */
  help: string;
}

/** The catalogue of every problem the service answers with, by slug. */
export const PROBLEMS = {
  'invalid-request': {
    status: 400,
    title: 'Invalid Request',
    help: 'The request could not be read, or is not what this address takes (of sensors: one of the six events). Its "detail" names the place and what was expected there. Nothing of the request was stored, and a sensor blocks what it asked about. Mend the sender; sending the same request again gives the same answer.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    help: 'The bearer token is missing, malformed, expired, revoked, or does not allow what was asked. Mint one (gatehouse token, or the dashboard) and send the request again. Until then sensors whose fail mode is not block let calls run.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    help: 'You are known, but may not do this: a role is missing in the tenant, or the proof that the request came from the dashboard itself. Ask an owner of the tenant for the role.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    help: 'What was asked does not fit the present state. Its "detail" says how; read the state again and decide anew.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too Many Requests',
    help: 'This was asked too often in a short time. The "Retry-After" header names the seconds to wait.',
  },
  'not-found': { status: 404, title: 'Not Found', help: 'Nothing lives at this address. Check the path.' },
  'unknown-session': {
    status: 404,
    title: 'Unknown Session',
    help: 'No session of this id is remembered in the tenant of the token: none began in the last days, or the id or the tenant is another.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method Not Allowed',
    help: 'The address exists, but not for this method. The "Allow" header names the ones it takes.',
  },
  timeout: {
    status: 408,
    title: 'Request Timeout',
    help: 'No decision was reached within the deadline. A sender treats this as allow; the event is recorded as undecided, and counts against the fail-open budget.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal Server Error',
    help: 'The service could not process the event. A sender treats this as allow. The correlation id in the answer finds the cause in the logs.',
  },
  'newer-database': {
    status: 503,
    title: 'Database Of A Newer Version',
    help: 'A newer version of Gatehouse migrated the database, and what people ask for cannot be worked on safely with it: nothing was changed. Run that version, or restore the backup from before the upgrade; the service notices by itself. Events are decided meanwhile, and kept in its journal.',
  },
} as const satisfies Record<string, ProblemType>;

export type ProblemSlug = keyof typeof PROBLEMS;

/** Builds the problem `slug` as an answer of the service at `baseUrl`. `instance` must be a URI of its own. */
export function problem(baseUrl: string, slug: ProblemSlug, detail: string, instance: string): Problem {
  const { status, title } = PROBLEMS[slug];
  return { type: `${baseUrl}/problems/${slug}`, title, status, detail, instance };
}

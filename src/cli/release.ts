import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { isTenantSlug, type TenantSlug } from '../domain/ids.ts';
import { RELEASE_REASON_CHARS_MAX, type ReleaseRequest } from '../domain/release.ts';
import { mintAccessToken } from '../identity/access-tokens.ts';
import { isSubject } from '../identity/claims.ts';
import { SigningKeys } from '../identity/signing-keys.ts';
import { systemClock } from '../lib/clock.ts';
import { type Command, UsageError, unreadableWords } from './command.ts';

const USAGE = `usage: gatehouse release --session ID --reason TEXT [--tenant SLUG] [--hold] [--taint LABEL …]
                         [--subject NAME] [--url URL]

Ends the hold of an agent session, or taints, on the running service. Who did so, when and why is recorded:
"gatehouse export releases" prints it. Without --taint, the hold is meant.

  --session ID     the session_id, as the sensor sends it
  --reason TEXT    why, for whoever asks later
  --tenant SLUG    whose session it is (default demo)
  --hold           end the hold, too, where --taint is given
  --taint LABEL    end the taint of this label; may be given several times
  --subject NAME   who does it, for the records (default: the name of the user who runs this)
  --url URL        where the service is (default GATEHOUSE_BASE_URL)

It makes a token of the scope sessions:release that is good for a minute, with the signing keys of the data directory.
`;

const TOKEN_SECONDS = 60;
const ANSWER_MS_MAX = 60_000;

export const releaseCommand: Command = {
  usage: USAGE,
  async run(args) {
    const { tenant, subject, url, request } = readOptions(args);
    const { dataDir, baseUrl } = loadConfig();
    const grant = { tenant, subject, scopes: ['sessions:release'] as const, lifetimeSeconds: TOKEN_SECONDS };
    const { token } = await mintAccessToken(await SigningKeys.open(dataDir), systemClock, grant);
    return send(url ?? baseUrl, token, request);
  },
};

async function send(baseUrl: string, token: string, request: ReleaseRequest): Promise<number> {
  let answer: Response;
  try {
    answer = await fetch(`${baseUrl}/v1/sessions/release`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
  } catch (error) {
    return fail(`no answer from ${baseUrl}: ${(error as Error).message}; is the service running there?`);
  }
  const body = (await answer.json()) as { detail?: string; released?: { hold: boolean; taints: string[] } };
  if (body.released === undefined) return fail(body.detail ?? `the service answered ${answer.status}`);
  const { hold, taints } = body.released;
  const ended = [...(hold ? ['the hold'] : []), ...taints.map((label) => `taint ${label}`)];
  process.stdout.write(ended.length === 0 ? 'there was nothing to release\n' : `released: ${ended.join(', ')}\n`);
  return 0;
}

function fail(message: string): number {
  process.stderr.write(`gatehouse: ${message}\n`);
  return 1;
}

interface Options {
  tenant: TenantSlug;
  subject: string;
  url: string | undefined;
  request: ReleaseRequest;
}

function readOptions(args: string[]): Options {
  const { session, reason = '', tenant, hold, taint, subject, url } = parse(args);
  if (session === undefined) throw new UsageError('--session is missing; see: gatehouse release --help');
  if (reason.trim() === '' || reason.length > RELEASE_REASON_CHARS_MAX)
    throw new UsageError(`--reason must say why, in 1 to ${RELEASE_REASON_CHARS_MAX} characters`);
  if (!isTenantSlug(tenant)) throw new UsageError(`${tenant} is no tenant's short name`);
  if (!isSubject(subject)) throw new UsageError('--subject must be 1 to 128 printable characters');
  const request = { session_id: session, hold: hold || taint.length === 0, taints: taint, reason };
  return { tenant, subject, url, request };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args,
      options: {
        session: text,
        reason: text,
        tenant: { ...text, default: 'demo' },
        hold: { type: 'boolean', default: false },
        taint: { ...text, multiple: true, default: [] },
        subject: { ...text, default: `cli:${userInfo().username}` },
        url: text,
      },
    }).values;
  } catch (error) {
    throw unreadableWords('release', error);
  }
}

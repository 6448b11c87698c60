import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import type { TenantSlug } from '../domain/ids.ts';
import { mintAccessToken } from '../identity/access-tokens.ts';
import { SigningKeys } from '../identity/signing-keys.ts';
import { systemClock } from '../lib/clock.ts';
import { parsedUrl } from '../lib/parsed-url.ts';
import { type Command, UsageError, unreadableWords } from './command.ts';
import { CorpusError, corpusSessions } from './demo/corpus.ts';
import { fleetSessions } from './demo/fleet.ts';
import { replay } from './demo/replay.ts';
import { createSender } from './demo/sender.ts';
import type { ReplaySummary } from './demo/summary.ts';
import { recordToken } from './token-books.ts';

const USAGE = `usage: gatehouse demo [--corpus DIR] [options]

Sends the events of a fleet of agents to a running server, and says what it decided: coding, support, data and
operations agents at ordinary work, with an attack in one of five sessions. A blocked tool does not run, so its result
is not sent.

  --corpus DIR       replay labelled events instead: files *.jsonl.gz, one {"label", "event" or "session"} a line
  --url URL          the server's address (default: from GATEHOUSE_BASE_URL, or from host and port)
  --token TOKEN      access token (default: minted with the keys in the data directory, for the tenant demo)
  --events N         events to send, at most (default 2000; 1 to 10000000)
  --rate N           events a second, at most (default 200; 1 to 100000)
  --concurrency N    sessions under way at once (default 32; 1 to 1024)

Ends with 1 if the server cannot be reached or takes none of the events.

  npm run --silent demo -- --events 500
`;

const EVENTS_MAX = 10_000_000;
const RATE_MAX = 100_000;
const CONCURRENCY_MAX = 1024;

interface DemoOptions {
  corpus: string | undefined;
  url: string;
  /** Minted where it is not given, once the server was seen to answer. */
  token: string | undefined;
  eventsMax: number;
  perSecond: number;
  concurrency: number;
}

export const demoCommand: Command = {
  usage: USAGE,
  async run(args) {
    const options = readOptions(args);
    const unreachable = await whyUnreachable(options.url);
    if (unreachable !== undefined) return fail(unreachable);
    try {
      return conclude(await runDemo(options));
    } catch (error) {
      if (error instanceof CorpusError) return fail(error.message);
      throw error;
    }
  },
};

function conclude(summary: ReplaySummary): number {
  process.stdout.write(`${summary.toString()}\n`);
  if (summary.errors < summary.sent) return 0;
  return fail(summary.sent === 0 ? 'there was no event to send' : 'the server took none of the events');
}

function fail(message: string): number {
  process.stderr.write(`gatehouse: ${message}\n`);
  return 1;
}

async function runDemo(options: DemoOptions): Promise<ReplaySummary> {
  const { corpus, url, token, concurrency } = options;
  const sender = createSender(url, token ?? (await mintToken()), concurrency);
  const source = corpus === undefined ? fleetSessions() : corpusSessions(corpus);
  const onProgress = (summary: ReplaySummary) => process.stderr.write(`${summary.progress()}\n`);
  try {
    return await replay(source, sender, { ...options, onProgress });
  } finally {
    sender.close();
  }
}

const REACH_MS_MAX = 5000;

/** Why no server answers at `url`, with what to do about it; undefined if one does. */
async function whyUnreachable(url: string): Promise<string | undefined> {
  try {
    await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(REACH_MS_MAX) });
    return undefined;
  } catch {
    return `no server answers at ${url}: start one with "npm start", or name another with --url`;
  }
}

function readOptions(args: string[]): DemoOptions {
  const words = parseWords(args);
  const url = (words.url ?? loadConfig().baseUrl).replace(/\/+$/, '');
  if (!/^https?:$/.test(parsedUrl(url)?.protocol ?? '')) {
    throw new UsageError('--url must be an http or https URL');
  }
  return {
    corpus: words.corpus,
    url,
    token: words.token,
    eventsMax: wholeNumber('--events', words.events, EVENTS_MAX),
    perSecond: wholeNumber('--rate', words.rate, RATE_MAX),
    concurrency: wholeNumber('--concurrency', words.concurrency, CONCURRENCY_MAX),
  };
}

function parseWords(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        corpus: { type: 'string' },
        url: { type: 'string' },
        token: { type: 'string' },
        events: { type: 'string', default: '2000' },
        rate: { type: 'string', default: '200' },
        concurrency: { type: 'string', default: '32' },
      },
    });
    return values;
  } catch (error) {
    throw unreadableWords('demo', error);
  }
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw new UsageError(`${name} must be a whole number from 1 to ${max}`);
}

const TOKEN_SECONDS = 86_400;

async function mintToken(): Promise<string> {
  const config = loadConfig();
  const tenant = 'demo' as TenantSlug;
  const grant = { tenant, subject: 'demo', scopes: ['events:write'], lifetimeSeconds: TOKEN_SECONDS } as const;
  const minted = await mintAccessToken(await SigningKeys.open(config.dataDir), systemClock, grant);
  await recordToken(config, grant, minted);
  return minted.token;
}

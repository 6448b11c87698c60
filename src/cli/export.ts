import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { isTenantSlug } from '../domain/ids.ts';
import type { Database } from '../store/database.ts';
import {
  type ExportedDecision,
  type ExportedEvent,
  type ExportedRelease,
  type ExportFilter,
  exportDecisions,
  exportEvents,
  exportReleases,
} from '../store/exports.ts';
import { listTenants } from '../store/tenants.ts';
import { type Command, UsageError, unreadableWords } from './command.ts';
import { print } from './output.ts';
import { parseTime } from './time.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `usage: gatehouse export events|decisions|releases [--session ID] [--since TIME] [--tenant SLUG]

Prints what the database holds as JSON lines, oldest first. Records that are still on their way from the journal are
not in it yet.

  --session ID    only of the agent session with this session_id
  --since TIME    only received since then: a date-time (2026-01-31T08:00:00Z) or an age (7d, 24h, 30m)
  --tenant SLUG   only of this tenant

Example: gatehouse export decisions --since 24h | grep '"action":"block"'`;

const KINDS = ['events', 'decisions', 'releases'] as const;
type Kind = (typeof KINDS)[number];

interface Wanted {
  kind: Kind;
  session?: string;
  sinceMs?: number;
  tenant?: string;
}

export const exportCommand: Command = {
  usage: USAGE,
  async run(args) {
    const wanted = parse(args, Date.now());
    return withDatabase(loadConfig(), async (database) => {
      for await (const line of await exportLines(database, wanted)) await print(line);
      return 0;
    });
  },
};

function parse(args: string[], nowMs: number): Wanted {
  const { positionals, values } = read(args);
  const kind = KINDS.find((name) => name === positionals[0]);
  if (positionals.length !== 1 || kind === undefined)
    throw new UsageError('say what to export: events, decisions or releases');
  const { session, since, tenant } = values;
  if (tenant !== undefined && !isTenantSlug(tenant)) throw new UsageError(`${tenant} is no tenant's short name`);
  return {
    kind,
    ...(session === undefined ? {} : { session }),
    ...(since === undefined ? {} : { sinceMs: parseTime(since, nowMs) }),
    ...(tenant === undefined ? {} : { tenant }),
  };
}

function read(args: string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({ args, allowPositionals: true, options: { session: text, since: text, tenant: text } });
  } catch (error) {
    throw unreadableWords('export', error);
  }
}

async function exportLines(database: Database, wanted: Wanted): Promise<AsyncIterable<string>> {
  const tenants = await listTenants(database);
  const chosen = tenants.filter(({ slug }) => wanted.tenant === undefined || slug === wanted.tenant);
  if (wanted.tenant !== undefined && chosen.length === 0)
    throw new UsageError(`there is no tenant ${wanted.tenant}; see: gatehouse tenants list`);
  const filter: ExportFilter = {
    tenants: chosen,
    ...(wanted.session === undefined ? {} : { sessionId: wanted.session }),
    ...(wanted.sinceMs === undefined ? {} : { sinceMs: wanted.sinceMs }),
  };
  switch (wanted.kind) {
    case 'events':
      return linesOf(exportEvents(database, filter), eventLine);
    case 'decisions':
      return linesOf(exportDecisions(database, filter), decisionLine);
    case 'releases':
      return linesOf(exportReleases(database, filter), releaseLine);
  }
}

async function* linesOf<T>(rows: AsyncIterable<T>, line: (row: T) => string): AsyncGenerator<string> {
  for await (const row of rows) yield `${line(row)}\n`;
}

/** The body goes in as it came, so that nothing a parser would change (numbers, double keys) is changed. */
function eventLine({ body, receivedAtMs, ...rest }: ExportedEvent): string {
  const head = JSON.stringify(withoutNulls({ receivedAt: isoTime(receivedAtMs), ...rest }));
  return `${head.slice(0, -1)},"event":${oneLine(body)}}`;
}

function decisionLine({
  explanation,
  effects,
  receivedAtMs,
  decidedAtMs,
  unanswered,
  late,
  ...rest
}: ExportedDecision): string {
  return JSON.stringify({
    ...withoutNulls({ ...rest, receivedAt: isoTime(receivedAtMs), decidedAt: isoTime(decidedAtMs) }),
    effects: parsed(effects),
    ...(explanation === null ? {} : { explanation: parsed(explanation) }),
    ...(unanswered === null ? {} : { unanswered: unansweredOf(unanswered) }),
    ...(late === null ? {} : { late: lateOf(late) }),
  });
}

function releaseLine({ releasedAtMs, ...rest }: ExportedRelease): string {
  return JSON.stringify(withoutNulls({ ...rest, releasedAt: isoTime(releasedAtMs) }));
}

function unansweredOf({ atMs, ...rest }: NonNullable<ExportedDecision['unanswered']>): object {
  return { at: isoTime(atMs), ...rest };
}

function lateOf({ atMs, effects, explanation, ...rest }: NonNullable<ExportedDecision['late']>): object {
  return withoutNulls({ at: isoTime(atMs), ...rest, effects: parsed(effects), explanation: parsed(explanation) });
}

function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}

/** In JSON text, a raw line break can only stand between tokens. */
function oneLine(json: string): string {
  return json.replace(/[\r\n]/g, ' ');
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { CHAIN_START, type ChainEnd, chainFault } from '../domain/audit.ts';
import type { Tenant } from '../domain/tenant.ts';
import { listAudit, type StoredAuditRow } from '../store/audit-log.ts';
import type { Database } from '../store/database.ts';
import { listTenants } from '../store/tenants.ts';
import { type Command, UsageError, unreadableWords } from './command.ts';
import { withDatabase } from './with-database.ts';

const PAGE_ENTRIES = 1000;

export const auditCommand: Command = {
  usage: `usage: gatehouse audit list --tenant SLUG [--after SEQ]
       gatehouse audit verify [--tenant SLUG [--expect SEQ:HASH]...]

"list" prints one entry a line, as JSON, oldest first.

"verify" walks the chain of hashes of each tenant, and prints its last entry as SEQ:HASH, or the first entry that is
missing or is not what was written; the exit code is 1 then. Whoever may act as the owner of the tables can write a whole
chain anew: keep what verify printed somewhere else, and give it to a later run with --expect.`,
  async run(args) {
    const { action, tenant, expected, after } = read(args);
    return withDatabase(loadConfig(), async (database) => {
      const tenants = (await listTenants(database)).filter(({ slug }) => tenant === undefined || slug === tenant);
      if (tenants.length === 0) throw new UsageError(`there is no tenant ${tenant}; see: gatehouse tenants list`);
      if (action === 'list') return list(database, tenants[0] as Tenant, after);
      let failed = 0;
      for (const each of tenants) if (!(await verify(database, each, expected))) failed++;
      return failed === 0 ? 0 : 1;
    });
  },
};

interface Words {
  action: 'list' | 'verify';
  tenant: string | undefined;
  /** Hashes by the number of their entry. */
  expected: ReadonlyMap<number, string>;
  after: number;
}

function read(args: string[]): Words {
  const { values, positionals } = parse(args);
  const [action, ...rest] = positionals;
  if ((action !== 'list' && action !== 'verify') || rest.length > 0)
    throw new UsageError('say list or verify; see: gatehouse audit --help');
  const { tenant, expect = [], after = '0' } = values;
  if (tenant === undefined && (action === 'list' || expect.length > 0))
    throw new UsageError('say of which tenant: --tenant SLUG');
  if (!/^\d{1,15}$/.test(after)) throw new UsageError('--after must be the number of an entry');
  return { action, tenant, expected: new Map(expect.map(readExpected)), after: Number(after) };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        tenant: { type: 'string' },
        expect: { type: 'string', multiple: true },
        after: { type: 'string' },
      },
    });
  } catch (error) {
    throw unreadableWords('audit', error);
  }
}

function readExpected(text: string): [number, string] {
  const [, seq, hash] = /^(\d{1,15}):([\da-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined || Number(seq) === 0)
    throw new UsageError('--expect must be SEQ:HASH as "gatehouse audit verify" printed it');
  return [Number(seq), hash];
}

async function* entriesOf({ db }: Database, tenantId: string, after: number): AsyncGenerator<StoredAuditRow> {
  for (let last = after; ; ) {
    const from = last;
    const page = await db.transaction((tx) => listAudit(tx, tenantId, from, PAGE_ENTRIES));
    yield* page;
    if (page.length < PAGE_ENTRIES) return;
    last = page.at(-1)?.seq ?? last;
  }
}

async function list(database: Database, { id }: Tenant, after: number): Promise<number> {
  for await (const { seq, at, actor, action, target, detail, address, hash } of entriesOf(database, id, after)) {
    const entry = { seq, at, actor, action, target, detail: parsed(detail), address, hash: hexOf(hash) };
    process.stdout.write(`${JSON.stringify(entry)}\n`);
  }
  return 0;
}

/** The detail of an entry that somebody changed may be anything. */
function parsed(detail: string): unknown {
  try {
    return JSON.parse(detail);
  } catch {
    return detail;
  }
}

async function verify(database: Database, tenant: Tenant, expected: Words['expected']): Promise<boolean> {
  const { end, fault } = await walkChain(database, tenant.id, expected);
  const said = fault ?? (end.seq === 0 ? 'no entries' : `${end.seq}:${hexOf(end.hash)}`);
  process.stdout.write(`${tenant.slug}\t${fault === undefined ? 'equal' : 'DIFFERS'}\t${said}\n`);
  return fault === undefined;
}

/** Where the chain of a tenant ends, or what is wrong with it first. `expected` holds hashes that were kept elsewhere, by entry. */
export async function walkChain(
  database: Database,
  tenantId: string,
  expected: ReadonlyMap<number, string>,
): Promise<{ end: ChainEnd; fault?: string }> {
  let end = CHAIN_START;
  for await (const row of entriesOf(database, tenantId, 0)) {
    const hash = expected.get(row.seq);
    const fault = chainFault(row, end);
    if (fault !== undefined) return { end, fault };
    if (hash !== undefined && hash !== hexOf(row.hash))
      return { end, fault: `entry ${row.seq} is another one than expected` };
    end = { seq: row.seq, hash: row.hash };
  }
  const missing = [...expected.keys()].find((seq) => seq > end.seq);
  return missing === undefined ? { end } : { end, fault: `entry ${end.seq + 1} is missing: ${missing} was expected` };
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

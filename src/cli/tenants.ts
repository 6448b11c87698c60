import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { ON_FAILURE, type OnFailure } from '../domain/decision.ts';
import { isTenantSlug, type TenantSlug } from '../domain/ids.ts';
import { TENANT_DEADLINE_MS_MIN } from '../domain/tenant.ts';
import { TenantDirectory, tenantsFile } from '../identity/tenant-directory.ts';
import { isTenantName } from '../platform/tenant-routes.ts';
import type { Database } from '../store/database.ts';
import { ensureTenant, listTenants, type OperatorChanges, updateTenant } from '../store/tenants.ts';
import { type Command, UsageError, unreadableWords } from './command.ts';
import { withDatabase, withNewDatabase } from './with-database.ts';

export const tenantsCommand: Command = {
  usage: `usage: gatehouse tenants list
       gatehouse tenants add SLUG [--name NAME] [--on-failure ${ON_FAILURE.join('|')}]
       gatehouse tenants set SLUG [--name NAME] [--on-failure ${ON_FAILURE.join('|')}] [--deadline-ms N|service]
                                  [--retention-days N|service] [--organization NAME]

--on-failure says what is answered when no decision is reached in time: allow (408 or 500, which senders treat as allow),
degrade (quick rules decide), block. --deadline-ms and --retention-days hold a tenant to less than the whole service; "service"
takes that back. --organization names whom it belongs to (see: gatehouse organizations). A running service follows within about a second.`,
  async run(args) {
    const { values, positionals } = parse(args);
    const [action, slug, ...rest] = positionals;
    if (rest.length > 0) throw new UsageError(`unexpected ${JSON.stringify(rest[0])}; see: gatehouse tenants --help`);
    const config = loadConfig();
    const wanted = {
      name: nameOf(values.name),
      organization: values.organization,
      onFailure: onFailureOf(values['on-failure']),
      deadlineMs: boundOf('--deadline-ms', values['deadline-ms'], [TENANT_DEADLINE_MS_MIN, config.deadlineMs]),
      retentionDays: boundOf('--retention-days', values['retention-days'], [1, config.retentionDays]),
    };
    const addition = action === 'add' ? added(slugOf(slug), wanted, config.onFailure) : undefined;
    // Tenants may be there before the first start.
    const using = addition === undefined ? withDatabase : withNewDatabase;
    return using(config, async (database) => {
      if (action === 'list' && slug === undefined) await list(database);
      else if (addition !== undefined) await add(database, addition, config.dataDir);
      else if (action === 'set') await change(database, slugOf(slug), wanted);
      else throw new UsageError('say list, add SLUG or set SLUG; see: gatehouse tenants --help');
      return 0;
    });
  },
};

interface Wanted {
  organization: string | undefined;
  name: string | undefined;
  onFailure: OnFailure | undefined;
  /** Null: that of the service. */
  deadlineMs: number | null | undefined;
  retentionDays: number | null | undefined;
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        organization: { type: 'string' },
        'on-failure': { type: 'string' },
        'deadline-ms': { type: 'string' },
        'retention-days': { type: 'string' },
      },
    });
  } catch (error) {
    throw unreadableWords('tenants', error);
  }
}

function nameOf(text: string | undefined): string | undefined {
  if (text === undefined || isTenantName(text)) return text;
  throw new UsageError('--name must be up to 128 printable characters on one line');
}

function onFailureOf(text: string | undefined): OnFailure | undefined {
  if (text === undefined) return undefined;
  const known = ON_FAILURE.find((value) => value === text);
  if (known === undefined) throw new UsageError(`--on-failure must be one of ${ON_FAILURE.join(', ')}`);
  return known;
}

function boundOf(
  name: string,
  text: string | undefined,
  [min, max]: readonly [number, number],
): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'service') return null;
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${name} must be a whole number from ${min} to ${max}, or "service"`);
}

function slugOf(text: string | undefined): TenantSlug {
  if (text !== undefined && isTenantSlug(text)) return text;
  throw new UsageError('a tenant is named by 1 to 63 of a–z, 0–9 and -, not beginning with -');
}

function added(slug: TenantSlug, { name, onFailure, ...others }: Wanted, fallback: OnFailure) {
  if (Object.values(others).some((value) => value !== undefined))
    throw new UsageError('add takes --name and --on-failure only; say the rest with: gatehouse tenants set');
  return { slug, name: name ?? slug, onFailure: onFailure ?? fallback };
}

/** The tenant is known to the next command at once, and not only when a running service has seen it. */
async function add(database: Database, tenant: ReturnType<typeof added>, dataDir: string): Promise<void> {
  if ((await listTenants(database)).some(({ slug }) => slug === tenant.slug))
    throw new UsageError(`there is a tenant ${tenant.slug} already; change it with: gatehouse tenants set`);
  await ensureTenant(database, tenant);
  await new TenantDirectory({ listTenants: () => listTenants(database) }, tenantsFile(dataDir)).refresh();
}

async function change(database: Database, slug: TenantSlug, wanted: Wanted): Promise<void> {
  const changes: OperatorChanges = Object.fromEntries(
    Object.entries(wanted).filter(([, value]) => value !== undefined),
  );
  if (Object.keys(changes).length === 0)
    throw new UsageError('say what to change: --name, --on-failure, --deadline-ms, --retention-days or --organization');
  const outcome = await updateTenant(database, slug, changes);
  if (outcome === 'no_tenant') throw new UsageError(`there is no tenant ${slug}; see: gatehouse tenants list`);
  if (outcome === 'no_organization')
    throw new UsageError('there is no organization of this name; see: gatehouse organizations list');
}

async function list(database: Database): Promise<void> {
  for (const { slug, name, onFailure } of await listTenants(database)) {
    process.stdout.write(`${slug}\t${onFailure}\t${JSON.stringify(name)}\n`);
  }
}

import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { canonicalEmail } from '../domain/email-address.ts';
import { isRole, ROLES, type Role } from '../domain/roles.ts';
import { MagicLinks } from '../identity/magic-links.ts';
import { systemClock } from '../lib/clock.ts';
import { magicLinkPath } from '../platform/addresses.ts';
import { wholeAddress } from '../platform/site.ts';
import type { Database } from '../store/database.ts';
import { StoredMagicLinks } from '../store/magic-links.ts';
import { admitAsOperator } from '../store/people.ts';
import { listTenants } from '../store/tenants.ts';
import { type Command, UsageError, unreadableWords } from './command.ts';
import { withDatabase } from './with-database.ts';

export const signInLinkCommand: Command = {
  usage: `usage: gatehouse sign-in-link --email ADDRESS [--tenant SLUG [--role ${ROLES.join('|')}]] [--enable]

For whoever locked themselves out, or has no mail. The link works once, within an hour, in any browser; the audit log of each
of the person's tenants says that the operator made it.

  --email ADDRESS   whose link it is
  --tenant SLUG     makes them a member of this tenant first; somebody unknown needs it
  --role ROLE       as what (default owner)
  --enable          gives a disabled account back`,
  async run(args) {
    const wanted = readWords(args);
    const config = loadConfig();
    const token = await withDatabase(config, (database) => makeLink(database, wanted));
    process.stdout.write(`${wholeAddress(config, magicLinkPath(token))}\n`);
    return 0;
  },
};

interface Wanted {
  email: string;
  tenant: string | undefined;
  role: Role;
  enable: boolean;
}

function readWords(args: string[]): Wanted {
  const { email: address, tenant, role = 'owner', enable = false } = parse(args);
  const email = canonicalEmail(address ?? '');
  if (email === undefined) throw new UsageError('--email must be an e-mail address');
  if (!isRole(role)) throw new UsageError(`--role must be one of ${ROLES.join(', ')}`);
  return { email, tenant, role, enable };
}

function parse(args: string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({ args, options: { email: text, tenant: text, role: text, enable: { type: 'boolean' } } }).values;
  } catch (error) {
    throw unreadableWords('sign-in-link', error);
  }
}

async function makeLink(database: Database, { email, tenant: slug, role, enable }: Wanted): Promise<string> {
  const tenant = slug === undefined ? undefined : (await listTenants(database)).find((each) => each.slug === slug);
  if (slug !== undefined && tenant === undefined)
    throw new UsageError(`there is no tenant ${slug}; see: gatehouse tenants list`);
  const membership = tenant && { tenantId: tenant.id, role };
  const admitted = await admitAsOperator(database, email, { membership, enable });
  if (admitted === 'unknown')
    throw new UsageError(`nobody who may sign in has the address ${email}; name a --tenant to make them a member`);
  if (admitted === 'disabled')
    throw new UsageError(`the account of ${email} was disabled; --enable gives it back, in each of their tenants`);
  return new MagicLinks(new StoredMagicLinks(database), systemClock).forPerson('operator', admitted.userId);
}

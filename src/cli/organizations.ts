import { loadConfig } from '../config.ts';
import { addOrganization, listOrganizations } from '../store/organizations.ts';
import { type Command, UsageError } from './command.ts';
import { withDatabase, withNewDatabase } from './with-database.ts';

const NAME_CHARS_MAX = 128;

export const organizationsCommand: Command = {
  usage: `usage: gatehouse organizations list
       gatehouse organizations add NAME

A tenant is put into one with: gatehouse tenants set SLUG --organization NAME. Who is invited into a tenant, or brought by
its identity provider, belongs to its organization from then on; whoever was there before stays where they are.`,
  async run([action, name, ...rest]) {
    if (rest.length > 0)
      throw new UsageError(`unexpected ${JSON.stringify(rest[0])}; see: gatehouse organizations --help`);
    const using = action === 'add' ? withNewDatabase : withDatabase;
    return using(loadConfig(), async (database) => {
      if (action === 'list' && name === undefined) {
        for (const { name, tenants } of await listOrganizations(database))
          process.stdout.write(`${JSON.stringify(name)}\t${tenants.join(' ')}\n`);
      } else if (action === 'add' && name !== undefined) {
        if (!(await addOrganization(database, nameOf(name))))
          throw new UsageError(`there is an organization ${JSON.stringify(name)} already`);
      } else throw new UsageError('say list or add NAME; see: gatehouse organizations --help');
      return 0;
    });
  },
};

function nameOf(text: string): string {
  if (/^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(text) && text.trim() === text && text.length <= NAME_CHARS_MAX) return text;
  throw new UsageError(`an organization is named by 1 to ${NAME_CHARS_MAX} printable characters on one line`);
}

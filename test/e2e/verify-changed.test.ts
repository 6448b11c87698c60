import t from 'tap';
import { EVENTS_PATH, eventOf } from '../support/load.ts';
import { openClient, startTestPostgres } from '../support/postgres.ts';
import { startService } from '../support/service.ts';

/** What `gatehouse verify` says of rows that somebody changed, or a disk damaged. */

const postgres = await startTestPostgres(t);
const url = await postgres.createDatabase();
const sql = openClient(t, url);
const service = await startService({ env: { GATEHOUSE_LOG_LEVEL: 'error', GATEHOUSE_DATABASE_URL: url } });
t.teardown(() => service.dispose());
const token = await service.token();

async function call(session: string, command: string): Promise<void> {
  const tool = { name: 'Bash', input: { command } };
  const answer = await fetch(service.url + EVENTS_PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(eventOf('tool_invocation', { session_id: session, tool })),
  });
  await answer.body?.cancel();
}

await call('s', 'npm publish --access public');
await call('s', 'rm -rf ~');
await call('s', 'ls');
let stored: { id: string }[] = [];
while (stored.length < 3) stored = await sql<{ id: string }[]>`select id from decisions order by id`;
const [allowed, blocked, later] = stored.map(({ id }) => id) as [string, string, string];

/** What verify says of `id` while `change` is made to its row in `table`, and how it ends. */
async function told(id: string, table: 'events' | 'decisions', change: Record<string, unknown>): Promise<string> {
  const [before] = await sql`select ${sql(Object.keys(change))} from ${sql(table)} where id = ${id}`;
  await sql`update ${sql(table)} set ${sql(change as never)} where id = ${id}`;
  try {
    return await service.gatehouse('verify', id, later);
  } catch (error) {
    return (error as { stdout: string }).stdout;
  } finally {
    await sql`update ${sql(table)} set ${sql(before as never)} where id = ${id}`;
  }
}

t.test('rows that nobody touched are equal', async (t) => {
  const ids = [allowed, blocked, later];
  t.equal(await service.gatehouse('verify', ...ids), ids.map((id) => `${id} equal\n`).join(''));
});

t.test('an event that was rewritten is told, and so is each decision of its session behind it', async (t) => {
  const [row] = await sql<{ body: string }[]>`select body from events where id = ${allowed}`;
  const body = String(row?.body).replace('npm publish --access public', 'ls');
  const said = await told(allowed, 'events', { body });
  t.match(said, new RegExp(`^${allowed} differs\\n  the body of ${allowed} is not the one that was received`));
  t.match(said, new RegExp(`${later} differs\\n  the body of ${allowed}`));
});

t.test('a decision cannot lose its explanation, or become one that nobody made', async (t) => {
  for (const change of [
    { explanation: null },
    { action: 'allow', reason: null, explanation: null },
    { kind: 'undecided', answered: 'allow' },
    { kind: 'undecided', action: null, explanation: null, answered: 'allow', cause: 'deadline' },
    { shadow_action: 'block' },
    { simulated_action: 'block' },
    { not_waited_for: [later] },
  ])
    t.match(await told(blocked, 'decisions', change), new RegExp(`^${blocked} differs\\n`), JSON.stringify(change));
});

t.test('a damaged row differs, and ends nothing', async (t) => {
  for (const change of [{ explanation: '{' }, { explanation: 'null' }, { effects: 'x' }, { effects: '[null]' }]) {
    const said = await told(blocked, 'decisions', change);
    t.match(said, new RegExp(`^${blocked} differs\\n`), JSON.stringify(change));
    t.match(said, new RegExp(`${later} `), 'the next one has its turn');
  }
  t.match(await told(blocked, 'events', { body: '{' }), new RegExp(`^${blocked} differs\\n`));
});

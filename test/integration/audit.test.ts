import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { auditCommand, walkChain } from '../../src/cli/audit.ts';
import { tokenCommand } from '../../src/cli/token.ts';
import { auditHash, CHAIN_START, chainFault } from '../../src/domain/audit.ts';
import { audit } from '../../src/store/audit-log.ts';
import { openTestPlatform } from '../support/administration.ts';
import { gatehouse as run } from '../support/command-line.ts';
import { temporaryDirectory } from '../support/postgres.ts';

/** The audit log and the operator's commands: what somebody with the owner's rights can change, and how it shows. */

const platform = await openTestPlatform(t);
const { admin, people, newTenant } = platform;
const acme = await newTenant('acme');
const other = await newTenant('other');

const options = { GATEHOUSE_DATABASE_URL: platform.url, GATEHOUSE_DATA_DIR: platform.dataDir };
const gatehouse = (words: string, more: Partial<typeof options> = {}) => run({ ...options, ...more }, words.split(' '));

const chain = (...expected: [number, string][]) => walkChain(platform.database, acme.id, new Map(expected));

/** Changes the log as its owner could, who may take the trigger off. */
async function tamper(change: () => Promise<unknown>): Promise<void> {
  await admin`alter table audit_log disable trigger append_only`;
  await change();
  await admin`alter table audit_log enable trigger append_only`;
}

t.before(async () => {
  for (let index = 1; index <= 5; index++) {
    const entry = { tenantId: acme.id, actor: 'operator', action: 'tenant.changed', detail: { index } } as const;
    await people.inTenant({ tenantId: acme.id }, (tx) => audit(tx, entry));
  }
});

t.test('a chain that nobody touched is equal, and its end is printed to be kept elsewhere', async (t) => {
  const { code, stdout } = await gatehouse('audit verify');
  t.equal(code, 0);
  t.match(stdout, /^acme\tequal\t5:[\da-f]{64}$/m);
  t.match(stdout, /^other\tequal\tno entries$/m);
  const end = /5:[\da-f]{64}/.exec(stdout)?.[0] as string;
  const [seq, hash] = end.split(':') as [string, string];
  t.equal((await chain([Number(seq), hash])).fault, undefined);
  const listed = (await gatehouse('audit list --tenant acme --after 3')).stdout.trim().split('\n');
  t.match(
    listed.map((line) => JSON.parse(line)),
    [
      { seq: 4, action: 'tenant.changed', detail: { index: 4 } },
      { seq: 5, hash: end.slice(2) },
    ],
  );
});

t.test('entries that are written at the same time make one chain', async (t) => {
  const entry = { tenantId: other.id, actor: 'operator', action: 'tenant.changed' } as const;
  await Promise.all(
    Array.from({ length: 20 }, () => people.inTenant({ tenantId: other.id }, (tx) => audit(tx, entry))),
  );
  t.match(await walkChain(platform.database, other.id, new Map()), { end: { seq: 20 } });
});

const rows = () => admin`select * from audit_log where tenant_id = ${acme.id} order by seq`;

t.test('audit chain tampering is found, at the first entry that differs', async (t) => {
  const saved = await rows();
  const restore = async () => {
    await admin`delete from audit_log where tenant_id = ${acme.id}`;
    for (const row of saved) await admin`insert into audit_log ${admin(row)}`;
  };
  const only = admin`tenant_id = ${acme.id}`;
  const cases: [name: string, change: () => Promise<unknown>, found: RegExp][] = [
    [
      'a changed detail',
      () => admin`update audit_log set detail = '{}' where ${only} and seq = 3`,
      /entry 3 is not what/,
    ],
    [
      'a changed actor',
      () => admin`update audit_log set actor = 'user:x' where ${only} and seq = 1`,
      /entry 1 is not what/,
    ],
    [
      'a changed time',
      () => admin`update audit_log set at = at - interval '1 day' where ${only} and seq = 2`,
      /entry 2/,
    ],
    ['an entry taken out', () => admin`delete from audit_log where ${only} and seq = 2`, /entry 2 is missing/],
    ['the first taken out', () => admin`delete from audit_log where ${only} and seq = 1`, /entry 1 is missing/],
    [
      'two exchanged',
      async () => {
        await admin`update audit_log set seq = 100 where ${only} and seq = 2`;
        await admin`update audit_log set seq = 2 where ${only} and seq = 3`;
        await admin`update audit_log set seq = 3 where ${only} and seq = 100`;
      },
      /entry 2 does not follow/,
    ],
    [
      'taken out, and the rest renumbered',
      async () => {
        await admin`delete from audit_log where ${only} and seq = 2`;
        for (const seq of [3, 4, 5]) await admin`update audit_log set seq = ${seq - 1} where ${only} and seq = ${seq}`;
      },
      /entry 2 does not follow/,
    ],
    ['made up', () => admin`update audit_log set hash = sha256('x') where ${only} and seq = 5`, /entry 5 is not what/],
  ];
  for (const [name, change, found] of cases) {
    await tamper(change);
    t.match((await chain()).fault, found, name);
    await tamper(restore);
  }
  t.equal((await chain()).fault, undefined, 'restored');
});

t.test('what the chain alone does not show, a hash that was kept elsewhere does', async (t) => {
  const saved = await rows();
  const end: [number, string] = [5, Buffer.from(saved.at(-1)?.['hash']).toString('hex')];
  await tamper(() => admin`delete from audit_log where tenant_id = ${acme.id} and seq > 3`);
  t.equal((await chain()).fault, undefined, 'cut off at its end, it is a chain');
  t.match((await chain(end)).fault, /entry 4 is missing/);
  await tamper(async () => {
    await admin`delete from audit_log where tenant_id = ${acme.id}`;
    for (let index = 1; index <= 5; index++) {
      const entry = { tenantId: acme.id, actor: 'operator', action: 'sign_out' } as const;
      await people.inTenant({ tenantId: acme.id }, (tx) => audit(tx, entry));
    }
  });
  t.equal((await chain()).fault, undefined, 'written anew, it is a chain');
  t.match((await chain(end)).fault, /entry 5 is another one than expected/);
  const { code, stdout } = await gatehouse(`audit verify --tenant acme --expect ${end.join(':')}`);
  t.match({ code, stdout }, { code: 1, stdout: /^acme\tDIFFERS\tentry 5 is another one than expected$/m });
});

t.test('wrong words are answered with what to say', async (t) => {
  for (const words of ['', 'check', 'list', 'verify --expect 1:00', 'verify --after x', 'verify more'])
    await t.rejects(auditCommand.run(words.split(' ')), { name: 'UsageError' }, words);
  t.match(await gatehouse('audit verify --tenant gone'), { code: 2, stderr: /no tenant gone/ });
});

t.test('two entries never have one hash, and a chain is checked entry by entry', (t) => {
  const row = {
    tenantId: acme.id,
    seq: 1,
    at: new Date(0),
    actor: 'a',
    action: 'b',
    target: null,
    detail: '{}',
    address: null,
    previousHash: CHAIN_START.hash,
  };
  const entry = { ...row, hash: auditHash(row) };
  t.equal(chainFault(entry, CHAIN_START), undefined);
  for (const [field, value] of Object.entries({
    tenantId: other.id,
    actor: 'ab',
    action: '',
    target: '',
    address: 'x',
    detail: '{} ',
  }))
    t.match(chainFault({ ...entry, [field]: value }, CHAIN_START), /not what was written/, field);
  t.match(chainFault({ ...entry, seq: 2 }, CHAIN_START), /entry 1 is missing/);
  t.end();
});

t.test('gatehouse token puts down what it mints, lists it, and revokes it', async (t) => {
  const minted = await gatehouse('token --tenant acme --subject deploy --platform platform:read,platform:audit');
  t.equal(minted.stderr, '');
  const token = minted.stdout.trim();
  t.match(await platform.call('GET', '/tenants/acme/audit', { as: { token } }), { code: 200 });
  t.match(await platform.call('GET', '/tenants/acme/tokens', { as: { token } }), { code: 'forbidden' });
  await gatehouse('token --tenant acme --subject sensor');
  const lines = (await gatehouse('token list --tenant acme')).stdout.trim().split('\n');
  t.match(lines[0], /^[\w-]+\tingest\tactive\t\S+\t"sensor"\tevents:write$/);
  t.match(lines[1], /^[\w-]+\tplatform\tactive\t\S+\t"deploy"\tplatform:read platform:audit$/);
  t.match(await gatehouse(`token revoke ${token}`), { code: 0, stdout: /^revoked / });
  t.match((await gatehouse('token list --tenant acme')).stdout, /\tplatform\trevoked\t/);
  const log =
    await admin`select action, actor from audit_log where tenant_id = ${acme.id} and action like 'token.%' order by seq`;
  t.same(
    log.map((entry) => [entry['action'], entry['actor']]),
    ['token.minted', 'token.minted', 'token.revoked'].map((action) => [action, 'operator']),
  );
  t.match(await gatehouse('token revoke mistyped'), {
    code: 1,
    stdout: /^revoked mistyped$/m,
    stderr: /^gatehouse: note: no token of the id mistyped is in the list/,
  });
  for (const words of ['--scope platform:read', '--platform owners', '--platform all --scope events:write'])
    await t.rejects(tokenCommand.run(words.split(' ')), { name: 'UsageError' }, words);
});

t.test('gatehouse token mints without the database, and says what could not be done', async (t) => {
  const { code, stdout, stderr } = await gatehouse('token --tenant acme', {
    GATEHOUSE_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
  t.equal(code, 0);
  t.match(await platform.events.verify(`Bearer ${stdout.trim()}`), { ok: true });
  t.match(stderr, /not in the list of tokens/);
  t.notOk(stderr.includes(stdout.trim()));
  t.match(await gatehouse('token revoke some-id', { GATEHOUSE_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }), {
    code: 1,
    stdout: /^$/,
    stderr: /^gatehouse: nothing can be revoked now: [^\n]*ECONNREFUSED[^\n]*\n$/,
  });
});

t.test('tokens of a retired key are listed as such, until they expire or are revoked', async (t) => {
  const first = (await gatehouse('keys list')).stdout.split(' ', 1)[0] as string;
  t.match(await gatehouse('keys rotate'), { code: 0 });
  await gatehouse('token --tenant acme --subject newer');
  t.match(await gatehouse(`keys retire ${first}`), { code: 0 });
  const listed = (await gatehouse('token list --tenant acme')).stdout.trim().split('\n');
  t.same(
    listed.map((line) => [line.split('\t')[4], line.split('\t')[2]]),
    [
      ['"newer"', 'active'],
      ['"sensor"', 'key-retired'],
      ['"deploy"', 'revoked'],
    ],
  );
  const elsewhere = join(temporaryDirectory(t, 'elsewhere'), 'data');
  const elsewhereListed = await gatehouse('token list --tenant acme', { GATEHOUSE_DATA_DIR: elsewhere });
  t.match(elsewhereListed.stdout, /\tactive\t\S+\t"newer"[\s\S]*\tactive\t\S+\t"sensor"/);
  t.match(elsewhereListed.stderr, /has no signing keys: which tokens ended with their key is not known here/);
  t.notOk(existsSync(join(elsewhere, 'keys')), 'and none are made');
  await admin`update access_tokens set key_id = null where subject = 'sensor'`;
  t.match((await gatehouse('token list --tenant acme')).stdout, /\tactive\t\S+\t"sensor"/, 'not known of older rows');
});

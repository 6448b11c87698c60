import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import type { Tenant } from '../../src/domain/tenant.ts';
import { LaneSets, type SetLane } from '../../src/inspection/lane-sets.ts';
import { PolicyGate } from '../../src/inspection/policy-gate.ts';
import { WorkerPool } from '../../src/inspection/worker-pool.ts';
import { PolicyCopies } from '../../src/policies/policy-copies.ts';
import { type PolicyChoices, PolicyDirectory } from '../../src/policies/policy-directory.ts';
import { BUILTIN_POLICIES_DIR, readPolicyFiles } from '../../src/policy-files.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { listPolicyHashes, loadPolicyFiles } from '../../src/store/policy-sets.ts';
import { openTenantDatabase } from '../../src/store/tenant-database.ts';
import { ensureTenant } from '../../src/store/tenants.ts';
import { ALONE, BUILTIN_POLICIES, builtinEngine, TEST_SECRET } from '../support/engine.ts';
import { eventOf } from '../support/load.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { blocksTool, type SavedSet } from '../support/policy-sets.ts';
import { startTestPostgres, temporaryDirectory } from '../support/postgres.ts';
import { slug, TenantPolicyDesk } from '../support/tenant-policies.ts';

/** What the gate makes of the policy sets that tenants save: on a real database, with real threads. */

const LANE_FILE = fileURLToPath(new URL('../../dist/lane.cjs', import.meta.url));
const HOUR_MS = 3_600_000;

const postgres = await startTestPostgres(t);

interface House {
  directory: PolicyDirectory;
  pool: WorkerPool;
  gate: PolicyGate;
  clock: ManualClock;
  reports: { tenant?: string; policySet?: string; why: string }[];
  copies: string;
  /** What is answered to a call of this tool. */
  answer: (tenant: string, tool: string) => Promise<string>;
  /** The same service after a restart, with the database as it is or out of reach. */
  restart: (t: Test, reachable?: boolean) => Promise<House>;
}

const UNREACHABLE: PolicyChoices = {
  listPolicyHashes: () => Promise.reject(new Error('no route')),
  loadPolicyFiles: () => Promise.reject(new Error('no route')),
};

interface Place {
  database: Database;
  copies: string;
  clock: ManualClock;
  known: readonly Tenant[];
}

async function openHouse(t: Test, place: Place, reachable = true): Promise<House> {
  const { database, copies, clock, known } = place;
  const pool = new WorkerPool({
    laneFile: LANE_FILE,
    policies: BUILTIN_POLICIES,
    secret: TEST_SECRET,
    workers: 1,
    queueEventsMax: 1000,
    testTriggers: false,
  });
  t.teardown(() => pool.stop());
  await pool.start();
  const gate = new PolicyGate(pool, { installation: builtinEngine, secret: TEST_SECRET });
  const reports: House['reports'] = [];
  const source: PolicyChoices = {
    listPolicyHashes: () => listPolicyHashes(database),
    loadPolicyFiles: (tenantId, hash) => loadPolicyFiles(database, tenantId, hash),
  };
  const directory = new PolicyDirectory({
    source: reachable ? source : UNREACHABLE,
    gate,
    copies: new PolicyCopies(copies),
    tenants: { findById: (id) => known.find((each) => each.id === id) },
    installation: builtinEngine.policies.hash,
    clock,
    report: (problem) => reports.push(problem),
  });
  await directory.restore();
  const answer = async (tenant: string, tool: string): Promise<string> => {
    const event = eventOf('tool_invocation', { tool: { name: tool, input: {} } });
    const asked = pool.inspect({
      tenant: slug(tenant),
      policySet: directory.of(slug(tenant)).active,
      event: JSON.stringify(event),
      facts: JSON.stringify(ALONE),
      priority: 'blocking',
      deadlineAtMs: performance.now() + 5000,
    });
    const outcome = await asked.outcome;
    return outcome.kind === 'inspected' ? outcome.report.action : outcome.cause;
  };
  const restart = (t: Test, reachable = true) => openHouse(t, place, reachable);
  return { directory, pool, gate, clock, reports, copies, answer, restart };
}

/** A tenant in a database of its own, another one, and a service that follows them. */
async function started(t: Test): Promise<House & { tenant: string; desk: TenantPolicyDesk }> {
  const url = await postgres.createDatabase();
  const database = openDatabase(url);
  t.teardown(() => database.close());
  const people = openTenantDatabase(url);
  t.teardown(() => people.close());
  const tenant = await ensureTenant(database, { slug: slug('own'), name: 'Own', onFailure: 'allow' });
  const other = await ensureTenant(database, { slug: slug('other'), name: 'Other', onFailure: 'allow' });
  const copies = join(temporaryDirectory(t, 'copies'), 'policy-sets');
  const house = await openHouse(t, { database, copies, clock: new ManualClock(), known: [tenant, other] });
  return { ...house, tenant: tenant.slug, desk: new TenantPolicyDesk(people, tenant) };
}

const A = blocksTool('Alpha');
const B = blocksTool('Beta');
const C = blocksTool('Gamma');
const broken = (set: SavedSet) => ({
  hash: set.hash,
  files: set.files.map(({ file, text }) => ({ file, text: text.replace('toolName', 'toolNmae') })),
});

t.test('P6: a set decides for the tenant that activated it, and for nobody else', async (t) => {
  const { directory, desk, tenant, answer, reports } = await started(t);
  await directory.refresh();
  t.equal(await answer(tenant, 'Alpha'), 'allow', 'without a set of its own the installation decides');
  await desk.activate(A);
  await directory.refresh();
  t.same([await answer(tenant, 'Alpha'), await answer('other', 'Alpha')], ['block', 'allow']);
  await desk.activate(B);
  await directory.refresh();
  t.same([await answer(tenant, 'Alpha'), await answer(tenant, 'Beta')], ['allow', 'block']);
  await desk.choose(null);
  await directory.refresh();
  t.same([await answer(tenant, 'Beta'), directory.of(slug(tenant)).active], ['allow', undefined]);
  t.same(reports, []);
});

t.test("a set that is the installation's own needs nothing made ready", async (t) => {
  const { directory, desk, tenant } = await started(t);
  await desk.activate({ hash: builtinEngine.policies.hash, files: [] });
  await directory.refresh();
  t.equal(directory.of(slug(tenant)).active, undefined);
  t.equal(directory.refusedCount, 0);
});

t.test("the installation's own set is tried beside another, and no set beside itself", async (t) => {
  const { directory, desk, tenant, answer } = await started(t);
  const { hash } = builtinEngine.policies;
  const active = await desk.save(A);
  const copy = await desk.save({ hash, files: readPolicyFiles(BUILTIN_POLICIES_DIR) });
  await desk.choose(active, copy);
  await directory.refresh();
  t.match(directory.of(slug(tenant)), { active: A.hash, shadow: hash });
  t.equal(await answer(tenant, 'Alpha'), 'block');
  await desk.choose(null, copy);
  await directory.refresh();
  t.match(directory.of(slug(tenant)), { active: undefined, shadow: undefined });
  t.equal(directory.refusedCount, 0);
});

t.test('P7: a broken set leaves the last good one in force, is told once and counted; mending it helps', async (t) => {
  const { directory, desk, tenant, answer, reports } = await started(t);
  await desk.activate(A);
  await directory.refresh();
  await desk.activate(broken(B));
  await directory.refresh();
  await directory.refresh();
  t.equal(await answer(tenant, 'Alpha'), 'block');
  t.match(reports, [{ tenant, policySet: B.hash, why: /own\.yaml:\d+:\d+: .*toolNmae/ }]);
  t.equal(reports.length, 1);
  t.equal(directory.refusedCount, 1);
  t.match(directory.refusedOf(slug(tenant)), [{ policySet: B.hash, why: /toolNmae/ }], 'the tenant can be told');
  t.same(directory.refusedOf(slug('another')), [], 'and nobody else');
  await desk.activate(C);
  await directory.refresh();
  t.same([await answer(tenant, 'Alpha'), await answer(tenant, 'Gamma')], ['allow', 'block']);
  t.equal(directory.refusedCount, 0);
  t.same(directory.refusedOf(slug(tenant)), []);
});

t.test('a broken set that is only tried changes nothing, and a good one is named beside the active one', async (t) => {
  const { directory, desk, tenant } = await started(t);
  const active = await desk.save(A);
  await desk.choose(active, await desk.save(broken(B)));
  await directory.refresh();
  t.match(directory.of(slug(tenant)), { active: A.hash, shadow: undefined });
  t.equal(directory.refusedCount, 1);
  await desk.choose(active, await desk.save(C));
  await directory.refresh();
  t.match(directory.of(slug(tenant)), { active: A.hash, shadow: C.hash });
});

t.test('P8: a restart without the database decides as before; copies are private', async (t) => {
  const first = await started(t);
  const { desk, tenant } = first;
  await desk.choose(await desk.save(A), await desk.save(C));
  await first.directory.refresh();
  await desk.activate(broken(B));
  await first.directory.refresh();
  const second = await first.restart(t, false);
  await t.rejects(second.directory.refresh());
  t.equal(await second.answer(tenant, 'Alpha'), 'block', 'the last good one, not the broken one');
  if (process.platform !== 'win32') {
    t.equal(statSync(first.copies).mode & 0o777, 0o700);
    for (const name of readdirSync(first.copies)) t.equal(statSync(join(first.copies, name)).mode & 0o777, 0o600);
  }
});

t.test('P8: a copy that was damaged is told, and made anew once the database is there', async (t) => {
  const first = await started(t);
  await first.desk.activate(A);
  await first.directory.refresh();
  writeFileSync(join(first.copies, `${A.hash}.json`), JSON.stringify(B.files));
  const second = await first.restart(t);
  t.match(second.reports, [{ tenant: first.tenant, policySet: A.hash, why: /its files are those of/ }]);
  t.equal(await second.answer(first.tenant, 'Alpha'), 'allow', 'the installation decides until the database answers');
  await second.directory.refresh();
  t.equal(await second.answer(first.tenant, 'Alpha'), 'block');
  const third = await first.restart(t, false);
  t.equal(await third.answer(first.tenant, 'Alpha'), 'block');
});

t.test('where no copy can be kept, sets count nevertheless, and it is told once', async (t) => {
  const { directory, desk, tenant, answer, reports, copies } = await started(t);
  rmSync(copies, { recursive: true, force: true });
  writeFileSync(copies, 'in the way');
  await desk.activate(A);
  await directory.refresh();
  await desk.activate(B);
  await directory.refresh();
  t.equal(await answer(tenant, 'Beta'), 'block');
  t.match(reports, [{ why: /no copy of the policy sets can be kept/ }]);
  t.equal(reports.length, 1);
});

t.test('P9: what counted lately stays for events that wait, through restarts; then it is forgotten', async (t) => {
  const { directory, desk, tenant, clock, copies, restart, gate } = await started(t);
  for (const set of [A, B, C]) {
    await desk.activate(set);
    await directory.refresh();
  }
  t.same(
    [A, B, C].map(({ hash }) => directory.has(hash)),
    [true, true, true],
  );
  const second = await restart(t, false);
  t.same([second.directory.has(A.hash), second.directory.of(slug(tenant)).active], [true, C.hash]);
  clock.advance(HOUR_MS + 1);
  await directory.refresh();
  t.same(
    [A, B, C].map(({ hash }) => directory.has(hash)),
    [false, false, true],
  );
  t.same(readdirSync(copies).sort(), [`${C.hash}.json`, 'in-force.json'].sort());
  t.throws(() => gate.engine(A.hash), 'nor does the main thread keep it');
});

t.test('a set that could not be made ready is tried again after a while, and told of once', async (t) => {
  const { directory, desk, tenant, gate, clock, reports } = await started(t);
  const add = gate.add.bind(gate);
  gate.add = () => Promise.resolve({ why: 'the thread that tried it ended over it' });
  await desk.activate(A);
  await directory.refresh();
  clock.advance(HOUR_MS / 2);
  await directory.refresh();
  t.match(reports, [{ policySet: A.hash }]);
  t.equal(reports.length, 1);
  gate.add = add;
  await directory.refresh();
  t.equal(directory.refusedCount, 1, 'not at once');
  clock.advance(HOUR_MS / 2);
  await directory.refresh();
  t.equal(directory.refusedCount, 0);
  t.equal(directory.of(slug(tenant)).active, A.hash);
});

t.test('a set that came while no lane was there is tried again at the next look, and told of once', async (t) => {
  const { directory, desk, tenant, gate, reports } = await started(t);
  const add = gate.add.bind(gate);
  const none = new LaneSets({ lanes: new Set<SetLane>(), serving: 1, end: () => {}, onFree: () => {} });
  const withoutLanes = new PolicyGate(
    { addPolicySet: (hash, files) => none.add(hash, files), keepPolicySets: () => {} },
    { installation: builtinEngine, secret: TEST_SECRET },
  );
  gate.add = (hash, files) => withoutLanes.add(hash, files);
  await desk.activate(A);
  await directory.refresh();
  await directory.refresh();
  t.match(reports, [{ policySet: A.hash, why: /no inspection thread/ }]);
  t.equal(reports.length, 1);
  gate.add = add;
  await directory.refresh();
  t.equal(directory.refusedCount, 0);
  t.equal(directory.of(slug(tenant)).active, A.hash);
});

t.test('P9: a set that is too long is refused before anything reads it', async (t) => {
  const { directory, desk, tenant, reports } = await started(t);
  const [file] = A.files;
  await desk.activate({
    hash: A.hash,
    files: [{ file: 'own.yaml', text: `${file?.text}${'#'.repeat(9_000_000)}` }],
  });
  await directory.refresh();
  t.match(reports, [{ tenant, why: /longer than 8388608 characters/ }]);
  t.equal(directory.of(slug(tenant)).active, undefined);
});

t.test('the quick rules of the main thread are those of the tenant too', async (t) => {
  const { directory, desk, tenant, gate } = await started(t);
  await desk.activate(A);
  await directory.refresh();
  t.equal(gate.engine(directory.of(slug(tenant)).active).policies.hash, A.hash);
  t.equal(gate.engine(undefined).policies.hash, builtinEngine.policies.hash);
});

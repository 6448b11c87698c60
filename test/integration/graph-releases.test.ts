import t from 'tap';
import type { Effect } from '../../src/domain/decision.ts';
import { EventIds } from '../../src/domain/event-ids.ts';
import { type AgentSessionsPort, Releases } from '../../src/platform/agent-sessions.ts';
import { standingOf } from '../../src/session/standing.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { startTestPlatform } from '../support/platform.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { openHouse, received } from '../support/sessions.ts';

/** People release sessions through the graph: real sessions, a real database, real sign-ins. */

const HOLD = { kind: 'hold', policy: 'p', reason: 'wait for a person' } as Effect;
const TAINT = { kind: 'taint', policy: 'p', label: 'marked' } as Effect;
const AGENT = '11111111-1111-4111-8111-111111111111';

const postgres = await startTestPostgres(t);
const house = await openHouse(t);
const port: AgentSessionsPort = {
  standing(key) {
    const state = house.sessions.peek(key);
    if (state === undefined) return undefined;
    const { hold, taints } = standingOf(state, Date.now());
    return { hold, taints: taints.map(({ label, policy, atMs }) => ({ label, policy, sinceMs: atMs })) };
  },
  async release(tenant, key, order) {
    const outcome = await house.sessions.release(tenant, key, order);
    return outcome.kind === 'failed' ? { kind: 'failed', detail: outcome.cause } : outcome;
  },
};
const site = await startTestPlatform(t, postgres, { releases: new Releases(port, new ManualClock(), new EventIds()) });
const [demo, other] = [await site.addTenant('demo'), await site.addTenant('other')];
await site.addPerson('ann@example.com', { [demo]: ['analyst'], [other]: ['owner'] });
await site.addPerson('eve@example.com', { [demo]: ['viewer'] });
const held = received('first');
house.inspector.auto = () => ({
  kind: 'inspected',
  report: { action: 'allow', effects: [HOLD, TAINT], explanation: '{}', clean: false },
});
await house.sessions.submit(held);
await site.sql`
  insert into agents (tenant_id, agent_key, agent_id, name, first_seen_at, last_seen_at, events_count)
  values (${demo}, ${AGENT}, 'coder', 'Coder', now(), now(), 1)`;
await site.sql`
  insert into agent_sessions (tenant_id, session_key, session_id, agent_key, user_email, started_at, last_at, state,
    reopened_count, events_count, blocked_count, undecided_count)
  values (${demo}, ${held.session}, 's', ${AGENT}, 'a@b', now(), now(), 'open', 0, 1, 0, 0)`;

/** Who signed in stays so. */
const browsers = new Map<string, ReturnType<typeof site.signIn>>();

/** Answers are looked into freely. */
type Answer = ReturnType<typeof JSON.parse>;

async function ask(email: string, query: string, variables: object): Promise<Answer> {
  const browser = await (browsers.get(email) ?? site.signIn(email));
  browsers.set(email, Promise.resolve(browser));
  const proof = (await browser.get('/api/v1/auth/session')).headers['x-csrf-token'] as string;
  return JSON.parse((await browser.postJson('/api/v1/graphql', { query, variables }, { 'x-csrf-token': proof })).body);
}

const release = (email: string, input: object) =>
  ask(
    email,
    `mutation ($input: ReleaseSessionInput!) {
      releaseSession(input: $input) { released { hold taints } userErrors { code message } } }`,
    { input: { tenantId: demo, sessionKey: held.session, reason: 'looked at it', ...input } },
  );
const standing = async () =>
  (
    await ask(
      'eve@example.com',
      'query ($t: ID!, $k: ID!) { tenant(id: $t) { agentSession(key: $k) { standing { hold taints { label policy } } } } }',
      { t: demo, k: held.session },
    )
  ).data.tenant.agentSession.standing;
const audited = (tenant = demo) =>
  site.sql`
    select actor, target, detail, address from audit_log where action = 'session.released' and tenant_id = ${tenant}
    order by seq`;
const managed = async (email: string, tenant: string) =>
  (
    await ask(email, 'query ($t: ID!, $k: ID!) { tenant(id: $t) { agentSession(key: $k) { isManaged } } }', {
      t: tenant,
      k: held.session,
    })
  ).data.tenant.agentSession;

t.test('who may not, or asks for nothing that is there, changes nothing', async (t) => {
  t.match(await standing(), { hold: /wait for a person/, taints: [{ label: 'marked', policy: 'p' }] });
  t.match((await release('eve@example.com', {})).errors, [{ extensions: { code: 'FORBIDDEN' } }]);
  const refused = async (input: object) => (await release('ann@example.com', input)).data.releaseSession.userErrors;
  t.match(await refused({ reason: ' ' }), [{ code: 'invalid-request', message: /reason/ }]);
  t.match(await refused({ taints: [''] }), [{ code: 'invalid-request', message: /taints/ }]);
  t.match(await refused({ tenantId: other }), [{ code: 'not-found' }], 'a session of another tenant');
  await site.sql`
    insert into agent_shares (tenant_id, agent_key, shared_with, permission) values (${demo}, ${AGENT}, ${other}, 'view')`;
  t.match(
    await refused({ tenantId: other }),
    [{ code: 'not-found' }],
    'nor one of an agent that is shared to be looked at',
  );
  t.match(await managed('ann@example.com', other), { isManaged: false });
  t.match(await managed('ann@example.com', demo), { isManaged: true });
  t.match((await release('ann@example.com', { taints: ['unknown'] })).data.releaseSession, {
    released: { hold: false, taints: [] },
  });
  t.match(await standing(), { hold: /wait for a person/ });
  t.equal((await audited()).length, 0);
});

t.test('an analyst ends the hold, and takes off marks; the audit log tells who', async (t) => {
  t.match((await release('ann@example.com', {})).data.releaseSession, {
    released: { hold: true, taints: [] },
    userErrors: [],
  });
  t.match(await standing(), { hold: null, taints: [{ label: 'marked' }] });
  t.match((await release('ann@example.com', { taints: ['marked'] })).data.releaseSession.released, {
    taints: ['marked'],
  });
  t.match(await standing(), { hold: null, taints: [] });
  const log = await audited();
  t.equal(log.length, 2);
  t.match(log[0], { actor: /^user:/, target: held.session });
  t.match(JSON.parse(log[0]?.['detail']), { hold: true, taints: [], reason: 'looked at it' });
});

t.test('P6 a guest that manages the agent releases its sessions, and both audit logs tell', async (t) => {
  await house.sessions.submit(received('second'));
  t.match(await standing(), { hold: /wait for a person/ });
  await site.addPerson('zoe@example.com', { [other]: ['viewer'] });
  await site.sql`update agent_shares set permission = 'manage'`;
  t.match((await release('zoe@example.com', { tenantId: other })).errors, [{ extensions: { code: 'FORBIDDEN' } }]);
  t.match(await managed('zoe@example.com', other), { isManaged: true });
  const before = (await audited()).length;
  t.match((await release('ann@example.com', { tenantId: other })).data.releaseSession, {
    released: { hold: true },
    userErrors: [],
  });
  t.match(await standing(), { hold: null });
  const [own] = await audited(other);
  t.match(own, { actor: /^user:/, target: held.session });
  t.match(JSON.parse(own?.['detail']), { hold: true, owner: demo, reason: 'looked at it' });
  const log = await audited();
  t.equal(log.length, before + 1);
  t.match(log.at(-1), { actor: `tenant:${other}`, target: held.session, address: null }, 'the owner learns no person');
  await site.sql`delete from agent_shares`;
  t.match((await release('ann@example.com', { tenantId: other })).data.releaseSession.userErrors, [
    { code: 'not-found' },
  ]);
});

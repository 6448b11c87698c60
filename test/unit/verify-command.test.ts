import t from 'tap';
import { verifyStored } from '../../src/cli/verify.ts';
import type { Engine } from '../../src/detection/engine.ts';
import type { AgentSessionKey, EventId, TenantSlug } from '../../src/domain/ids.ts';
import { dedupeKey } from '../../src/session/received-event.ts';
import { SessionShelf } from '../../src/store/session-shelf.ts';
import type { ReadSession, StoredDecision, StoredEvent } from '../../src/store/stored-sessions.ts';
import { newEventId } from '../support/event-ids.ts';
import { bash } from '../support/events.ts';

const AT_MS = 1_780_000_000_000;
const IDS = [0, 1, 2, 3].map((n) => newEventId(AT_MS + n)) as [EventId, EventId, EventId, EventId];

const DECISION: StoredDecision = {
  kind: 'decided',
  action: 'allow',
  cause: undefined,
  answered: undefined,
  onFailure: 'allow',
  reason: undefined,
  effects: '[]',
  explanation: JSON.stringify({ cuts: [] }),
  notWaitedFor: [],
  decidedAtMs: AT_MS,
  tried: { set: undefined, action: undefined, simulated: undefined },
  answeredInstead: undefined,
  late: { action: undefined, reason: undefined },
  lateEffects: undefined,
};

function eventOf(id: EventId, body = JSON.stringify(bash('ls')), decision = DECISION): StoredEvent {
  return {
    id,
    receivedAtMs: AT_MS,
    body,
    dedupe: dedupeKey(Buffer.from(body)),
    policySet: undefined,
    decision,
    effects: undefined,
  };
}

function sessionOf(events: StoredEvent[], isCut = false): ReadSession {
  const key = 'k' as AgentSessionKey;
  return { tenant: 'demo' as TenantSlug, tenantId: 'tenant', key, events, releases: [], isCut };
}

/** Sessions by the ids of their events, and how often each was read. */
function shelfOf(sessions: () => Record<string, ReadSession>, charsMax?: number) {
  const reads: string[] = [];
  const shelf = new SessionShelf(
    {
      placeOf: async (id) => {
        const key = Object.entries(sessions()).find(([, { events }]) => events.some((each) => each.id === id))?.[0];
        return key === undefined
          ? undefined
          : { tenant_id: 'tenant', slug: 'demo' as TenantSlug, session_key: key as AgentSessionKey };
      },
      readSession: async ({ session_key: key }) => {
        reads.push(key);
        const { events, isCut } = sessions()[key] as ReadSession;
        // As far as it is read at once.
        return sessionOf(isCut ? events.slice(0, 1) : [...events], isCut);
      },
    },
    charsMax,
  );
  return { shelf, reads };
}

t.test('a session is read once, however many of its decisions are asked for, until it has gone on', async (t) => {
  const sessions = {
    a: sessionOf([eventOf(IDS[0]), eventOf(IDS[1])]),
    b: sessionOf([eventOf(IDS[2])]),
  };
  const { shelf, reads } = shelfOf(() => sessions);
  for (const id of [IDS[0], IDS[2], IDS[1], IDS[0]]) t.equal((await shelf.upTo(id))?.events.at(-1)?.id, id);
  t.same((await shelf.upTo(IDS[0]))?.events.length, 1, 'not what came later');
  t.same(reads, ['a', 'b']);
  sessions.a.events.push(eventOf(IDS[3]));
  t.equal((await shelf.upTo(IDS[3]))?.events.length, 3);
  t.same(reads, ['a', 'b', 'a']);
  t.equal(await shelf.upTo(newEventId(AT_MS + 9)), undefined, 'no such event');
});

t.test('only so many characters of sessions are kept, and the one that was read last', async (t) => {
  const sessions = { a: sessionOf([eventOf(IDS[0])]), b: sessionOf([eventOf(IDS[1]), eventOf(IDS[2])]) };
  const { shelf, reads } = shelfOf(() => sessions, 1);
  for (const id of [IDS[0], IDS[1], IDS[2], IDS[0]]) await shelf.upTo(id);
  t.same(reads, ['a', 'b', 'a']);
});

t.test(
  'of a session that is too large, what was read is told, and the rest refused without reading it again',
  async (t) => {
    const { shelf, reads } = shelfOf(() => ({ a: sessionOf([eventOf(IDS[0]), eventOf(IDS[1])], true) }));
    t.equal((await shelf.upTo(IDS[0]))?.events.length, 1);
    for (let n = 0; n < 2; n++) await t.rejects(shelf.upTo(IDS[1]), { name: 'SessionTooLarge' });
    t.same(reads, ['a']);
  },
);

t.test('an inspection that throws is a fault of the program, not a damaged row', async (t) => {
  const told = (event: StoredEvent) =>
    verifyStored(event.id, {
      sessions: { upTo: async () => sessionOf([event]) },
      // Nothing can be inspected with it.
      engines: { all: async () => () => ({}) as Engine },
    });
  t.match(await told(eventOf(IDS[0])), { outcome: 'failed', why: [/TypeError at .*a fault of this program/] });
  t.match(
    await told(eventOf(IDS[0], JSON.stringify({ event_type: 'tool_invocation', tool: 5 }))),
    { outcome: 'differs', why: [/the body of \S+ is no event/] },
    'what was never received is none of the program',
  );
  const damaged = eventOf(IDS[0], undefined, { ...DECISION, effects: '[null]' });
  t.match(await told(damaged), { outcome: 'differs', why: [/a stored row is damaged/] });
});

t.test('what fails beside an inspection ends the command, and is no damaged row', async (t) => {
  const fault = new TypeError('of the program');
  const engines = { all: () => Promise.reject(fault) };
  const sessions = { upTo: async () => sessionOf([eventOf(IDS[0])]) };
  await t.rejects(verifyStored(IDS[0], { sessions, engines }), fault);
});

import { type Pick, SCENARIOS } from './scenarios.ts';
import type { DemoEvent, DemoSession } from './session.ts';

const PEOPLE = ['ada', 'grace', 'edsger', 'barbara', 'donald', 'margaret', 'ken', 'radia'] as const;
/** Of ten sessions, so many are ordinary work. */
const BENIGN_OF_TEN = 8;

/** Sessions of a fleet without end: mostly ordinary work, now and then one of the attacks. */
export function* fleetSessions(random: () => number = Math.random): Generator<DemoSession> {
  const pick: Pick = (values) => values[Math.floor(random() * values.length)] as (typeof values)[number];
  const ofLabel = (label: DemoSession['label']) => SCENARIOS.filter((scenario) => scenario.label === label);
  const [benign, attacks] = [ofLabel('benign'), ofLabel('attack')];
  for (;;) {
    const scenario = pick(random() * 10 < BENIGN_OF_TEN ? benign : attacks);
    const number = pick([1, 2, 3, 4]);
    yield {
      label: scenario.label,
      agent: { id: `${scenario.agent.id}-${number}`, name: `${scenario.agent.name} ${number}` },
      user: { email: `${pick(PEOPLE)}@example.com` },
      events: [START, ...scenario.events(pick), END],
    };
  }
}

const START: DemoEvent = { event_type: 'session_start' };
const END: DemoEvent = { event_type: 'session_end' };

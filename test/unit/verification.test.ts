import t from 'tap';
import type { Explanation } from '../../src/domain/decision.ts';
import type { TenantSlug } from '../../src/domain/ids.ts';
import { differences, factsBefore, type PastEvent } from '../../src/session/verification.ts';
import { newEventId } from '../support/event-ids.ts';
import { bash } from '../support/events.ts';

const AT_MS = 1_780_000_000_000;

t.test(
  'P5: what came with the answer to an event that a decision went ahead of is in its state, if it had been answered by then',
  async (t) => {
    const [early, target] = [newEventId(AT_MS), newEventId(AT_MS + 1)];
    const taint = (label: string) => ({ kind: 'taint', policy: 'p', label }) as const;
    const undecided: PastEvent = {
      id: early,
      receivedAtMs: AT_MS,
      event: bash('ls'),
      blocked: false,
      // With the answer, and by the inspection that came after it.
      effects: [taint('inherited'), taint('late')],
      answerEffects: [taint('inherited')],
      notWaitedFor: [],
      decidedAtMs: undefined,
    };
    const labelsWhere = (notWaitedFor: PastEvent['notWaitedFor'], wereAnswered: boolean): string[] => {
      const wanted = {
        tenant: 'demo' as TenantSlug,
        event: target,
        receivedAtMs: AT_MS + 1,
        notWaitedFor,
        wereAnswered,
        tree: [],
      };
      const { memory } = factsBefore([undecided], wanted, () => ({ effects: [] }));
      return memory.policy.taints.map(({ label }) => label);
    };
    t.same(labelsWhere([], false), ['inherited', 'late'], 'one that it waited for is there whole');
    t.same(labelsWhere([early], false), []);
    t.same(labelsWhere([early], true), ['inherited']);
  },
);

t.test('a decision of another release is told to be one, before what else differs', async (t) => {
  const explanation = { policies: [], findings: [], cuts: [], policySet: 'p', engine: 'e/2', facts: 'f' };
  const computed = { action: 'allow', effects: [], explanation } as unknown as Parameters<typeof differences>[1];
  const stored = (engine: string) => {
    const of = { ...explanation, engine, tookUs: 1 } as unknown as Explanation;
    return { action: 'allow', reason: undefined, effects: [], explanation: of };
  };
  t.notMatch(differences(stored('e/2'), computed, 'f').join(), /another release/);
  t.match(
    differences(stored('e/1'), computed, 'f')[0],
    /^it was decided by another release \(e\/1; this one is e\/2\)/,
  );
});

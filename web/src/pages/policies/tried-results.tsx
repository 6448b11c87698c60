import { useLoaded } from '../../api/use-loaded.ts';
import { usePages } from '../../api/use-pages.ts';
import { useTenant } from '../../api/viewer.ts';
import { count } from '../../text/format.ts';
import { Answered } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import {
  type ShadowCounts,
  ShadowCountsQuery,
  ShadowDifferencesQuery,
  SimulatedDecisionsQuery,
  type TriedDecision,
} from './tried-queries.ts';
import { type Changed, TriedTable } from './tried-table.tsx';

const EVERY_MS = 60_000;
/** Few at first: the policies stand below. */
const sizeOf = (after: string | null) => (after === null ? 5 : 20);

/** What the version that is tried, and policies in shadow mode, would have made of the decisions. */
export function TriedResults({ version }: { version: number | null }) {
  const { tenant } = useTenant();
  const { data, failure, reload } = useLoaded(
    ShadowCountsQuery,
    () => ({ tenant: tenant.id }),
    `${tenant.id} ${version}`,
    { everyMs: EVERY_MS },
  );
  return (
    <Answered what="what is tried" answer={data?.tenant?.shadowCounts} failure={failure} retry={reload}>
      {(counts) => (
        <>
          {version !== null && counts.policySet !== null && (
            <Trial version={version} policySet={counts.policySet} counts={counts} />
          )}
          {counts.simulated > 0 && <Simulated total={counts.simulated} />}
        </>
      )}
    </Answered>
  );
}

function Trial({ version, policySet, counts }: { version: number; policySet: string; counts: ShadowCounts }) {
  const { decisions, newlyBlocked, newlyAllowed, countedSince } = counts;
  const total = newlyBlocked + newlyAllowed;
  return (
    <section aria-label={`What version ${version} would change`}>
      <h2>What version {version} would change</h2>
      <dl className="facts">
        <dt>Decisions it was tried on</dt>
        <dd>
          {count(decisions)}
          {countedSince !== null && (
            <>
              {' '}
              since <Time at={countedSince} />: older ones are not counted
            </>
          )}
        </dd>
        <dt>Newly blocked</dt>
        <dd>{count(newlyBlocked)}</dd>
        <dt>Newly allowed</dt>
        <dd>{count(newlyAllowed)}</dd>
      </dl>
      {decisions === 0 ? (
        <p className="state">It was tried on no decision yet. Those to come tell here what it would have done.</p>
      ) : total === 0 ? (
        <p className="state">Every decision would stay as it is.</p>
      ) : (
        <Differences key={policySet} policySet={policySet} total={total} />
      )}
    </section>
  );
}

function Differences({ policySet, total }: { policySet: string; total: number }) {
  const { tenant } = useTenant();
  const pages = usePages(
    ShadowDifferencesQuery,
    (after) => ({ tenant: tenant.id, policySet, first: sizeOf(after), after }),
    `${tenant.id} ${policySet}`,
    (data) => data.tenant?.shadowDifferences,
  );
  return (
    <TriedTable
      caption="Decisions that it would change, newest first"
      changeOf={underTrial}
      pages={pages}
      total={total}
    />
  );
}

function Simulated({ total }: { total: number }) {
  const { tenant } = useTenant();
  const pages = usePages(
    SimulatedDecisionsQuery,
    (after) => ({ tenant: tenant.id, first: sizeOf(after), after }),
    tenant.id,
    (data) => data.tenant?.simulatedDecisions,
  );
  return (
    <section aria-label="What policies in shadow mode would block">
      <h2>What policies in shadow mode would block</h2>
      <p>They would have blocked {total === 1 ? 'one call that was' : `${count(total)} calls that were`} allowed.</p>
      <TriedTable
        caption="Calls that they would have blocked, newest first"
        changeOf={withoutShadow}
        pages={pages}
        total={total}
      />
    </section>
  );
}

function underTrial({ shadowAction, reason, explanation }: TriedDecision): Changed {
  return shadowAction === 'ALLOW'
    ? { now: 'ALLOW', why: `Was blocked: ${reason ?? ''}` }
    : { now: 'BLOCK', why: explanation?.shadow?.reason ?? '' };
}

function withoutShadow({ explanation }: TriedDecision): Changed {
  const blocking = explanation?.simulated.filter(({ effect }) => effect === 'block') ?? [];
  return { now: 'BLOCK', why: blocking.map(({ id, reason }) => `${id}: ${reason}`).join(' ') };
}

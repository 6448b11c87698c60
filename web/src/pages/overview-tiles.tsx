import { count, duration, rate, share } from '../text/format.ts';
import type { TimeRange, Totals } from '../text/statistics.ts';

interface Props {
  sums: Totals;
  /** Of the whole time; undefined until they are known. */
  percentiles: { p50Us: number | null; p99Us: number | null } | undefined;
  range: TimeRange;
}

export function StatisticsTiles({ sums, percentiles, range }: Props) {
  const speed = rate(sums.decisions, range.seconds);
  return (
    <dl className="tiles">
      <Tile label="Decisions" value={count(sums.decisions)} note={`${speed.value} ${speed.unit}`} />
      <Tile label="Blocked" value={count(sums.blocked)} note={`${share(sums.blocked, sums.decisions)} of decisions`} />
      <Tile label="Half decided within" value={within(percentiles?.p50Us)} note="p50" />
      <Tile label="99 % decided within" value={within(percentiles?.p99Us)} note="p99" />
      <Tile
        label="Failed open"
        value={count(sums.failedOpen)}
        note={`${count(sums.undecided)} undecided in all`}
        isBad={sums.failedOpen > 0}
      />
    </dl>
  );
}

const within = (us: number | null | undefined) => (us === null || us === undefined ? '–' : duration(us));

function Tile({ label, value, note, isBad = false }: { label: string; value: string; note: string; isBad?: boolean }) {
  return (
    <div className={isBad ? 'tile bad' : 'tile'}>
      <dt>{label}</dt>
      <dd>
        <strong>{value}</strong>
        <span className="muted">{note}</span>
      </dd>
    </div>
  );
}

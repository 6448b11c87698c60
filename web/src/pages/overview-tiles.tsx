import { count, duration, rate, share } from '../text/format.ts';
import type { TimeRange, Totals } from '../text/statistics.ts';

export function StatisticsTiles({ sums, range }: { sums: Totals; range: TimeRange }) {
  const speed = rate(sums.decisions, range.seconds);
  return (
    <dl className="tiles">
      <Tile label="Decisions" value={count(sums.decisions)} note={`${speed.value} ${speed.unit}`} />
      <Tile label="Blocked" value={count(sums.blocked)} note={`${share(sums.blocked, sums.decisions)} of decisions`} />
      <Tile label="Half decided within" value={sums.p50Us === undefined ? '–' : duration(sums.p50Us)} note="p50" />
      <Tile
        label="99 % decided within"
        value={sums.p99Us === undefined ? '–' : duration(sums.p99Us)}
        note={`p99, slowest ${range.bucketLabel}`}
      />
      <Tile
        label="Failed open"
        value={count(sums.failedOpen)}
        note={`${count(sums.undecided)} undecided in all`}
        isBad={sums.failedOpen > 0}
      />
    </dl>
  );
}

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

import { useMemo } from 'react';
import { count, duration } from '../text/format.ts';
import type { Bucket, TimeRange } from '../text/statistics.ts';
import { Chart } from '../ui/chart.tsx';
import { Time } from '../ui/time.tsx';

export function StatisticsCharts({ buckets, range }: { buckets: readonly Bucket[]; range: TimeRange }) {
  const times = useMemo(() => buckets.map(({ from }) => Date.parse(from) / 1000), [buckets]);
  const counts = useMemo(
    () => [
      { label: 'Decisions', color: '--accent', isFilled: true, values: buckets.map(({ decisions }) => decisions) },
      { label: 'Blocked', color: '--bad', isFilled: true, values: buckets.map(({ blocked }) => blocked) },
      { label: 'Failed open', color: '--warn', values: buckets.map(({ failedOpen }) => failedOpen) },
    ],
    [buckets],
  );
  const latencies = useMemo(
    () => [
      { label: 'p50', color: '--accent', values: buckets.map(({ p50Us }) => p50Us) },
      { label: 'p99', color: '--warn', values: buckets.map(({ p99Us }) => p99Us) },
    ],
    [buckets],
  );
  return (
    <>
      <div className="charts">
        <section aria-labelledby="chart-counts">
          <h2 id="chart-counts">Decisions per {range.bucketLabel}</h2>
          <Chart
            summary={`Decisions, blocks and failures in the last ${range.label}`}
            times={times}
            series={counts}
            format={count}
          />
        </section>
        <section aria-labelledby="chart-latency">
          <h2 id="chart-latency">Time to a decision</h2>
          <Chart summary={`Latency in the last ${range.label}`} times={times} series={latencies} format={duration} />
        </section>
      </div>
      <details className="numbers">
        <summary>The numbers behind the charts</summary>
        <BucketTable buckets={buckets} />
      </details>
    </>
  );
}

function BucketTable({ buckets }: { buckets: readonly Bucket[] }) {
  return (
    // It scrolls sideways on a phone, so it can be focused.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
    <section className="scrolls" tabIndex={0} aria-label="Numbers over time">
      <table className="list">
        <thead>
          <tr>
            {['From', 'Decisions', 'Blocked', 'Undecided', 'Failed open', 'p50', 'p99'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets
            .filter(({ decisions }) => decisions > 0)
            .map((bucket) => (
              <tr key={bucket.from}>
                <td className="nowrap">
                  <Time at={bucket.from} />
                </td>
                <td>{count(bucket.decisions)}</td>
                <td>{count(bucket.blocked)}</td>
                <td>{count(bucket.undecided)}</td>
                <td>{count(bucket.failedOpen)}</td>
                <td>{bucket.p50Us === null ? '–' : duration(bucket.p50Us)}</td>
                <td>{bucket.p99Us === null ? '–' : duration(bucket.p99Us)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}

import { lazy, Suspense } from 'react';
import type { PlotProps } from './plot.tsx';

// What draws is a fifth of what the Overview needs: its numbers do not wait for it.
// Nor is the page lost where that does not come.
const Plot = lazy(() =>
  import('./plot.tsx').then(
    ({ Plot }) => ({ default: Plot }),
    () => ({ default: NotDrawn }),
  ),
);

/** Values over time. A table with the same numbers stands beside it, where the page has one. */
export function Chart(props: PlotProps) {
  return (
    <Suspense fallback={<div className="chart" />}>
      <Plot {...props} />
    </Suspense>
  );
}

function NotDrawn() {
  return (
    <p className="chart muted" role="status">
      The chart could not be loaded. Load the page again to try once more.
    </p>
  );
}

import { hasBrowser } from '../test/support/chromium.ts';
import { crash } from './crash.ts';
import { dashboard } from './dashboard.ts';
import { gate } from './gate.ts';
import { inspection } from './inspection.ts';
import { live } from './live.ts';
import { micro } from './micro.ts';
import { policiesBenchmark } from './policies.ts';
import { stuck } from './stuck.ts';
import { runBenchmarks } from './support/report.ts';

/** Every benchmark, in the order of patience. */
await runBenchmarks(
  micro,
  inspection,
  policiesBenchmark,
  gate,
  ...(hasBrowser() ? [dashboard] : []),
  stuck,
  live,
  crash,
);

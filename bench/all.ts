import { crash } from './crash.ts';
import { gate } from './gate.ts';
import { micro } from './micro.ts';
import { stuck } from './stuck.ts';
import { runBenchmarks } from './support/report.ts';

/** Every benchmark, in the order of patience. */
await runBenchmarks(micro, gate, stuck, crash);

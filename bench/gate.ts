import { formatCount, formatMs } from '../src/cli/demo/columns.ts';
import { type CpuUse, measureCpu, measureStolen, settled } from './support/cpu-meter.ts';
import { eventTemplates, type LoadKind, SESSIONS } from './support/event-template.ts';
import { pace, saturate, saturatingGenerator } from './support/generate.ts';
import type { LoadResult, PacedResult } from './support/load.ts';
import { isProgram, progress, type Report, runBenchmarks } from './support/report.ts';
import { startBare, startGatehouse, type Target } from './support/servers.ts';

/** How much of the bare server's throughput does the gate keep, and how fast does it answer at half of its own? */

const KINDS: readonly { kind: LoadKind; floor: number; what: string }[] = [
  { kind: 'observational', floor: 0.45, what: 'tool results, 202 once on disk' },
  { kind: 'blocking', floor: 0.3, what: 'small tool calls, 200 once decided and on disk' },
];
const ROUNDS = 5;
const ROUND_SECONDS = 4;
const WARM_UP_SECONDS = 10;
const CONNECTIONS = 128;
const PACED_SECONDS = 10;
const PACED_CONNECTIONS_MAX = 512;
const PACED_P99_MS_MAX = 10;

interface Paced extends PacedResult {
  perSecond: number;
  /** Share of the machine that its host gave to others meanwhile, 0 to 1; 0 where the kernel does not say. */
  stolen: number;
}

interface Round extends LoadResult {
  perSecond: number;
  cpu: CpuUse;
}

/** One server, and how far its events are counted: every event of a run is another one. */
class Contender {
  readonly target: Target;
  /** The most that other processes used before one of its rounds, in cores. */
  disturbance = 0;
  #serial = 0;

  constructor(target: Target) {
    this.target = target;
  }

  load(kind: LoadKind, seconds: number) {
    const firstSerial = this.#serial;
    this.#serial += 10_000_000;
    return {
      url: this.target.url,
      token: this.target.token,
      templates: eventTemplates(kind, kind),
      firstSerial,
      seconds,
    };
  }

  async round(kind: LoadKind, seconds: number): Promise<Round> {
    await this.#settle();
    const endCpu = measureCpu(this.target);
    const result = await saturate({ ...this.load(kind, seconds), connections: CONNECTIONS });
    const cpu = endCpu();
    await this.#settle();
    return { ...result, cpu, perSecond: result.answered / result.seconds };
  }

  async #settle(): Promise<void> {
    this.disturbance = Math.max(this.disturbance, await settled(this.target));
  }

  /** At half of what it does at most. */
  async paced(kind: LoadKind, saturation: number): Promise<Paced> {
    await this.#settle();
    const eventsPerSecond = Math.round(saturation / 2);
    progress(`${kind}: ${eventsPerSecond} events/s, half of saturation`);
    const endStolen = measureStolen();
    const result = await pace({
      ...this.load(kind, PACED_SECONDS),
      eventsPerSecond,
      connectionsMax: PACED_CONNECTIONS_MAX,
    });
    const stolen = endStolen();
    // What it left to do must not be taken for somebody else's, beside the next kind's bare server.
    await this.#settle();
    return { ...result, perSecond: eventsPerSecond, stolen };
  }
}

/** The middle one by throughput. */
function median(rounds: Round[]): Round {
  return rounds.sort((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)] as Round;
}

interface Measured {
  kind: LoadKind;
  floor: number;
  bare: Round;
  gatehouse: Round;
  ratio: number;
  paced: Paced;
  /** The bare server at half of its own saturation, in the same minute: what this machine allows. */
  barePaced: Paced;
  invalid: number;
  /** In cores. */
  disturbance: number;
}

async function measure(kind: LoadKind, floor: number, bare: Contender, gatehouse: Contender): Promise<Measured> {
  progress(`${kind}: warming up`);
  await bare.round(kind, WARM_UP_SECONDS);
  await gatehouse.round(kind, WARM_UP_SECONDS);
  const rounds: { bare: Round[]; gatehouse: Round[] } = { bare: [], gatehouse: [] };
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`${kind}: round ${round} of ${ROUNDS}`);
    rounds.bare.push(await bare.round(kind, ROUND_SECONDS));
    rounds.gatehouse.push(await gatehouse.round(kind, ROUND_SECONDS));
  }
  const invalid = [...rounds.bare, ...rounds.gatehouse].reduce((sum, round) => sum + round.refused + round.broken, 0);
  const [middleBare, middleGatehouse] = [median(rounds.bare), median(rounds.gatehouse)];
  const barePaced = await bare.paced(kind, middleBare.perSecond);
  const paced = await gatehouse.paced(kind, middleGatehouse.perSecond);
  const ratio = middleGatehouse.perSecond / middleBare.perSecond;
  const disturbance = Math.max(bare.disturbance, gatehouse.disturbance);
  return {
    kind,
    floor,
    bare: middleBare,
    gatehouse: middleGatehouse,
    ratio,
    paced,
    barePaced,
    invalid,
    disturbance,
  };
}

export async function gate(): Promise<Report> {
  const gatehouse = await startGatehouse();
  const bare = await startBare(gatehouse.target.token);
  try {
    const measured: Measured[] = [];
    for (const { kind, floor } of KINDS) {
      measured.push(await measure(kind, floor, new Contender(bare.target), new Contender(gatehouse.target)));
    }
    return report(measured);
  } finally {
    await bare.stop();
    await gatehouse.stop();
  }
}

const HEAD = [
  '',
  'events/s',
  'of bare',
  'floor',
  'p50',
  'p99',
  'CPU µs/event',
  'main thread',
  'other threads',
  'postgres',
];

function report(measured: Measured[]): Report {
  return {
    title: 'gate: throughput against a bare uWebSockets.js server, and latency at half of it',
    inputs: [
      ...KINDS.map(({ kind, what }) => `${kind}: ${what}`),
      `${SESSIONS} sessions, every event another one; ${saturatingGenerator()}, ${CONNECTIONS} connections, on the same cores`,
      `${ROUNDS} rounds of ${ROUND_SECONDS} s each, in turns with the bare server, medians; paced: ${PACED_SECONDS} s, open loop`,
    ],
    table: [HEAD, ...measured.flatMap(rows)],
    notes: measured.flatMap(notes),
    failures: measured.flatMap(failures),
  };
}

function rows({ kind, floor, bare, gatehouse, ratio, paced, barePaced }: Measured): string[][] {
  const latency = ({ p50Us, p99Us }: LoadResult) => [formatMs(p50Us), formatMs(p99Us)];
  return [
    [`${kind}, bare`, formatCount(bare.perSecond), '1.00', '', ...latency(bare), ...cpuCells(bare)],
    [
      `${kind}, gatehouse`,
      formatCount(gatehouse.perSecond),
      ratio.toFixed(2),
      floor.toFixed(2),
      ...latency(gatehouse),
      ...cpuCells(gatehouse),
    ],
    [`${kind}, bare, paced`, formatCount(barePaced.perSecond), '', '', ...latency(barePaced)],
    [`${kind}, gatehouse, paced`, formatCount(paced.perSecond), '', '', ...latency(paced)],
  ];
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

function cpuCells({ answered, cpu }: Round): string[] {
  const others = cpu.otherShares.map(percent).join(' ');
  return [(cpu.processUs / answered).toFixed(1), percent(cpu.mainShare), others, percent(cpu.databaseShare)];
}

const DISTURBANCE_CORES_MAX = 0.2;
/** Below this share of its core the bare server waited for the generator, and looks slower than it is. */
const BARE_SATURATED = 0.9;

function notes({ kind, paced, barePaced, bare, gatehouse, disturbance }: Measured): string[] {
  const disturbed = `${kind}: other processes used up to ${disturbance.toFixed(1)} cores: measure again on a quiet machine`;
  const unsaturated = `${kind}: the generator did not saturate the bare server, so the ratio is too favourable`;
  const bound =
    gatehouse.cpu.mainShare > 0.9 ? 'the main thread' : 'waiting: cores shared with the generator, or the disk';
  return [
    ...(disturbance > DISTURBANCE_CORES_MAX ? [disturbed] : []),
    ...(bare.cpu.mainShare < BARE_SATURATED ? [unsaturated] : []),
    `${kind}: bounded by ${bound}; paced p99.9 ${formatMs(paced.p999Us)}, of the p99 the generator's own lag is ${formatMs(paced.lagP99Us)}`,
    `${kind}: while paced, the machine's host took ${percent(barePaced.stolen)} of it from the bare server and ${percent(paced.stolen)} from gatehouse`,
  ];
}

function failures({ kind, ratio, floor, paced, invalid }: Measured): string[] {
  const found: string[] = [];
  if (invalid > 0) found.push(`${kind}: ${invalid} requests were refused or broken; the figures mean nothing`);
  if (ratio < floor) found.push(`${kind}: ${ratio.toFixed(2)} of bare, the floor is ${floor}`);
  if (paced.refused + paced.broken > 0)
    found.push(`${kind}: paced, ${paced.refused} refused and ${paced.broken} broken`);
  if (paced.p99Us > PACED_P99_MS_MAX * 1000)
    found.push(`${kind}: p99 above ${PACED_P99_MS_MAX} ms at half of saturation`);
  return found;
}

if (isProgram(import.meta.url)) await runBenchmarks(gate);

import { formatCount, formatMs } from '../src/cli/demo/columns.ts';
import { settled } from './support/cpu-meter.ts';
import { eventTemplates, SESSIONS, stuckTemplate } from './support/event-template.ts';
import { pace, saturate } from './support/generate.ts';
import type { PacedResult } from './support/load.ts';
import { isProgram, progress, type Report, runBenchmarks } from './support/report.ts';
import { type RunningGatehouse, startGatehouse } from './support/servers.ts';

/** What do events whose inspection never ends cost the others, and does the process outlive a thousand ended threads? */

const WORKERS = '2';
const EVENTS_PER_SECOND = 5000;
const SECONDS = 30;
/** Before it, ordinary events alone: a service that has just started compiles what it runs. */
const WARM_UP_SECONDS = 10;
const WARM_UP_CONNECTIONS = 64;
const P99_MS_MAX = 15;

/** The second run asks only for survival: many stuck events, a short deadline, little beside them. */
const SURVIVAL = { deadlineMs: 60, stuckPerSecond: 5, eventsPerSecond: 500, lanesEnded: 1000 };
const SURVIVAL_ROUND_SECONDS = 30;
const SURVIVAL_ROUNDS_MAX = 12;

const TRIGGERS = { GATEHOUSE_TEST_TRIGGERS: 'on', GATEHOUSE_WORKERS: WORKERS };

interface Measured {
  name: string;
  eventsPerSecond: number;
  stuckPerSecond: number;
  rounds: PacedResult[];
  lanesEnded: number;
  alive: boolean;
}

interface Pacing {
  eventsPerSecond: number;
  stuckPerSecond: number;
  seconds: number;
}

function run({ target }: RunningGatehouse, round: number, pacing: Pacing): Promise<PacedResult> {
  const { eventsPerSecond, stuckPerSecond, seconds } = pacing;
  return pace({
    url: target.url,
    token: target.token,
    templates: eventTemplates('blocking', `beside-${round}`),
    firstSerial: 0,
    seconds,
    eventsPerSecond,
    connectionsMax: 1024,
    intruders: { template: stuckTemplate(`stuck-${round}`), perSecond: stuckPerSecond },
  });
}

async function warmUp({ target }: RunningGatehouse): Promise<void> {
  await saturate({
    url: target.url,
    token: target.token,
    templates: eventTemplates('blocking', 'warm-up'),
    firstSerial: 0,
    seconds: WARM_UP_SECONDS,
    connections: WARM_UP_CONNECTIONS,
  });
  await settled(target);
}

async function oneStuckASecond(): Promise<Measured> {
  progress(`stuck: ${EVENTS_PER_SECOND} events/s and one stuck event a second for ${SECONDS} s`);
  const gatehouse = await startGatehouse(TRIGGERS);
  const pacing = { eventsPerSecond: EVENTS_PER_SECOND, stuckPerSecond: 1 };
  try {
    await warmUp(gatehouse);
    const result = await run(gatehouse, 1, { ...pacing, seconds: SECONDS });
    return { name: 'one stuck a second', ...pacing, rounds: [result], ...(await health(gatehouse)) };
  } finally {
    await gatehouse.stop();
  }
}

async function survival(): Promise<Measured> {
  const { deadlineMs, lanesEnded, ...pacing } = SURVIVAL;
  const gatehouse = await startGatehouse({ ...TRIGGERS, GATEHOUSE_DEADLINE_MS: String(deadlineMs) });
  const rounds: PacedResult[] = [];
  try {
    let seen = await health(gatehouse);
    while (seen.alive && seen.lanesEnded < lanesEnded && rounds.length < SURVIVAL_ROUNDS_MAX) {
      progress(`stuck: ${seen.lanesEnded} of ${lanesEnded} threads ended`);
      rounds.push(await run(gatehouse, rounds.length, { ...pacing, seconds: SURVIVAL_ROUND_SECONDS }));
      seen = await health(gatehouse);
    }
    return { name: `survival, deadline ${deadlineMs} ms`, ...pacing, rounds, ...seen };
  } finally {
    await gatehouse.stop();
  }
}

async function health({ service }: RunningGatehouse): Promise<{ lanesEnded: number; alive: boolean }> {
  if (!service.running) return { lanesEnded: 0, alive: false };
  return { lanesEnded: await service.metric('gatehouse_lanes_ended_total'), alive: true };
}

export async function stuck(): Promise<Report> {
  const [beside, survived] = [await oneStuckASecond(), await survival()];
  return {
    title: 'stuck: events whose inspection never ends, beside ordinary ones',
    inputs: [
      `small tool calls over ${SESSIONS} sessions, open loop, ${WORKERS} workers; a stuck event has a session of its own`,
      `one stuck a second: default deadline, ${SECONDS} s after ${WARM_UP_SECONDS} s without; survival: until ${SURVIVAL.lanesEnded} threads were ended`,
    ],
    table: [
      [
        '',
        'events/s',
        'stuck/s',
        'p50',
        'p99',
        'p99.9',
        'max',
        '200',
        'other 408',
        'other failed',
        'stuck 408',
        'stuck 500',
        'threads ended',
      ],
      ...[beside, survived].map(row),
    ],
    notes: [
      'a stuck event is answered 408 at its deadline, or 500 when its thread was ended before that, because no other was left',
      `latencies count from when an event was due; of the first p99 the generator's own lag is ${formatMs(beside.rounds[0]?.lagP99Us ?? 0)}`,
    ],
    failures: [...failuresBeside(beside), ...failuresOfSurvival(survived)],
  };
}

const total = ({ rounds }: Measured, status: string) =>
  rounds.reduce((sum, round) => sum + (round.statuses[status] ?? 0), 0);
const ofStuck = ({ rounds }: Measured, status: string) =>
  rounds.reduce((sum, round) => sum + (round.intruderStatuses[status] ?? 0), 0);
const failed = ({ rounds }: Measured) => rounds.reduce((sum, round) => sum + round.refused + round.broken, 0);
const worst = ({ rounds }: Measured, key: 'p50Us' | 'p99Us' | 'p999Us' | 'maxUs') =>
  Math.max(...rounds.map((round) => round[key]));

function row(measured: Measured): string[] {
  const { name, eventsPerSecond, stuckPerSecond, lanesEnded } = measured;
  return [
    name,
    formatCount(eventsPerSecond),
    formatCount(stuckPerSecond),
    ...(['p50Us', 'p99Us', 'p999Us', 'maxUs'] as const).map((key) => formatMs(worst(measured, key))),
    ...[total(measured, '200'), total(measured, '408'), failed(measured) - total(measured, '408')].map(formatCount),
    ...[ofStuck(measured, '408'), ofStuck(measured, '500'), lanesEnded].map(formatCount),
  ];
}

function failuresBeside(measured: Measured): string[] {
  const found: string[] = [];
  if (!measured.alive) found.push('the process ended');
  if (failed(measured) > 0) found.push(`${failed(measured)} events beside the stuck ones were not decided`);
  if (measured.lanesEnded === 0) found.push('no thread was ended: nothing was tested');
  if (worst(measured, 'p99Us') > P99_MS_MAX * 1000) found.push(`p99 above ${P99_MS_MAX} ms beside the stuck events`);
  return found;
}

function failuresOfSurvival({ alive, lanesEnded }: Measured): string[] {
  if (!alive) return ['the process ended under the stuck events'];
  return lanesEnded < SURVIVAL.lanesEnded ? [`only ${lanesEnded} of ${SURVIVAL.lanesEnded} threads were ended`] : [];
}

if (isProgram(import.meta.url)) await runBenchmarks(stuck);

import { formatMs } from '../src/cli/demo/columns.ts';
import { connect, type Watched } from '../test/support/live.ts';
import { eventTemplates } from './support/event-template.ts';
import { pace } from './support/generate.ts';
import type { PacedResult } from './support/load.ts';
import { isProgram, progress, type Report, runBenchmarks } from './support/report.ts';
import { startGatehouse } from './support/servers.ts';

/** What do two hundred people who watch cost those who wait for a decision? */

const WATCHERS = 200;
/** A tenant's tokens may hold 64 sockets, and each of them 16 (docs/ARCHITECTURE.md, bounds). */
const WATCHERS_OF_SOCKET = 4;
const SOCKETS_OF_TOKEN = 15;
const CALLS_PER_SECOND = 100;
/** Beside the calls: events that nobody waits for, and that these people do not watch. */
const OBSERVED_PER_SECOND = [0, 2_000, 5_000];
const SECONDS = 8;
const WARM_UP_SECONDS = 4;
/** Both rounds in one run, on the same machine. */
const P99_RATIO_MAX = 1.5;
/** Below it a ratio tells of the machine. */
const P99_MS_FLOOR = 5;

const QUERY = `subscription ($tenant: ID!) {
  decisions(tenantId: $tenant) { items { id action reason toolName userEmail tookUs decidedAt } cursor missed hasGap } }`;

export async function live(): Promise<Report> {
  const gatehouse = await startGatehouse();
  const { service, target } = gatehouse;
  let firstSerial = 0;
  const round = async (seconds: number, observedPerSecond: number) => {
    firstSerial += 1_000_000;
    const load = { url: target.url, token: target.token, firstSerial, seconds };
    const send = (kind: 'blocking' | 'observational', eventsPerSecond: number) =>
      pace({ ...load, templates: eventTemplates(kind, `live-${kind}`), eventsPerSecond, connectionsMax: 64 });
    const observed = observedPerSecond === 0 ? undefined : send('observational', observedPerSecond);
    const calls = await send('blocking', CALLS_PER_SECOND);
    await observed;
    return calls;
  };
  const table = [['', 'p50', 'p99', 'told']];
  const notes: string[] = [];
  const failures: string[] = [];
  try {
    progress('warming up');
    await round(WARM_UP_SECONDS, 0);
    const alone = new Map<number, PacedResult>();
    for (const perSecond of OBSERVED_PER_SECOND) {
      progress(`nobody watches, ${perSecond} events/s beside`);
      alone.set(perSecond, await round(SECONDS, perSecond));
    }
    const watched = await watchAll(service);
    for (const [perSecond, before] of alone) {
      progress(`${WATCHERS} people watch, ${perSecond} events/s beside`);
      const toldBefore = await settled(watched);
      const together = await round(SECONDS, perSecond);
      const told = (await settled(watched)) - toldBefore;
      const expected = together.answered * WATCHERS;
      const ratio = together.p99Us / Math.max(before.p99Us, P99_MS_FLOOR * 1_000);
      const beside = `${perSecond} events/s beside`;
      table.push(
        [`nobody watches, ${beside}`, formatMs(before.p50Us), formatMs(before.p99Us), ''],
        [`${WATCHERS} watch, ${beside}`, formatMs(together.p50Us), formatMs(together.p99Us), `${told} of ${expected}`],
      );
      notes.push(`${beside}: p99 is ${ratio.toFixed(1)} times as long (of at least ${P99_MS_FLOOR} ms)`);
      if (ratio > P99_RATIO_MAX)
        failures.push(`${beside}: p99 is more than ${P99_RATIO_MAX} times as long while people watch`);
      if (told < expected) failures.push(`${beside}: ${expected - told} decisions were not told`);
    }
    return {
      title: `What ${WATCHERS} people who watch cost decisions`,
      inputs: [
        `${CALLS_PER_SECOND} small tool calls a second for ${SECONDS} s, and tool results beside them`,
        `${WATCHERS} subscriptions on ${WATCHERS / WATCHERS_OF_SOCKET} sockets, each with every decision, read by a process on the same cores`,
      ],
      table,
      notes,
      failures,
    };
  } finally {
    await gatehouse.stop();
  }
}

async function watchAll(service: Awaited<ReturnType<typeof startGatehouse>>['service']): Promise<Watched[]> {
  const watched: Watched[] = [];
  while (watched.length < WATCHERS) {
    const token = (await service.gatehouse('token', '--platform', 'platform:read', '--days', '1')).trim();
    const tenant = await tenantOf(service.url, token);
    for (let socket = 0; socket < SOCKETS_OF_TOKEN && watched.length < WATCHERS; socket++) {
      const watcher = await (await connect(service.url, { authorization: `Bearer ${token}` })).init();
      for (let n = 0; n < WATCHERS_OF_SOCKET; n++) watched.push(watcher.watch(QUERY, { tenant }));
    }
  }
  for (const each of watched) await each.next();
  return watched;
}

async function tenantOf(url: string, token: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ viewer { memberships { tenant { id } } } }' }),
  });
  const { data } = (await answer.json()) as { data: { viewer: { memberships: { tenant: { id: string } }[] } } };
  return data.viewer.memberships[0]?.tenant.id ?? '';
}

const SETTLE_MS_MAX = 60_000;

/** How many decisions were told, once no more come. */
async function settled(watched: readonly Watched[]): Promise<number> {
  let told = -1;
  for (const untilMs = Date.now() + SETTLE_MS_MAX; Date.now() < untilMs; ) {
    const now = watched.reduce((sum, { payloads }) => sum + itemsIn(payloads), 0);
    if (now === told) return told;
    told = now;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
  return told;
}

function itemsIn(payloads: Watched['payloads']): number {
  return payloads.reduce((sum: number, { data }) => sum + (data?.decisions?.items.length ?? 0), 0);
}

if (isProgram(import.meta.url)) await runBenchmarks(live);

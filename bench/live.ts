import { formatMs } from '../src/cli/demo/columns.ts';
import { connect, type Watched } from '../test/support/live.ts';
import { eventTemplates } from './support/event-template.ts';
import { pace } from './support/generate.ts';
import { isProgram, progress, type Report, runBenchmarks } from './support/report.ts';
import { startGatehouse } from './support/servers.ts';

/** What do two hundred people who watch cost those who wait for a decision? */

const WATCHERS = 200;
const SOCKETS_OF_TOKEN = 15;
const EVENTS_PER_SECOND = 100;
const SECONDS = 8;
const WARM_UP_SECONDS = 4;
/** Both rounds in one run, on the same machine. */
const P99_RATIO_MAX = 4;
/** Below it a ratio tells of the machine. */
const P99_MS_FLOOR = 5;

const QUERY = `subscription ($tenant: ID!) {
  decisions(tenantId: $tenant) { items { id action reason toolName userEmail tookUs decidedAt } cursor missed hasGap } }`;

export async function live(): Promise<Report> {
  const gatehouse = await startGatehouse();
  const { service, target } = gatehouse;
  let firstSerial = 0;
  const round = (seconds: number) => {
    firstSerial += 1_000_000;
    const templates = eventTemplates('blocking', 'live');
    const load = { url: target.url, token: target.token, templates, firstSerial, seconds };
    return pace({ ...load, eventsPerSecond: EVENTS_PER_SECOND, connectionsMax: 64 });
  };
  try {
    progress('warming up');
    await round(WARM_UP_SECONDS);
    const alone = await round(SECONDS);
    progress(`${WATCHERS} people begin to watch`);
    const watched = await watchAll(service);
    const together = await round(SECONDS);
    const told = await settled(watched);
    const expected = together.answered * WATCHERS;
    const ratio = together.p99Us / Math.max(alone.p99Us, P99_MS_FLOOR * 1000);
    return {
      title: `What ${WATCHERS} people who watch cost decisions`,
      inputs: [
        `${EVENTS_PER_SECOND} small tool calls a second for ${SECONDS} s`,
        `${WATCHERS} sockets, each with every decision`,
      ],
      table: [
        ['', 'p50', 'p99', 'told'],
        ['nobody watches', formatMs(alone.p50Us), formatMs(alone.p99Us), ''],
        [`${WATCHERS} watch`, formatMs(together.p50Us), formatMs(together.p99Us), `${told} of ${expected}`],
      ],
      notes: [`p99 is ${ratio.toFixed(1)} times as long (of at least ${P99_MS_FLOOR} ms)`],
      failures: [
        ...(ratio > P99_RATIO_MAX ? [`p99 is more than ${P99_RATIO_MAX} times as long while people watch`] : []),
        ...(told < expected ? [`${expected - told} decisions were not told`] : []),
      ],
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
    const count = Math.min(SOCKETS_OF_TOKEN, WATCHERS - watched.length);
    for (let n = 0; n < count; n++) {
      const watcher = await (await connect(service.url, { authorization: `Bearer ${token}` })).init();
      watched.push(watcher.watch(QUERY, { tenant }));
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

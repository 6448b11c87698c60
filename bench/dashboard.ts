import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { formatMs } from '../src/cli/demo/columns.ts';
import { LatencyHistogram } from '../src/cli/demo/latency-histogram.ts';
import { launchBrowser, WHOLE_CHROMIUM } from '../test/support/chromium.ts';
import { settled, signInAsFirstOwner, visit } from '../test/support/visitor.ts';
import { eventTemplates } from './support/event-template.ts';
import { pace } from './support/generate.ts';
import { isProgram, progress, type Report, runBenchmarks } from './support/report.ts';
import { startGatehouse, type Target } from './support/servers.ts';

/** How soon is the dashboard there, how soon does it show what happens, and does it stay smooth? In a real browser. */

const EVENTS_PER_SECOND = [0, 500, 2_000, 5_000];
const LOAD_SECONDS = 12;
const PROBES_EVERY_MS = 250;
const PAINTED_P95_MS_MAX = 1_000;
const FRAME_MS_MAX = 100;
const TIMELINE_EVENTS = 5_000;
const FIRST_LOAD_MS_MAX = 1_500;
/** What was sent is shown by then, or the run fails. */
const DRAIN_MS_MAX = 60_000;

interface Network {
  name: string;
  /** Bytes a second; -1 for no limit. */
  downloadThroughput: number;
  uploadThroughput: number;
  /** Milliseconds that are added to each request. */
  latency: number;
  isAim?: boolean;
}

const NETWORKS: readonly Network[] = [
  { name: 'no limit', downloadThroughput: -1, uploadThroughput: -1, latency: 0 },
  // "3G Fast" of WebPageTest: 1.6 Mbit/s down, 768 kbit/s up, 150 ms.
  { name: 'Fast 3G', downloadThroughput: 200_000, uploadThroughput: 96_000, latency: 150, isAim: true },
  // "Fast 3G" of Chromium's developer tools until 2024: 10 % less, and 3.75 times as far away.
  { name: 'slow Fast 3G', downloadThroughput: 180_000, uploadThroughput: 84_375, latency: 562.5 },
];

export async function dashboard(): Promise<Report> {
  const { service, target, stop } = await startGatehouse({ GATEHOUSE_LOG_LEVEL: 'info' });
  const browser = await launchBrowser(WHOLE_CHROMIUM);
  const failures: string[] = [];
  const table = [['', 'p50', 'p95', 'longest frame', 'frames over 100 ms']];
  const miss = (what: string, ms: number, most: number) => {
    if (ms > most) failures.push(`${what}: ${formatMs(ms * 1_000)}, the aim is ${formatMs(most * 1_000)}`);
  };
  try {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage();
    const tenant = await signInAsFirstOwner(page, service);
    for (const perSecond of EVENTS_PER_SECOND) {
      progress(`${perSecond} events/s`);
      const { painted, frames } = await underLoad(page, tenant, target, perSecond);
      const p95Ms = painted.percentileUs(95) / 1_000;
      miss(`from POST to paint with ${perSecond} events/s, p95`, p95Ms, PAINTED_P95_MS_MAX);
      table.push([
        `POST to paint, ${perSecond} events/s`,
        formatMs(painted.percentileUs(50)),
        formatMs(p95Ms * 1_000),
        ...shown(frames),
      ]);
    }
    progress(`a session of ${TIMELINE_EVENTS} events`);
    const frames = await timeline(page, tenant, target);
    if (frames.over > 0) failures.push(`${frames.over} frames over ${FRAME_MS_MAX} ms while a timeline was scrolled`);
    table.push([`scrolling ${TIMELINE_EVENTS} events`, '', '', ...shown(frames)]);
    progress('first load');
    for (const network of NETWORKS) {
      const ms = await firstLoad(page, tenant, network);
      if (network.isAim === true) miss(`first load on ${network.name}`, ms, FIRST_LOAD_MS_MAX);
      table.push([`first load, ${network.name}`, formatMs(ms * 1_000), '', '', '']);
    }
  } finally {
    await browser.close();
    await stop();
  }
  return {
    title: 'dashboard: Chromium without a graphics card, on the same cores as the service and the load',
    inputs: [
      `a blocked call every ${PROBES_EVERY_MS} ms, told on the Live page from being sent to the frame after it is in the page; beside it tool results`,
      'first load: nothing cached, until the Overview shows its numbers',
    ],
    table,
    notes: [],
    failures,
  };
}

interface Frames {
  longestMs: number;
  over: number;
}

const shown = ({ longestMs, over }: Frames) => [formatMs(longestMs * 1_000), String(over)];

async function underLoad(page: Page, tenant: string, target: Target, perSecond: number) {
  await visit(page, `${tenant}/live`);
  await page.evaluate(WATCH_FRAMES);
  await page.evaluate(watchProbes(`probe_${perSecond}_`));
  const load =
    perSecond === 0
      ? sleep(LOAD_SECONDS * 1_000)
      : pace({
          ...target,
          templates: eventTemplates('observational', `rate${perSecond}`),
          firstSerial: 0,
          seconds: LOAD_SECONDS,
          eventsPerSecond: perSecond,
          connectionsMax: 256,
        });
  const over = load.then(() => true);
  const sentAt = new Map<string, number>();
  for (let isOver = false; !isOver; ) {
    const name = `probe_${perSecond}_${sentAt.size}`;
    sentAt.set(name, Date.now());
    await sendBlocked(target, name);
    isOver = await Promise.race([over, sleep(PROBES_EVERY_MS, false)]);
  }
  const paintedCount = () => page.evaluate<number>('Object.values(probes).filter(Number).length');
  const giveUpAt = performance.now() + DRAIN_MS_MAX;
  while ((await paintedCount()) < sentAt.size) {
    if (performance.now() > giveUpAt) throw new Error(`of ${sentAt.size} probes ${await paintedCount()} were shown`);
    await sleep(100);
  }
  const painted = new LatencyHistogram();
  for (const [name, at] of Object.entries(await page.evaluate<Record<string, number>>('probes')))
    painted.record((at - (sentAt.get(name) ?? at)) * 1_000);
  return { painted, frames: await framesOf(page) };
}

async function sendBlocked({ url, token }: Target, tool: string): Promise<void> {
  const event = {
    event_type: 'tool_invocation',
    session_id: 'probes',
    timestamp: new Date().toISOString(),
    agent: { id: 'probe', name: 'Probe' },
    user: { email: 'probe@example.com' },
    tool: { name: tool, input: { command: 'curl -s http://169.254.169.254/latest/meta-data/iam/' } },
  };
  await send({ url, token }, event);
}

async function send({ url, token }: Pick<Target, 'url' | 'token'>, event: object): Promise<void> {
  const answer = await fetch(`${url}/v1/generic-webhook/hooks/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
  await answer.arrayBuffer();
}

// What runs in the page, as text: it has other globals than this program.

/** Keeps when each probe was painted: what changed before a frame is on the screen when the next one but one begins. */
const watchProbes = (prefix: string) => `
  globalThis.probes = {};
  new MutationObserver(() => {
    for (const cell of document.querySelectorAll('tbody td:nth-child(3)')) {
      const name = cell.textContent ?? '';
      if (!name.startsWith('${prefix}') || name in probes) continue;
      probes[name] = null;
      requestAnimationFrame(() => requestAnimationFrame(() => { probes[name] = Date.now(); }));
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true });`;

const WATCH_FRAMES = `
  globalThis.frames = { longestMs: 0, over: 0 };
  let before = performance.now();
  requestAnimationFrame(function next(now) {
    frames.longestMs = Math.max(frames.longestMs, now - before);
    if (now - before > ${FRAME_MS_MAX}) frames.over++;
    before = now;
    requestAnimationFrame(next);
  });`;

const SCROLL = `(async () => {
  for (const until = performance.now() + 8000; performance.now() < until; ) {
    window.scrollBy(0, 400);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
})()`;

/** Told in milliseconds since the navigation began. */
const WATCH_NUMBERS = `
  globalThis.shownAtMs = null;
  new MutationObserver((_, observer) => {
    if (document.querySelector('.tile strong') === null) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => { shownAtMs = performance.now(); }));
  }).observe(document, { childList: true, subtree: true });`;

const framesOf = (page: Page) => page.evaluate<Frames>('frames');

async function timeline(page: Page, tenant: string, target: Target): Promise<Frames> {
  for (let sent = 0; sent < TIMELINE_EVENTS; sent += 50) {
    const some = Array.from({ length: 50 }, (_, index) => send(target, timelineEvent(sent + index)));
    await Promise.all(some);
  }
  await visit(page, `${tenant}/sessions`);
  await page.getByRole('link').filter({ hasText: 'Timeline agent' }).first().click();
  await page.waitForURL(/\/sessions\//);
  await settled(page);
  await page.evaluate(WATCH_FRAMES);
  await page.evaluate(SCROLL);
  return framesOf(page);
}

function timelineEvent(index: number): object {
  return {
    event_type: 'tool_result',
    session_id: 'timeline',
    timestamp: new Date().toISOString(),
    agent: { id: 'timeline', name: 'Timeline agent' },
    user: { email: 'timeline@example.com' },
    tool: {
      name: 'Read',
      input: { file_path: `/work/${index}.ts` },
      output: { content: `export const n = ${index};` },
    },
  };
}

/** Milliseconds from the begin of the navigation until the Overview's numbers are on the screen, by the page's own clock; nothing is cached. */
async function firstLoad(page: Page, tenant: string, network: Network): Promise<number> {
  const { downloadThroughput, uploadThroughput, latency } = network;
  const fresh = await page.context().newPage();
  const control = await page.context().newCDPSession(fresh);
  await control.send('Network.enable');
  await control.send('Network.setCacheDisabled', { cacheDisabled: true });
  await control.send('Network.emulateNetworkConditions', {
    offline: false,
    downloadThroughput,
    uploadThroughput,
    latency,
  });
  await fresh.addInitScript(WATCH_NUMBERS);
  await fresh.goto(tenant, { waitUntil: 'commit' });
  let shownAtMs: number | null = null;
  for (const giveUpAt = performance.now() + DRAIN_MS_MAX; shownAtMs === null; await sleep(50)) {
    if (performance.now() > giveUpAt) throw new Error('the Overview showed no numbers');
    shownAtMs = await fresh.evaluate<number | null>('shownAtMs');
  }
  await fresh.close();
  return shownAtMs;
}

if (isProgram(import.meta.url)) await runBenchmarks(dashboard);

import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../test/support/chromium.ts';
import { startService } from '../test/support/service.ts';
import { settled, signInAsFirstOwner, visit } from '../test/support/visitor.ts';

/**
 * Takes the pictures of `docs/screenshots` from a service of its own, with the events of the demo: run it after `npm run build`
 * where the pages have changed. Needs Chromium.
 */

const OUT = fileURLToPath(new URL('../docs/screenshots', import.meta.url));

interface Look {
  name: string;
  width: number;
  height: number;
  colorScheme: 'light' | 'dark';
}

const LIGHT: Look = { name: 'light', width: 1280, height: 860, colorScheme: 'light' };
const DARK: Look = { ...LIGHT, name: 'dark', colorScheme: 'dark' };
const PHONE: Look = { name: 'phone', width: 390, height: 844, colorScheme: 'light' };

/** What is shown, and how the page gets there from the tenant's own address. */
const SHOTS: { name: string; looks: Look[]; open: (page: Page, tenant: string) => Promise<void> }[] = [
  { name: 'overview', looks: [LIGHT, DARK, PHONE], open: (page, tenant) => visit(page, tenant) },
  { name: 'live', looks: [LIGHT], open: (page, tenant) => visit(page, `${tenant}/live`) },
  { name: 'session', looks: [LIGHT, DARK, PHONE], open: openBlockedSession },
  { name: 'findings', looks: [LIGHT], open: (page, tenant) => visit(page, `${tenant}/findings`) },
  { name: 'agents', looks: [LIGHT], open: (page, tenant) => visit(page, `${tenant}/agents`) },
  { name: 'policies', looks: [LIGHT], open: (page, tenant) => visit(page, `${tenant}/policies`) },
  { name: 'editor', looks: [DARK], open: (page, tenant) => visit(page, `${tenant}/policies/edit`) },
  { name: 'settings', looks: [LIGHT], open: (page, tenant) => visit(page, `${tenant}/settings`) },
];

/** The session of the newest decision that blocked. */
async function openBlockedSession(page: Page, tenant: string): Promise<void> {
  await visit(page, `${tenant}/live`);
  await page.getByLabel('Show').selectOption('blocked');
  await page.locator('tbody tr a').first().click();
  await page.getByRole('link', { name: 'the session it belongs to' }).click();
  await page.waitForURL(/\/sessions\//);
  await settled(page);
}

async function main(): Promise<void> {
  mkdirSync(OUT, { recursive: true });
  const service = await startService({ env: { GATEHOUSE_LOG_LEVEL: 'info' } });
  const browser = await launchBrowser();
  try {
    await service.gatehouse('demo', '--url', service.url, '--events', '1500', '--rate', '150');
    const context = await browser.newContext();
    const page = await context.newPage();
    const tenant = await signInAsFirstOwner(page, service);
    for (const { name, looks, open } of SHOTS) {
      for (const look of looks) {
        await page.setViewportSize(look);
        await page.emulateMedia({ colorScheme: look.colorScheme });
        await open(page, tenant);
        // Charts are drawn in the frame after their data.
        await sleep(500);
        await page.screenshot({ path: `${OUT}/${name}-${look.name}.png` });
        process.stdout.write(`${name}-${look.name}.png\n`);
      }
    }
  } finally {
    await browser.close();
    await service.stop();
    await service.dispose();
  }
}

await main();

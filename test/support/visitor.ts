import type { Page } from 'playwright-core';
import type { Service } from './service.ts';

/** Somebody who looks at a real service with a real browser. */

/** Signs the first owner in by the link that the service printed. Returns the address of the tenant's pages, without a slash. */
export async function signInAsFirstOwner(page: Page, service: Service): Promise<string> {
  const link = /http\S+magic-link\?token=[\w-]+\S*/.exec(service.output)?.[0];
  if (link === undefined) throw new Error('the service printed no link to sign in: was it asked to log at level info?');
  await page.goto(link);
  await page.getByLabel('Name').fill('Olive Owner');
  await page.getByLabel(/mail/i).fill('olive@example.com');
  await page.getByRole('button').first().click();
  await page.waitForURL(/\/t\//);
  return page.url().replace(/\/$/, '');
}

/** Goes to `address`, and waits until the page waits for nothing of what it shows. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  await page.getByText(/^Loading/).waitFor({ state: 'detached' });
}

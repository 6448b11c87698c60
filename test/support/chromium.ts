import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The browser that the dashboard is looked at with: the one that CHROMIUM names, else the machine's own. */

const installed = (...names: string[]) => names.map((name) => `/usr/bin/${name}`).find(existsSync);

/** As people have it. */
export const WHOLE_CHROMIUM = process.env['CHROMIUM'] ?? installed('chromium') ?? '/usr/bin/chromium';

/** The same without windows and what belongs to them, where it is installed: pages are done in two thirds of the time. */
export const CHROMIUM = process.env['CHROMIUM'] ?? installed('chromium-headless-shell') ?? WHOLE_CHROMIUM;

export const hasBrowser = (): boolean => existsSync(CHROMIUM);

export function launchBrowser(executablePath = CHROMIUM): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

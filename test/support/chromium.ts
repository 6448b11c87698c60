import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The browser that the dashboard is looked at with: the one that CHROMIUM names, else the machine's own. */

const SHELL = '/usr/bin/chromium-headless-shell';

/** As people have it. */
export const WHOLE_CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** The same without windows and what belongs to them, where it is installed: pages are done in two thirds of the time. */
export const CHROMIUM = process.env['CHROMIUM'] ?? (existsSync(SHELL) ? SHELL : WHOLE_CHROMIUM);

export const hasBrowser = (): boolean => existsSync(CHROMIUM);

export function launchBrowser(executablePath = CHROMIUM): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

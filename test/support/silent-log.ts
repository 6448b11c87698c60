import type { Log } from '../../src/lib/log.ts';

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

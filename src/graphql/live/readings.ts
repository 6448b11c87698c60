import type { Backtests, ShownBacktest } from '../../platform/backtests.ts';
import { decisionStatistics, type StatisticsBucket } from '../../store/statistics.ts';
import type { TenantDatabase } from '../../store/tenant-database.ts';
import type { Reading } from './live-readings.ts';

/** What is read again and again for those who watch it. */

/** Stretches of time whose statistics can be watched: few, so that all who watch share them. */
const LIVE_WINDOWS = {
  minute: { seconds: 60, bucketSeconds: 1 },
  hour: { seconds: 3_600, bucketSeconds: 60 },
} as const;
export type LiveWindow = keyof typeof LIVE_WINDOWS;

export function statisticsOf(
  database: TenantDatabase,
  tenantId: string,
  window: LiveWindow,
): Reading<StatisticsBucket[]> {
  const { seconds, bucketSeconds } = LIVE_WINDOWS[window];
  return {
    key: `statistics ${tenantId} ${window}`,
    read: () => {
      const until = new Date();
      const since = new Date(until.getTime() - seconds * 1_000);
      return database.inTenant({ tenantId }, (tx) => decisionStatistics(tx, tenantId, { since, until, bucketSeconds }));
    },
  };
}

/** A backtest until it ends, whenever it has come further; undefined, and nothing more, where there is none. */
export function backtestOf(
  database: TenantDatabase,
  backtests: Pick<Backtests, 'find'>,
  tenantId: string,
  id: string,
): Reading<ShownBacktest | undefined> {
  return {
    key: `backtest ${tenantId} ${id}`,
    read: () => backtests.find({ tenantId, inTenant: (work) => database.inTenant({ tenantId }, work) }, id),
    isNews: (now, before) => now?.state !== before?.state || now?.sessionsDone !== before?.sessionsDone,
    isLast: (now) => now?.state !== 'running',
  };
}

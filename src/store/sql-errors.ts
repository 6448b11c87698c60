import { PoolRefused } from './connection-pool.ts';

/** Whether PostgreSQL refused a statement for `constraint`. Drizzle hands on its error as the cause of its own. */
export function violates(error: unknown, constraint: string): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ((at as { constraint_name?: unknown }).constraint_name === constraint) return true;
  }
  return false;
}

const QUERY_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';

/** Whether it was given up for lack of time: no connection was free, or the statement did not end. */
export function ranOutOfTime(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (at instanceof PoolRefused || code === QUERY_CANCELED || code === LOCK_NOT_AVAILABLE) return true;
  }
  return false;
}

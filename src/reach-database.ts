import { ConfigError } from './config.ts';
import { errorCode } from './identity/private-files.ts';
import type { Database } from './store/database.ts';

/**
 * Settled once the database of `GATEHOUSE_DATABASE_URL` has answered.
 *
 * @throws {ConfigError} where it does not, or lets nobody in.
 */
export async function reachDatabase(database: Database): Promise<void> {
  try {
    await database.ping();
  } catch (error) {
    // Where each of several addresses refuses, the message is empty.
    const reason = (error as Error).message.split('\n', 1)[0] || errorCode(error);
    throw new ConfigError(`GATEHOUSE_DATABASE_URL: the database cannot be reached (${reason})`);
  }
}

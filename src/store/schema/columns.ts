import { customType, timestamp } from 'drizzle-orm/pg-core';

/** Raw bytes. */
export const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

/** A moment: PostgreSQL keeps microseconds, Gatehouse writes milliseconds. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

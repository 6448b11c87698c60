import type { TemplatedApp } from 'uWebSockets.js';
import { readFileSync } from 'node:fs';

/** Files that the service needs beside its connections: of PostgreSQL, the journal, threads, and what starts PostgreSQL again. */
const OTHER_FILES = 256;
const CONNECTIONS_MIN = 16;

/** The most connections there may be: `wanted`, or fewer where the process may have no more files open. */
export function connectionsAllowed(wanted: number, filesMax = openFilesMax()): number {
  return Math.max(CONNECTIONS_MIN, Math.min(wanted, filesMax - OTHER_FILES));
}

/** How many files this process may have open, as far as the system tells. */
function openFilesMax(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Closes each connection beyond `connectionsMax` as it comes: without a file to accept it by, it would keep the thread busy for as long as it waits, and
 * PostgreSQL could not be started again. Call what it returns for each WebSocket that is gone: of those nothing else is told.
 */
export function boundConnections(app: TemplatedApp, connectionsMax: number, onRefused: () => void): () => void {
  let count = 0;
  // Called with 1 as a connection comes, and with -1 as it goes.
  const noteConnection: Parameters<TemplatedApp['filter']>[0] = (res, change) => {
    count += Number(change);
    if (Number(change) < 0 || count <= connectionsMax) return;
    onRefused();
    res.close();
  };
  app.filter(noteConnection);
  return () => {
    count--;
  };
}

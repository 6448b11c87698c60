import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { LedgerEntry } from '../../test/support/load.ts';
import type { Service } from '../../test/support/service.ts';

/** What the database holds of a ledger's events, by marker. */
export interface StoredEvents {
  /** How many rows hold the event. */
  rows: Map<string, number>;
  /** The actions of its decisions, in any order; `undecided` where none was reached. */
  decisions: Map<string, string[]>;
}

export interface Difference {
  sent: number;
  acknowledged: number;
  /** Markers of events that were acknowledged and are not in the database. */
  lost: string[];
  /** Markers of events that are there more than once. */
  storedTwice: string[];
  /** Markers of events whose stored decision is not, or not once, the one that was answered. */
  otherwiseDecided: string[];
  /** Answers that were neither an acknowledgement nor the end of the connection, by what they said. */
  refusals: Record<string, number>;
}

/** Compares what was answered with what is stored. */
export function compare(entries: readonly LedgerEntry[], stored: StoredEvents): Difference {
  const acknowledged = entries.filter((entry) => entry.acknowledged !== undefined);
  const markers = (list: readonly LedgerEntry[]) => list.map(({ marker }) => marker);
  const refusals: Record<string, number> = {};
  for (const said of entries.flatMap((entry) => entry.refusals)) refusals[said] = (refusals[said] ?? 0) + 1;
  return {
    sent: entries.length,
    acknowledged: acknowledged.length,
    lost: markers(acknowledged.filter(({ marker }) => !stored.rows.has(marker))),
    storedTwice: markers(entries.filter(({ marker }) => (stored.rows.get(marker) ?? 0) > 1)),
    otherwiseDecided: markers(
      acknowledged.filter(({ marker, blocking, acknowledged: answered }) => {
        const decided = stored.decisions.get(marker) ?? [];
        return blocking ? decided.length !== 1 || decided[0] !== answered : decided.length > 0;
      }),
    ),
    refusals,
  };
}

const CATCH_UP_MS_MAX = 300_000;

/** What the database holds once the journal has nothing for it any more, or after five minutes of waiting for that. */
export async function storedAfterCatchUp(service: Service, run: string): Promise<StoredEvents> {
  const giveUpAt = performance.now() + CATCH_UP_MS_MAX;
  while ((await service.metric('gatehouse_projector_lag_records')) > 0 && performance.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return readStored(service, run);
}

/** The columns that are read of the two exports. */
interface ExportedEvent {
  id: string;
  body: unknown;
}
interface ExportedDecision {
  id: string;
  action?: string;
}

async function readStored(service: Service, run: string): Promise<StoredEvents> {
  const marker = new RegExp(`${run}-\\d{8}-end`);
  const markers = new Map<string, string>();
  const stored: StoredEvents = { rows: new Map(), decisions: new Map() };
  await eachLine(service, 'events', (line) => {
    const found = marker.exec(line)?.[0];
    if (found === undefined) return;
    markers.set((JSON.parse(line) as ExportedEvent).id, found);
    stored.rows.set(found, (stored.rows.get(found) ?? 0) + 1);
  });
  await eachLine(service, 'decisions', (line) => {
    const { id, action } = JSON.parse(line) as ExportedDecision;
    const found = markers.get(id);
    if (found === undefined) return;
    stored.decisions.set(found, [...(stored.decisions.get(found) ?? []), action ?? 'undecided']);
  });
  return stored;
}

async function eachLine(service: Service, what: 'events' | 'decisions', take: (line: string) => void): Promise<void> {
  const child = service.gatehouseStream('export', what);
  for await (const line of createInterface({ input: child.stdout as Readable })) take(line);
}

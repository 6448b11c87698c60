import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { AgentEvent } from '../../src/domain/event.ts';

/** The labelled events beside the checkout. They are not part of the project: what needs them is skipped without. */
const CORPUS = new URL('../../../shared/corpus/', import.meta.url);

export const corpusIsPresent = existsSync(CORPUS);

export interface CorpusRow {
  id: string;
  source: string;
  label: 'attack' | 'benign';
  category: string;
  subcategory?: string;
  hard?: boolean;
  weak_label?: boolean;
  /** The row's event, or the events of its session, with the envelope that the source lacks. */
  events: AgentEvent[];
}

const ENVELOPE = {
  session_id: 'corpus',
  timestamp: '2025-01-01T00:00:00Z',
  agent: { id: 'corpus', name: 'corpus' },
  user: { email: 'corpus@example.com' },
};

/** The rows of one corpus file, named without its ending. */
export function readCorpus(name: string): CorpusRow[] {
  const text = gunzipSync(readFileSync(new URL(`${name}.jsonl.gz`, CORPUS))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { event, session, ...row } = JSON.parse(line) as Omit<CorpusRow, 'events'> & {
        event?: object;
        session?: object[];
      };
      const events = (session ?? [event as object]).map((item) => ({ ...ENVELOPE, ...item }) as AgentEvent);
      return { ...row, events };
    });
}

export interface BlockRate {
  rowsCount: number;
  blockedCount: number;
  rate: number;
}

/** How many of `rows` are blocked by `blocks`. Rows with a weak label are left out. */
export function blockRate(rows: readonly CorpusRow[], blocks: (row: CorpusRow) => boolean): BlockRate {
  const counted = rows.filter((row) => row.weak_label !== true);
  const blockedCount = counted.filter(blocks).length;
  return { rowsCount: counted.length, blockedCount, rate: counted.length === 0 ? 0 : blockedCount / counted.length };
}

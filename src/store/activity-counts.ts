import { type Explanation, letThrough } from '../domain/decision.ts';
import type { DecisionRecord, EventRecord } from '../domain/record.ts';
import { bucketOf } from '../lib/log-histogram.ts';
import type { RowOf } from './row-columns.ts';
import { type RowTexts, RowTextsBuilder } from './row-texts.ts';

/** What a run of one tenant's records adds to `activity_minutes` and `agent_hours`. */

/** `at` is the minute or hour, in Unix milliseconds. */
export const ACTIVITY_COLUMNS = 'at bigint, ev int, dec int, blk int, und int, fo int, tmo int, lat int[]';
export const AGENT_HOUR_COLUMNS = 'a uuid, at bigint, t text, k text, ev int, blk int, und int';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

interface MinuteRow {
  at: number;
  ev: number;
  dec: number;
  blk: number;
  und: number;
  fo: number;
  tmo: number;
  lat: number[];
}

interface AgentHourRow {
  a: string;
  at: number;
  t: string;
  k: string;
  ev: number;
  blk: number;
  und: number;
}

export class ActivityCounts {
  readonly #minutes = new Map<number, MinuteRow>();
  readonly #agentHours = new Map<string, AgentHourRow>();

  /** `receivedMs`: the time of the event's id. */
  count(record: EventRecord | DecisionRecord, agentKey: string, receivedMs: number): void {
    const minute = this.#minuteOf(receivedMs);
    const hour = this.#agentHourOf(record, agentKey, receivedMs);
    minute.ev++;
    hour.ev++;
    if (record.kind === 'event') return;
    const { decision, tookUs } = record;
    const bucket = bucketOf(Math.round(tookUs));
    while (minute.lat.length <= bucket) minute.lat.push(0);
    minute.lat[bucket] = (minute.lat[bucket] ?? 0) + 1;
    minute.dec++;
    if (!letThrough(decision)) {
      minute.blk++;
      hour.blk++;
    }
    if (decision.kind === 'decided') return;
    minute.und++;
    hour.und++;
    if (decision.answered !== 'fail_open') return;
    minute.fo++;
    if (decision.cause === 'deadline') minute.tmo++;
  }

  /** In the order of their keys, in which every writer takes them. */
  finish(): { activity: RowTexts; agentHours: RowTexts } {
    const minutes = [...this.#minutes.values()].sort((a, b) => a.at - b.at);
    const hours = [...this.#agentHours].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    return { activity: textsOf(minutes, 120), agentHours: textsOf(hours, 60) };
  }

  #minuteOf(receivedMs: number): MinuteRow {
    const at = receivedMs - (receivedMs % MINUTE_MS);
    const known = this.#minutes.get(at);
    if (known !== undefined) return known;
    const row: MinuteRow = { at, ev: 0, dec: 0, blk: 0, und: 0, fo: 0, tmo: 0, lat: [] } satisfies RowOf<
      typeof ACTIVITY_COLUMNS
    >;
    this.#minutes.set(at, row);
    return row;
  }

  #agentHourOf(record: EventRecord | DecisionRecord, agentKey: string, receivedMs: number): AgentHourRow {
    const at = receivedMs - (receivedMs % HOUR_MS);
    const toolKind = record.kind === 'decision' ? toolKindOf(record) : '';
    const key = `${agentKey} ${at} ${record.eventType} ${toolKind}`;
    const known = this.#agentHours.get(key);
    if (known !== undefined) return known;
    const hour = { a: agentKey, at, t: record.eventType, k: toolKind, ev: 0, blk: 0, und: 0 };
    const row: AgentHourRow = hour satisfies RowOf<typeof AGENT_HOUR_COLUMNS>;
    this.#agentHours.set(key, row);
    return row;
  }
}

function textsOf(rows: readonly object[], charsEach: number): RowTexts {
  const texts = new RowTextsBuilder();
  for (const row of rows) texts.add(row, charsEach);
  return texts.finish();
}

/** The kind of tool that an inspection found the call to be of; empty where there was none. */
function toolKindOf({ effects, explanation }: DecisionRecord): string {
  for (const effect of effects) if (effect.kind === 'call' && 'toolKind' in effect) return String(effect.toolKind);
  // A call that was blocked has no effects.
  if (explanation === undefined || !explanation.includes('"toolKind":')) return '';
  return (JSON.parse(explanation) as Explanation).toolKind ?? '';
}

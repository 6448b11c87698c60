import { EVENTS_PATH } from '../../test/support/load.ts';
import type { EventTemplate } from './event-template.ts';

interface Load {
  /** Origin of the server. */
  url: string;
  /** Access token, sent with each event. */
  token: string;
  templates: EventTemplate[];
  /** Number of the first event; later rounds must begin where the earlier ones cannot have come to. */
  firstSerial: number;
  seconds: number;
}

/** As many events as the server answers: every connection sends its next event when the last one was answered. */
export interface SaturatingLoad extends Load {
  connections: number;
}

/** Events at a fixed rate, whatever the server does (open loop). */
export interface PacedLoad extends Load {
  eventsPerSecond: number;
  /** Events beyond this many in flight wait at the generator; their wait counts. */
  connectionsMax: number;
  /** Sent beside the others and counted apart; their sessions must not be those of the others. */
  intruders?: { template: EventTemplate; perSecond: number };
}

export interface LoadResult {
  /** Requests that were answered, by whatever status. */
  answered: number;
  seconds: number;
  /** Answers other than 2xx and 3xx. */
  refused: number;
  /** Connections that failed and requests that were never answered. */
  broken: number;
  p50Us: number;
  p99Us: number;
  maxUs: number;
}

export interface PacedResult extends LoadResult {
  p999Us: number;
  /** How late the generator itself sent, a part of the latencies: its own scheduling, and waits for a free connection. */
  lagP99Us: number;
  /** How often each status was answered. */
  statuses: Record<string, number>;
  intruderStatuses: Record<string, number>;
}

/** The request up to its Content-Length. */
export function requestHead({ url, token }: Load): string {
  return [
    `POST ${EVENTS_PATH} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    '',
  ].join('\r\n');
}

export type LoadJob = { paced: PacedLoad } | { saturating: SaturatingLoad };

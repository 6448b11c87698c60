import type { Decision } from '../domain/decision.ts';
import type { DecisionRecord, EventRecord, JournalRecord } from '../domain/record.ts';

/**
 * A record as bytes: `version`, the lengths of two JSON texts, the texts, and then the event's body as it came.
 * The body and the explanation stay as they are, since on the way of an event nobody reads them again.
 *
 *     u8 version | u32le meta bytes | u32le explanation bytes | meta | explanation | body
 */

/** Of records and chunks. 1 had no chunks. */
const VERSION = 2;
const HEADER_BYTES = 9;

export function encodeRecord(record: JournalRecord): Buffer {
  const { body, explanation } = record as { body?: Uint8Array; explanation?: string };
  const meta = metaText(record);
  const metaBytes = Buffer.byteLength(meta);
  const explanationBytes = explanation === undefined ? 0 : Buffer.byteLength(explanation);
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + metaBytes + explanationBytes + (body?.length ?? 0));
  bytes[0] = VERSION;
  bytes.writeUInt32LE(metaBytes, 1);
  bytes.writeUInt32LE(explanationBytes, 5);
  bytes.write(meta, HEADER_BYTES, 'utf8');
  if (explanation !== undefined) bytes.write(explanation, HEADER_BYTES + metaBytes, 'utf8');
  if (body !== undefined) bytes.set(body, HEADER_BYTES + metaBytes + explanationBytes);
  return bytes;
}

/**
 * All but the body and the explanation, as JSON. The two kinds that each event has are put together by hand, in less
 * time: identifiers, tenant names and keys hold nothing that JSON escapes.
 */
function metaText(record: JournalRecord): string {
  if (record.kind !== 'event' && record.kind !== 'decision')
    return JSON.stringify({ ...record, explanation: undefined });
  const { kind, tenant, session, event, atMs, eventType, dedupe, correlationId, traceparent } = record;
  const trace = traceparent === undefined ? '' : `,"traceparent":${quoted(traceparent)}`;
  const subject = quoted(record.subject);
  const { parent, owner } = record;
  const tree = `${owner === undefined ? '' : `,"owner":"${owner}"`}${parent === undefined ? '' : `,"parent":"${parent}"`}`;
  const outcome = kind === 'decision' ? decisionText(record) : policySetText(record);
  const untold = record.untold === undefined ? '' : `,"untold":${JSON.stringify(record.untold)}`;
  return `{"kind":"${kind}","tenant":"${tenant}","session":"${session}","event":"${event}","atMs":${atMs},"eventType":"${eventType}","dedupe":"${dedupe}","correlationId":${quoted(correlationId)}${trace},"subject":${subject}${tree}${outcome}${untold}}`;
}

function policySetText({ policySet }: EventRecord): string {
  return policySet === undefined ? '' : `,"policySet":"${policySet}"`;
}

const PLAIN = /^[\w .:+/=@-]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function decisionText({ decision, onFailure, effects, tookUs, notWaitedFor }: DecisionRecord): string {
  const skipped = notWaitedFor === undefined ? '' : `,"notWaitedFor":${JSON.stringify(notWaitedFor)}`;
  const done = effects.length === 0 ? '[]' : JSON.stringify(effects);
  const answer = isPlainAllow(decision) ? PLAIN_ALLOW : JSON.stringify(decision);
  return `,"decision":${answer},"onFailure":"${onFailure}","effects":${done},"tookUs":${tookUs}${skipped}`;
}

const PLAIN_ALLOW = '{"kind":"decided","action":"allow"}';

function isPlainAllow(decision: Decision): boolean {
  return decision.kind === 'decided' && decision.action === 'allow' && decision.reason === undefined;
}

/** Inverse of `encodeRecord`. The body is a view into `bytes`. Throws on bytes that are no record. */
export function decodeRecord(bytes: Buffer): JournalRecord {
  if (bytes[0] !== VERSION)
    throw new Error(`the journal record has version ${bytes[0]}, this program reads ${VERSION}`);
  const metaEnd = HEADER_BYTES + bytes.readUInt32LE(1);
  const explanationEnd = metaEnd + bytes.readUInt32LE(5);
  const record = JSON.parse(bytes.toString('utf8', HEADER_BYTES, metaEnd)) as JournalRecord;
  const parts = record as { body?: Uint8Array; explanation?: string };
  if (explanationEnd > metaEnd) parts.explanation = bytes.toString('utf8', metaEnd, explanationEnd);
  if (record.kind === 'event' || record.kind === 'decision') parts.body = bytes.subarray(explanationEnd);
  return record;
}

/**
 * Records as one value.
 *
 *     u8 version | u32le records | u32le end of each, from the first record's begin | records
 */
export function encodeChunk(records: readonly Buffer[]): Buffer {
  const head = Buffer.allocUnsafe(chunkHeadBytes(records.length));
  head[0] = VERSION;
  head.writeUInt32LE(records.length, 1);
  let end = 0;
  for (const [index, record] of records.entries()) {
    end += record.length;
    head.writeUInt32LE(end, chunkHeadBytes(index));
  }
  return Buffer.concat([head, ...records]);
}

/** How many records `chunk` holds. Throws on bytes that are no chunk. */
export function chunkCount(chunk: Buffer): number {
  if (chunk[0] !== VERSION) throw new Error(`the journal has version ${chunk[0]}, this program reads ${VERSION}`);
  return chunk.readUInt32LE(1);
}

/** The bytes of record `index` of `chunk`, as a view. */
export function chunkRecord(chunk: Buffer, index: number): Buffer {
  const first = chunkHeadBytes(chunkCount(chunk));
  const start = index === 0 ? 0 : chunk.readUInt32LE(chunkHeadBytes(index - 1));
  return chunk.subarray(first + start, first + chunk.readUInt32LE(chunkHeadBytes(index)));
}

function chunkHeadBytes(records: number): number {
  return 1 + 4 + 4 * records;
}

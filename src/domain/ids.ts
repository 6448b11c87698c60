import { createHash } from 'node:crypto';

/** A tenant's immutable short name, as written in tokens (`tenant` claim): `[a-z0-9][a-z0-9-]{0,62}`. */
export type TenantSlug = string & { readonly brand: 'TenantSlug' };

/** Identifies one agent session of one tenant: a UUID (version 8) derived from tenant and `session_id`. */
export type AgentSessionKey = string & { readonly brand: 'AgentSessionKey' };

/** Identifies a stored event: a UUID (version 7), so that ids sort by the time of receipt. */
export type EventId = string & { readonly brand: 'EventId' };

const TENANT_SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

export function isTenantSlug(value: string): value is TenantSlug {
  return TENANT_SLUG.test(value);
}

/**
 * The key of the session `sessionId` of `tenant`. A hash, because a sensor's `session_id` may be long and may hold
 * characters that a database or a file name refuses; keyed by tenant, so that equal ids of two tenants never meet.
 */
export function agentSessionKey(tenant: TenantSlug, sessionId: string): AgentSessionKey {
  // UTF-16 bytes, so that two ids that differ only in a lone surrogate stay apart (UTF-8 would fold both to U+FFFD).
  const hash = createHash('sha256').update(tenant).update('\0').update(Buffer.from(sessionId, 'utf16le')).digest();
  return formatUuid(hash, 8) as AgentSessionKey;
}

/** The smallest UUIDv7 of the millisecond `atMs`: the bound of a time range over event ids. */
export function eventIdFloor(atMs: number): EventId {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(atMs, 0, 6);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000` as EventId;
}

/** When the event was received, in Unix milliseconds. */
export function eventIdTimeMs(id: EventId): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

const HEX_DIGITS = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join(''));
const HYPHEN = 0x2d;
const uuidText = Buffer.allocUnsafe(36);

/** `bytes` as a UUID of `version` (RFC 9562); they are changed. Written in one piece: put together from slices, each id that a session remembers would keep a dozen small strings. */
export function formatUuid(bytes: Buffer, version: 7 | 8): string {
  bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  let at = 0;
  for (let index = 0; index < 16; index++) {
    if (index === 4 || index === 6 || index === 8 || index === 10) uuidText[at++] = HYPHEN;
    const digits = 2 * (bytes[index] as number);
    uuidText[at++] = HEX_DIGITS[digits] as number;
    uuidText[at++] = HEX_DIGITS[digits + 1] as number;
  }
  return uuidText.toString('latin1');
}

const TOKEN_ID = /^[\w-]{1,64}$/;

/** Whether `value` can be the id of an access token. */
export function isTokenId(value: unknown): value is string {
  return typeof value === 'string' && TOKEN_ID.test(value);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Whether `text` is a UUID as PostgreSQL writes it. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

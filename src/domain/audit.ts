import { createHash } from 'node:crypto';

/** Everything that the audit log tells of, as `what.happened`. */
export const AUDIT_ACTIONS = [
  'sign_in.asked',
  'sign_in.succeeded',
  'sign_in.failed',
  'sign_out',
  'login_sessions.revoked',
  'member.invited',
  'member.declined',
  'member.changed',
  'member.removed',
  'member.disabled',
  'member.enabled',
  'token.minted',
  'token.revoked',
  'issuer.trusted',
  'issuer.removed',
  'agent.shared',
  'agent.unshared',
  'agent.left',
  'sso.created',
  'sso.changed',
  'sso.removed',
  'sso.tested',
  'domain.claimed',
  'domain.verified',
  'domain.removed',
  'tenant.changed',
  'policies.saved',
  'policies.activated',
  'policies.shadowed',
  'policies.tried',
  'policies.trial_cancelled',
  'findings.triaged',
  'session.released',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Something that somebody did in a tenant. */
export interface AuditEntry {
  tenantId: string;
  /**
   * `user:<id>`, `token:<id>`, `operator` (the command line), `tenant:<id>` (what another tenant did), `connection:<id>` (what
   * an identity provider did), or `nobody` where a sign-in failed.
   */
  actor: string;
  action: AuditAction;
  /** What it was done to: an id or a name. */
  target?: string;
  /** Plain data. Never a secret, never event content. */
  detail?: Readonly<Record<string, unknown>>;
  /** The network address it came from. */
  address?: string;
}

/** An entry as it is stored. */
export interface AuditRow {
  tenantId: string;
  /** From 1, without gaps. */
  seq: number;
  at: Date;
  actor: string;
  action: string;
  target: string | null;
  /** JSON text. */
  detail: string;
  address: string | null;
  previousHash: Uint8Array;
}

/** What the first entry of a tenant has before it. */
export const NO_HASH = new Uint8Array(32);

/** SHA-256 over every field of the entry and the hash before it, as one JSON array, so that no two entries read alike. */
export function auditHash(row: AuditRow): Uint8Array {
  const { tenantId, seq, at, actor, action, target, detail, address, previousHash } = row;
  const fields = [tenantId, seq, at.toISOString(), actor, action, target, detail, address];
  return createHash('sha256')
    .update(JSON.stringify([...fields, Buffer.from(previousHash).toString('hex')]))
    .digest();
}

/** Where a chain has come to. */
export interface ChainEnd {
  seq: number;
  hash: Uint8Array;
}

/** The end of a chain of no entries. */
export const CHAIN_START: ChainEnd = { seq: 0, hash: NO_HASH };

/** Why `row` is not the entry that was written after `end`; undefined if it is. */
export function chainFault(row: AuditRow & { hash: Uint8Array }, end: ChainEnd): string | undefined {
  if (row.seq !== end.seq + 1) return `entry ${end.seq + 1} is missing`;
  if (!equal(row.previousHash, end.hash)) return `entry ${row.seq} does not follow the one before it`;
  return equal(row.hash, auditHash(row)) ? undefined : `entry ${row.seq} is not what was written`;
}

function equal(some: Uint8Array, others: Uint8Array): boolean {
  return Buffer.compare(some, others) === 0;
}

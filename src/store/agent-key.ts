import { createHash } from 'node:crypto';
import type { TenantSlug } from '../domain/ids.ts';

/** The key of the agent `agentId` of `tenant`: a UUID (version 8) made of a hash, as `agentSessionKey` is, and for the same reasons. */
export function agentKey(tenant: TenantSlug, agentId: string): string {
  const hash = createHash('sha256')
    .update('agent\0')
    .update(tenant)
    .update('\0')
    .update(Buffer.from(agentId, 'utf16le'));
  const hex = hash.digest('hex');
  const variant = ((Number.parseInt(hex[16] as string, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
